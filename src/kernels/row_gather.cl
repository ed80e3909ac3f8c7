// Rows that units of work left in regions of `unit_rows` rows each are put together, of up to eight
// columns in one launch: the rows of a unit, counts[unit] of them, follow each other from row
// firsts[unit] on of a column of `row_bytes` bytes per row that begins at byte `begin` of `into`.
// One work-group per unit and column; those of a column follow each other. Where rows are of whole
// words, so are their places.

static void gather_rows(const ulong unit, const uint unit_rows, const uint rows, const ulong first,
                        __global const uchar* regions, __global uchar* column,
                        const uint row_bytes) {
  const ulong bytes = (ulong)rows * row_bytes;
  __global const uchar* from = regions + unit * unit_rows * row_bytes;
  __global uchar* into = column + first * row_bytes;
  if (row_bytes % 4 == 0) {
    __global const uint* from_words = (__global const uint*)from;
    __global uint* into_words = (__global uint*)into;
    for (ulong word = get_local_id(0); word < bytes / 4; word += get_local_size(0)) {
      into_words[word] = from_words[word];
    }
  } else {
    for (ulong byte = get_local_id(0); byte < bytes; byte += get_local_size(0)) {
      into[byte] = from[byte];
    }
  }
}

#define COLUMN(number)                                                           \
  __global const uchar *regions##number, __global uchar *into##number,           \
      const ulong begin##number, const uint row_bytes##number
#define GATHER(number)                                                           \
  case number:                                                                   \
    gather_rows(unit, unit_rows, counts[unit], firsts[unit], regions##number,    \
                into##number + begin##number, row_bytes##number);                \
    break;

__kernel void row_gather(const uint units, const uint unit_rows,
                         __global const uint* restrict counts,
                         __global const ulong* restrict firsts, COLUMN(0), COLUMN(1), COLUMN(2),
                         COLUMN(3), COLUMN(4), COLUMN(5), COLUMN(6), COLUMN(7)) {
  const ulong unit = get_group_id(0) % units;
  switch (get_group_id(0) / units) {
    GATHER(0)
    GATHER(1)
    GATHER(2)
    GATHER(3)
    GATHER(4)
    GATHER(5)
    GATHER(6)
    GATHER(7)
  }
}

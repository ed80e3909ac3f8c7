// Rows of `row_bytes` bytes that units of work left in regions of `unit_rows` rows each are put
// together: those of a unit, counts[unit] of them, follow each other from row firsts[unit] on of a
// column that begins at byte `begin` of `result`. One work-group per unit. Where rows are of whole
// words, so are their places.
__kernel void row_gather(__global const uchar* restrict regions, const uint unit_rows,
                         const uint row_bytes, __global const uint* restrict counts,
                         __global const ulong* restrict firsts, __global uchar* restrict result,
                         const ulong begin) {
  const ulong unit = get_group_id(0);
  const ulong bytes = (ulong)counts[unit] * row_bytes;
  __global const uchar* from = regions + unit * unit_rows * row_bytes;
  __global uchar* into = result + begin + firsts[unit] * row_bytes;
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

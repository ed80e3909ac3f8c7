// Whether rows have a value, as bytes that are 0 or 1 in regions (see row_gather.cl), becomes bits of
// `result`, all 0 before, in words of 32 rows. One work-group per unit; units may share their first
// and last words.
__kernel void validity_gather(__global const uchar* restrict regions, const uint unit_rows,
                              __global const uint* restrict counts,
                              __global const ulong* restrict firsts,
                              volatile __global uint* result) {
  const ulong unit = get_group_id(0);
  __global const uchar* region = regions + unit * unit_rows;
  const ulong first = firsts[unit];
  const ulong end = first + counts[unit];
  for (ulong word = first / 32 + get_local_id(0); word * 32 < end; word += get_local_size(0)) {
    uint bits = 0;
    for (ulong row = max(word * 32, first); row < min(word * 32 + 32, end); row++) {
      bits |= (uint)region[row - first] << (uint)(row % 32);
    }
    if (bits != 0) {
      atomic_or(result + word, bits);
    }
  }
}

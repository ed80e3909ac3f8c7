// Copies strings together: string i begins at begins[i] of `text` and ends at ends[i] of `result`,
// where it follows string i - 1. One work-item per string.
__kernel void text_gather(__global const uchar* restrict text,
                          __global const ulong* restrict begins,
                          __global const ulong* restrict ends, const ulong count,
                          __global uchar* restrict result) {
  const ulong i = get_global_id(0);
  if (i >= count) {
    return;
  }
  const ulong first = i == 0 ? 0 : ends[i - 1];
  __global const uchar* source = text + begins[i];
  for (ulong place = first; place < ends[i]; place++) {
    result[place] = source[place - first];
  }
}

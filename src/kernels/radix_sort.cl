// One pass of a stable radix sort (see radix_sort.hpp): elements by one digit of their words. Each
// work-item has `share` elements that follow each other. The places of a digit's elements of one
// work-item follow those of the work-item before it: counts[digit * work-items + work-item].

#define RADIX_DIGITS 256
#define RADIX_DIGIT(word, shift) ((uint)((word) >> (shift)) & (RADIX_DIGITS - 1))

__kernel void radix_count(__global const ulong *restrict words, const uint elements,
                          const uint share, const uint shift, __global uint *restrict counts) {
  const uint item = (uint)get_global_id(0);
  const uint items = (uint)get_global_size(0);
  uint own[RADIX_DIGITS];
  for (uint digit = 0; digit < RADIX_DIGITS; digit++) own[digit] = 0;
  const ulong begin = (ulong)item * share;
  const ulong end = min((ulong)elements, begin + share);
  for (ulong i = begin; i < end; i++) own[RADIX_DIGIT(words[i], shift)]++;
  for (uint digit = 0; digit < RADIX_DIGITS; digit++) counts[digit * items + item] = own[digit];
}

__kernel void radix_scatter(__global const ulong *restrict words, __global const uint *restrict rows,
                            const uint elements, const uint share, const uint shift,
                            __global const uint *restrict places, __global ulong *restrict words_out,
                            __global uint *restrict rows_out) {
  const uint item = (uint)get_global_id(0);
  const uint items = (uint)get_global_size(0);
  uint own[RADIX_DIGITS];
  for (uint digit = 0; digit < RADIX_DIGITS; digit++) own[digit] = places[digit * items + item];
  const ulong begin = (ulong)item * share;
  const ulong end = min((ulong)elements, begin + share);
  for (ulong i = begin; i < end; i++) {
    const ulong word = words[i];
    const uint place = own[RADIX_DIGIT(word, shift)]++;
    words_out[place] = word;
    rows_out[place] = rows[i];
  }
}

// The words of rows in the order of `rows`.
__kernel void radix_gather(__global const ulong *restrict words, __global const uint *restrict rows,
                           const uint elements, const uint share,
                           __global ulong *restrict words_out) {
  const ulong begin = get_global_id(0) * (ulong)share;
  const ulong end = min((ulong)elements, begin + share);
  for (ulong i = begin; i < end; i++) words_out[i] = words[rows[i]];
}

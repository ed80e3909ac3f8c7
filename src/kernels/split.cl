// Entries by the partitions of their slots (see split.hpp). Each work-item has `share` entries that
// follow each other. The places of a partition's pairs of one work-item follow those of the
// work-item before it: counts[partition * items + item].

#define SPLIT_MOST_PARTITIONS 1024

__kernel void split_count(__global const uint *restrict slots, const uint entries, const uint share,
                          const uint first_item, const uint items, const uint shift,
                          const uint partitions, __global uint *restrict counts) {
  const uint item = first_item + (uint)get_global_id(0);
  uint own[SPLIT_MOST_PARTITIONS];
  for (uint partition = 0; partition < partitions; partition++) own[partition] = 0;
  const ulong begin = (ulong)item * share;
  const ulong end = min((ulong)entries, begin + share);
  for (ulong i = begin; i < end; i++) {
    const uint slot = slots[i];
    if (slot != 0) own[(slot - 1) >> shift]++;
  }
  for (uint partition = 0; partition < partitions; partition++)
    counts[(ulong)partition * items + item] = own[partition];
}

__kernel void split_scatter(__global const uint *restrict slots, const uint entries,
                            const uint share, const uint first_item, const uint items,
                            const uint shift, const uint partitions,
                            __global const uint *restrict places, __global ulong *restrict pairs) {
  const uint item = first_item + (uint)get_global_id(0);
  uint own[SPLIT_MOST_PARTITIONS];
  for (uint partition = 0; partition < partitions; partition++)
    own[partition] = places[(ulong)partition * items + item];
  const ulong begin = (ulong)item * share;
  const ulong end = min((ulong)entries, begin + share);
  for (ulong i = begin; i < end; i++) {
    const uint slot = slots[i];
    if (slot != 0) pairs[own[(slot - 1) >> shift]++] = i << 32 | (slot - 1);
  }
}

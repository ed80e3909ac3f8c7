// Chains the entries of partitions (see slot_chains.hpp): a work-group has a partition, whose slots
// no other work-group touches. LANES is the number of its work-items.

#if LANES == 1
#define PUT_FIRST(first, head, entry) \
  const uint first = *(head);         \
  *(head) = (entry) + 1;
#else
#define PUT_FIRST(first, head, entry) const uint first = atomic_xchg(head, (entry) + 1);
#endif

// Of each partition the `most` pairs from the one with the number `from` on.
__kernel void chain_slots(__global const ulong *restrict pairs, __global const uint *restrict begins,
                          const uint first_partition, const uint from, const uint most,
                          volatile __global uint *heads, __global uint *restrict nexts) {
  const uint partition = first_partition + (uint)get_group_id(0);
  const ulong begin = (ulong)begins[partition] + from;
  const ulong end = min((ulong)begins[partition + 1], begin + most);
  for (ulong i = begin + get_local_id(0); i < end; i += LANES) {
    const ulong pair = pairs[i];
    const uint entry = (uint)(pair >> 32);
    PUT_FIRST(next, heads + (uint)pair, entry)
    // Most slots have one entry: memory that need not change is not touched.
    if (next != 0) nexts[entry] = next;
  }
}

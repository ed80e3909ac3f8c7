// Join tables that several work-groups fill. LANES is the number of work-items of a work-group.

// Makes an entry the first of its slot; returns the one that was first. Both are plus one, 0 stands
// for none. A CPU swaps until no other core was faster: Intel's runtime takes ten times as long for
// an exchange. Starts from an empty slot, as most are: a plain read beside atomic writes would be a
// race.
inline uint put_first(volatile __global uint *head, uint entry) {
#if LANES == 1
  uint held = 0;
  for (;;) {
    const uint seen = atomic_cmpxchg(head, held, entry);
    if (seen == held) return held;
    held = seen;
  }
#else
  return atomic_xchg(head, entry);
#endif
}

// Join tables that several work-groups fill. LANES is the number of work-items of a work-group.

// Bits that a work-item sets in one word.
typedef struct {
  ulong word;
  uint bits;
} held_bits;

static inline void give_bits(volatile __global uint *words, const held_bits *held) {
  if (held->bits) atomic_or(words + held->word, held->bits);
}

// Sets the bit of a slot. A work-item holds bits back until one of another word comes: it walks rows
// that follow each other, and the keys of a clustered column do mostly too. Those left are given at
// the end.
static inline void set_bit(volatile __global uint *words, ulong slot, held_bits *held) {
  if (slot >> 5 != held->word) {
    give_bits(words, held);
    held->word = slot >> 5;
    held->bits = 0;
  }
  held->bits |= 1u << (uint)(slot & 31);
}

// Makes an entry the first of its slot; returns the one that was first. Both are plus one, 0 stands
// for none. A CPU swaps until no other core was faster: Intel's runtime takes ten times as long for
// an exchange. Starts from an empty slot, as most are: a plain read beside atomic writes would be a
// race.
static inline uint put_first(volatile __global uint *head, uint entry) {
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

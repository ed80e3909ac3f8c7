// A table of groups that all work-items fill: slots of a code of CODE_WORDS words, 0 for none, and of
// a row of words.

// So many slots in a row are taken only where a table is too full.
#define MOST_PROBES 64

// The slot of `code`, of which no word is 0, in a table of `mask` + 1 slots: the one that has it, or
// an empty one that gets it. Returns `mask` + 1 where all places that it may take are taken by others.
// Looks by swapping: a plain read beside atomic writes would be a race.
//
// The words of a slot are taken one after the other, and keep what they got. Whoever finds another
// word than its own goes on to the next slot: even if it took the words before, those who share them
// take the rest, so that each slot gets all words of one code, and each code one slot.
static inline ulong group_slot(volatile __global ulong *codes, ulong mask, const ulong *code) {
  ulong hash = 0;
  for (uint word = 0; word < CODE_WORDS; word++) hash = hash_word(hash, code[word]);
  ulong slot = hash & mask;
  for (uint probe = 0; probe < MOST_PROBES; probe++) {
    uint taken = 0;
    for (; taken < CODE_WORDS; taken++) {
      const ulong held = atom_cmpxchg(codes + slot * CODE_WORDS + taken, 0UL, code[taken]);
      if (held != 0 && held != code[taken]) break;
    }
    if (taken == CODE_WORDS) return slot;
    slot = (slot + 1) & mask;
  }
  return mask + 1;
}

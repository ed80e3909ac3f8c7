// A table of groups that all work-items fill: slots of a code, 0 for none, and of a row of words.

// So many slots in a row are taken only where a table is too full.
#define MOST_PROBES 64

// The slot of `code`, which is not 0, in a table of `mask` + 1 slots: the one that has it, or an
// empty one that gets it. Returns `mask` + 1 where all places that it may take are taken by others.
// Looks by swapping: a plain read beside atomic writes would be a race.
inline ulong group_slot(volatile __global ulong *codes, ulong mask, ulong code) {
  ulong slot = hash_word(0, code) & mask;
  for (uint probe = 0; probe < MOST_PROBES; probe++) {
    const ulong held = atom_cmpxchg(codes + slot, 0UL, code);
    if (held == 0 || held == code) return slot;
    slot = (slot + 1) & mask;
  }
  return mask + 1;
}

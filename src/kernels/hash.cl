// Hashes of join and group keys.

// Mixes another word into a hash: a multiplication spreads each bit upwards, the shift brings the
// upper bits back down to where slots are taken from.
inline ulong hash_word(ulong hash, ulong word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15UL;
  return hash ^ (hash >> 32);
}

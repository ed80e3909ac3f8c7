// Hashes of join and group keys.

// Mixes another word into a hash: a multiplication spreads each bit upwards, the shift brings the
// upper bits back down to where slots are taken from.
inline ulong hash_word(ulong hash, ulong word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15UL;
  return hash ^ (hash >> 32);
}

// The same of 128 bits; a value that fits into one word has the hash of that word.
inline ulong hash_wide(ulong hash, wide value) {
  hash = hash_word(hash, value.low);
  return value.high == ((long)value.low >> 63) ? hash : hash_word(hash, (ulong)value.high);
}

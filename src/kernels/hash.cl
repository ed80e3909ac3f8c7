// Hashes of join and group keys.

// Mixes another word into a hash: multiplications spread each bit upwards, shifts bring upper bits
// back down to where slots are taken from. Two rounds, so that words that differ in their upper bits
// only are as good as any.
static inline ulong hash_word(ulong hash, ulong word) {
  hash ^= word;
  hash = (hash ^ (hash >> 32)) * 0x9E3779B97F4A7C15UL;
  hash = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9UL;
  return hash ^ (hash >> 32);
}

// The same of 128 bits; a value that fits into one word has the hash of that word.
static inline ulong hash_wide(ulong hash, wide value) {
  hash = hash_word(hash, value.low);
  return value.high == ((long)value.low >> 63) ? hash : hash_word(hash, (ulong)value.high);
}

// A hash of the bytes of a text (see text.cl), for which hash.cl mixes words.
static inline ulong text_hash(__global const uchar* text, uint bytes) {
  ulong hash = bytes;
  uint i = 0;
  for (; i + 8 <= bytes; i += 8) hash = hash_word(hash, text_word(text + i));
  const uint rest = bytes - i;
  return rest == 0 ? hash : hash_word(hash, text_word(text + i) << (64 - 8 * rest));
}

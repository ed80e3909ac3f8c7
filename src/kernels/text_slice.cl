// Slices of texts (see text.cl), as the places of their first byte and of the one behind the last.

//! The place of a character by its number, from the begin or, where that is negative, from the end;
//! the nearer end where there is none. No text has more characters than bytes.
static inline uint text_place(__global const uchar* text, uint bytes, long character) {
  if (character >= (long)bytes) {
    return bytes;
  }
  if (character <= -(long)bytes) {
    return 0;
  }
  if (character < 0) {
    const uint place = text_back(text, bytes, (uint)-character);
    return place == TEXT_NONE ? 0 : place;
  }
  uint place = 0;
  for (; character > 0 && place < bytes; character--) {
    place = text_next(text, place, bytes);
  }
  return place;
}

//! The characters from `begin` on and before `end`.
TEXT_FUNCTION uint2 text_slice(__global const uchar* text, uint bytes, long begin, long end) {
  const uint first = text_place(text, bytes, begin);
  return (uint2)(first, max(first, text_place(text, bytes, end)));
}

//! Whether the character of `bytes` bytes at `character` is one of those in `set`.
static inline int text_is_one_of(__global const uchar* character, uint bytes, __global const uchar* set,
                          uint set_bytes) {
  for (uint place = 0; place < set_bytes;) {
    const uint next = text_next(set, place, set_bytes);
    if (next - place == bytes && text_match(set + place, character, bytes)) {
      return 1;
    }
    place = next;
  }
  return 0;
}

//! All but the characters of `set` at the begin.
TEXT_FUNCTION uint2 text_trim_begin(__global const uchar* text, uint bytes,
                                    __global const uchar* set, uint set_bytes) {
  uint place = 0;
  while (place < bytes) {
    const uint next = text_next(text, place, bytes);
    if (!text_is_one_of(text + place, next - place, set, set_bytes)) {
      break;
    }
    place = next;
  }
  return (uint2)(place, bytes);
}

//! All but those at the end.
TEXT_FUNCTION uint2 text_trim_end(__global const uchar* text, uint bytes, __global const uchar* set,
                                  uint set_bytes) {
  uint place = bytes;
  while (place > 0) {
    const uint last = text_back(text, place, 1);
    if (!text_is_one_of(text + last, place - last, set, set_bytes)) {
      break;
    }
    place = last;
  }
  return (uint2)(0, place);
}

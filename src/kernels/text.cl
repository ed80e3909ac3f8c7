// Strings of text columns, as bytes of UTF-8. A text is a pointer and a length in bytes; behind it
// 64 bytes can be read, whatever they are (storage/constants.hpp), and 16 behind a needle. Devices
// are little-endian, as their hosts are.

#define TEXT_NONE 0xFFFFFFFFu

//! Eight bytes from any address, the first one lowest.
inline ulong text_word(__global const uchar* address) { return as_ulong(vload8(0, address)); }

//! The number of the lowest byte of `word` that is not zero; there is one.
inline uint text_first_byte(ulong word) { return (uint)popcount((word & (0UL - word)) - 1) / 8; }

//! Whether `bytes` bytes at two addresses are the same.
inline int text_match(__global const uchar* a, __global const uchar* b, uint bytes) {
  uint i = 0;
  for (; i + 8 <= bytes; i += 8) {
    if (text_word(a + i) != text_word(b + i)) {
      return 0;
    }
  }
  const uint rest = bytes - i;
  return rest == 0 || (text_word(a + i) ^ text_word(b + i)) << (64 - 8 * rest) == 0;
}

inline int text_equal(__global const uchar* a, uint a_bytes, __global const uchar* b,
                      uint b_bytes) {
  return a_bytes == b_bytes && text_match(a, b, a_bytes);
}

//! Binary order (unsigned bytes, a prefix before its extensions): below, at or above 0.
inline int text_order(__global const uchar* a, uint a_bytes, __global const uchar* b,
                      uint b_bytes) {
  const uint common = min(a_bytes, b_bytes);
  for (uint i = 0; i < common; i += 8) {
    const ulong x = text_word(a + i), y = text_word(b + i);
    if (x != y) {
      const uint place = text_first_byte(x ^ y);
      if (i + place < common) {
        return (int)(x >> 8 * place & 255) - (int)(y >> 8 * place & 255);
      }
      break;
    }
  }
  return a_bytes < b_bytes ? -1 : a_bytes > b_bytes;
}

inline int text_prefix(__global const uchar* text, uint bytes, __global const uchar* needle,
                       uint needle_bytes) {
  return needle_bytes <= bytes && text_match(text, needle, needle_bytes);
}

inline int text_suffix(__global const uchar* text, uint bytes, __global const uchar* needle,
                       uint needle_bytes) {
  return needle_bytes <= bytes && text_match(text + (bytes - needle_bytes), needle, needle_bytes);
}

//! Characters: all bytes but those that continue one.
inline uint text_characters(__global const uchar* text, uint bytes) {
  uint continued = 0;
  for (uint i = 0; i < bytes; i += 8) {
    ulong word = text_word(text + i);
    word = word >> 7 & ~word >> 6 & 0x0101010101010101UL;
    const uint rest = bytes - i;
    continued += (uint)popcount(rest < 8 ? word << (64 - 8 * rest) : word);
  }
  return bytes - continued;
}

//! The first place in [from, end) where byte `first` is, and byte `second` `distance` bytes behind
//! it; a place not below `end` where there is none. 64 bytes at a time.
inline uint text_candidate(__global const uchar* text, uint from, uint end, uchar first,
                           uchar second, uint distance) {
  const uchar16 a = first, b = second;
  for (; from < end; from += 64) {
    __global const uchar* near = text + from;
    __global const uchar* far = near + distance;
    const char16 m0 = (vload16(0, near) == a) & (vload16(0, far) == b);
    const char16 m1 = (vload16(1, near) == a) & (vload16(1, far) == b);
    const char16 m2 = (vload16(2, near) == a) & (vload16(2, far) == b);
    const char16 m3 = (vload16(3, near) == a) & (vload16(3, far) == b);
    const ulong2 any = as_ulong2(m0 | m1 | m2 | m3);
    if ((any.s0 | any.s1) != 0) {
      const ulong words[8] = {as_ulong2(m0).s0, as_ulong2(m0).s1, as_ulong2(m1).s0,
                              as_ulong2(m1).s1, as_ulong2(m2).s0, as_ulong2(m2).s1,
                              as_ulong2(m3).s0, as_ulong2(m3).s1};
      uint i = 0;
      while (words[i] == 0) {
        i++;
      }
      return from + 8 * i + text_first_byte(words[i]);
    }
  }
  return end;
}

// A LIKE pattern is its pieces between the `%`, as words of 4 bytes (kernels/like_pattern.hpp):
//
//   [0] pieces  [1] flags  [2] the needle: a piece that is searched for first, or TEXT_NONE
//   then per piece  [0] where its bytes are, from the pattern's start  [1] bytes
//                   [2] characters, 0 for a piece without `_`
//                   [3] [4] places of its two rarest bytes, the nearer one first
//   then the bytes, 0xFF for `_`, which is one character

#define TEXT_BEGINS_ANYWHERE 1u
#define TEXT_ENDS_ANYWHERE 2u
#define TEXT_PIECE(pattern, i) ((pattern) + 3 + 5 * (i))
#define TEXT_PIECE_BYTES(pattern, piece) ((__global const uchar*)(pattern) + (piece)[0])

//! The first place of a piece without `_` at `from` or behind it, or TEXT_NONE.
inline uint text_find(__global const uchar* text, uint from, uint bytes,
                      __global const uint* pattern, __global const uint* piece) {
  __global const uchar* needle = TEXT_PIECE_BYTES(pattern, piece);
  const uint needle_bytes = piece[1], near = piece[3], distance = piece[4] - near;
  if (needle_bytes > bytes - from) {
    return TEXT_NONE;
  }
  const uint end = bytes - needle_bytes + 1;
  const uchar first = needle[near], second = needle[near + distance];
  for (uint place = from;; place++) {
    place = text_candidate(text + near, place, end, first, second, distance);
    if (place >= end) {
      return TEXT_NONE;
    }
    if (text_match(text + place, needle, needle_bytes)) {
      return place;
    }
  }
}

//! The end of the character that begins at `place`.
inline uint text_next(__global const uchar* text, uint place, uint bytes) {
  place++;
  while (place < bytes && (text[place] & 0xC0) == 0x80) {
    place++;
  }
  return place;
}

//! Where a piece with `_` ends that begins at `place`, or TEXT_NONE.
inline uint text_match_piece(__global const uchar* text, uint place, uint bytes,
                             __global const uchar* piece, uint piece_bytes) {
  for (uint i = 0; i < piece_bytes; i++) {
    if (place >= bytes) {
      return TEXT_NONE;
    }
    if (piece[i] == 0xFF) {
      place = text_next(text, place, bytes);
    } else if (piece[i] == text[place]) {
      place++;
    } else {
      return TEXT_NONE;
    }
  }
  return place;
}

//! The place `characters` characters before the end, or TEXT_NONE.
inline uint text_back(__global const uchar* text, uint bytes, uint characters) {
  uint place = bytes;
  while (characters > 0) {
    if (place == 0) {
      return TEXT_NONE;
    }
    place--;
    characters -= (text[place] & 0xC0) != 0x80;
  }
  return place;
}

//! Whether the pieces of a pattern from number `i` on match the text from `place` on. Each takes
//! the first place there is: that leaves most to those behind it.
inline int text_like_from(__global const uchar* text, uint bytes, __global const uint* pattern,
                          uint i, uint place) {
  const uint pieces = pattern[0], flags = pattern[1];
  for (; i < pieces; i++) {
    __global const uint* piece = TEXT_PIECE(pattern, i);
    __global const uchar* needle = TEXT_PIECE_BYTES(pattern, piece);
    const uint needle_bytes = piece[1];
    const int is_literal = piece[2] == 0;
    const int is_first = i == 0 && !(flags & TEXT_BEGINS_ANYWHERE);
    const int is_last = i + 1 == pieces && !(flags & TEXT_ENDS_ANYWHERE);
    if (is_literal && (is_first || is_last)) {
      if (needle_bytes > bytes - place) {
        return 0;
      }
      if (is_last && !is_first) {
        place = bytes - needle_bytes;
      }
      if (!text_match(text + place, needle, needle_bytes)) {
        return 0;
      }
      place += needle_bytes;
    } else if (is_literal) {
      place = text_find(text, place, bytes, pattern, piece);
      if (place == TEXT_NONE) {
        return 0;
      }
      place += needle_bytes;
    } else if (is_first || is_last) {
      const uint begin = is_first ? place : text_back(text, bytes, piece[2]);
      if (begin == TEXT_NONE || begin < place) {
        return 0;
      }
      place = text_match_piece(text, begin, bytes, needle, needle_bytes);
      if (place == TEXT_NONE) {
        return 0;
      }
    } else {
      uint end = TEXT_NONE;
      for (; place < bytes && end == TEXT_NONE; place = text_next(text, place, bytes)) {
        end = text_match_piece(text, place, bytes, needle, needle_bytes);
      }
      if (end == TEXT_NONE) {
        return 0;
      }
      place = end;
    }
  }
  return (flags & TEXT_ENDS_ANYWHERE) != 0 || place == bytes;
}

inline int text_like(__global const uchar* text, uint bytes, __global const uint* pattern) {
  return text_like_from(text, bytes, pattern, 0, 0);
}

//! LIKE for all rows of a segment at once: sets bit r of `found` where row r matches. Searches the
//! segment's bytes for the pattern's needle, which it must have, as if they were one text, and looks
//! at rows only where the needle is.
inline void text_search(__global const uchar* text, __global const uint* ends, uint rows,
                        __global const uint* pattern, uint* found) {
  for (uint i = 0; i < (rows + 31) / 32; i++) {
    found[i] = 0;
  }
  __global const uint* piece = TEXT_PIECE(pattern, pattern[2]);
  const uint needle_bytes = piece[1];
  const uint bytes = ends[rows - 1];
  // Where the needle is the first piece, the search has done that piece's work.
  const uint rest = pattern[2] == 0 ? 1 : 0;
  uint row = 0;
  for (uint place = 0; place < bytes;) {
    place = text_find(text, place, bytes, pattern, piece);
    if (place == TEXT_NONE) {
      return;
    }
    while (ends[row] <= place) {
      row++;
    }
    const uint begin = row == 0 ? 0 : ends[row - 1], end = ends[row];
    if (place + needle_bytes > end) {
      place++;
      continue;
    }
    const uint done = rest == 0 ? 0 : place + needle_bytes - begin;
    found[row / 32] |= (uint)text_like_from(text + begin, end - begin, pattern, rest, done)
                       << row % 32;
    place = end;
  }
}

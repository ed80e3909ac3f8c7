// Strings of text columns, as bytes of UTF-8. A text is a pointer and a length in bytes; behind it
// 64 bytes can be read, whatever they are (storage/constants.hpp), behind a segment's ends as well,
// and 16 behind a needle. Devices are little-endian, as their hosts are.

#define TEXT_NONE 0xFFFFFFFFu

//! Of large functions: were they inlined wherever they are called, compilers would take seconds.
#define TEXT_FUNCTION static __attribute__((noinline, unused))

//! Eight bytes from any address, the first one lowest.
static inline ulong text_word(__global const uchar* address) { return as_ulong(vload8(0, address)); }

//! The number of the lowest bit of `word` that is set; there is one.
static inline uint text_first_bit(ulong word) { return (uint)popcount((word & (0UL - word)) - 1); }

//! Whether `bytes` bytes at two addresses are the same.
static inline int text_match(__global const uchar* a, __global const uchar* b, uint bytes) {
  uint i = 0;
  for (; i + 8 <= bytes; i += 8) {
    if (text_word(a + i) != text_word(b + i)) {
      return 0;
    }
  }
  const uint rest = bytes - i;
  return rest == 0 || (text_word(a + i) ^ text_word(b + i)) << (64 - 8 * rest) == 0;
}

static inline int text_equal(__global const uchar* a, uint a_bytes, __global const uchar* b,
                      uint b_bytes) {
  return a_bytes == b_bytes && text_match(a, b, a_bytes);
}

//! Binary order (unsigned bytes, a prefix before its extensions): below, at or above 0.
static inline int text_order(__global const uchar* a, uint a_bytes, __global const uchar* b,
                      uint b_bytes) {
  const uint common = min(a_bytes, b_bytes);
  for (uint i = 0; i < common; i += 8) {
    const ulong x = text_word(a + i), y = text_word(b + i);
    if (x != y) {
      const uint place = text_first_bit(x ^ y) / 8;
      if (i + place < common) {
        return (int)(x >> 8 * place & 255) - (int)(y >> 8 * place & 255);
      }
      break;
    }
  }
  return a_bytes < b_bytes ? -1 : a_bytes > b_bytes;
}

//! The eight bytes from `from` on, the first one highest, with 0 in place of those behind the end.
static inline ulong text_order_word(__global const uchar* text, uint bytes, uint from) {
  if (from >= bytes) {
    return 0;
  }
  const ulong word = as_ulong(as_uchar8(text_word(text + from)).s76543210);
  const uint rest = bytes - from;
  return rest < 8 ? word & ~0UL << (64 - 8 * rest) : word;
}

//! Whether a text is one of `count` sorted ones, whose bytes lie one behind the other.
TEXT_FUNCTION int text_list_holds(__global const uchar* list, __global const uint* ends, uint count,
                                  __global const uchar* text, uint bytes) {
  uint first = 0;
  for (uint rest = count; rest > 0;) {
    const uint middle = first + rest / 2;
    const uint begin = middle == 0 ? 0 : ends[middle - 1];
    const int order = text_order(text, bytes, list + begin, ends[middle] - begin);
    if (order == 0) {
      return 1;
    }
    if (order > 0) {
      first = middle + 1;
      rest -= rest / 2 + 1;
    } else {
      rest /= 2;
    }
  }
  return 0;
}

static inline int text_prefix(__global const uchar* text, uint bytes, __global const uchar* needle,
                       uint needle_bytes) {
  return needle_bytes <= bytes && text_match(text, needle, needle_bytes);
}

static inline int text_suffix(__global const uchar* text, uint bytes, __global const uchar* needle,
                       uint needle_bytes) {
  return needle_bytes <= bytes && text_match(text + (bytes - needle_bytes), needle, needle_bytes);
}

// Bytes of UTF-8.
static inline uint text_bytes(__global const uchar* text, uint bytes) { return bytes; }

//! Characters: all bytes but those that continue one.
static inline uint text_characters(__global const uchar* text, uint bytes) {
  uint continued = 0;
  for (uint i = 0; i < bytes; i += 8) {
    ulong word = text_word(text + i);
    word = word >> 7 & ~word >> 6 & 0x0101010101010101UL;
    const uint rest = bytes - i;
    continued += (uint)popcount(rest < 8 ? word << (64 - 8 * rest) : word);
  }
  return bytes - continued;
}

// Needles are searched for by three of their bytes, the probes, TEXT_STEP places at a time: where
// all three are, the rest is compared.

// With TEXT_IN_LANES: for devices that load from addresses that are not aligned byte by byte, and
// where each lane has a text of its own.
#ifdef TEXT_IN_LANES

#define TEXT_STEP 8

typedef struct {
  uchar first, second, third;
  uint first_place, second_place, third_place;
} text_probes;

//! text_word by two loads. Only for searches: in comparisons within loops that lanes leave at
//! different times Intel's compiler 2026.22 makes wrong code of it.
static inline ulong text_aligned_words(__global const uchar* address) {
  const uint before = (uint)((ulong)address & 7);
  __global const ulong* words = (__global const ulong*)(address - before);
  // A shift by 64 is none.
  return (words[0] >> (8 * before)) | (words[1] << 1 << (63 - 8 * before));
}

//! The bytes of `word` that are `byte`, as bits.
static inline uint text_byte_hits(ulong word, uchar byte) {
  const ulong low_bits = 0x7F7F7F7F7F7F7F7FUL;
  const ulong other = word ^ (byte * 0x0101010101010101UL);
  const ulong hits = ~(((other & low_bits) + low_bits) | other | low_bits);
  return (uint)(((hits >> 7) * 0x0102040810204080UL) >> 56);
}

//! The places of TEXT_STEP where the probes are, as bits.
static inline ulong text_hit_bits(__global const uchar* text, text_probes probes) {
  const uint hits = text_byte_hits(text_aligned_words(text + probes.first_place), probes.first);
  if (hits == 0) {
    return 0;
  }
  return hits & text_byte_hits(text_aligned_words(text + probes.second_place), probes.second) &
         text_byte_hits(text_aligned_words(text + probes.third_place), probes.third);
}

//! Whether the probes may be at any of TEXT_STEP places: no sooner known than where.
static inline int text_hits_any(__global const uchar* text, text_probes probes) { return 1; }

#else

#define TEXT_STEP 64

typedef struct {
  uchar16 first, second, third;
  uint first_place, second_place, third_place;
} text_probes;

//! The places of 16, from `text` on, where the probes are: -1 or 0.
static inline char16 text_hits(__global const uchar* text, text_probes probes) {
  return (vload16(0, text + probes.first_place) == probes.first) &
         (vload16(0, text + probes.second_place) == probes.second) &
         (vload16(0, text + probes.third_place) == probes.third);
}

//! Whether the probes are at any of TEXT_STEP places.
static inline int text_hits_any(__global const uchar* text, text_probes probes) {
  const ulong2 hits = as_ulong2(text_hits(text, probes) | text_hits(text + 16, probes) |
                                text_hits(text + 32, probes) | text_hits(text + 48, probes));
  return (hits.s0 | hits.s1) != 0;
}

//! 16 hits as bits.
static inline ulong text_bits(char16 hits) {
  // Keeps bit i of byte i of each word; the product's highest byte is the sum of all bytes.
  const ulong2 bits = ((as_ulong2(hits) & 0x8040201008040201UL) * 0x0101010101010101UL) >> 56;
  return bits.s0 | bits.s1 << 8;
}

//! The places of TEXT_STEP where the probes are, as bits.
static inline ulong text_hit_bits(__global const uchar* text, text_probes probes) {
  return text_bits(text_hits(text, probes)) | text_bits(text_hits(text + 16, probes)) << 16 |
         text_bits(text_hits(text + 32, probes)) << 32 |
         text_bits(text_hits(text + 48, probes)) << 48;
}

#endif

// A LIKE pattern is its pieces between the `%`, as words of 4 bytes (kernels/like_pattern.hpp):
//
//   [0] pieces  [1] flags  [2] the needle: a piece that is searched for first, or TEXT_NONE
//   then per piece  [0] where its bytes are, from the pattern's start  [1] bytes
//                   [2] characters, 0 for a piece without `_`
//                   [3] [4] [5] places of its probes
//   then the bytes, 0xFF for `_`, which is one character

#define TEXT_BEGINS_ANYWHERE 1u
#define TEXT_ENDS_ANYWHERE 2u
#define TEXT_PIECE(pattern, i) ((pattern) + 3 + 6 * (i))
#define TEXT_PIECE_BYTES(pattern, piece) ((__global const uchar*)(pattern) + (piece)[0])

static inline text_probes text_probes_of(__global const uint* pattern, __global const uint* piece) {
  __global const uchar* needle = TEXT_PIECE_BYTES(pattern, piece);
  text_probes probes;
  probes.first_place = piece[3];
  probes.second_place = piece[4];
  probes.third_place = piece[5];
  probes.first = needle[probes.first_place];
  probes.second = needle[probes.second_place];
  probes.third = needle[probes.third_place];
  return probes;
}

//! The first place of a piece without `_` at `from` or behind it, or TEXT_NONE.
static inline uint text_find(__global const uchar* text, uint from, uint bytes,
                      __global const uint* pattern, __global const uint* piece) {
  __global const uchar* needle = TEXT_PIECE_BYTES(pattern, piece);
  const uint needle_bytes = piece[1];
  if (needle_bytes > bytes - from) {
    return TEXT_NONE;
  }
  const uint end = bytes - needle_bytes + 1;
  const text_probes probes = text_probes_of(pattern, piece);
  for (; from < end; from += TEXT_STEP) {
    if (!text_hits_any(text + from, probes)) {
      continue;
    }
    for (ulong bits = text_hit_bits(text + from, probes); bits != 0; bits &= bits - 1) {
      const uint place = from + text_first_bit(bits);
      if (place < end && text_match(text + place, needle, needle_bytes)) {
        return place;
      }
    }
  }
  return TEXT_NONE;
}

//! The end of the character that begins at `place`.
static inline uint text_next(__global const uchar* text, uint place, uint bytes) {
  place++;
  while (place < bytes && (text[place] & 0xC0) == 0x80) {
    place++;
  }
  return place;
}

//! Where a piece with `_` ends that begins at `place`, or TEXT_NONE.
static inline uint text_match_piece(__global const uchar* text, uint place, uint bytes,
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
static inline uint text_back(__global const uchar* text, uint bytes, uint characters) {
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
TEXT_FUNCTION int text_like_from(__global const uchar* text, uint bytes,
                                 __global const uint* pattern, uint i, uint place) {
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

static inline int text_like(__global const uchar* text, uint bytes, __global const uint* pattern) {
  return text_like_from(text, bytes, pattern, 0, 0);
}

//! The first row at `row` or behind it that ends behind `place`; there is one. 16 rows at a time.
static inline uint text_row_of(__global const uint* ends, uint row, uint place) {
  for (;; row += 16) {
    const ulong2 behind = as_ulong2(convert_char16(vload16(0, ends + row) > place));
    if (behind.s0 != 0) {
      return row + text_first_bit(behind.s0) / 8;
    }
    if (behind.s1 != 0) {
      return row + 8 + text_first_bit(behind.s1) / 8;
    }
  }
}

#ifndef TEXT_IN_LANES

//! Blocks of TEXT_STEP places that are looked through before their hits are: both fit in the first-level
//! cache of a CPU.
#define TEXT_TILE_BLOCKS 256

//! LIKE for all rows of a segment at once: sets bit r of `found` where row r matches. Searches the
//! segment's bytes for the pattern's needle, which it must have, as if they were one text, and
//! looks at rows only where the needle is. First it lists the blocks with hits, without any branch
//! that depends on the text, so that the loads of many blocks are under way at the same time.
TEXT_FUNCTION void text_search(__global const uchar* text, __global const uint* ends, uint rows,
                               __global const uint* pattern, uint* found) {
  for (uint i = 0; i < (rows + 31) / 32; i++) {
    found[i] = 0;
  }
  __global const uint* piece = TEXT_PIECE(pattern, pattern[2]);
  __global const uchar* needle = TEXT_PIECE_BYTES(pattern, piece);
  const uint needle_bytes = piece[1], bytes = ends[rows - 1];
  if (needle_bytes > bytes) {
    return;
  }
  const uint end = bytes - needle_bytes + 1;
  const text_probes probes = text_probes_of(pattern, piece);
  // Where the needle is the first piece, the search has done that piece's work.
  const uint rest = pattern[2] == 0 ? 1 : 0;
  uint row = 0, undecided = 0;
  uint blocks[TEXT_TILE_BLOCKS];
  for (uint first = 0; first < end; first += TEXT_STEP * TEXT_TILE_BLOCKS) {
    const uint tile_end = min(end, first + TEXT_STEP * TEXT_TILE_BLOCKS);
    uint count = 0;
    for (uint block = first; block < tile_end; block += TEXT_STEP) {
      blocks[count] = block;
      count += text_hits_any(text + block, probes);
    }
    for (uint i = 0; i < count; i++) {
      for (ulong bits = text_hit_bits(text + blocks[i], probes); bits != 0; bits &= bits - 1) {
        const uint place = blocks[i] + text_first_bit(bits);
        if (place < undecided || place >= end ||
            !text_match(text + place, needle, needle_bytes)) {
          continue;
        }
        row = text_row_of(ends, row, place);
        const uint row_begin = row == 0 ? 0 : ends[row - 1], row_end = ends[row];
        if (place + needle_bytes > row_end) {
          continue;
        }
        const uint done = rest == 0 ? 0 : place + needle_bytes - row_begin;
        found[row / 32] |=
            (uint)text_like_from(text + row_begin, row_end - row_begin, pattern, rest, done)
            << row % 32;
        undecided = row_end;
      }
    }
  }
}

#endif

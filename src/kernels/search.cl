// Whether a value is in a list, by binary search. A list is sorted, and not empty.

#define DEFINE_LIST_HOLDS(TYPE)                                                                  \
  inline int TYPE##_list_holds(__global const TYPE *list, uint count, TYPE value) {              \
    uint first = 0;                                                                              \
    for (uint rest = count; rest > 1;) {                                                         \
      uint half_rest = rest / 2;                                                                 \
      first += list[first + half_rest] <= value ? half_rest : 0;                                 \
      rest -= half_rest;                                                                         \
    }                                                                                            \
    return list[first] == value;                                                                 \
  }

DEFINE_LIST_HOLDS(int)
DEFINE_LIST_HOLDS(long)

// Every value is two words, low and high.
static inline int wide_list_holds(__global const ulong *list, uint count, wide value) {
  uint first = 0;
  for (uint rest = count; rest > 1;) {
    uint half_rest = rest / 2;
    uint middle = first + half_rest;
    wide probe = wide_make(list[2 * middle], (long)list[2 * middle + 1]);
    first += wide_less(value, probe) ? 0 : half_rest;
    rest -= half_rest;
  }
  return wide_equal(wide_make(list[2 * first], (long)list[2 * first + 1]), value);
}

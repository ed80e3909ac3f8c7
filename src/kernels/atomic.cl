// Folds into words that several work-items update at once. Loops around a compare-and-swap end as
// soon as no other work-item was faster, so none waits for another.

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

static inline void atomic_add_long(volatile __global long *word, long value) { atom_add(word, value); }

// Starts from any value instead of a read: a plain read beside atomic writes would be a race.
static inline void atomic_add_double(volatile __global long *word, double value) {
  long held = 0;
  for (;;) {
    const long seen = atom_cmpxchg(word, held, as_long(as_double(held) + value));
    if (seen == held) return;
    held = seen;
  }
}

static inline void atomic_min_long(volatile __global long *word, long value) { atom_min(word, value); }

static inline void atomic_max_long(volatile __global long *word, long value) { atom_max(word, value); }

// The low word of a 128-bit minimum or maximum in two words, of which the high one is not written any
// more: values with another high word have no part in it.
static inline void atomic_min_low(volatile __global long *words, wide value) {
  if (words[1] == value.high) atom_min((volatile __global ulong *)words, value.low);
}

static inline void atomic_max_low(volatile __global long *words, wide value) {
  if (words[1] == value.high) atom_max((volatile __global ulong *)words, value.low);
}

// A 128-bit sum in two words. The carry goes into the high word in a step of its own: sums are read
// after the kernel only. Sets *fault where the high word runs over on the way, which some order of
// additions may do without need: a false alarm only costs a second run.
static inline void atomic_add_wide(volatile __global long *words, wide value, int *fault) {
  const ulong before = (ulong)atom_add(words, (long)value.low);
  const ulong carry = before + value.low < before;
  const long step = (long)((ulong)value.high + carry);
  const long held = atom_add(words + 1, step);
  const long sum = (long)((ulong)held + (ulong)step);
  *fault |= (((held ^ sum) & (step ^ sum)) < 0) | (step < value.high);
}

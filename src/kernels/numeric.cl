// Arithmetic shared by all generated kernels.
//
// wide: a signed 128-bit integer in two's complement, as two words. OpenCL C has none. Functions
// without `checked` in their name are exact only if the result fits, which the generator proves.
// checked functions OR 1 into *fault if the result does not fit into 128 bits.

typedef struct {
  ulong low;
  long high;
} wide;

static inline wide wide_make(ulong low, long high) {
  wide result;
  result.low = low;
  result.high = high;
  return result;
}

static inline wide wide_from_long(long value) { return wide_make((ulong)value, value >> 63); }

static inline wide wide_add(wide a, wide b) {
  ulong low = a.low + b.low;
  return wide_make(low, (long)((ulong)a.high + (ulong)b.high + (low < a.low)));
}

static inline wide wide_negate(wide a) {
  return wide_make(0UL - a.low, (long)(~(ulong)a.high + (a.low == 0)));
}

static inline wide wide_subtract(wide a, wide b) {
  return wide_make(a.low - b.low, (long)((ulong)a.high - (ulong)b.high - (a.low < b.low)));
}

static inline int wide_equal(wide a, wide b) { return (a.low == b.low) & (a.high == b.high); }

static inline int wide_less(wide a, wide b) {
  return (a.high < b.high) | ((a.high == b.high) & (a.low < b.low));
}

// Whether a, as an unsigned number, is below b.
static inline int wide_is_below(wide a, ulong b) { return (a.high == 0) & (a.low < b); }

static inline wide wide_multiply_long(long a, long b) {
  return wide_make((ulong)a * (ulong)b, mul_hi(a, b));
}

static inline wide wide_multiply(wide a, wide b) {
  ulong high = mul_hi(a.low, b.low) + a.low * (ulong)b.high + (ulong)a.high * b.low;
  return wide_make(a.low * b.low, (long)high);
}

static inline wide wide_magnitude(wide a) { return a.high < 0 ? wide_negate(a) : a; }

static inline wide wide_add_checked(wide a, wide b, int *fault) {
  wide sum = wide_add(a, b);
  *fault |= ((a.high ^ sum.high) & (b.high ^ sum.high)) < 0;
  return sum;
}

static inline wide wide_subtract_checked(wide a, wide b, int *fault) {
  wide difference = wide_subtract(a, b);
  *fault |= ((a.high ^ b.high) & (a.high ^ difference.high)) < 0;
  return difference;
}

static inline wide wide_multiply_checked(wide a, wide b, int *fault) {
  wide x = wide_magnitude(a);
  wide y = wide_magnitude(b);
  ulong xh = (ulong)x.high;
  ulong yh = (ulong)y.high;
  ulong cross = xh * y.low + yh * x.low;
  ulong carry = mul_hi(x.low, y.low);
  ulong high = cross + carry;
  // Cross terms of more than one word, a carry out of the high word, or a result of 2^127 and more
  // (the lowest value itself counts as a fault: a false alarm only costs a second run).
  *fault |= ((xh != 0) & (yh != 0)) | (mul_hi(xh, y.low) != 0) | (mul_hi(yh, x.low) != 0) |
            (high < cross) | (high >> 63 != 0);
  wide product = wide_make(x.low * y.low, (long)high);
  return (a.high < 0) != (b.high < 0) ? wide_negate(product) : product;
}

// Quotient towards zero, bit by bit: rare enough not to deserve better. b is not 0.
static inline wide wide_divide(wide a, wide b, wide *remainder) {
  wide dividend = wide_magnitude(a);
  wide divisor = wide_magnitude(b);
  ulong quotient_low = 0, quotient_high = 0, rest_low = 0, rest_high = 0;
  for (int bit = 127; bit >= 0; bit--) {
    rest_high = rest_high << 1 | rest_low >> 63;
    ulong next = bit >= 64 ? (ulong)dividend.high >> (bit - 64) : dividend.low >> bit;
    rest_low = rest_low << 1 | (next & 1);
    ulong divisor_high = (ulong)divisor.high;
    if (rest_high > divisor_high || (rest_high == divisor_high && rest_low >= divisor.low)) {
      rest_high = rest_high - divisor_high - (rest_low < divisor.low);
      rest_low -= divisor.low;
      if (bit >= 64) {
        quotient_high |= 1UL << (bit - 64);
      } else {
        quotient_low |= 1UL << bit;
      }
    }
  }
  wide quotient = wide_make(quotient_low, (long)quotient_high);
  wide rest = wide_make(rest_low, (long)rest_high);
  *remainder = a.high < 0 ? wide_negate(rest) : rest;
  return (a.high < 0) != (b.high < 0) ? wide_negate(quotient) : quotient;
}

// Quotient and remainder of a division that rounds down; b is positive.
static inline long floor_divide(long a, long b) { return a / b - (a % b < 0); }
static inline long floor_modulo(long a, long b) {
  long rest = a % b;
  return rest + (rest < 0 ? b : 0);
}

// Of numbers whose 64 bits are unsigned.
static inline long unsigned_divide(long a, long b) { return (long)((ulong)a / (ulong)b); }
static inline long unsigned_modulo(long a, long b) { return (long)((ulong)a % (ulong)b); }
static inline long unsigned_min(long a, long b) { return (long)min((ulong)a, (ulong)b); }

// As DuckDB converts integers of 128 bits: negative ones through their complement.
static inline double complement_to_double(long value) {
  return value < 0 ? -(double)(~value) - 1.0 : (double)value;
}
static inline double wide_to_double(wide value) {
  return value.high == -1 ? -(double)(~value.low) - 1.0
                          : (double)value.low + (double)value.high * 18446744073709551616.0;
}

// Floating point in DuckDB's total order: NaN equals NaN and is larger than everything else.

static inline int double_equal(double a, double b) { return (a == b) | (isnan(a) & isnan(b)); }
static inline int double_less(double a, double b) { return (a < b) | (isnan(b) & !isnan(a)); }
static inline int float_equal(float a, float b) { return (a == b) | (isnan(a) & isnan(b)); }
static inline int float_less(float a, float b) { return (a < b) | (isnan(b) & !isnan(a)); }

// A 64-bit integer that compares like the double in that order. The two zeros are equal, and which of
// them DuckDB keeps as minimum or maximum depends on the order of rows; so -0.0 is made the lower one
// for minima and (_up) the higher one for maxima: where it does not win, it was not there, or not close.

static inline long double_to_ordered(double value) {
  long bits = isnan(value) ? 0x7ff8000000000000L : as_long(value);
  return bits ^ ((bits >> 63) & 0x7fffffffffffffffL);
}

static inline long double_to_ordered_up(double value) {
  long ordered = double_to_ordered(value);
  return ordered == 0 || ordered == -1 ? -1 - ordered : ordered;
}

// The reverse of the two above. Sets `fault` for -0.0, beside which there may be an equal 0.0.

static inline double double_of_ordered(long ordered) {
  return as_double(ordered ^ ((ordered >> 63) & 0x7fffffffffffffffL));
}

static inline double double_from_ordered(long ordered, int *fault) {
  *fault |= ordered == -1;
  return double_of_ordered(ordered);
}

static inline double double_from_ordered_up(long ordered, int *fault) {
  *fault |= ordered == 0;
  return ordered == -1 ? 0.0 : double_of_ordered(ordered);
}

// The integer part of a double whose magnitude is below 2^127; anything for others.
static inline wide wide_from_double(double value) {
  double magnitude = fabs(value);
  magnitude = magnitude < 170141183460469231731687303715884105728.0 ? magnitude : 0.0;
  ulong high = (ulong)(magnitude / 18446744073709551616.0);
  ulong low = (ulong)(magnitude - (double)high * 18446744073709551616.0);
  wide result = wide_make(low, (long)high);
  return value < 0 ? wide_negate(result) : result;
}

// Averages as DuckDB computes them: a 128-bit sum over a count times a power of ten, both as long
// doubles, of 64 bits, divided in long double, and rounded to double at the end.

// A positive integer as a float of 64 bits: returns the significand, its highest bit set, and sets
// the exponent of its lowest bit. Rounds half to even.
static inline ulong significand_of(wide magnitude, int *exponent) {
  const ulong high = (ulong)magnitude.high;
  if (high == 0) {
    const int shift = (int)clz(magnitude.low);
    *exponent = -shift;
    return magnitude.low << shift;
  }
  const int shift = (int)clz(high);
  ulong significand = shift == 0 ? high : high << shift | magnitude.low >> (64 - shift);
  const ulong rest = magnitude.low << shift;
  const ulong half_unit = 1UL << 63;
  *exponent = 64 - shift;
  if (rest > half_unit || (rest == half_unit && (significand & 1))) {
    significand++;
    if (significand == 0) {
      significand = half_unit;
      *exponent += 1;
    }
  }
  return significand;
}

// One digit of 32 bits of (rest * 2^32 + next) / divisor, whose highest bit is set; rest < divisor.
static inline ulong quotient_digit(ulong rest, ulong divisor) {
  const ulong divisor_high = divisor >> 32, divisor_low = divisor & 0xffffffffUL;
  ulong digit = rest / divisor_high;
  ulong over = rest - digit * divisor_high;
  while (digit >> 32 != 0 || digit * divisor_low > over << 32) {
    digit--;
    over += divisor_high;
    if (over >> 32 != 0) break;
  }
  return digit;
}

// `divisor` is positive.
static inline double wide_average(wide sum, wide divisor) {
  if (sum.low == 0 && sum.high == 0) return 0.0;
  int exponent, divisor_exponent;
  const ulong dividend = significand_of(wide_magnitude(sum), &exponent);
  const ulong by = significand_of(divisor, &divisor_exponent);
  exponent -= divisor_exponent + 64;

  // dividend * 2^64 / by, in two digits; one more than 64 bits where dividend >= by.
  const int has_65_bits = dividend >= by;
  ulong rest = has_65_bits ? dividend - by : dividend;
  const ulong first = quotient_digit(rest, by);
  rest = (rest << 32) - first * by;
  const ulong second = quotient_digit(rest, by);
  rest = (rest << 32) - second * by;
  ulong quotient = (first << 32) + second;

  int is_up;
  if (has_65_bits) {
    const int last = (int)(quotient & 1);
    quotient = 1UL << 63 | quotient >> 1;
    exponent++;
    is_up = last && (rest != 0 || (quotient & 1));
  } else {
    is_up = rest > by - rest || (rest == by - rest && (quotient & 1));
  }
  quotient += (ulong)is_up;
  if (is_up && quotient == 0) {
    quotient = 1UL << 63;
    exponent++;
  }

  // To the 53 bits of a double.
  ulong significand = quotient >> 11;
  const ulong cut = quotient & 0x7ffUL;
  significand += (ulong)(cut > 0x400UL || (cut == 0x400UL && (significand & 1)));
  const double unit = as_double((ulong)(exponent + 11 + 1023) << 52);
  const double magnitude = (double)significand * unit;
  return sum.high < 0 ? -magnitude : magnitude;
}

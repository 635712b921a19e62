#include "multiprecision/bigfloat.h"

#include <string.h>

__extension__ typedef unsigned __int128 u128;

/* With a constant number of limbs loops unroll, which a ladder's products gain most from. */
#define FLAT static inline __attribute__((always_inline))
#define WITH_CONSTANT(function, n, ...)                                                                                \
  ((n) == BIG_LADDER_LIMBS ? function(__VA_ARGS__, BIG_LADDER_LIMBS) : function(__VA_ARGS__, n))

int big_is_zero(const big *a, int n) { return a->limb[n - 1] == 0; }

void big_zero(big *r, int n) {
  r->exponent = 0;
  memset(r->limb, 0, (size_t)n * sizeof *r->limb);
}

/* The limbs in use and no more: a big is 520 bytes. */
static void copy(big *r, const big *a, int n) {
  r->exponent = a->exponent;
  memmove(r->limb, a->limb, (size_t)n * sizeof *r->limb);
}

/* In 128 bits, which no compiler vectorises: limbs are stored and loaded one by one. */
FLAT uint64_t shifted_in(uint64_t a, uint64_t below, int bits) {
  return (uint64_t)(((u128)a << 64 | below) << bits >> 64);
}

/* Shifts the limbs left by the zeros in front of them; `below` holds the 64 bits that move in first. */
FLAT void normalise(big *r, uint64_t below, int n) {
  int skip = 0;
  while (skip < n && r->limb[n - 1 - skip] == 0)
    skip++;
  if (skip == n) {
    if (below == 0) {
      big_zero(r, n);
      return;
    }
    r->limb[n - 1] = below;
    r->exponent -= 64 * (int64_t)n;
    below = 0;
  } else if (skip > 0) {
    memmove(r->limb + skip, r->limb, (size_t)(n - skip) * sizeof *r->limb);
    memset(r->limb, 0, (size_t)skip * sizeof *r->limb);
    r->limb[skip - 1] = below;
    below = 0;
    r->exponent -= 64 * (int64_t)skip;
  }
  const int bits = __builtin_clzll(r->limb[n - 1]);
  if (bits > 0) {
    for (int i = n - 1; i > 0; i--)
      r->limb[i] = shifted_in(r->limb[i], r->limb[i - 1], bits);
    r->limb[0] = shifted_in(r->limb[0], below, bits);
    r->exponent -= bits;
  }
}

/* The product of two fractions from 1/2 on is 1/4 or more: one bit to normalise. */
FLAT void multiply(big *r, const big *a, const big *b, int n) {
  uint64_t product[2 * BIG_LIMBS];
  if (big_is_zero(a, n) || big_is_zero(b, n)) {
    big_zero(r, n);
    return;
  }
  memset(product, 0, (size_t)n * sizeof *product);
  for (int i = 0; i < n; i++) {
    uint64_t carry = 0;
    for (int j = 0; j < n; j++) {
      const u128 t = (u128)a->limb[i] * b->limb[j] + product[i + j] + carry;
      product[i + j] = (uint64_t)t;
      carry = (uint64_t)(t >> 64);
    }
    product[i + n] = carry;
  }
  const int bit = !(product[2 * n - 1] >> 63);
  for (int i = 0; i < n; i++)
    r->limb[i] = shifted_in(product[n + i], product[n + i - 1], bit);
  r->exponent = a->exponent + b->exponent - bit;
}

void big_mul(big *r, const big *a, const big *b, int n) { WITH_CONSTANT(multiply, n, r, a, b); }

/* (*rest 2^64 + low) / m, whose remainder becomes *rest, which is below m. Two digits of 32 bits, each estimated by the
 * leading half of m with its top bit set, and at most two too large (Knuth, The Art of Computer Programming, volume 2,
 * 4.3.1, algorithm D). Compilers call a library of theirs to divide 128 bits, which not every linker has at hand. */
static uint64_t divided(uint64_t *rest, uint64_t low, uint64_t m) {
  const int zeros = __builtin_clzll(m);
  const uint64_t divisor = m << zeros, lead = divisor >> 32, tail = divisor & UINT32_MAX;
  const u128 dividend = ((u128)*rest << 64 | low) << zeros;
  uint64_t above = (uint64_t)(dividend >> 64), quotient = 0;
  for (int shift = 32; shift >= 0; shift -= 32) {
    const uint64_t next = (uint64_t)dividend >> shift & UINT32_MAX;
    uint64_t digit = above / lead, over = above % lead;
    while (over >> 32 == 0 && (digit >> 32 || digit * tail > (over << 32 | next))) {
      digit--;
      over += lead;
    }
    above = (above << 32 | next) - digit * divisor; /* modulo 2^64: it is below the divisor */
    quotient = quotient << 32 | digit;
  }
  *rest = above >> zeros;
  return quotient;
}

void big_div_small(big *r, const big *a, uint64_t m, int n) {
  uint64_t rest = 0;
  r->exponent = a->exponent;
  for (int i = n - 1; i >= 0; i--)
    r->limb[i] = divided(&rest, a->limb[i], m);
  normalise(r, divided(&rest, 0, m), n);
}

void big_pow(big *r, const big *a, uint64_t k, int n) {
  big power;
  copy(&power, a, n);
  for (int started = 0; k; k >>= 1) {
    if (k & 1) {
      if (started)
        big_mul(r, r, &power, n);
      else
        copy(r, &power, n);
      started = 1;
    }
    if (k > 1)
      big_mul(&power, &power, &power, n);
  }
}

/* limbs of b moved right by `shift` bits, as they stand beside a larger number's. */
static void shifted(uint64_t *to, const big *b, int64_t shift, int n) {
  const int64_t limbs = shift / 64, bits = shift % 64;
  for (int64_t i = 0; i < n; i++) {
    const int64_t from = i + limbs;
    const uint64_t low = from < n ? b->limb[from] : 0, high = from + 1 < n ? b->limb[from + 1] : 0;
    to[i] = bits ? low >> bits | high << (64 - bits) : low;
  }
}

static int less(const big *a, const big *b, int n) {
  if (big_is_zero(a, n) || big_is_zero(b, n))
    return big_is_zero(a, n) && !big_is_zero(b, n);
  if (a->exponent != b->exponent)
    return a->exponent < b->exponent;
  for (int i = n - 1; i >= 0; i--)
    if (a->limb[i] != b->limb[i])
      return a->limb[i] < b->limb[i];
  return 0;
}

int big_sub(big *r, const big *a, const big *b, int n) {
  const int negative = less(a, b, n);
  const big *large = negative ? b : a, *small = negative ? a : b;
  if (big_is_zero(small, n)) {
    copy(r, large, n);
    return negative;
  }
  uint64_t low[BIG_LIMBS], borrow = 0;
  shifted(low, small, large->exponent - small->exponent, n);
  r->exponent = large->exponent;
  for (int i = 0; i < n; i++) {
    const u128 t = (u128)large->limb[i] - low[i] - borrow;
    r->limb[i] = (uint64_t)t;
    borrow = (uint64_t)(t >> 64) & 1;
  }
  normalise(r, 0, n);
  return negative;
}

void big_add(big *r, const big *a, const big *b, int n) {
  const big *large = less(a, b, n) ? b : a, *small = large == a ? b : a;
  if (big_is_zero(small, n)) {
    copy(r, large, n);
    return;
  }
  uint64_t low[BIG_LIMBS], carry = 0;
  shifted(low, small, large->exponent - small->exponent, n);
  r->exponent = large->exponent;
  for (int i = 0; i < n; i++) {
    const u128 t = (u128)large->limb[i] + low[i] + carry;
    r->limb[i] = (uint64_t)t;
    carry = (uint64_t)(t >> 64);
  }
  if (carry) {
    for (int i = 0; i < n - 1; i++)
      r->limb[i] = r->limb[i] >> 1 | r->limb[i + 1] << 63;
    r->limb[n - 1] = r->limb[n - 1] >> 1 | UINT64_C(1) << 63;
    r->exponent++;
  }
}

unsigned big_split(big *r, const big *a, int n) {
  copy(r, a, n);
  if (a->exponent <= 0)
    return 0;
  unsigned integer = 0;
  for (int bit = 1; bit >= 0; bit--) { /* the two bits in front of the point */
    const int64_t at = 64 * (int64_t)n - a->exponent + bit;
    if (at >= 0 && at < 64 * (int64_t)n)
      integer |= (unsigned)(a->limb[at / 64] >> (at % 64) & 1) << bit;
  }
  for (int64_t i = n - 1, left = a->exponent; i >= 0 && left > 0; i--, left -= 64)
    r->limb[i] = left >= 64 ? 0 : r->limb[i] & (~UINT64_C(0) >> left);
  normalise(r, 0, n);
  return integer;
}

FLAT double take_double(big *a, int n) {
  if (big_is_zero(a, n))
    return 0.0;
  const uint64_t top = a->limb[n - 1] >> 11 << 11, power = (uint64_t)(a->exponent - 53 + 1023) << 52;
  double unit;
  memcpy(&unit, &power, sizeof unit);
  a->limb[n - 1] -= top;
  normalise(a, 0, n);
  return (double)(int64_t)(top >> 11) * unit; /* signed: one instruction */
}

double big_take_double(big *a, int n) { return WITH_CONSTANT(take_double, n, a); }

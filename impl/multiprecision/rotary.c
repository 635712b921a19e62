/* Frequencies of rotary embeddings, scaled for long contexts by name (posenc.h has the formulas and their source).
 *
 * Error budget in units of 2^-512 (functions state theirs in multiprecision/bigfloat.h), L and factors from 2^-32 to
 * 2^32, d up to 2^20:
 *   step of the ladder        2/d ln base, and 2/(d-2) ln x of it       < 2^27 absolute
 *   root e^-step              2^24 + 2^27                               < 2^28 relative
 *   v_k, by products          k (2^28 + 2)                              < 2^47
 *   YaRN: low, high           d/2 2^27 / ln 2 + 2^26 2^26               < 2^53 absolute
 *     high - low              at least 2^-62, unless r is 0 or 1        r: < 2^117
 *   Llama 3: L v_k / 2 pi     2^30 2^48                                 < 2^78 absolute
 *     high - low              exact: 0 (s is 0 or 1), or >= 2^-84       s: < 2^163
 *   1 - r + r / factor        2^163 (1 + 2^32), of at least 2^-32       < 2^228 relative
 * so w_k is off by less than 2^-256 of itself. YaRN's r jumps where a rounded low or high passes an integer, low passes
 * d - 1, or high 0; Llama 3's s where L v_k / 2 pi passes low = high. On which side they are, these digits decide. None
 * is equal: pi would be algebraic.
 */
#include "multiprecision/rotary.h"

#include "multiprecision/bigfloat.h"

#include <math.h>

enum { LIMBS = 8, REST_BITS = 256 };

static void from_double(big *r, double x) { big_from_double(r, x, LIMBS); }

static void invert(big *r, double x) {
  big one, divisor;
  from_double(&one, 1.0);
  from_double(&divisor, x);
  big_div(r, &one, &divisor, LIMBS);
}

static void log_of(big *r, double x) {
  from_double(r, x);
  big_log(r, r, LIMBS);
}

/* r = (at - from) / (to - from), cut to 0 .. 1; a step where to = from. Where to < from, the caller has made sure that
 * at < to. */
static void ramp(big *r, const big *at, const big *from, const big *to) {
  big width, rest;
  const int below = big_sub(r, at, from, LIMBS), beyond = big_sub(&width, to, from, LIMBS);
  if (below && !beyond)
    big_zero(r, LIMBS);
  else if (!big_sub(&rest, r, &width, LIMBS))
    from_double(r, 1.0);
  else
    big_div(r, r, &width, LIMBS);
}

/* x = | d ln(L / (2 pi beta)) / (2 ln base) |, and whether it is negative. Times 2^64, both logarithms are positive. */
static int correction(big *x, const posenc_rotary *p, double beta, const big *ln_base) {
  big cycles, angle;
  from_double(&cycles, (double)p->original_max_position_embeddings * 0x1p64);
  from_double(&angle, beta * 0x1p66);
  big_half_pi(x, LIMBS);
  big_mul(&angle, &angle, x, LIMBS);
  big_log(&cycles, &cycles, LIMBS);
  big_log(&angle, &angle, LIMBS);
  const int negative = big_sub(x, &cycles, &angle, LIMBS);
  from_double(&cycles, (double)p->d_model / 2.0);
  big_mul(x, x, &cycles, LIMBS);
  big_div(x, x, ln_base, LIMBS);
  return negative;
}

static void round_down(big *x, double more) {
  big copy = *x;
  from_double(x, floor(big_take_double(&copy, LIMBS)) + more);
}

/* YaRN's low and high. Returns 0 where high < 0: then no frequency is scaled. Where high is cut to less than low, all
 * are. */
static int correction_range(big *low, big *high, const posenc_rotary *p, const big *ln_base) {
  big most, over;
  if (correction(low, p, p->beta_fast, ln_base))
    big_zero(low, LIMBS);
  const int negative = correction(high, p, p->beta_slow, ln_base);
  if (p->truncate) {
    round_down(low, 0.0);
    round_down(high, negative ? 0.0 : 1.0);
  }
  if (negative && !big_is_zero(high, LIMBS))
    return 0;
  from_double(&most, (double)(p->d_model - 1));
  if (!big_sub(&over, high, &most, LIMBS))
    *high = most;
  big_sub(&over, high, low, LIMBS);
  if (big_is_zero(&over, LIMBS)) {
    from_double(&over, 1.0);
    big_div_small(&over, &over, 1000, LIMBS);
    big_add(high, high, &over, LIMBS);
  }
  return 1;
}

/* r = ln x / (d/2 - 1), x = 1 + factor (length - max) / max. */
static void dynamic_part(big *r, const posenc_rotary *p) {
  const int64_t max = p->max_position_embeddings, more = p->length > max ? p->length - max : 0;
  big term;
  from_double(r, p->factor);
  from_double(&term, (double)more);
  big_mul(r, r, &term, LIMBS);
  big_div_small(r, r, (uint64_t)max, LIMBS);
  from_double(&term, 1.0);
  big_add(r, r, &term, LIMBS);
  big_log(r, r, LIMBS);
  big_div_small(r, r, (uint64_t)p->d_model / 2 - 1, LIMBS);
}

/* The double nearest to w, and of what is left the nearest. */
static void store_pair(const big *w, double *high, double *low) {
  big rest;
  *high = big_nearest(w, POSENC_DTYPE_F64, LIMBS);
  from_double(&rest, *high);
  const int negative = big_sub(&rest, w, &rest, LIMBS);
  if (big_is_zero(&rest, LIMBS) || rest.exponent < w->exponent - REST_BITS)
    *low = 0.0;
  else
    *low = (negative ? -1.0 : 1.0) * big_nearest(&rest, POSENC_DTYPE_F64, LIMBS);
}

/* Llama 3's r, 1 less the ramp of L v / (2 pi). */
static void llama3_share(big *r, const posenc_rotary *p, const big *v, const big *low, const big *high) {
  big one, turns;
  from_double(&one, 1.0);
  big_two_over_pi(r, LIMBS); /* 1/(2 pi) = (2/pi) / 4 */
  from_double(&turns, (double)p->original_max_position_embeddings / 4.0);
  big_mul(&turns, &turns, r, LIMBS);
  big_mul(&turns, &turns, v, LIMBS);
  ramp(r, &turns, low, high);
  big_sub(r, &one, r, LIMBS);
}

/* w = v ((1 - r) + r inverse) */
static void scale_frequency(big *w, const big *v, const big *r, const big *inverse) {
  big part;
  from_double(&part, 1.0);
  big_sub(w, &part, r, LIMBS);
  big_mul(&part, r, inverse, LIMBS);
  big_add(w, w, &part, LIMBS);
  big_mul(w, w, v, LIMBS);
}

/* w_k = v_k ((1 - r) + r / divisor), for each kind with r and divisor of its own. */
__attribute__((noinline)) void posenc_rotary_compute(
    const posenc_rotary *p, const float *factors, double *freqs, double *freqs_low) {
  int32_t scaling = p->scaling;
  big one, ln_base, root, v, w, r, inverse, low, high;
  from_double(&one, 1.0);
  log_of(&ln_base, p->base);
  big_div_small(&root, &ln_base, (uint64_t)p->d_model / 2, LIMBS);
  inverse = one;
  switch (scaling) {
  case POSENC_ROTARY_DYNAMIC:
    dynamic_part(&w, p);
    big_add(&root, &root, &w, LIMBS);
    break;
  case POSENC_ROTARY_YARN:
    if (!correction_range(&low, &high, p, &ln_base))
      scaling = POSENC_ROTARY_NONE;
    break;
  case POSENC_ROTARY_LLAMA3:
    from_double(&low, p->low_freq_factor);
    from_double(&high, p->high_freq_factor);
    break;
  }
  if (scaling == POSENC_ROTARY_LINEAR || scaling == POSENC_ROTARY_YARN || scaling == POSENC_ROTARY_LLAMA3)
    invert(&inverse, p->factor);
  big_exp_minus(&root, &root, LIMBS);
  v = one;
  for (int64_t k = 0; k < p->d_model / 2; k++) {
    r = one;
    switch (scaling) {
    case POSENC_ROTARY_LONGROPE:
      invert(&inverse, (double)factors[k]);
      break;
    case POSENC_ROTARY_YARN:
      from_double(&w, (double)k);
      ramp(&r, &w, &low, &high);
      break;
    case POSENC_ROTARY_LLAMA3:
      llama3_share(&r, p, &v, &low, &high);
      break;
    }
    scale_frequency(&w, &v, &r, &inverse);
    store_pair(&w, freqs + k, freqs_low + k);
    big_mul(&v, &v, &root, LIMBS);
  }
}

/* r = 1 + m ln(factor) / 10 */
static void yarn_factor(big *r, const posenc_rotary *p, double m) {
  big part;
  log_of(r, p->factor);
  from_double(&part, m);
  big_mul(r, r, &part, LIMBS);
  big_div_small(r, r, 10, LIMBS);
  from_double(&part, 1.0);
  big_add(r, r, &part, LIMBS);
}

__attribute__((noinline)) double posenc_rotary_attention(const posenc_rotary *p) {
  big r, part;
  if (p->scaling != POSENC_ROTARY_YARN && p->scaling != POSENC_ROTARY_LONGROPE)
    return 1.0;
  if (p->attention_factor != 0.0)
    return p->attention_factor;
  if (p->factor <= 1.0)
    return 1.0;
  if (p->scaling == POSENC_ROTARY_LONGROPE) { /* sqrt(r) = r e^(-ln(r) / 2) */
    log_of(&r, p->factor);
    log_of(&part, (double)p->original_max_position_embeddings);
    big_div(&r, &r, &part, LIMBS);
    from_double(&part, 1.0);
    big_add(&r, &r, &part, LIMBS);
    big_log(&part, &r, LIMBS);
    big_div_small(&part, &part, 2, LIMBS);
    big_exp_minus(&part, &part, LIMBS);
    big_mul(&r, &r, &part, LIMBS);
  } else if (p->mscale != 0.0 && p->mscale_all_dim != 0.0) {
    yarn_factor(&r, p, p->mscale);
    yarn_factor(&part, p, p->mscale_all_dim);
    big_div(&r, &r, &part, LIMBS);
  } else {
    yarn_factor(&r, p, 1.0);
  }
  return big_nearest(&r, POSENC_DTYPE_F64, LIMBS);
}

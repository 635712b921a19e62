/* What nothing faster does: other dtypes than float32 at integer positions, and positions between integers. Strips of
 * float64 go through memory, and are rounded by plain loops. No speed is promised here, but the same bits.
 *
 * exact rounds both ends of each value's interval and, where they differ, asks the integers. Its float64 is in
 * angle_addition/wide.h.
 *
 * At a real position P an angle is computed by itself, P (hi + mid), where frequencies have lost their whole turns. At
 * a position between integers those count: P whole less the integers is frac(P) whole, a second angle, exact as a
 * product.
 */
#ifndef POSENC_DTYPES_H
#define POSENC_DTYPES_H

#include "multiprecision/fallback.h"
#include "angle_addition/round.h"
#include "angle_addition/slots.h"

typedef struct values {
  double y[2][STRIP] LINE, error[2][STRIP] LINE; /* of sines, of cosines */
  uint64_t apart[2][STRIP];                      /* not 0: undecided */
} values;

static inline void store_values(values *to, int v, angle y, vd share, vd rest) {
  const int at = v * VD_LANES;
  vd_store(to->y[0] + at, y.sin);
  vd_store(to->y[1] + at, y.cos);
  vd_store(to->error[0] + at, vd_fma(vd_abs(y.sin), share, rest));
  vd_store(to->error[1] + at, vd_fma(vd_abs(y.cos), share, rest));
}

/* Vector v, of frequencies from k, at an integer position: for exact the angle by itself, as in angle_addition/ziv.h; for
 * anchored its sum, given the coarse parts. */
static inline void integer_vector(values *to, int v, const turns *t, int64_t k, int64_t position, const angle *coarse) {
  if (EXACT || position == 0) {
    const vd reduction = vd_set1(fabs((double)position) * (POSENC_BUDGET_PLACE * 0x1p-106));
    const vd rest = vd_sub(reduction, vd_and(reduction, relative_near(t, k, (double)position)));
    store_values(to, v, compute(t, k, (double)position), vd_set1(POSENC_BUDGET_ALONE * 0x1p-53), rest);
  } else {
    store_values(to, v, sum_at(t, coarse[v], k, position), vd_set1(0.0), vd_set1(0.0));
  }
}

static inline int any_whole(const double *whole) {
  int any = 0;
  for (int l = 0; l < VD_LANES; l++)
    any |= whole[l] != 0.0;
  return any;
}

/* Of a position that is no integer, or -0.0. */
static inline void real_values(values *to, const turns *t, int64_t first, double position) {
  const double fraction = position - rint(position);
  for (int v = 0; v < STRIP / VD_LANES; v++) {
    const int64_t k = first + v * VD_LANES;
    const vd at = vd_set1(position);
    const angle y = angle_at(at, vd_loadu(t->hi + k), vd_loadu(t->mid + k));
    if (fraction == 0.0 || !any_whole(t->whole + k))
      store_values(
          to, v, y, vd_set1(POSENC_BUDGET_ALONE * 0x1p-53), vd_set1(fabs(position) * (POSENC_BUDGET_PLACE * 0x1p-106)));
    else
      store_values(to, v, rotated(y, angle_at(vd_set1(fraction), vd_loadu(t->whole + k), vd_set1(0.0))), vd_set1(0.0),
          vd_set1(POSENC_BUDGET_ERROR * 0x1p-53));
    for (int l = 0; position == 0.0 && l < VD_LANES; l++) { /* the sign of -0.0 w */
      const double w = t->whole[k + l] != 0.0 ? t->whole[k + l] : t->hi[k + l];
      to->y[0][v * VD_LANES + l] = signbit(w) ? 0.0 : -0.0;
    }
  }
}

FLAT double rounded(double y, int dtype) {
  if (dtype == POSENC_DTYPE_BF16)
    return posenc_nearest(y, POSENC_BF16_DIGITS, POSENC_BF16_LEAST);
  if (dtype == POSENC_DTYPE_F16)
    return posenc_nearest(y, POSENC_F16_DIGITS, POSENC_F16_LEAST);
  return dtype == POSENC_DTYPE_F32 ? (double)(float)y : y;
}

/* Rounds values, and for exact says whether the ends of any interval are rounded apart. */
FLAT int round_values(values *x, int dtype) {
  uint64_t apart = 0;
  for (int f = 0; f < 2; f++)
    for (int k = 0; k < STRIP; k++) {
      const double y = x->y[f][k], low = rounded(y - x->error[f][k], dtype), high = rounded(y + x->error[f][k], dtype);
      x->y[f][k] = rounded(y, dtype);
      if (EXACT) {
        uint64_t bits[2]; /* the zeros differ in their sign */
        memcpy(&bits[0], &low, sizeof low);
        memcpy(&bits[1], &high, sizeof high);
        x->apart[f][k] = bits[0] ^ bits[1];
        apart |= bits[0] ^ bits[1];
      }
    }
  return apart != 0;
}

FLAT void write_values(const values *x, int dtype, int64_t pairs, void *out) {
  for (int64_t k = 0; k < pairs; k++)
    for (int f = 0; f < 2; f++) {
      const double y = x->y[f][k];
      if (dtype == POSENC_DTYPE_F64)
        ((double *)out)[2 * k + f] = y;
      else if (dtype == POSENC_DTYPE_F32)
        ((float *)out)[2 * k + f] = (float)y;
      else
        ((uint16_t *)out)[2 * k + f] = dtype == POSENC_DTYPE_BF16 ? posenc_bf16_bits(y) : posenc_f16_bits(y);
    }
}

/* Between integers, frequencies whose whole turns are not kept, and positions whose products underflow. */
static inline int unknown(const turns *t, int64_t k, double position) {
  return position != rint(position) && (isinf(t->whole[k]) || fabs(position) < 0x1p-800);
}

FLAT void finish_strip(const posenc_spec *spec, const turns *t, values *x, int64_t first, int64_t pairs,
    double position, int dtype, void *out) {
  const int apart = round_values(x, dtype);
  for (int64_t k = 0; k < pairs && (apart || position != rint(position)); k++)
    for (int f = 0; f < 2; f++)
      if ((EXACT && x->apart[f][k]) || unknown(t, first + k, position))
        x->y[f][k] = posenc_fallback(spec, position, 2 * (first + k) + f);
  write_values(x, dtype, pairs, out);
}

/* One pair of bfloat16 or float16, the sine in the lower half: for fast ways to them that leave a few undecided. */
__attribute__((noinline)) static uint32_t pair_of_16_bits(
    const posenc_spec *spec, const turns *t, int64_t k, int64_t position, int dtype) {
  const int64_t vector = k / VD_LANES * VD_LANES;
  values x;
  angle coarse[1] = {compute(t, vector, coarse_of(position))};
  uint32_t pair = 0;
  integer_vector(&x, 0, t, vector, position, coarse);
  for (int f = 0; f < 2; f++) {
    const double value = x.y[f][k - vector], error = x.error[f][k - vector];
    const double low = rounded(value - error, dtype), high = rounded(value + error, dtype);
    const int apart = EXACT && (low != high || signbit(low) != signbit(high));
    const double y = apart ? posenc_fallback(spec, (double)position, 2 * k + f) : rounded(value, dtype);
    pair |= (uint32_t)(dtype == POSENC_DTYPE_BF16 ? posenc_bf16_bits(y) : posenc_f16_bits(y)) << 16 * f;
  }
  return pair;
}

static inline void dtype_strips(const posenc_spec *spec, const turns *t, const posenc_rows *r, int64_t first,
    int64_t pairs, unsigned char *out, int64_t stride_bytes) {
  values x;
  angle coarse[STRIP / VD_LANES];
  double at = NAN; /* what they are at */
  for (int64_t i = 0; i < r->count; i++) {
    const double position = posenc_row_real(r, i);
    void *const to = out + i * stride_bytes;
    const int is_integer = position == rint(position) && !(position == 0.0 && signbit(position));
    if (!is_integer) {
      real_values(&x, t, first, position);
    } else { /* the same bits, whoever asks */
      for (int v = 0; !EXACT && at != coarse_of((int64_t)position) && v < STRIP / VD_LANES; v++)
        coarse[v] = compute(t, first + v * VD_LANES, coarse_of((int64_t)position));
      at = coarse_of((int64_t)position);
      for (int v = 0; v < STRIP / VD_LANES; v++)
        integer_vector(&x, v, t, first + v * VD_LANES, (int64_t)position, coarse);
    }
    switch (spec->dtype) {
    case POSENC_DTYPE_F64: /* of anchored */
      finish_strip(spec, t, &x, first, pairs, position, POSENC_DTYPE_F64, to);
      break;
    case POSENC_DTYPE_BF16:
      finish_strip(spec, t, &x, first, pairs, position, POSENC_DTYPE_BF16, to);
      break;
    case POSENC_DTYPE_F16:
      finish_strip(spec, t, &x, first, pairs, position, POSENC_DTYPE_F16, to);
      break;
    default:
      finish_strip(spec, t, &x, first, pairs, position, POSENC_DTYPE_F32, to);
    }
  }
}

/* Whole pairs only: r->to is even. */
__attribute__((noinline)) static void write_dtype(
    const posenc_spec *spec, const turns *t, const posenc_rows *r, void *out, int64_t stride) {
  const int64_t size = (int64_t)posenc_dtype_size((posenc_dtype)spec->dtype);
  for (int64_t c = r->from; c < r->to; c += 2 * STRIP)
    dtype_strips(spec, t, r, c / 2, (r->to - c < 2 * STRIP ? r->to - c : 2 * STRIP) / 2,
        (unsigned char *)out + (c - r->from) * size, stride * size);
}

#endif

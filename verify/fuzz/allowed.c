#include "allowed.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <string.h>

#include "bytes.h"
#include "complain.h"
#include "model.h"

/* ---- specs */

/* Is base^(-steps/denominator) at or above 2^-1022? 1 yes, 0 no, -1 too close for the double arithmetic of anybody. */
static int power_is_fine(double base, double steps, double denominator) {
  mpfr_t bits, limit;
  mpfr_inits2(200, bits, limit, (mpfr_ptr)NULL);
  mpfr_set_d(bits, base, MPFR_RNDN);
  mpfr_log2(bits, bits, MPFR_RNDN);
  mpfr_mul_d(bits, bits, steps, MPFR_RNDN);
  mpfr_div_d(bits, bits, denominator, MPFR_RNDN);
  mpfr_set_d(limit, 1022, MPFR_RNDN);
  mpfr_sub(limit, limit, bits, MPFR_RNDN);
  const double left = mpfr_get_d(limit, MPFR_RNDN);
  mpfr_clears(bits, limit, (mpfr_ptr)NULL);
  return fabs(left) < 0x1p-38 ? -1 : left > 0;
}

static bool is_among(int32_t value, int32_t most) { return value >= 0 && value <= most; }

allowed allowed_spec(const posenc_spec *s) {
  const allowed refused = {BIT(SPEC), 0}, fine = {0, 0}, doubtful = {0, BIT(SPEC)};
  if (s->struct_size != sizeof *s)
    return refused;
  for (int i = 0; i < 6; i++)
    if (s->reserved[i] != 0)
      return refused;
  if (s->d_model < 1 || s->d_model > 1048576 || !is_among(s->layout, 1) || !is_among(s->order, 1) ||
      !is_among(s->odd, 1) || !is_among(s->dtype, 3))
    return refused;
  const double scale = fabs(s->position_scale);
  if (isnan(scale) || (scale != 0 && (scale < 0x1p-32 || scale > 0x1p32)))
    return refused;
  const int64_t n = model_count(s);
  if (s->freqs) {
    for (int64_t k = 0; k < n && s->n_freqs == n; k++) {
      const double w = fabs(s->freqs[k]);
      if (isnan(w) || (w != 0 && (w < DBL_MIN || w > 0x1p64)))
        return refused;
    }
    return s->n_freqs == n ? fine : refused;
  }
  if (s->n_freqs != 0 || isnan(s->base) || s->base <= 1 || isinf(s->base) || isnan(s->denominator) ||
      s->denominator < 0 || isinf(s->denominator))
    return refused;
  const double denominator = s->denominator != 0 ? s->denominator : (double)s->d_model / 2;
  const double steps = n > 1 ? (double)(n - 1) : s->denominator != 0 ? 1 : 0;
  const int power = steps > 0 ? power_is_fine(s->base, steps, denominator) : 1;
  return power == 1 ? fine : power == 0 ? refused : doubtful;
}

/* ---- plans */

static bool offers_dtype(const posenc_impl *impl, int32_t dtype) {
  static const char *const names[] = {"float32", "float64", "bfloat16", "float16"};
  const char *at = strstr(impl->dtypes, names[dtype]);
  return at != NULL;
}

/* exact and anchored: 2 * denominator is a whole number up to 2^21. naive says that it needs a base that is a float. */
static bool offers_ladder(const posenc_impl *impl, const posenc_spec *s) {
  if (s->freqs)
    return true;
  if (strcmp(impl->name, "naive") == 0)
    return s->base <= (double)FLT_MAX;
  if (strncmp(impl->name, "exact", 5) != 0 && strncmp(impl->name, "anchored", 8) != 0)
    return true;
  const double denominator = s->denominator != 0 ? s->denominator : (double)s->d_model / 2;
  return denominator <= 0x1p20 && floor(2 * denominator) == 2 * denominator;
}

allowed allowed_plan(const posenc_spec *s, const char *name) {
  allowed a = allowed_spec(s);
  const posenc_impl *impl = posenc_impl_find(name);
  if (!impl)
    a.errors |= BIT(UNKNOWN_IMPL);
  if (a.errors)
    return a;
  if (!posenc_impl_supported(impl))
    a.errors |= BIT(CPU);
  const bool falls_back = !name && s->dtype == POSENC_F32; /* to float64, which offers every ladder */
  if (!offers_dtype(impl, s->dtype) || (!offers_ladder(impl, s) && !falls_back))
    a.errors |= BIT(UNSUPPORTED);
  return a;
}

/* ---- rows */

static int64_t element_size(const posenc_spec *s) {
  return s->dtype == POSENC_F64 ? 8 : s->dtype == POSENC_F32 ? 4 : 2;
}

void allowed_rows(allowed *a, const posenc_spec *s, int64_t count, place p) {
  const wide size = element_size(s), most = PTRDIFF_MAX / size;
  if (count < 0 || p.stride < p.width)
    a->errors |= BIT(ARGUMENT);
  if (count > 0 && (!p.array || (uintptr_t)p.array % (uintptr_t)size != 0))
    a->errors |= BIT(ARGUMENT);
  if (count > 1 &&
      p.stride >= p.width) { /* the last row need not have all of its stride: between the two, either will do */
    if ((wide)(count - 1) * p.stride + p.width > most)
      a->errors |= BIT(SIZE);
    else if ((wide)count * p.stride > most)
      a->doubtful |= BIT(SIZE);
  }
}

static void one_position(allowed *a, const posenc_spec *s, const mpfr_t position) {
  mpfr_t product, most;
  mpfr_init2(product, 192);
  mpfr_init2(most, 64);
  mpfr_set_ui_2exp(most, 1, 32, MPFR_RNDN);
  if (mpfr_nan_p(position) || mpfr_cmpabs(position, most) > 0) {
    a->errors |= BIT(DOMAIN);
  } else if (s->position_scale != 0) {
    mpfr_mul_d(product, position, s->position_scale, MPFR_RNDN);
    if (mpfr_cmpabs(product, most) > 0) { /* a product that rounds to 2^32 may be taken for it */
      mpfr_set_d(most, 0x1.0000000000002p32, MPFR_RNDN);
      *(mpfr_cmpabs(product, most) > 0 ? &a->errors : &a->doubtful) |= BIT(DOMAIN);
    }
  }
  mpfr_clears(product, most, (mpfr_ptr)NULL);
}

void allowed_real(allowed *a, const posenc_spec *s, double position) {
  mpfr_t p;
  mpfr_init2(p, 53);
  mpfr_set_d(p, position, MPFR_RNDN);
  one_position(a, s, p);
  mpfr_clear(p);
}

void allowed_whole(allowed *a, const posenc_spec *s, int64_t position) {
  mpfr_t p;
  mpfr_init2(p, 64);
  mpfr_set_si(p, (long)position, MPFR_RNDN);
  one_position(a, s, p);
  mpfr_clear(p);
}

void allowed_first(allowed *a, const posenc_spec *s, int64_t first, int64_t count) {
  if (count <= 0)
    return;
  int64_t last;
  allowed_whole(a, s, first);
  if (__builtin_add_overflow(first, count - 1, &last))
    a->errors |= BIT(DOMAIN);
  else
    allowed_whole(a, s, last);
}

void allowed_strides(
    allowed *a, const posenc_spec *s, int64_t count, int64_t batch, posenc_strides strides, int written) {
  const wide most = PTRDIFF_MAX / element_size(s), d = s->d_model;
  const wide rows = count > 1 ? (wide)(count - 1) * strides.row : 0,
             batches = batch > 1 ? (wide)(batch - 1) * strides.batch : 0;
  if (strides.row < d || (batch > 1 && strides.batch < d)) { /* the other one may be wrong in its own way */
    a->errors |= BIT(ARGUMENT);
    if ((strides.row >= d && rows + d > most) || (strides.batch >= d && batches + d > most))
      a->errors |= BIT(SIZE);
    return;
  }
  if (rows + d > most || batches + d > most)
    a->errors |= BIT(SIZE);
  else if (rows + batches + d > most)
    *(count > 0 && batch > 0 ? &a->errors : &a->doubtful) |= BIT(SIZE);
  else if ((wide)count * strides.row > most || (batch > 1 && (wide)batch * strides.batch > most))
    a->doubtful |= BIT(SIZE);
  if (written && count > 1 && batch > 1 && rows + d > strides.batch && batches + d > strides.row)
    a->errors |= BIT(ARGUMENT);
}

int judge_status(const char *what, posenc_status status, allowed a) {
  if (status == POSENC_OK ? a.errors != 0 : !((a.errors | a.doubtful) >> status & 1))
    complain("%s returns %d (%s); of what is wrong, posenc.h allows the bits %#x, perhaps %#x", what, (int)status,
        posenc_status_string(status), a.errors, a.doubtful);
  return status == POSENC_OK;
}

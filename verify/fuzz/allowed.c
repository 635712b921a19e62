#include <float.h>
#include <math.h>
#include <string.h>

#include "../reference/formats.h"
#include "fuzz.h"

/* ---- specs */

static bool is_among(int32_t value, int32_t most) { return value >= 0 && value <= most; }

allowed allowed_spec(const posenc_spec *s) {
  const allowed refused = {BIT(SPEC), 0}, fine = {0, 0}, doubtful = {0, BIT(SPEC)};
  if (s->struct_size != sizeof *s)
    return refused;
  for (size_t i = 0; i < sizeof s->reserved / sizeof s->reserved[0]; i++)
    if (s->reserved[i] != 0)
      return refused;
  if (s->d_model < 1 || s->d_model > 1048576 || !is_among(s->layout, 1) || !is_among(s->order, 1) ||
      !is_among(s->odd, 1) || !is_among(s->dtype, 3) || s->table_rows < 0 || s->table_rows > 8589934593)
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
      if (s->freqs_low && s->freqs[k] + s->freqs_low[k] != s->freqs[k])
        return refused;
    }
    return s->n_freqs == n ? fine : refused;
  }
  if (s->n_freqs != 0 || s->freqs_low || isnan(s->base) || s->base <= 0 || isinf(s->base) || isnan(s->denominator) ||
      s->denominator < 0 || isinf(s->denominator))
    return refused;
  const double denominator = s->denominator != 0 ? s->denominator : (double)s->d_model / 2;
  const double steps = n > 1 ? (double)(n - 1) : s->denominator != 0 || s->base < 1 ? 1 : 0;
  /* The last frequency, base^(-steps/denominator), may not be below 2^-1022 or above 2^64; nearly so is open. */
  const long double bits = log2l((long double)s->base) * (long double)steps / (long double)denominator;
  const long double left = s->base < 1 ? 64 + bits : 1022 - bits;
  return steps <= 0 ? fine : fabsl(left) < 0x1p-38L ? doubtful : left > 0 ? fine : refused;
}

/* ---- plans */

/* naive says that it needs a base that is a normal float. */
static bool offers_ladder(const posenc_impl *impl, const posenc_spec *s) {
  return s->freqs || strcmp(impl->name, "naive") != 0 || (s->base >= (double)FLT_MIN && s->base <= (double)FLT_MAX);
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
  if (!strstr(impl->dtypes, format_of(s->dtype)->long_name) || !offers_ladder(impl, s))
    a.errors |= BIT(UNSUPPORTED);
  return a;
}

/* ---- rows */

void allowed_rows(allowed *a, const posenc_spec *s, array_shape shape, const void *array) {
  const posenc_strides t = shape.strides;
  const int64_t count = shape.count, batch = shape.batch;
  const wide size = (wide)format_of(s->dtype)->size, most = PTRDIFF_MAX / size, d = shape.width;
  const wide rows = count > 1 ? (wide)(count - 1) * t.row : 0, batches = batch > 1 ? (wide)(batch - 1) * t.batch : 0;
  if (count < 0 || batch < 0 || (count > 0 && batch > 0 && (!array || (uintptr_t)array % (uintptr_t)size != 0)))
    a->errors |= BIT(ARGUMENT);
  if (t.row < d || (batch > 1 && t.batch < d)) { /* the other one may be wrong in its own way */
    a->errors |= BIT(ARGUMENT);
    if ((t.row >= d && rows + d > most) || (t.batch >= d && batches + d > most))
      a->errors |= BIT(SIZE);
    return;
  }
  if (rows + d > most || batches + d > most)
    a->errors |= BIT(SIZE);
  else if (rows + batches + d > most)
    *(count > 0 && batch > 0 ? &a->errors : &a->doubtful) |= BIT(SIZE);
  else if ((count > 1 && (wide)count * t.row > most) || (batch > 1 && (wide)batch * t.batch > most))
    a->doubtful |= BIT(SIZE); /* the last row need not have all of its stride: between the two, either will do */
  if (shape.written && count > 1 && batch > 1 && rows + d > t.batch && batches + d > t.row)
    a->errors |= BIT(ARGUMENT);
}

void allowed_position(allowed *a, const posenc_spec *s, double position) {
  const double p = fabs(position), scale = fabs(s->position_scale), product = p * scale;
  if (!(p <= 0x1p32))
    a->errors |= BIT(DOMAIN);
  else if (product > 0x1.0000000000002p32)
    a->errors |= BIT(DOMAIN);
  else if (product > 0x1p32 || (product == 0x1p32 && fma(p, scale, -product) > 0)) /* may be taken for 2^32 */
    a->doubtful |= BIT(DOMAIN);
}

void allowed_first(allowed *a, const posenc_spec *s, int64_t first, int64_t count) {
  if (count <= 0)
    return;
  allowed_position(a, s, (double)first); /* rounded beyond 2^53 only */
  allowed_position(a, s, (double)first + (double)(count - 1));
}

bool judge_status(const char *what, posenc_status status, allowed a) {
  if (status == POSENC_OK ? a.errors != 0 : !((a.errors | a.doubtful) >> status & 1))
    complain("%s returns %d (%s); of what is wrong, posenc.h allows the bits %#x, perhaps %#x", what, (int)status,
        posenc_status_string(status), a.errors, a.doubtful);
  return status == POSENC_OK;
}

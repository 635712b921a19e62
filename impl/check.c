#include "check.h"

#include "dispatch.h"
#include "fpstate.h"
#include "freqs.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

posenc_status posenc_fail(posenc_status status, char *message, size_t size, const char *format, ...)
{
  if (message && size > 0) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, size, format, arguments);
    va_end(arguments);
  }
  return status;
}

/* ---- spec ---- */

/* A spec may come from a program built with another header. Older: its missing tail reads as zero, which every field
 * added later takes as "as before". Newer: a tail this library does not know must be zero, or it would be ignored. */
posenc_status posenc_spec_read(posenc_spec *read, const posenc_spec *spec, char *message, size_t size)
{
  const size_t oldest = sizeof(posenc_spec), newest = 4096;
  if (!spec)
    return posenc_fail(POSENC_ERROR_ARGUMENT, message, size, "spec is NULL; a posenc_spec is needed");
  if (spec->struct_size < oldest || spec->struct_size > newest)
    return posenc_fail(POSENC_ERROR_SPEC, message, size,
                       "struct_size is %zu; allowed: sizeof(posenc_spec) = %zu, as posenc_spec_default() sets it",
                       spec->struct_size, sizeof(posenc_spec));
  const unsigned char *bytes = (const unsigned char *)spec;
  for (size_t i = sizeof *read; i < spec->struct_size; i++)
    if (bytes[i] != 0)
      return posenc_fail(POSENC_ERROR_SPEC, message, size,
                         "struct_size is %zu and byte %zu is set; this library, version %s, knows %zu bytes",
                         spec->struct_size, i, posenc_version(), sizeof *read);
  memcpy(read, spec, sizeof *read);
  read->struct_size = sizeof *read;
  return POSENC_OK;
}

static posenc_status check_ladder(const posenc_spec *s, int64_t n, char *message, size_t size)
{
  const double denominator = posenc_denominator(s);
  if (!(s->base > 1.0) || isinf(s->base))
    return posenc_fail(POSENC_ERROR_SPEC, message, size, "base is %.17g; allowed: finite and > 1", s->base);
  if (!(s->denominator >= 0.0) || isinf(s->denominator))
    return posenc_fail(POSENC_ERROR_SPEC, message, size, "denominator is %.17g; allowed: finite and > 0, or 0 for d_model / 2",
                       s->denominator);
  /* A given denominator must make sense even where the only frequency is 1 and it is not used. */
  const double last = n == 1 && s->denominator != 0.0 ? 1.0 : (double)(n - 1), bits = last * log2(s->base);
  if (!(bits / denominator <= 1022.0))
    return posenc_fail(POSENC_ERROR_SPEC, message, size,
                       "denominator is %.17g and base is %.17g: base^(-%.0f/denominator) falls below 2^-1022; allowed with this "
                       "base: a denominator of at least %.17g",
                       denominator, s->base, last, bits / 1022.0);
  if (s->n_freqs != 0)
    return posenc_fail(POSENC_ERROR_SPEC, message, size, "n_freqs is %" PRId64 " but freqs is NULL; allowed: 0", s->n_freqs);
  return POSENC_OK;
}

static posenc_status check_freqs(const posenc_spec *s, int64_t n, char *message, size_t size)
{
  if (s->n_freqs != n)
    return posenc_fail(POSENC_ERROR_SPEC, message, size,
                       "n_freqs is %" PRId64 "; allowed: (d_model + 1) / 2 = %" PRId64 " for d_model %" PRId64, s->n_freqs, n,
                       s->d_model);
  for (int64_t k = 0; k < n; k++) {
    const double w = fabs(s->freqs[k]);
    if (!(w == 0.0 || (w >= 0x1p-1022 && w <= 0x1p64)))
      return posenc_fail(POSENC_ERROR_SPEC, message, size,
                         "freqs[%" PRId64 "] is %.17g; allowed: 0, or a magnitude from 2^-1022 to 2^64", k, s->freqs[k]);
  }
  return POSENC_OK;
}

__attribute__((noinline)) static posenc_status check_fields(const posenc_spec *s, char *message, size_t size)
{
  if (s->d_model < 1 || s->d_model > POSENC_MAX_D_MODEL)
    return posenc_fail(POSENC_ERROR_SPEC, message, size, "d_model is %" PRId64 "; allowed: 1 to %" PRId64, s->d_model,
                       POSENC_MAX_D_MODEL);
  const int64_t n = posenc_n_freqs(s->d_model);
  return s->freqs ? check_freqs(s, n, message, size) : check_ladder(s, n, message, size);
}

posenc_status posenc_spec_check(const posenc_spec *spec, char *message, size_t size)
{
  posenc_spec s;
  posenc_status status = posenc_spec_read(&s, spec, message, size);
  if (status != POSENC_OK)
    return status;
  const posenc_fpstate caller = posenc_fp_enter(); /* a subnormal frequency must be seen, not read as zero */
  status = check_fields(&s, message, size);
  posenc_fp_leave(caller);
  return status;
}

/* ---- implementation ---- */

static void list_names(char *names, size_t size)
{
  size_t length = 0;
  for (size_t i = 0; i < posenc_impl_count(); i++) {
    const int more = snprintf(names + length, size - length, "%s%s", i ? ", " : "", posenc_impl_at(i)->name);
    if (more < 0 || (size_t)more >= size - length)
      return; /* cut, and still terminated */
    length += (size_t)more;
  }
}

posenc_status posenc_plan_check(const posenc_spec *spec, const char *name, char *message, size_t size)
{
  const posenc_status status = posenc_spec_check(spec, message, size);
  if (status != POSENC_OK)
    return status;
  posenc_spec s;
  posenc_spec_read(&s, spec, NULL, 0);
  const posenc_impl *impl = posenc_impl_for(name, &s);
  if (!impl) {
    char names[1024] = "";
    list_names(names, sizeof names);
    return posenc_fail(POSENC_ERROR_UNKNOWN_IMPL, message, size, "impl is \"%s\"; known: %s", name, names);
  }
  if (!posenc_impl_supported(impl))
    return posenc_fail(POSENC_ERROR_CPU, message, size, "impl is \"%s\", which needs %s; this machine does not offer it",
                       impl->name, impl->isa);
  const posenc_kernel *kernel = posenc_kernel_of(impl);
  const char *reason = kernel->refuses ? kernel->refuses(&s) : NULL;
  if (reason)
    return posenc_fail(POSENC_ERROR_UNSUPPORTED, message, size, "impl \"%s\" does not offer this spec: %s", impl->name,
                       reason);
  return POSENC_OK;
}

/* ---- rows ---- */

static int outside(int64_t position)
{
  return position < -POSENC_MAX_POSITION || position > POSENC_MAX_POSITION;
}

static posenc_status check_positions(const posenc_rows *rows, char *message, size_t size)
{
  static const char allowed[] = "allowed: -2^32 to 2^32";
  if (rows->positions) {
    for (int64_t i = 0; i < rows->count; i++)
      if (outside(rows->positions[i]))
        return posenc_fail(POSENC_ERROR_DOMAIN, message, size, "positions[%" PRId64 "] is %" PRId64 "; %s", i,
                           rows->positions[i], allowed);
    return POSENC_OK;
  }
  if (outside(rows->first))
    return posenc_fail(POSENC_ERROR_DOMAIN, message, size, "first is %" PRId64 "; %s", rows->first, allowed);
  if (rows->count - 1 > POSENC_MAX_POSITION - rows->first)
    return posenc_fail(POSENC_ERROR_DOMAIN, message, size,
                       "first is %" PRId64 " and count is %" PRId64 ", so the last position is beyond 2^32; %s", rows->first,
                       rows->count, allowed);
  return POSENC_OK;
}

posenc_status posenc_rows_check(const posenc_plan *plan, const posenc_rows *rows, const void *out, int64_t row_stride,
                                char *message, size_t size)
{
  if (!plan)
    return posenc_fail(POSENC_ERROR_ARGUMENT, message, size, "plan is NULL; a plan from posenc_plan_create() is needed");
  const int64_t d_model = posenc_plan_spec(plan)->d_model;
  if (rows->count < 0)
    return posenc_fail(POSENC_ERROR_ARGUMENT, message, size, "count is %" PRId64 "; allowed: 0 or more", rows->count);
  if (row_stride < d_model)
    return posenc_fail(POSENC_ERROR_ARGUMENT, message, size,
                       "row_stride is %" PRId64 "; allowed: d_model = %" PRId64 " or more", row_stride, d_model);
  if (rows->count == 0)
    return POSENC_OK;
  if (!out || (uintptr_t)out % sizeof(float) != 0)
    return posenc_fail(POSENC_ERROR_ARGUMENT, message, size, "out is %p; allowed: memory aligned to %zu bytes", out,
                       sizeof(float));
  const int64_t most = PTRDIFF_MAX / (int64_t)sizeof(float);
  if (d_model > most || (rows->count > 1 && row_stride > (most - d_model) / (rows->count - 1)))
    return posenc_fail(POSENC_ERROR_SIZE, message, size,
                       "count is %" PRId64 " and row_stride is %" PRId64 "; allowed: a product of at most %" PRId64 " elements",
                       rows->count, row_stride, most);
  return check_positions(rows, message, size);
}

posenc_status posenc_fill_check(const posenc_plan *plan, int64_t first, int64_t count, const void *out, int64_t row_stride,
                                char *message, size_t size)
{
  const posenc_rows rows = {NULL, first, count};
  return posenc_rows_check(plan, &rows, out, row_stride, message, size);
}

posenc_status posenc_table_check(const posenc_plan *plan, int64_t first, int64_t count, int64_t row_stride,
                                 char *message, size_t size)
{
  const int64_t d_model = plan ? posenc_plan_spec(plan)->d_model : 0, stride = row_stride ? row_stride : d_model;
  if (plan && stride < d_model)
    return posenc_fail(POSENC_ERROR_ARGUMENT, message, size,
                       "row_stride is %" PRId64 "; allowed: d_model = %" PRId64 " or more, or 0 for d_model",
                       row_stride, d_model);
  const posenc_rows rows = {NULL, first, count};
  const void *out = &rows; /* a stand-in: there is no table yet */
  const posenc_status status = posenc_rows_check(plan, &rows, out, stride, message, size);
  const int64_t most = PTRDIFF_MAX / (int64_t)sizeof(float);
  if (status == POSENC_OK && count > 0 && stride > most / count) /* the last row has its whole stride too */
    return posenc_fail(POSENC_ERROR_SIZE, message, size,
                       "count is %" PRId64 " and row_stride is %" PRId64 "; allowed: a product of at most %" PRId64
                       " elements", count, stride, most);
  return status;
}

posenc_status posenc_fill_at_check(const posenc_plan *plan, const int64_t *positions, int64_t count, const void *out,
                                   int64_t row_stride, char *message, size_t size)
{
  if (!positions && count > 0)
    return posenc_fail(POSENC_ERROR_ARGUMENT, message, size, "positions is NULL; an array of count positions is needed");
  const posenc_rows rows = {positions, 0, count};
  return posenc_rows_check(plan, &rows, out, row_stride, message, size);
}

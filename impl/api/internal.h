/* What the files of this folder share. */
#ifndef POSENC_INTERNAL_H
#define POSENC_INTERNAL_H

#include "kernel.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

/* ---- status.c: refused calls ---- */

/* The size of the last error's message, with its final 0. */
enum { POSENC_MESSAGE_SIZE = 512 };

/* Records why a call is refused, for posenc_last_error(), and returns the status. */
__attribute__((format(printf, 2, 3))) posenc_status posenc_fail(posenc_status status, const char *format, ...);

/* Returns the status of a check from the calling function, unless it is POSENC_OK. */
#define POSENC_TRY(check)                                                                                              \
  do {                                                                                                                 \
    const posenc_status status_ = (check);                                                                             \
    if (status_ != POSENC_OK)                                                                                          \
      return status_;                                                                                                  \
  } while (0)

/* Whether memory of elements of `unit` bytes can be at this address. */
static inline int posenc_is_usable(const void *pointer, size_t unit) {
  return pointer && (uintptr_t)pointer % unit == 0;
}

/* Refuses a pointer that is not usable. The message says that it must point to `what`: "an array", for example. */
posenc_status posenc_fail_pointer(const char *name, const void *pointer, size_t unit, const char *what);

/* The index of the first of n reserved fields that is not 0; n if all are 0. */
static inline size_t posenc_first_used(const uint64_t *reserved, size_t n) {
  size_t i = 0;
  while (i < n && reserved[i] == 0)
    i++;
  return i;
}

/* Checks struct_size and the reserved fields of a struct that type_init() sets. A program built with another header of
 * this major version has a struct of the same size, perhaps with a field in the reserved room that this library does
 * not know. It must be 0, or it would be ignored. */
posenc_status posenc_check_struct(
    const char *type, size_t struct_size, size_t size, const uint64_t *reserved, size_t n_reserved);

/* Refuses an unknown name, which the message quotes as printable ASCII. `known` gives the `count` names that are
 * allowed. */
posenc_status posenc_fail_name(
    posenc_status status, const char *argument, const char *given, size_t count, const char *known(size_t i));

/* ---- arrays.c ---- */

/* An array in memory: `count` rows of `width` bytes, `stride` bytes apart. The stride of a single row is its width. */
typedef struct posenc_array {
  const void *start;
  int64_t count, stride, width;
} posenc_array;

/* Whether the arrays have a byte in common. They have the same shape, or one of them has a single row. */
int posenc_arrays_meet(posenc_array a, posenc_array b);

/* Refuses results of 8-byte elements that are NULL or misaligned, or that overlap each other or arrays[0], which is
 * only read. */
posenc_status posenc_check_results(const char *const names[], const posenc_array arrays[], int count);

/* ---- dispatch.c, spec.c, plan.c ---- */

/* The kernel of an implementation that the library handed out. NULL for any other address, such as that of a copy. */
const posenc_kernel *posenc_kernel_of(const posenc_impl *impl);

/* Whether a build with SLEEF would have the implementation or family of this name, which posenc_impl_find() lacks. */
int posenc_needs_sleef(const char *name);

/* Refuses the first field that is out of range. Checks freqs and freqs_low as pointers only. */
posenc_status posenc_check_fields(const posenc_spec *spec);

/* Refuses freqs[k] or freqs_low[k] if it is out of range. The fields are in range, and freqs is not NULL. */
posenc_status posenc_check_frequency(const posenc_spec *spec, int64_t k);

/* Checks the fields and all frequencies. */
posenc_status posenc_check_spec(const posenc_spec *spec);

/* Whether an implementation offers the base of a checked spec. Sets no last error. */
static inline int posenc_takes_base(const posenc_kernel *kernel, const posenc_spec *spec) {
  return !kernel->float32_base || spec->freqs || (spec->base >= (double)FLT_MIN && spec->base <= (double)FLT_MAX);
}

/* The denominator of a spec's ladder. d_model / 2 is exact. */
static inline double posenc_denominator(const posenc_spec *spec) {
  return spec->denominator != 0.0 ? spec->denominator : (double)spec->d_model / 2.0;
}

static inline double posenc_scale(const posenc_spec *spec) {
  return spec->position_scale != 0.0 ? spec->position_scale : 1.0;
}

/* Frequencies of the columns. (spec->n_freqs is the length of freqs, and 0 for a ladder.) */
static inline int64_t posenc_frequency_count(const posenc_spec *spec) {
  return spec->d_model / 2 + (spec->d_model % 2 && spec->odd == POSENC_ODD_HALF_PAIR);
}

/* What a checked spec asks a kernel to compute. */
posenc_problem posenc_problem_of(const posenc_spec *spec);

/* Whether a position, or its product with position_scale, is outside the domain. The product is rounded to double. */
static inline int posenc_is_outside(double position, double scale) {
  const double most = (double)POSENC_MAX_POSITION;
  return !(fabs(position) <= most && fabs(position * scale) <= most);
}

struct posenc_plan {
  posenc_spec spec; /* the caller's; freqs and freqs_low point into the plan's own block */
  posenc_problem problem;
  const posenc_kernel *kernel;
  void *state; /* what kernel->prepare() made of the problem */
};

/* Makes a plan, after posenc_fp_enter(). rows_of_only_call: those of the one table that it will fill, or 0. */
posenc_status posenc_make_plan(
    posenc_plan **plan, const posenc_spec *spec, const char *impl, int64_t rows_of_only_call);

/* The first checks of every function of a plan. */
posenc_status posenc_check_plan(const posenc_plan *plan, int64_t count);

/* ---- layouts.c: layouts that kernels do not write ---- */

/* The frequency of a column; -1: a column of zeros. */
int64_t posenc_frequency_of(const posenc_spec *spec, int64_t column);

/* Writes rows to any place, from the strip of frequency `from` on: the first values of all frequencies, and the second
 * values of the first n_second. It does not read rows->k and rows->pairs. What it writes again has the same bits. The
 * plan's kernel computes part after part in L1, whose values are copied to their columns. */
void posenc_write_parts(
    const posenc_plan *plan, const posenc_rows *rows, int64_t n_second, const posenc_place *to, int64_t from);

/* ---- fill.c ---- */

/* posenc_fill() after posenc_fp_enter(): checks the arguments, then fills. */
posenc_status posenc_check_and_fill(const posenc_plan *plan, const posenc_rows *rows, void *out, int64_t row_stride);

/* Checks the size of count > 0 rows. So many elements, and bytes of any dtype, do not overflow an int64. */
posenc_status posenc_check_size(int64_t count, int64_t row_stride);

posenc_status posenc_check_positions(const posenc_plan *plan, const posenc_rows *rows);

#endif

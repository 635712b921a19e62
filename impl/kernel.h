/* What an implementation is to the rest of the library: one constant object per row of list.inc.
 *
 *     spec -> plan -> kernel->rows -> the caller's memory
 *
 * The driver (api/fill.c) has checked every argument and normalised the floating-point state before rows() is called; a
 * kernel validates nothing and cannot fail.
 */
#ifndef POSENC_KERNEL_H
#define POSENC_KERNEL_H

/* What the library is not built for. CMake compiles this header to ask, and the single file begins with the first two
 * lines (scripts/amalgamate). They come before every #include: a C library may lack headers for such a machine.
 * GCC defines a macro for each of these parts of -ffast-math; Clang only for the whole and for -ffinite-math-only, so
 * CMake reads its flags too. */
#if !((defined(__x86_64__) || defined(__aarch64__)) && __SIZEOF_POINTER__ == 8 && !defined(__AARCH64EB__))
#error "posenc supports 64-bit little-endian x86-64 and AArch64, built by GCC or Clang"
#elif defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||                       \
    defined(__NO_SIGNED_ZEROS__) || defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "posenc promises bits: build it without -ffast-math, and without its parts (-funsafe-math-optimizations, ...)"
#elif defined(__FLT_EVAL_METHOD__) &&                                                                                  \
    (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2 || __FLT_EVAL_METHOD__ == -1)
#error "posenc promises bits: build it without -mfpmath=387, which keeps more of them than float and double have"
#elif defined(_WIN32) && !defined(__clang__)
#error "posenc is built by Clang on Windows: GCC misaligns AVX registers on the stack there (its PR 54412)"
#endif

#include "posenc.h"

#include "dtypes.h"

_Static_assert(sizeof 0.1 == sizeof(double), "posenc promises bits: build it without -fsingle-precision-constant");

/* The instruction sets, and those that this machine can run, as bits 1 << POSENC_SET_name. */
enum {
#define POSENC_SET(name, ...) POSENC_SET_##name,
#include "sets.inc"
#undef POSENC_SET
};
unsigned posenc_cpu(void);

/* One frequency of a checked spec and one position, as an error bound needs to see them. */
typedef struct posenc_angle {
  double position;
  double w;        /* frequency, rad per position, position_scale included */
  double exponent; /* k / denominator; 0 for an explicit frequency */
  double ln_w;     /* |ln w| of a ladder frequency, exponent * |ln(base)|; 0 for an explicit one */
  double scaling;  /* roundings that position_scale costs: its own and the product's, 2, or 0 where it is 1 */
  double rounding; /* of a value below 1 to the dtype: half a unit in its last place */
} posenc_angle;

/* The rows and columns to write. Row i is that of positions[i], or reals[i], or first + i when both are NULL. The
 * columns are from .. to-1, where from is a multiple of 64; column 2k is the sine of frequency k, and column 2k + 1 its
 * cosine. */
typedef struct posenc_rows {
  const int64_t *positions;
  const double *reals;
  int64_t first, count;
  int64_t from, to;
  /* The rest is set only if writes_layout() returned 1. */
  int cosines_first; /* 1: 2k is the cosine of frequency k, and 2k + 1 the sine */
  int split;         /* 1: column 2k is element k of its row, and column 2k + 1 is `second` elements from it */
  int64_t second;
} posenc_rows;

static inline int64_t posenc_row_position(const posenc_rows *rows, int64_t i) /* not of reals */
{
  return rows->positions ? rows->positions[i] : rows->first + i;
}

static inline double posenc_row_real(const posenc_rows *rows, int64_t i) {
  return rows->reals ? rows->reals[i] : (double)posenc_row_position(rows, i);
}

/* Where posenc_plan_phases() writes. */
typedef struct posenc_phases {
  double *whole;
  uint64_t *fraction;
  double *rest;
} posenc_phases;

/* Tables from a size on that depends on the last-level cache (api/cpu.c), and parts of them of at least
 * POSENC_STREAM_PART_BYTES, are written by non-temporal stores. A smaller table may still be in that cache when it is
 * read. */
int64_t posenc_stream_bytes(void); /* the same for every call */
#ifndef POSENC_STREAM_BYTES        /* tests: small tables too */
#define POSENC_STREAM_BYTES posenc_stream_bytes()
#endif
#define POSENC_STREAM_PART_BYTES (INT64_C(1) << 20)

static inline int posenc_is_streamed(const posenc_spec *spec, int64_t rows, int64_t columns) {
  const int64_t row = columns * (int64_t)posenc_dtype_size((posenc_dtype)spec->dtype), size = rows * row;
  const int64_t least = POSENC_STREAM_BYTES;
  return size >= least || (size >= POSENC_STREAM_PART_BYTES && spec->table_rows > (least - 1) / row);
}

/* A plan's memory has a limit, so what is large per frequency is kept for ordinary widths only. */
enum { POSENC_TABLES_FREQS = 4096 };

/* rows() writes sine, cosine, sine, ... of the dtype, unless `rows` has cosines_first or split. The driver (api/fill.c)
 * makes every other layout from these pairs. So the spec that kernels are given has an even d_model, a denominator and
 * a position_scale other than 0, and the paper's layout, order and odd. prepare() writes `state`: a number for each
 * frequency, or whatever the kernel needs. `out` is where column `from` of the first row goes.
 *
 * info.dtypes is "float32" or POSENC_EVERY_DTYPE.
 * info.bound states the error bound in words, bound() computes it, and info.evidence is its basis: "proved" (from IEEE
 * arithmetic alone), "upstream" (proved, given what libm or SLEEF claim) or "measured". Every machine must be able to
 * compute every bound, so bound() must be in a file without instruction-set flags (recipes/freqs.c,
 * angle_addition/frequencies.c). */
typedef struct posenc_kernel {
  posenc_impl info;
  unsigned cpu;
  int float32_base;   /* 1: a base must be a normal float32 number */
  size_t state_bytes; /* per padded frequency; zeroed, 64-aligned */
  /* NULL, or how many more bytes follow, not zeroed, 64-aligned; posenc.h limits the memory of a plan. */
  size_t (*more_bytes)(const posenc_spec *spec);
  /* NULL, or whether rows() writes these consecutive rows with cosines_first and second. */
  int (*writes_layout)(const posenc_spec *spec, const posenc_rows *rows);
  void (*prepare)(const posenc_spec *spec, void *state);
  void (*rows)(const posenc_spec *spec, const void *state, const posenc_rows *rows, void *out, int64_t row_stride);
  void (*phases)(const posenc_spec *spec, const posenc_phases *phases); /* NULL: the recipes round their frequencies */
  double (*bound)(const posenc_angle *angle, double ulp);               /* absolute; the caller caps it */
  double ulp;                                                           /* what bound() is given: its own unit */
} posenc_kernel;

#define POSENC_CAT_(a, b) a##b
#define POSENC_CAT(a, b) POSENC_CAT_(a, b)
#define POSENC_STR_(a) #a
#define POSENC_STR(a) POSENC_STR_(a)

/* The source of a row of list.inc ends in its kernel, which takes the row's name and instruction set from CMake's
 * POSENC_NAME and POSENC_ISA:
 *
 *     const posenc_kernel POSENC_THIS = {POSENC_ROW, .info.family = "explog", ...};
 */
#define POSENC_THIS POSENC_CAT(posenc_kernel_, POSENC_NAME)
#define POSENC_ROW                                                                                                     \
  .info.name = POSENC_STR(POSENC_NAME), .info.isa = POSENC_STR(POSENC_ISA),                                            \
  .cpu = 1U << POSENC_CAT(POSENC_SET_, POSENC_ISA)

/* The ladder's denominator: the spec's, or d_model / 2 where that is 0. Exact for every allowed d_model. */
static inline double posenc_denominator(const posenc_spec *spec) {
  return spec->denominator != 0.0 ? spec->denominator : (double)spec->d_model / 2.0;
}

static inline double posenc_scale(const posenc_spec *spec) {
  return spec->position_scale != 0.0 ? spec->position_scale : 1.0;
}

static inline int64_t posenc_n_freqs(const posenc_spec *spec) {
  return spec->d_model / 2 + (spec->d_model % 2 && spec->odd == POSENC_ODD_HALF_PAIR);
}

/* Whole vectors of the widest kernel, and whole strips (angle_addition/frequencies.h): a kernel may load, and compute
 * with, the zeros after the last frequency. */
static inline int64_t posenc_padded_freqs(const posenc_spec *spec) {
  const int64_t n = posenc_n_freqs(spec);
  return n > 0 ? (n + 31) / 32 * 32 : 32;
}

#endif

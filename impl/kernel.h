/* What an implementation is to the rest of the library: one constant object per row of list.inc.
 *
 *     spec -> plan -> kernel->rows or table -> the caller's memory
 *
 * The driver (api/fill.c) has checked every argument and normalised the floating-point state before rows() is called; a
 * kernel validates nothing and cannot fail.
 */
#ifndef POSENC_KERNEL_H
#define POSENC_KERNEL_H

/* What the library is not built for. CMake compiles this header to ask, and the single file begins with the first two
 * lines (scripts/amalgamate). They come before every #include: a C library may lack headers for such a machine.
 * GCC defines a macro for each part of -ffast-math that changes bits, such as -fno-signed-zeros. Clang does so only for
 * the whole and for -ffinite-math-only, so CMake reads its flags too. */
#if !((defined(__x86_64__) || defined(__aarch64__)) && __SIZEOF_POINTER__ == 8 && !defined(__AARCH64EB__))
#error "posenc supports 64-bit little-endian x86-64 and AArch64, built by GCC or Clang"
#elif defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||                       \
    defined(__NO_SIGNED_ZEROS__) || defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "posenc guarantees bit-identical results: build it without -ffast-math, -Ofast and their parts"
#elif defined(__FLT_EVAL_METHOD__) &&                                                                                  \
    (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2 || __FLT_EVAL_METHOD__ == -1)
#error "posenc guarantees bit-identical results: build it without -mfpmath=387, which keeps excess digits"
#elif defined(_WIN32) && !defined(__clang__)
#error "posenc is built by Clang on Windows: GCC misaligns AVX registers on the stack there (its PR 54412)"
#endif

#include "posenc.h"

#include "dtypes.h"

_Static_assert(sizeof 0.1 == sizeof(double),
    "posenc guarantees bit-identical results: build it without -fsingle-precision-constant");

/* The instruction sets, and those that this machine can run, as bits 1 << POSENC_SET_name. */
enum {
#define POSENC_SET(name, ...) POSENC_SET_##name,
#include "sets.inc"
#undef POSENC_SET
};
unsigned posenc_cpu(void);

/* What to compute: a checked spec without what only layouts need. The frequencies base^(-k/denominator) are the
 * ladder. */
typedef struct posenc_problem {
  int64_t n;                       /* frequencies */
  double base, denominator;        /* of the ladder */
  const double *freqs, *freqs_low; /* NULL: the ladder; otherwise frequency k is freqs[k] + freqs_low[k] (NULL: + 0) */
  double scale;                    /* position_scale */
  int64_t table_rows;              /* of the table that several calls write, or of the only call; 0: unknown */
  int32_t dtype;
} posenc_problem;

/* Which rows, and the sines and cosines of which frequencies: k .. k + pairs - 1, where k is a multiple of
 * POSENC_STRIP. Row i is that of positions[i], or reals[i], or first + i when both are NULL. */
typedef struct posenc_rows {
  const int64_t *positions;
  const double *reals;
  int64_t first, count;
  int64_t k, pairs;
} posenc_rows;

/* Where the values go: the addresses of the first and the second value of pair k in row 0. */
typedef struct posenc_place {
  unsigned char *first, *second;
  int64_t row_bytes;
  int is_split;      /* 1: first values are adjacent, and so are second values. 0: the values of a pair are */
  int cosines_first; /* 1: the first value of a pair is the cosine */
} posenc_place;

static inline int64_t posenc_row_position(const posenc_rows *rows, int64_t i) /* not of reals */
{
  return rows->positions ? rows->positions[i] : rows->first + i;
}

static inline double posenc_row_real(const posenc_rows *rows, int64_t i) {
  return rows->reals ? rows->reals[i] : (double)posenc_row_position(rows, i);
}

/* Row i of a recipe, which writes float32. */
static inline float *posenc_floats_of(const posenc_place *to, int64_t i) {
  return (float *)(void *)(to->first + i * to->row_bytes);
}

/* Callers cut the frequencies of rows at multiples of POSENC_STRIP: kernels rely on it. Parts of consecutive rows do not
 * cross a multiple of POSENC_RUN: a run that is cut is computed twice, which only costs time. */
enum { POSENC_STRIP = 32 /* frequencies */, POSENC_RUN = 64 /* positions */ };

static inline int64_t posenc_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t posenc_max(int64_t a, int64_t b) { return a < b ? b : a; }

/* Whole strips, and at least one: a kernel may load, and compute with, the zeros after the last frequency. */
static inline int64_t posenc_padded(int64_t frequencies) {
  return frequencies > 0 ? (frequencies + POSENC_STRIP - 1) / POSENC_STRIP * POSENC_STRIP : POSENC_STRIP;
}

/* One frequency and one position, as an error bound needs to see them. */
typedef struct posenc_angle {
  double position;
  double w;               /* frequency, rad per position, position_scale included */
  double exponent;        /* k / denominator; 0 for an explicit frequency */
  double ln_w;            /* |ln w| without position_scale, exponent * |ln(base)|; 0 for an explicit frequency */
  double scale_roundings; /* those that position_scale costs: its own and the product's, 2, or 0 where it is 1 */
  double half_ulp;        /* of the dtype, for values from 1/2 to 1 */
} posenc_angle;

/* Where posenc_plan_phases() writes. */
typedef struct posenc_phases {
  double *whole;
  uint64_t *fraction;
  double *rest;
} posenc_phases;

/* info.dtypes is "float32" or POSENC_EVERY_DTYPE.
 * info.bound states the error bound in words, bound() computes it, and info.evidence is its basis: "proved" (by
 * verify/proof), "upstream" (proved, given what libm or SLEEF claim) or "measured". Every machine must be able to
 * compute every bound, so bound() must be in a file without instruction-set flags (recipes/freqs.c,
 * angle_addition/frequencies.c). */
typedef struct posenc_kernel {
  posenc_impl info;
  unsigned needs;   /* the instruction sets, as bits 1 << POSENC_SET_name */
  int float32_base; /* 1: a base must be a normal float32 number */

  /* The state that a plan keeps: so many bytes, zeroed, for each padded frequency, and extra_bytes() more, not zeroed.
   * Both begin at a cache line. extra_bytes and prepare may be NULL. posenc.h limits the memory of a plan. */
  size_t frequency_bytes;
  size_t (*extra_bytes)(const posenc_problem *problem);
  void (*prepare)(const posenc_problem *problem, void *state);

  /* Writes any rows as sine, cosine, sine, ...: is_split and cosines_first are 0. */
  void (*rows)(const posenc_problem *problem, const void *state, const posenc_rows *rows, const posenc_place *to);
  /* NULL, or: writes consecutive rows (positions and reals are NULL) in any layout and returns 1, or writes nothing and
   * returns 0. The driver (api/fill.c) then makes other layouts from the pairs of rows(). */
  int (*table)(const posenc_problem *problem, const void *state, const posenc_rows *rows, const posenc_place *to);

  void (*phases)(const posenc_problem *problem, const posenc_phases *phases); /* NULL: frequencies are rounded */
  double (*bound)(const posenc_angle *angle, double units);                   /* absolute; the caller caps it */
  double bound_units; /* for bound(): the error of sines and cosines, in units that bound() chooses */
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
#ifdef POSENC_NAME
extern const posenc_kernel POSENC_THIS;
#endif
#define POSENC_ROW                                                                                                     \
  .info.name = POSENC_STR(POSENC_NAME), .info.isa = POSENC_STR(POSENC_ISA),                                            \
  .needs = 1U << POSENC_CAT(POSENC_SET_, POSENC_ISA)

#endif

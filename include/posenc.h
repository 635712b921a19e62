/* posenc: the sinusoidal position table of the Transformer.
 *
 *     PE(pos, 2k)   = sin(pos * w_k)          w_k = base^(-k / denominator),  denominator = d_model / 2
 *     PE(pos, 2k+1) = cos(pos * w_k)
 *
 * (Vaswani et al., "Attention Is All You Need", 2017, section 3.5), and the other conventions in use.
 *
 *     posenc_spec spec;
 *     posenc_spec_init(&spec, 512, NULL);                      // 512 columns, as in the paper
 *     posenc_fill_once(&spec, NULL, 0, 5000, table, 512);      // float table[5000 * 512]; NULL means "exact"
 *
 * A program that fills many times creates a plan, which keeps the frequencies, and calls posenc_fill(). The cache of a
 * rotary embedding has the cosines and sines of a row side by side, or in two arrays:
 *
 *     posenc_spec_init(&spec, 128, "rope");
 *     spec.base = 500000;
 *     posenc_fill_once(&spec, NULL, 0, 8192, cache, 128);      // float cache[8192 * 128]: 64 cosines, then 64 sines
 *     posenc_plan_create(&plan, &spec, NULL);                  // posenc_plan *plan
 *     posenc_fill_pair(plan, 0, 8192, sines, cosines, 64);     // float sines[8192 * 64], cosines[8192 * 64]
 *     posenc_plan_destroy(plan);
 *
 *   implementation  one algorithm for one instruction set. A family with several members names them FAMILY_SET:
 *                   "exact_avx2". Its own name, "exact", selects the best member on this machine.
 *   exact           every value is the number of the dtype nearest to the real value
 *   anchored        the arithmetic of exact without the check that each rounding is certain
 *   recipes         all others: formulas that programs commonly use, with their errors
 *   preset          the table that a known system computes, by name
 *
 * Errors are returned, never printed; on error nothing is written. The library reads no environment variable, starts no
 * thread, and does not end the process, with one exception. Its only mutable state is the thread-local last error.
 * The exception: if the library was loaded by dlopen(), as in Python, glibc allocates a thread's last error at the thread's first
 * failure, posenc_last_error() or posenc_impl_error_bound(), and ends the process if it cannot.
 * Every function may be called from any thread; a plan is immutable and may be shared by all of them.
 * Results do not depend on the caller's rounding mode or flush-to-zero setting. Each call leaves both settings and the
 * floating-point exception flags as it found them.
 *
 * Stability, from 1.0.0 on, within a major version:
 *   declarations  keep their meaning, type and number, and none is removed. A program compiled against this header runs
 *                 with every later library of the same SONAME.
 *   additions     Functions, enumerators, presets and implementations may be added. posenc_spec and posenc_rotary grow
 *                 into their reserved fields, where 0 keeps today's meaning. posenc_impl and posenc_preset grow at
 *                 their ends, so do not copy them.
 *   bits          The results of exact_* and of posenc_rotary_freqs() are defined by mathematics and will not change.
 *                 The results of anchored_* are the same on every machine; a minor version may change them, and its
 *                 change log then says so. The results of the other implementations depend on libm or SLEEF and on the
 *                 compiler, within their error bounds.
 *   messages      may be reworded at any time.
 */
#ifndef POSENC_H
#define POSENC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define POSENC_VERSION_MAJOR 1
#define POSENC_VERSION_MINOR 0
#define POSENC_VERSION_PATCH 0
#define POSENC_VERSION_STRING "1.0.0"

/* To include posenc in a library without exporting it, compile with -DPOSENC_API= -fvisibility=hidden. To export it
 * from a DLL, compile with -DPOSENC_API=__declspec(dllexport), or link with a .def file. */
#ifndef POSENC_API
#if defined(__GNUC__)
#define POSENC_API __attribute__((visibility("default")))
#else
#define POSENC_API
#endif
#endif

/* The version of the library at run time, "major.minor.patch". POSENC_VERSION_STRING is the version of this header. */
POSENC_API const char *posenc_version(void);

/* ---- Status ------------------------------------------------------------------------------------------------ */

typedef enum posenc_status {
  POSENC_OK = 0,
  POSENC_ERROR_ARGUMENT = 1,     /* a NULL or misaligned pointer, arrays that overlap, a negative count, or a row_stride
                                    below the columns of a row */
  POSENC_ERROR_SPEC = 2,         /* a field of a posenc_spec or posenc_rotary is out of range; the preset is unknown or
                                    does not allow this d_model */
  POSENC_ERROR_UNKNOWN_IMPL = 3, /* no implementation has this name */
  POSENC_ERROR_CPU = 4,          /* the implementation needs instructions this machine lacks */
  POSENC_ERROR_UNSUPPORTED = 5,  /* the spec is valid, but the implementation does not offer it */
  POSENC_ERROR_DOMAIN = 6,       /* a position, or its product with position_scale, is beyond +-POSENC_MAX_POSITION */
  POSENC_ERROR_SIZE = 7,         /* the rows, row_stride apart, take 2^60 elements or more */
  POSENC_ERROR_MEMORY = 8        /* out of memory */
} posenc_status;

/* An English phrase for a status. Never NULL, even for numbers that are not a status. Static storage. */
POSENC_API const char *posenc_status_string(posenc_status status);

/* Returns the calling thread's most recent error status and writes a one-line description of it: the argument, its
 * value and what is allowed. If size > 0, the line is cut to size and terminated by 0; no line is longer than 511
 * bytes. If no call of this thread has failed, returns POSENC_OK and writes an empty line. */
POSENC_API posenc_status posenc_last_error(char *message, size_t size);

/* ---- Spec -------------------------------------------------------------------------------------------------- */

/* The type of an element; out is an array of it. */
typedef enum posenc_dtype {
  POSENC_DTYPE_F32 = 0,  /* float */
  POSENC_DTYPE_F64 = 1,  /* double */
  POSENC_DTYPE_BF16 = 2, /* bfloat16, as uint16_t: the upper half of a float */
  POSENC_DTYPE_F16 = 3   /* IEEE binary16, as uint16_t */
} posenc_dtype;

/* Bytes of an element; 0 for numbers that are not a dtype. */
POSENC_API size_t posenc_dtype_size(posenc_dtype dtype);

/* Where the columns of a row lie. `first` and `second` are sine and cosine, or cosine and sine: see posenc_order. */
typedef enum posenc_layout {
  POSENC_LAYOUT_INTERLEAVED = 0, /* first(w_0), second(w_0), first(w_1), ... */
  POSENC_LAYOUT_SPLIT = 1        /* all of first, then all of second */
} posenc_layout;

typedef enum posenc_order { POSENC_ORDER_SIN_FIRST = 0, POSENC_ORDER_COS_FIRST = 1 } posenc_order;

/* The last column of an odd d_model, and with it the number of frequencies. Ignored when d_model is even. */
typedef enum posenc_odd {
  POSENC_ODD_HALF_PAIR = 0, /* (d_model + 1) / 2 frequencies; the last one has a column for `first` only */
  POSENC_ODD_ZERO = 1       /* d_model / 2 frequencies, rounded down, then a last column of zeros */
} posenc_odd;

#define POSENC_MAX_D_MODEL (INT64_C(1) << 20)
#define POSENC_MAX_POSITION (INT64_C(1) << 32) /* positions, also times position_scale, lie in [-2^32, 2^32] */

/* What to compute: sines and cosines of position * position_scale * w_k, k = 0 .. n-1. Start from posenc_spec_init()
 * and change fields. The number of frequencies n is d_model / 2, rounded up, or rounded down with POSENC_ODD_ZERO.
 * Unless freqs is given, base^(-k/denominator) must lie from 2^-1022 to 2^64 at k = n-1, the last frequency. If n is
 * at most 1, it is checked at k = 1 instead, and only if base is below 1 or denominator is not 0. */
typedef struct posenc_spec {
  size_t struct_size;      /* sizeof(posenc_spec) */
  int64_t d_model;         /* columns of a row, 1 .. POSENC_MAX_D_MODEL */
  double base;             /* > 0 and finite; see above */
  double denominator;      /* > 0 and finite, see above; or 0, which means d_model / 2.0 */
  const double *freqs;     /* NULL, or n_freqs frequencies in radians per position that replace base^(-k/denominator):
                              each 0 or 2^-1022 <= |w| <= 2^64. base and denominator are then ignored. Read only during
                              the call; a plan keeps a copy. */
  const double *freqs_low; /* NULL, or n_freqs corrections: frequency k is the real number freqs[k] + freqs_low[k], and
                              freqs[k] must be the double nearest to that sum. Needs freqs. exact and anchored use
                              both; the recipes ignore freqs_low, and their bounds allow for that. A plan keeps a
                              copy. */
  int64_t n_freqs;         /* n when freqs is given, else 0 */
  double position_scale;   /* 2^-32 <= |position_scale| <= 2^32; 0 means 1. exact and anchored multiply by it exactly;
                              the recipes compute (position * w_k) * position_scale in their own arithmetic. */
  int32_t layout;          /* posenc_layout */
  int32_t order;           /* posenc_order */
  int32_t odd;             /* posenc_odd */
  int32_t dtype;           /* posenc_dtype; the recipes offer POSENC_DTYPE_F32 only, exact and anchored all of them */
  int64_t table_rows;      /* Speed only; no result depends on it. The number of rows of the whole table if several
                              calls fill parts of it (up to 2^33 + 1), else 0. Large tables may be written around the
                              caches, and small ones need less preparation. posenc_fill_once() takes its own count. */
  uint64_t reserved[4];    /* 0. Later versions put new fields here, so the size of a spec never changes. */
} posenc_spec;

/* The conventions of real systems, by name. A preset's dtype is POSENC_DTYPE_F32. Presets never shift positions: the
 * argument `first` of posenc_fill() is the position itself. `starts` says where a system's users begin to count. */
typedef struct posenc_preset {
  const char *name;    /* for example "whisper" */
  const char *formula; /* frequencies, layout and odd widths, in one line */
  const char *users;   /* the systems that compute this */
  const char *starts;  /* the first position they use: "0", "padding_idx + 1", "any real number" */
} posenc_preset;

/* Strings and objects live as long as the library. */
POSENC_API size_t posenc_preset_count(void);
POSENC_API const posenc_preset *posenc_preset_by_index(size_t i); /* NULL when i >= posenc_preset_count() */

/* Sets *spec to a preset's. NULL means "paper": base 10000, denominator d_model / 2, float32, sine and cosine
 * interleaved, sine first. Returns OK, ARGUMENT (spec is NULL or misaligned) or SPEC (the preset is unknown or does
 * not allow this d_model). On error *spec is all zeros, which every call refuses. */
POSENC_API posenc_status posenc_spec_init(posenc_spec *spec, int64_t d_model, const char *preset);

/* ---- A table in one call ------------------------------------------------------------------------------------ */

/* Writes the rows of positions first, first+1, ..., first+count-1: column c of row i is out[i * row_stride + c].
 *   impl        the name of an implementation, or of a family such as "anchored", which selects its member with the
 *               widest vectors of this CPU. NULL means "exact", which offers every valid spec.
 *   out         an array of the spec's dtype, count rows of d_model elements, aligned to an element. Elements between
 *               the end of a row and the next row are not written.
 *   row_stride  elements from one row to the next, >= d_model; ignored with a single row
 *   count       may be 0; out may then be NULL
 * An angle of 0 gives a cosine of 1 and a sine of 0. The sine is +0 with exact and anchored; the recipes may give -0.
 * A row depends on its position alone: a table filled by several calls, on any number of threads, has the same bits.
 * For a few rows this is faster than creating a plan, which prepares for many. Allocates. Returns any status. */
POSENC_API posenc_status posenc_fill_once(
    const posenc_spec *spec, const char *impl, int64_t first, int64_t count, void *out, int64_t row_stride);

/* ---- Plan -------------------------------------------------------------------------------------------------- */

/* A checked spec with its frequencies computed once. Its memory is below 21 MB for any d_model. With the number of
 * frequencies rounded up to a multiple of 32, it is at most 1 KiB plus
 *   808 bytes per frequency   exact and anchored with at most 4096 frequencies (d_model 8192), except exact in float64
 *    40 bytes per frequency   all other plans */
typedef struct posenc_plan posenc_plan;

/* Checks a spec and creates a plan; impl is that of posenc_fill_once(). On success *plan is a new plan that the caller
 * destroys; on error it is NULL. Returns any status but DOMAIN and SIZE. */
POSENC_API posenc_status posenc_plan_create(posenc_plan **plan, const posenc_spec *spec, const char *impl);

/* Frees a plan; NULL is allowed. No other call may be using the plan. */
POSENC_API void posenc_plan_destroy(posenc_plan *plan);

/* The full name of the plan's implementation, and its spec (freqs and freqs_low point into the plan). NULL for NULL. */
POSENC_API const char *posenc_plan_impl(const posenc_plan *plan);
POSENC_API const posenc_spec *posenc_plan_spec(const posenc_plan *plan);

/* ---- Fill -------------------------------------------------------------------------------------------------- */

/* Writes rows as posenc_fill_once() does, with a plan, and with the same bits.
 * posenc_fill, posenc_fill_at, posenc_fill_at_real and posenc_fill_pair return OK, ARGUMENT, DOMAIN or SIZE. They do
 * not allocate or lock, except for a thread's last error (see the top of this file), and on systems with fork() the
 * child may call them. They use less than 112 KiB of stack if the library was built with optimisation. */
POSENC_API posenc_status posenc_fill(
    const posenc_plan *plan, int64_t first, int64_t count, void *out, int64_t row_stride);

/* As posenc_fill(), for any positions: row i is that of positions[i]. They may be in any order and may repeat. All
 * positions are checked before the first element is written. No element of out may overlap positions. */
POSENC_API posenc_status posenc_fill_at(
    const posenc_plan *plan, const int64_t *positions, int64_t count, void *out, int64_t row_stride);

/* As posenc_fill_at(), for real positions. The position is the exact value of the double, but the float32 recipes
 * round it to float32. Position -0.0 gives sines with the sign of -0.0 * w_k * position_scale. NaN and infinities are
 * outside the domain. */
POSENC_API posenc_status posenc_fill_at_real(
    const posenc_plan *plan, const double *positions, int64_t count, void *out, int64_t row_stride);

/* Writes sines and cosines to two arrays of n columns, the form of rotary caches: sines[i * row_stride + k] and
 * cosines[i * row_stride + k] belong to position first + i and frequency k. The spec's layout and order are ignored,
 * and odd only determines n. row_stride >= n; ignored with a single row. No element of one array may be an element of
 * the other; they may be the left and right halves of one array whose rows have 2 n columns. */
POSENC_API posenc_status posenc_fill_pair(
    const posenc_plan *plan, int64_t first, int64_t count, void *sines, void *cosines, int64_t row_stride);

/* ---- Table ------------------------------------------------------------------------------------------------- */

/* Allocates a table and fills rows first .. first+count-1 as posenc_fill() does.
 *   row_stride  elements from one row to the next, >= d_model also with a single row, or 0, which means d_model
 *   count       may be 0; the table then has no rows, but is not NULL
 * On success *table is count * row_stride elements that the caller destroys. Elements between the end of a row and the
 * next row, and after the last row up to its row_stride, are 0. On error *table is NULL.
 * The table starts at a multiple of 64 bytes. A table of 2 MiB or more starts at a multiple of 2 MiB and occupies a
 * multiple of 2 MiB. On Linux the library requests huge pages for it, and maps them before it fills them. This is for
 * speed: in fresh memory from malloc(), the page faults of a large table can take longer than computing its values, and
 * huge pages save most of that time. What remains, compared with filling memory that is already mapped, is the time in
 * which the operating system zeroes the pages. A program that fills repeatedly should keep its memory and call
 * posenc_fill().
 * Returns OK, ARGUMENT, DOMAIN, SIZE or MEMORY. A system that overcommits memory (Linux by default) does not report a
 * shortage, and may end the process when a table is larger than its memory. */
POSENC_API posenc_status posenc_table_create(
    void **table, const posenc_plan *plan, int64_t first, int64_t count, int64_t row_stride);

/* Frees a table; NULL is allowed. A table does not need its plan. */
POSENC_API void posenc_table_destroy(void *table);

/* ---- Rotary scaling ---------------------------------------------------------------------------------------- */

/* How a rotary embedding is scaled for contexts longer than in training. The kinds are the values of Hugging Face's
 * rope_type except `proportional`, with the formulas of transformers 5.23.0 (ROPE_INIT_FUNCTIONS in
 * src/transformers/modeling_rope_utils.py). With d = d_model, L = original_max_position_embeddings and
 * v_k = base^(-2k/d), k = 0 .. d/2 - 1:
 *   NONE      w_k = v_k
 *   LINEAR    w_k = v_k / factor
 *   DYNAMIC   w_k = v_k x^(-2k/(d-2)), x = factor max(length, m) / m - (factor - 1), m = max_position_embeddings
 *             ("dynamic NTK")
 *   YARN      w_k = v_k ((1 - r) + r / factor), r = (k - low) / (high - low), cut to 0 .. 1, where
 *               c(beta) = d ln(L / (2 pi beta)) / (2 ln base)
 *               low     = max(0, floor(c(beta_fast)))
 *               high    = min(d - 1, ceil(c(beta_slow))), plus 1/1000 if that equals low
 *             floor and ceil apply only if truncate is set. (Peng et al. 2023, arXiv 2309.00071)
 *   LONGROPE  w_k = v_k / long_factor[k] where length > L, else v_k / short_factor[k] (Ding et al. 2024, arXiv
 *             2402.13753)
 *   LLAMA3    w_k = v_k (s + (1 - s) / factor), s = (L v_k / (2 pi) - low_freq_factor) / (high_freq_factor -
 *             low_freq_factor), cut to 0 .. 1 (Llama 3.1); if these are equal, 0 or 1 (Llama 4 Scout) */
typedef enum posenc_rotary_scaling {
  POSENC_ROTARY_NONE = 0,
  POSENC_ROTARY_LINEAR = 1,
  POSENC_ROTARY_DYNAMIC = 2,
  POSENC_ROTARY_YARN = 3,
  POSENC_ROTARY_LONGROPE = 4,
  POSENC_ROTARY_LLAMA3 = 5
} posenc_rotary_scaling;

/* A rotary embedding. Start from posenc_rotary_init() and set the fields of the scaling kind; the other fields are
 * ignored. The names are those of Hugging Face's configurations. Each double is taken as an exact real number. */
typedef struct posenc_rotary {
  size_t struct_size; /* sizeof(posenc_rotary) */
  int64_t d_model;    /* columns of a head that are rotated: head_dim times partial_rotary_factor; even, and from 4 with
                         DYNAMIC */
  double base;        /* rope_theta, 2 .. 2^512 */
  int32_t scaling;    /* posenc_rotary_scaling */
  int32_t truncate;   /* YARN: 0 or 1 */
  double factor;      /* all kinds but NONE: 2^-32 .. 2^32. LONGROPE uses it for the attention factor only. If a
                         configuration has no factor, transformers takes max_position_embeddings /
                         original_max_position_embeddings. */
  double attention_factor;                  /* YARN, LONGROPE: 0 for the formula's value, or 2^-32 .. 2^32 */
  int64_t length;                           /* DYNAMIC, LONGROPE: positions of the sequence, 0 .. 2^32 */
  int64_t max_position_embeddings;          /* DYNAMIC: 1 .. 2^32 */
  int64_t original_max_position_embeddings; /* YARN, LONGROPE, LLAMA3: 2 .. 2^32 */
  double beta_fast, beta_slow;              /* YARN: 2^-32 <= beta_slow <= beta_fast <= 2^32 */
  double mscale, mscale_all_dim;            /* YARN: 0, or 2^-32 .. 2^32; used only if neither is 0 */
  double low_freq_factor, high_freq_factor; /* LLAMA3: 2^-32 <= low_freq_factor <= high_freq_factor <= 2^32 */
  const float *short_factor, *long_factor;  /* LONGROPE: d_model / 2 floats, rounded as transformers does, each
                                               2^-32 .. 2^32. The array that length does not select may be NULL. */
  uint64_t reserved[6];                     /* 0 */
} posenc_rotary;

/* Sets *rotary to a kind with base 10000, truncate 1, beta_fast 32, beta_slow 1 and all other fields 0. Returns OK,
 * ARGUMENT (rotary is NULL or misaligned) or SPEC. On error *rotary is all zeros, which posenc_rotary_freqs()
 * refuses. */
POSENC_API posenc_status posenc_rotary_init(posenc_rotary *rotary, int64_t d_model, posenc_rotary_scaling scaling);

/* Computes the d_model / 2 frequencies w_k, for a spec's freqs and freqs_low. w_k is computed with a relative error of
 * 2^-256; freqs[k] is the double nearest to that value, and freqs_low[k] the double nearest to the remainder, or 0
 * where the remainder is below the error of w_k. So freqs[k] + freqs_low[k] is within 2^-106 of w_k, relatively.
 * exact_* rounds the cosines and sines of this sum correctly. Compared with those of w_k itself:
 *   float32, bfloat16, float16   no output is known that differs
 *   float64                      at large positions, one output in millions differs, by one unit in the last place
 * transformers multiplies its cosines and sines by an attention factor. The frequencies do not include it: the caller
 * multiplies by *attention_factor once. It is the double nearest to
 *   YARN      attention_factor, if it is not 0; else g(mscale) / g(mscale_all_dim), if neither is 0; else g(1), where
 *             g(m) = 1 + m ln(factor) / 10, or 1 where factor <= 1
 *   LONGROPE  attention_factor, if it is not 0; else sqrt(1 + ln(factor) / ln(L)), or 1 where factor <= 1
 * and 1 for the other kinds. The results may not overlap each other or the factors of LONGROPE. Returns OK, ARGUMENT
 * (a NULL or misaligned pointer, or memory that overlaps) or SPEC (also NULL factors); on error nothing is written.
 * Does not allocate. */
POSENC_API posenc_status posenc_rotary_freqs(
    const posenc_rotary *rotary, double *freqs, double *freqs_low, double *attention_factor);

/* ---- What few programs need ---------------------------------------------------------------------------------
 * Frequencies as phases, the list of implementations, and bounds of their errors. */

/* Writes the frequencies of a plan of exact or anchored in turns, for programs and GPU kernels that compute sines and
 * cosines themselves. The results are the caller's arrays, with an element for each frequency:
 *
 *     w_k position_scale / (2 pi) = whole[k] + fraction[k] / 2^64 + rest[k]
 *
 *   whole     an integer, or NaN from 2^48 turns on; only positions between integers need it
 *   fraction  the nearest multiple of 2^-64, modulo one turn; so whole is -1 for a small negative frequency
 *             whose fraction is not 0
 *   rest      the double nearest to the remainder; |rest| <= 2^-65
 * w_k is computed with a relative error of 2^-440. Unsigned multiplication wraps around, so at integer positions, also
 * negative ones, whole turns cancel:
 *
 *     const uint64_t phase = (uint64_t)position * fraction[k];                  // exact, modulo one turn
 *     const double turns = (double)(int64_t)phase * 0x1p-64;                    // from -1/2 to 1/2
 *     const double angle = 6.283185307179586 * (turns + (double)position * rest[k]);
 *     sine = sin(angle), cosine = cos(angle);
 *
 * angle is within 2^-50 of the real one, modulo 2 pi. Without rest the error is |position| 2^-62.3 more, at most 2^-30.
 * examples/kernel.c computes with integers and float32 only. The results may not overlap each other. Returns OK,
 * ARGUMENT (a NULL or misaligned pointer, or memory that overlaps) or UNSUPPORTED (the plan's implementation is a
 * recipe); on error nothing is written. Does not allocate. */
POSENC_API posenc_status posenc_plan_phases(const posenc_plan *plan, double *whole, uint64_t *fraction, double *rest);

/* One algorithm for one instruction set. Strings and object live as long as the library.
 *
 * Every output of exact is the number of the dtype nearest to the real value. anchored guarantees that in bfloat16, in
 * float16, and at positions between integers. Its other outputs are off by at most half a unit in the last place of
 * values just below 1, plus 10.5 * 2^-53. docs/accuracy.md says how many are not the nearest. */
typedef struct posenc_impl {
  const char *name;       /* for example "sleef_u35_avx2" */
  const char *family;     /* the name without the instruction set: "sleef_u35" */
  const char *isa;        /* the instruction set: "avx512", "avx2", "fma", "neon", or "any" */
  const char *arithmetic; /* what computes the angle and the sine: "float32 libm", "float64", ... */
  const char *summary;    /* one line: what it is, up to a colon in at most 30 characters; then how it computes */
  const char *bound;      /* its error bound as a formula, approximately: posenc_impl_error_bound() includes
                             the terms of higher order and the roundings of position_scale */
  const char *evidence;   /* the basis of the bound: "proved", "upstream" (claims of libm or SLEEF) or "measured" */
  const char *dtypes;     /* the dtypes it offers, in the order of posenc_dtype: "float32 float64 bfloat16 float16" */
  int correctly_rounded;  /* 1: every output is the number of the dtype nearest to the real value, else 0 */
} posenc_impl;

/* All implementations built for this architecture, whether or not this CPU can run them. */
POSENC_API size_t posenc_impl_count(void);
POSENC_API const posenc_impl *posenc_impl_by_index(size_t i); /* NULL when i >= posenc_impl_count() */

/* Finds an implementation by name. The name of a family ("sleef", "sleef_u35") selects the best member that this CPU
 * can run. If this CPU can run none, it selects the first in the list, which posenc_plan_create() refuses with
 * POSENC_ERROR_CPU. NULL selects "exact". Returns NULL for an unknown name. */
POSENC_API const posenc_impl *posenc_impl_find(const char *name);

/* 1 if this CPU and operating system can run it, else 0. 0 also for a copy of a posenc_impl. */
POSENC_API int posenc_impl_supported(const posenc_impl *impl);

/* A rigorous upper bound of |output - real-number value| at a position and column, also on a CPU that cannot run impl.
 * The result is never above 2 + 2^-16; such a bound says nothing, since no output is further away. Takes as long as a
 * few pow(). Sets no last error. Returns NaN for
 *   impl      NULL, or a copy of a posenc_impl
 *   spec      NULL or misaligned; a field that posenc_plan_create() refuses, or a dtype or base that impl does not
 *             offer. Of freqs and freqs_low only the column's frequency is checked.
 *   position  NaN; or it, or its product with position_scale, is beyond +-POSENC_MAX_POSITION
 *   column    below 0, or d_model or more */
POSENC_API double posenc_impl_error_bound(
    const posenc_impl *impl, const posenc_spec *spec, double position, int64_t column);

#ifdef __cplusplus
}
#endif

#endif

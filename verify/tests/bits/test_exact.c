/* exact_*: every output is the number of its dtype that is nearest to the real value, in the cases where that is hard
 * to know, at integers and between them, alone, in calls of few rows and amid a table; the others are within their
 * bounds. The reference is MPFR's, decided rigorously.
 */
#include "testing.h"
#include "mpfr_reference.h"

#include <math.h>
#include <stdio.h>

#include "columns.h"
#include "formats.h"
#include "thinned.h"

static uint64_t seed = 20170612;
static int64_t rows_per_ladder = 24, repeats = 1;

enum { MOST = 1000 };
static const double turn = 0x1.921fb54442d18p+2;

typedef enum members { EXACT, ANCHORED, EVERYONE } members; /* ANCHORED: and exact */

static int is_member(const posenc_impl *impl, const char *family) {
  const size_t length = strlen(family);
  return strncmp(impl->name, family, length) == 0 && impl->name[length] == '_';
}

static double between(double low, double high) {
  return low + (high - low) * ldexp((double)(next_random(&seed) >> 11), -53);
}

/* The midpoint of two numbers of a dtype, from 1/2 to 1. */
static double midpoint(int32_t dtype) {
  const int digits = format_of(dtype)->digits;
  return ldexp((double)random_between(&seed, INT64_C(1) << (digits - 1), (INT64_C(1) << digits) - 1) + 0.5, -digits);
}

/* The row at a position, in a call of so many. The sines of -0.0 have a sign too. */
static void judge(
    const posenc_plan *plan, double position, const unsigned char *row, const reference_value *want, int64_t rows) {
  const posenc_spec *spec = posenc_plan_spec(plan);
  const posenc_impl *impl = posenc_impl_find(posenc_plan_impl(plan));
  const int exact = is_member(impl, "exact"), minus_zero = position == 0 && signbit(position);
  for (int64_t c = 0; c < spec->d_model; c++) {
    const double got = element_value(spec->dtype, row + (size_t)c * format_of(spec->dtype)->size);
    const double nearest = reference_rounded(&want[c], spec->dtype), error = fabs((got - want[c].y) - want[c].low);
    const double bound = exact ? error : posenc_impl_error_bound(impl, spec, position, c);
    if (((exact || minus_zero) && !same_number(got, nearest)) || !(error <= bound))
      fail_msg(
          "%s, %s: d_model %lld, base %g, first frequency %a, scale %g, position %a, column %lld, %lld rows: got %a, nearest is %a, "
          "error %g, bound %g",
          impl->name, dtype_name(spec->dtype), (long long)spec->d_model, spec->base, spec->freqs ? spec->freqs[0] : 1.0,
          spec->position_scale, position, (long long)c, (long long)rows, got, nearest, error, bound);
  }
}

/* In calls of so few rows that each is computed by itself, and of enough that they are not. */
static void few_and_more(
    const posenc_plan *plan, const int64_t *at, int64_t count, unsigned char *got, const reference_value *want) {
  enum { FEW = 8, MORE = 16 };
  const int64_t d = posenc_plan_spec(plan)->d_model,
                bytes = d * (int64_t)format_of(posenc_plan_spec(plan)->dtype)->size;
  for (int64_t i = 0, rows; i < count; i += rows) {
    rows = count - i < 1 + i % (FEW - 1) ? count - i : 1 + i % (FEW - 1);
    assert_int_equal(posenc_fill_at(plan, at + i, rows, got, d), POSENC_OK);
    for (int64_t j = 0; j < rows; j++)
      judge(plan, (double)at[i + j], got + j * bytes, want + (i + j) * d, rows);
  }
  int64_t again[MORE];
  for (int64_t i = 0; i < MORE; i++)
    again[i] = at[i % count];
  assert_int_equal(posenc_fill_at(plan, again, MORE, got, d), POSENC_OK);
  for (int64_t i = 0; i < MORE; i++)
    judge(plan, (double)again[i], got + i * bytes, want + i % count * d, MORE);
}

static int64_t column_of(const posenc_spec *spec, place it) {
  const int second = it.cosine == (spec->order == POSENC_ORDER_SIN_FIRST);
  return spec->layout == POSENC_LAYOUT_SPLIT ? it.k + second * spec_count(spec) : 2 * it.k + second;
}

/* The same rows in all layouts and orders, each by its own plan. */
static void other_layouts(const posenc_plan *plan, int64_t first, int64_t rows, const unsigned char *table) {
  const posenc_spec *of = posenc_plan_spec(plan);
  const size_t size = format_of(of->dtype)->size;
  unsigned char *const got = malloc((size_t)(rows * of->d_model) * size);
  for (int i = 0; i < 4 && of->d_model % 2 == 0; i++) {
    posenc_spec spec = *of;
    spec.layout = i / 2 ? POSENC_LAYOUT_SPLIT : POSENC_LAYOUT_INTERLEAVED;
    spec.order = i % 2 ? POSENC_ORDER_COS_FIRST : POSENC_ORDER_SIN_FIRST;
    posenc_plan *other = plan_of(&spec, posenc_plan_impl(plan));
    assert_int_equal(posenc_fill(other, first, rows, got, spec.d_model), POSENC_OK);
    for (int64_t j = 0; j < rows * spec.d_model; j++) {
      const int64_t row = j / spec.d_model * spec.d_model;
      const int64_t there = row + column_of(of, place_of(&spec, j - row));
      if (memcmp(got + (size_t)j * size, table + (size_t)there * size, size) != 0)
        fail_msg("%s, layout %d, order %d: d_model %lld, position %lld, column %lld differs", posenc_plan_impl(plan),
            spec.layout, spec.order, (long long)spec.d_model, (long long)(first + row / spec.d_model),
            (long long)(j - row));
    }
    posenc_plan_destroy(other);
  }
  free(got);
}

/* Amid the rows of a table, at the ends of one and in its middle. */
static void amid_table(const posenc_plan *plan, int64_t position, unsigned char *got, const reference_value *want) {
  enum { TABLE = 41 };
  const int64_t d = posenc_plan_spec(plan)->d_model,
                bytes = d * (int64_t)format_of(posenc_plan_spec(plan)->dtype)->size;
  const int64_t lowest = position - POSENC_MAX_POSITION + TABLE - 1, most = position + POSENC_MAX_POSITION;
  int64_t before = random_between(&seed, 0, TABLE - 1); /* rows of it */
  before = before < lowest ? lowest : before > most ? most : before;
  assert_int_equal(posenc_fill(plan, position - before, TABLE, got, d), POSENC_OK);
  judge(plan, (double)position, got + before * bytes, want, TABLE);
  if (next_random(&seed) % 4 == 0)
    other_layouts(plan, position - before, TABLE, got);
}

static void check(const posenc_spec *spec, const double *positions, int64_t count, members who) {
  enum { ROOM = 41, TABLES = 4 };
  posenc_spec given = *spec;
  double low[MOST];
  given.freqs_low = spec->freqs_low ? low : NULL;
  const int64_t d = spec->d_model, bytes = d * (int64_t)format_of(spec->dtype)->size;
  mpfr_reference *t = reference_create(spec);
  reference_value *want = malloc((size_t)(count * d) * sizeof *want);
  unsigned char *got = malloc((size_t)((count < ROOM ? ROOM : count) * bytes));
  int64_t *at = malloc((size_t)count * sizeof *at);
  int integers = 1;
  for (int64_t i = 0; i < count; i++) {
    at[i] = (int64_t)positions[i];
    integers = integers && (double)at[i] == positions[i] && !(positions[i] == 0 && signbit(positions[i]));
  }
  for (int64_t i = 0; i < count; i++)
    if (integers)
      reference_row(t, at[i], want + i * d);
    else
      reference_row_real(t, positions[i], want + i * d);
  for (size_t m = 0; runnable(m); m++) {
    const int exact = is_member(runnable(m), "exact");
    posenc_plan *plan;
    if (!exact && (who == EXACT || (who == ANCHORED && !is_member(runnable(m), "anchored"))))
      continue;
    if (spec->freqs_low)
      memcpy(low, spec->freqs_low, (size_t)spec->n_freqs * sizeof *low);
    if (posenc_plan_create(&plan, &given, runnable(m)->name) != POSENC_OK) {
      assert_true(!exact); /* it offers all that is asked for here */
      continue;
    }
    memset(low, 0xff, sizeof low); /* the plan has its own */
    if (who == EVERYONE || !integers) {
      memset(got, 0xff, (size_t)(count * bytes));
      assert_int_equal(posenc_fill_at_real(plan, positions, count, got, d), POSENC_OK);
      for (int64_t i = 0; i < count; i++)
        judge(plan, positions[i], got + i * bytes, want + i * d, count);
    }
    if (integers) {
      assert_int_equal(posenc_fill_at(plan, at, count, got, d), POSENC_OK);
      for (int64_t i = 0; i < count; i++)
        judge(plan, positions[i], got + i * bytes, want + i * d, count);
    }
    for (int64_t i = 0; i < count && i < TABLES && integers && exact && spec->position_scale == 1; i++)
      amid_table(plan, at[i], got, want + i * d);
    if (integers && exact)
      few_and_more(plan, at, count, got, want);
    posenc_plan_destroy(plan);
  }
  free(at);
  free(got);
  free(want);
  reference_destroy(t);
}

/* One frequency at a time: beside others that need the fallback it would get it too, deserved or not. */
static void check_alone(int32_t dtype, const double *freqs, int64_t n, const double *positions, int64_t count) {
  posenc_spec spec = paper_spec(2);
  spec.n_freqs = 1;
  spec.dtype = dtype;
  for (int64_t k = 0; k < n; k++) {
    spec.freqs = &freqs[k];
    check(&spec, positions, count, ANCHORED);
  }
}

/* ---- ladders ---- */

static void ladders(void **state) {
  (void)state;
  const double bases[] = {2, 1000, 10000, 500000, 1e6, 1e12, 1.0000001, 1e30, 1e80, 1e300};
  const int64_t widths[] = {1, 2, 7, 64, 101, 512};
  const int64_t of_dtype[] = {[POSENC_DTYPE_F32] = rows_per_ladder,
      [POSENC_DTYPE_F64] = rows_per_ladder,
      [POSENC_DTYPE_BF16] = rows_per_ladder / 4 - 2,
      [POSENC_DTYPE_F16] = rows_per_ladder / 4 - 2};
  for (int32_t dtype = 0; dtype < FORMATS; dtype++)
    for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++)
      for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        const int64_t rows = of_dtype[dtype];
        posenc_spec spec = paper_spec(widths[w]);
        spec.base = bases[b];
        spec.dtype = dtype;
        spec.layout = dtype == POSENC_DTYPE_F32 ? 0 : (int32_t)(b % 2);
        double positions[MOST] = {0, 1, -1, 15, 16, 63, 64, 65, 0x1p32, -0x1p32};
        for (int64_t i = rows < 10 ? 1 : 10; i < rows; i++) /* of every magnitude, on both sides; 0 without a sign */
          positions[i] =
              (double)random_between(&seed, 0, INT64_C(1) << (rows < 10 ? random_between(&seed, 0, 32) : i % 33)) *
                  (i % 2 ? 1 : -1) +
              0.0;
        if (dtype == POSENC_DTYPE_F32 || !skipped(&seed))
          check(&spec, positions, rows, dtype == POSENC_DTYPE_F32 ? EXACT : ANCHORED);
      }
  posenc_spec wide = paper_spec(16387); /* beyond what a plan keeps steps for, and odd */
  const double few[] = {0, 3, 131071, -3000000019};
  check(&wide, few, 4, EXACT);
  wide = paper_spec(8192);
  wide.denominator = 4095; /* the ladder of tensor2tensor */
  check(&wide, few, 4, EXACT);
}

/* Frequencies that rise to 2^64, and that are all 1; a scale makes them 2^96. */
static void rising_ladders(void **state) {
  (void)state;
  const struct {
    double base, denominator;
  } all[] = {{0.5, 0}, {1e-4, 0}, {0.999, 0}, {1, 0}, {0x1p-64, 32}, {1e-300, 499}, {0x1p-1074, 537}, {0.1, 4095}};
  const double scales[] = {1, -1.0 / 3, 0x1.9b4937a112133p+31};
  const double integers[] = {0, 1, -1, 2, 3, 63, 64, 65, -4097, 5003, 131071, 0x1p32, -0x1p32, 3000000019, 1e6, 7};
  const double reals[] = {0.5, -0.25, 1.0 / 3, 0x1p-30, 12345.6789, -0.0, 4294967295.5, 3, 1e-300, -1e9 - 0.125};
  for (int64_t i = 0; i < repeats * FORMATS * 8 * 3; i++) {
    posenc_spec spec = paper_spec(65);
    spec.dtype = (int32_t)(i % FORMATS);
    spec.base = all[i / FORMATS % 8].base;
    spec.denominator = all[i / FORMATS % 8].denominator;
    spec.position_scale = scales[i / FORMATS / 8 % 3];
    const int far = spec.position_scale <= 1; /* or too far for it */
    if (i >= FORMATS * 8 && skipped(&seed))
      continue;
    check(&spec, integers, far ? 16 : 3, EVERYONE);
    check(&spec, reals, far ? 10 : 4, EVERYONE);
  }
}

/* Positions of diffusion models and of time stamps: halves, tenths, between 0 and 1, of all sizes to 2^32. */
static void real_ladders(void **state) {
  (void)state;
  const double given[] = {0.5, -0.5, 2.5, 0.1, 999.9, 1e-3, 1e-300, 0x1p-1074, -0x1.8p-1060, 4294967295.5,
      -4294967295.75, 4294967296.0, 0x1.fffffffffffffp31, 1.0, 7.0, -64.0, 1e9 + 0.125, 0.0, -0.0,
      0x1.921fb54442d18p+0};
  enum { GIVEN = sizeof given / sizeof given[0], COUNT = GIVEN + 12 };
  const int64_t widths[] = {1, 7, 64, 1030}; /* the last is more than write_16_bits() has at once */
  const double bases[] = {10000, 1e6, 1e30, 1e300};
  for (int64_t repeat = 0; repeat < repeats; repeat++)
    for (int32_t dtype = 0; dtype < FORMATS; dtype++)
      for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++)
        for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
          if (skipped(&seed))
            continue;
          posenc_spec spec = paper_spec(widths[w]);
          spec.base = bases[b];
          spec.dtype = dtype;
          spec.layout = (int32_t)(w % 2);
          double positions[COUNT];
          memcpy(positions, given, sizeof given);
          for (int i = GIVEN; i < COUNT; i++)
            positions[i] = ldexp(between(-1, 1), (int)random_between(&seed, -20, 32));
          check(&spec, positions, COUNT, EVERYONE);
        }
}

/* The ends of the domain, angles that are floats or midpoints of floats themselves, subnormal results, zeros of either
 * sign. Between integers, whole turns of a frequency count too: up to 2^64 of them. A scale brings float64 below its
 * normal range. */
static void frequencies(void **state) {
  (void)state;
  double freqs[] = {0x1p64, -0x1p64, 0x1.fffffffffffffp63, 1e18, -3.3e9, 6.283185307179586, 0x1.921fb54442d18p+1,
      0x1.921fb6p+1, 1.0, -0.25, 3.0, 0.0, -0.0, 0x1.000001p-13, 0x1.000001p-12, 1e-8, 0x1.8p-24, 0x1p-38, 1e-12,
      0x1.000003p-70, -0x1.000003p-70, 0x1.01p-70, 0x1p-75, 0x1.000005p-126, 0x1p-126, 0x1.2p-127, 0x1.fffffep-127,
      0x1.7p-130, 0x1.8p-133, 0x1.4p-148, 0x1p-149, -0x1p-149, 0x1.8p-149, 0x1p-150, 0x1.8p-990,
      -0x1.fffffffffffffp-1000, 1e-300, 0x1.8p-1010, 0x1p-1022, -0x1p-1022, 0x1.0000000000001p-1022};
  enum { N = sizeof freqs / sizeof freqs[0] };
  const double reals[] = {0.5, 0.25, -0.75, 1.0 / 3, 3.0, -5.0, 0x1p-30, 0x1.8p-40, 0x1p-64, -0x1.8p-64, 0x1p-1022,
      0x1p-1074, 1e-200, 4294967295.5, -12345.6789, 0.0, -0.0, 0x1p32, 0.1, 0x1.8p-52, 1024.0009765625};
  const double integers[] = {
      0, 1, 2, 3, 5, 7, 63, 64, 65, -1, -2, -64, 1023, 4097, 1048577, POSENC_MAX_POSITION, -POSENC_MAX_POSITION};
  for (int64_t repeat = 0; repeat < repeats; repeat++)
    for (int32_t dtype = 0; dtype < FORMATS; dtype++) {
      posenc_spec spec = paper_spec(2 * N);
      spec.freqs = freqs;
      spec.n_freqs = N;
      spec.dtype = dtype;
      for (int k = 3; k < 5; k++)
        freqs[k] = ldexp(between(1, 2), (int)random_between(&seed, 0, 63));
      for (int bits = 0; bits <= 32; bits += 16) {
        spec.position_scale = ldexp(bits ? -1 : 1, -bits);
        check(&spec, reals, sizeof reals / sizeof reals[0], EVERYONE);
        check(&spec, integers, sizeof integers / sizeof integers[0], ANCHORED);
      }
      check_alone(dtype, freqs, N, reals, sizeof reals / sizeof reals[0]);
      check_alone(dtype, freqs, N, integers, sizeof integers / sizeof integers[0]);
    }
  /* 2^93 turns, of which 2^-103 of one are left: they must be known to 300 bits. */
  const double many = 0x1.d1118431d757bp+63, both[] = {1, -1};
  posenc_spec spec = paper_spec(2);
  spec.freqs = &many;
  spec.n_freqs = 1;
  spec.position_scale = 0x1.9b4937a112133p+31;
  for (spec.dtype = 0; spec.dtype < FORMATS; spec.dtype++)
    check(&spec, both, 2, EVERYONE);
}

/* What of hi + lo is a double, and the rest. */
static void split(double hi, double lo, double *freq, double *freq_low) {
  *freq = hi + lo;
  *freq_low = lo - (*freq - hi);
}

/* Frequencies that are sums of two doubles: thirds, multiples of pi, low parts of every size and sign; and angles, or
 * three times angles, that are midpoints of the dtype but for a low part, which decides. */
static void low_parts(void **state) {
  (void)state;
  enum { THIRDS = 8, PIS = 16, ANY = 32, N = 40 };
  const double integers[] = {0, 1, -1, 2, 3, 64, 100, 5003, 131071, 0x1p32, 1 - 0x1p32, 3000000019, -4097, 1000, 7, 65};
  const double reals[] = {0.5, -0.25, 1.0 / 3, 0x1p-30, 12345.6789, -0.0, 4294967295.5, 3, -1e9 - 0.125};
  for (int64_t i = 0; i < repeats * FORMATS * 6; i++) {
    posenc_spec spec = paper_spec(2 * N);
    double freqs[N], low[N];
    spec.dtype = (int32_t)(i % FORMATS);
    for (int k = 0; k < N; k++) {
      const double hi = k < THIRDS ? (k + 1) / 3.0 : (k + 1) * 0x1.921fb54442d18p+1;
      const double size = k < ANY ? ldexp(between(1, 2), (int)random_between(&seed, -140, 63))
                          : spec.dtype == POSENC_DTYPE_F64
                              ? ldexp((double)(next_random(&seed) >> 11 | UINT64_C(1) << 52 | 1), -112)
                              : ldexp(midpoint(spec.dtype), (int)random_between(&seed, -12, -9));
      if (k < THIRDS)
        split(hi, -fma(3, hi, -(k + 1)) / 3, &freqs[k], &low[k]);
      else if (k < PIS)
        split(hi, fma(k + 1, 0x1.921fb54442d18p+1, -hi) + (k + 1) * 0x1.1a62633145c07p-53, &freqs[k], &low[k]);
      else
        split(size, ldexp(size, -(int)random_between(&seed, 55, k % 2 ? 110 : 900)) * (k % 3 ? 1 : -1), &freqs[k],
            &low[k]);
      if (next_random(&seed) % 4 == 0) {
        freqs[k] = -freqs[k];
        low[k] = -low[k];
      }
    }
    spec.freqs = freqs;
    spec.freqs_low = low;
    spec.n_freqs = N;
    spec.position_scale = i / FORMATS % 3 == 2 ? 1.0 / 3 : 1;
    check(&spec, integers, sizeof integers / sizeof integers[0], EVERYONE);
    check(&spec, reals, sizeof reals / sizeof reals[0], EVERYONE);
    for (int k = 0; k < N; k++) /* no whole turns: real positions are single rows */
      if (fabs(freqs[k]) > 3) {
        freqs[k] = ldexp(freqs[k], -66);
        low[k] = ldexp(low[k], -66);
      }
    check(&spec, reals, sizeof reals / sizeof reals[0], EVERYONE);
  }
}

/* A scale is multiplied exactly: 0.1 times 1000 is not 100. Integers are scaled too, in each of the ways to ask for
 * them. */
static void scales(void **state) {
  (void)state;
  const double all[] = {1000, 0.001, -1, -1000, 0x1p-32, 0x1p32, 0.1, 1.0 / 3, 0x1.fffffffffffffp0};
  for (int64_t repeat = 0; repeat < repeats; repeat++)
    for (int32_t dtype = 0; dtype < FORMATS; dtype++)
      for (size_t s = 0; s < sizeof all / sizeof all[0]; s++) {
        if (skipped(&seed))
          continue;
        posenc_spec spec = paper_spec(s % 2 ? 33 : 12);
        spec.base = s % 4 == 3 ? 1e300 : 10000;
        spec.position_scale = all[s];
        spec.dtype = dtype;
        const double most = fmin(0x1p32, 0x1p32 / fabs(all[s]));
        double positions[24] = {0, 0.1, -0.1, 0.5, 1.0, -1.0, most, -most, -0.0};
        for (int i = 9; i < 24; i++)
          positions[i] = between(-most, most) * ldexp(1, -(int)random_between(&seed, 0, 40));
        check(&spec, positions, 24, EVERYONE);
        for (int i = 0; i < 24; i++)
          positions[i] = trunc(positions[i]) + 0.0;
        check(&spec, positions, 24, EVERYONE);
      }
}

/* ---- zeros ---- */

/* Frequencies of which one multiple comes as near to a multiple of pi/2 as a double can: sine or cosine nearly vanish,
 * at the ends and in the middle of the 64 rows that share an anchor, for slow frequencies and fast ones. */
static void zero_crossings(void **state) {
  (void)state;
  const int64_t crossings[] = {
      1, 31, 63, 64, 95, 127, 128, 100, 4095, 5003, 8191, 70001, 131072, 131135, -1, -33, -4096, -5001};
  enum { CROSSINGS = sizeof crossings / sizeof crossings[0], TRIES = 40 };
  for (int c = 0; c < CROSSINGS; c++) {
    const int64_t p = crossings[c], size = p < 0 ? -p : p;
    double freqs[TRIES];
    for (int i = 0; i < TRIES;
         i++) { /* few quarter turns up to there, or up to a turn per position; hit, or just missed */
      const double quarters = (double)random_between(&seed, 1, i % 2 ? 4 * size : i % 4 ? 1 + size / 64 : 1);
      const double missed = ldexp((double)(i % 3 - 1), -18 - i % 16);
      freqs[i] = (quarters * 0x1.921fb54442d18p+0 + missed) / (double)size;
    }
    const double positions[] = {(double)(p - 1), (double)p, (double)(p + 1)};
    check_alone(POSENC_DTYPE_F32, freqs, TRIES, positions, 3);
    check_alone(POSENC_DTYPE_F64, freqs, TRIES, positions, 3);
  }
}

/* Sines that are small angles' where a table begins, and next to 0 many runs later: then no longer exempt from the test. */
static void late_crossings(void **state) {
  (void)state;
  enum { N = 32, D = 2 * N, ROWS = 4096 };
  double freqs[N];
  posenc_spec spec = paper_spec(D);
  spec.freqs = freqs;
  spec.n_freqs = N;
  for (int64_t k = 0; k < N; k++)
    freqs[k] = turn / 2 / (double)(1400 + 80 * k);
  mpfr_reference *t = reference_create(&spec);
  reference_value want[D];
  float *const table = malloc(sizeof(float[ROWS][D]));
  for (size_t m = 0; runnable(m); m++) {
    if (!is_member(runnable(m), "exact"))
      continue;
    posenc_plan *plan = plan_of(&spec, runnable(m)->name);
    assert_int_equal(posenc_fill(plan, 0, ROWS, table, D), POSENC_OK);
    for (int64_t position = 1400; position < ROWS; position += 80) {
      reference_row(t, position, want);
      judge(plan, (double)position, (const unsigned char *)(table + position * D), want, ROWS);
    }
    posenc_plan_destroy(plan);
  }
  free(table);
  reference_destroy(t);
}

/* Frequencies so near to a fraction j/q of a turn that the sine at multiples of q is about 2^-42 even there where its
 * angle has 2^31 turns: what reducing that leaves decides. Found among all j/q with q below 8192; and of each a
 * position where it is too much. */
static void whole_turns(void **state) {
  (void)state;
  const struct {
    double w;
    int64_t q, hard;
  } near[] = {
      {0x1.7a73f08ba285fp+0, 5691, 2734525500},
      {0x1.7a73f08ba285fp+1, 5691, 3958710819},
      {0x1.4a31670cacdc9p+1, 5719, 3904321267},
      {0x1.fa21759ccb7d5p+0, 3731, 3156258105},
      {0x1.e296f912867d7p+0, 3913, 4006227225},
      {0x1.1fa48131918e3p+1, 6565, 2442481990},
  };
  for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
    const int64_t most = POSENC_MAX_POSITION / near[i].q;
    enum { TRIES = 500 }; /* one of some hundred would show a reduction that is taken for exact */
    double positions[TRIES];
    for (int j = 0; j < TRIES; j++)
      positions[j] = (double)(near[i].q * random_between(&seed, most / 2, most) * (j % 2 ? 1 : -1));
    positions[0] = (double)near[i].hard;
    check_alone(POSENC_DTYPE_F32, &near[i].w, 1, positions, TRIES);
    check_alone(POSENC_DTYPE_F64, &near[i].w, 1, positions, TRIES);
    double others[32] = {0}; /* in a whole strip, and as a sine that is the last column */
    others[5 * i] = near[i].w;
    posenc_spec among = paper_spec(64), last = paper_spec(1);
    among.freqs = others;
    among.n_freqs = 32;
    last.freqs = &near[i].w;
    last.n_freqs = 1;
    check(&among, positions, TRIES, EXACT);
    check(&last, positions, TRIES, EXACT);
    among.dtype = last.dtype = POSENC_DTYPE_F64;
    check(&among, positions, TRIES, EXACT);
    check(&last, positions, TRIES, EXACT);
    for (int again = 0; again < 12 && i == 1; again++) { /* between integers, which are asked for otherwise */
      for (int j = 0; j < TRIES; j++)
        positions[j] = (double)(near[i].q * (random_between(&seed, most / 2, most) | 1)) / 2 * (j % 2 ? 1 : -1);
      check_alone(POSENC_DTYPE_F32, &near[i].w, 1, positions, TRIES);
      check_alone(POSENC_DTYPE_F64, &near[i].w, 1, positions, TRIES);
    }
  }
  enum { NOTHINGS = 200 };
  /* sines whose sign float64 does not know, which float16 keeps although nothing else of them is left */
  double positions[NOTHINGS];
  for (int i = 0; i < NOTHINGS; i++)
    positions[i] = (double)(near[0].q * (i / 2 + 1) * (i % 2 ? 1 : -1));
  check_alone(POSENC_DTYPE_F16, &near[0].w, 1, positions, NOTHINGS);
}

/* ---- midpoints ---- */

/* Outputs at the midpoint of two numbers of a dtype, as near as a float64 frequency can bring them, or beside it by
 * what float64 just tells or does not, or by so little that a rounding to float32 would lead onto it: in every quarter
 * of a turn, at integers and between them, of frequencies of many whole turns per position. */
static void near_midpoints(void **state) {
  (void)state;
  enum { ORDINARY, SMALL, BESIDE, EIGHTH, REAL, TURNS, MANY_TURNS, KINDS };
  static const int32_t dtypes[] = {POSENC_DTYPE_F32, POSENC_DTYPE_F32, POSENC_DTYPE_BF16, POSENC_DTYPE_F16};
  /* The first are parts alone and sums in which one part is small, the others sums of parts of one size: those are off
   * most. */
  static const int64_t places[2][6] = {{1, 63, 64, 100, 4000, -4000}, {45, 95, 100, 6114, -97, -6180}};
  for (int64_t i = 0; i < 9000 + 1000 * repeats; i++) {
    if (i >= 2000 && skipped(&seed))
      continue;
    const int32_t dtype = dtypes[i % 4];
    const int f32 = dtype == POSENC_DTYPE_F32, sine = i / 4 % 2 == 1, kind = (int)(i / 8 % KINDS);
    double middle = midpoint(dtype);
    if (kind == SMALL)
      middle *= f32 ? (i % 3 ? 0x1p-18 : 0x1p-10) : ldexp(1, -(int)random_between(&seed, 1, 14));
    if (kind == EIGHTH && f32) /* where a polynomial ends, it is off most */
      middle = ((double)random_between(&seed, 11200000, 12400000) + 0.5) * 0x1p-24; /* 0.67 to 0.74 */
    if (kind == EIGHTH || kind == BESIDE) {
      const int64_t exponent = f32 ? random_between(&seed, 40, 49) : random_between(&seed, 26, 44);
      middle *= 1 + ldexp((double)random_between(&seed, -1, 1), -(int)exponent);
    }
    const double arc = sine ? asin(middle) : acos(middle);
    double angle = (i % 3 ? arc : -arc) + (double)random_between(&seed, 0, i % 6 ? 7 : 1) * turn / 2, position;
    if (kind == SMALL) /* of no small angle */
      angle = sine ? turn / 2 - arc : arc;
    if (kind >= REAL)
      position = kind == REAL ? angle / between(0.1, 3) : angle / (turn * ((kind == TURNS ? 1 : 1000) + between(0, 1)));
    else
      position =
          (double)(kind == EIGHTH ? random_between(&seed, 1, 100) : places[kind == SMALL][random_between(&seed, 0, 5)]);
    const double w = angle / position;
    check_alone(dtype, &w, 1, &position, 1);
    if (kind > SMALL || !f32)
      continue;
    double others[32] = {0}; /* no check stops at these: the one is all that it has to find */
    others[random_between(&seed, 0, 31)] = w;
    posenc_spec among = paper_spec(64);
    among.freqs = others;
    among.n_freqs = 32;
    check(&among, &position, 1, EXACT);
  }
}

/* The second frequency of a ladder, base^(-2/d). */
static void near_midpoints_of_ladders(void **state) {
  (void)state;
  const double position = 1;
  for (int i = 0; i < 600; i++) {
    const double middle = midpoint(POSENC_DTYPE_F32) * (i % 4 ? 0x1p-10 : 1), arc = i % 2 ? asin(middle) : acos(middle);
    posenc_spec ladder = paper_spec(4 + i % 3 * 2);
    ladder.base = arc < 1 ? pow(arc, -0.5 * (double)ladder.d_model) : 2;
    check(&ladder, &position, 1, EXACT);
  }
}

/* Angles that are numbers of a dtype, or halfway between two: the sine is a little less, seen in float64 or not at all.
 * Normal, subnormal, and too small for anything but 0. */
static void exact_midpoints(void **state) {
  (void)state;
  const double positions[] = {1, -1, 2, 3, -5, 64, 4097};
  for (int32_t dtype = 0; dtype < FORMATS; dtype++) {
    const format *f = format_of(dtype);
    const int least = f->digits - 1 - f->lowest, top = dtype == POSENC_DTYPE_F16   ? -10
                                                       : dtype == POSENC_DTYPE_F64 ? least + 60
                                                                                   : -20;
    double freqs[40];
    int n = 0;
    for (int i = 0; i < 40; i++) { /* numbers, midpoints, and what is next to them, by exponents from the least up */
      const int exponent =
          i < 28 && dtype != POSENC_DTYPE_F64 ? -f->lowest - 2 + i : (int)random_between(&seed, least, top);
      const int unit = format_unit(f, exponent) - 1; /* half a unit */
      const double significand =
          ldexp((double)random_between(&seed, INT64_C(1) << 9, (INT64_C(1) << 10) - 1), exponent - 9 - unit);
      const double halves = fmax(1, floor(significand)) + (double)(i % 4 == 3) * 0x1p-20;
      /* three times it has 54 bits */
      const double wide = (double)(random_between(&seed, INT64_C(1) << 52, (INT64_C(1) << 53) - 1) | 1);
      const double w = dtype == POSENC_DTYPE_F64 ? ldexp(wide, exponent - 52) : ldexp(halves, unit);
      if (w >= 0x1p-1022)
        freqs[n++] = i % 3 ? w : -w;
    }
    assert_true(n > 20);
    check_alone(dtype, freqs, n, positions, sizeof positions / sizeof positions[0]);
  }
}

/* Outputs of the 131072 x 1024 table, base 10000, that float64 does not decide: all of them, found by counting
 * fallbacks. */
static void hard_cases(void **state) {
  (void)state;
  const double positions[] = {
      16671, 30629, 40672, 42531, 54403, 68832, 74491, 80239, 81665, 93641, 104487, 104505, 106385};
  const posenc_spec spec = paper_spec(1024);
  check(&spec, positions, sizeof positions / sizeof positions[0], EXACT);
}

/* Single rows: angles at and around multiples of an eighth of a turn, where what is left of one is largest or changes
 * its sign, up to 2^31 turns and on both sides; widths that end in whole strips, in vectors and in parts of one. */
static void single_rows(void **state) {
  (void)state;
  const double eighth = 0x1.921fb54442d18p-1;
  const int64_t widths[] = {2, 5, 16, 62, 64, 66, 130, 192};
  for (int i = 0; i < 80; i++) {
    const int64_t d = widths[i % 8],
                  size = i < 8 ? POSENC_MAX_POSITION : random_between(&seed, 1, INT64_C(1) << (i % 33));
    double freqs[96];
    for (int k = 0; k < 96; k++) {
      const int64_t many = k % 3 ? 8 : 4 * size;
      const double missed = k % 4 ? ldexp((double)random_between(&seed, -8, 8), -4 * (k % 13)) : 0.0;
      freqs[k] = ((double)random_between(&seed, -many, many) + missed) * eighth / (double)size;
    }
    posenc_spec spec = paper_spec(d);
    spec.freqs = freqs;
    spec.n_freqs = (d + 1) / 2;
    const double at = (double)size, positions[] = {at, -at, at - 1, 0, 1 - at};
    check(&spec, positions, 5, EXACT);
    spec.dtype = POSENC_DTYPE_F64;
    check(&spec, positions, 5, EXACT);
  }
}

/* d_model up to 2^20: every 823rd frequency is a ladder itself, of the denominator divided by 823. */
static void widest(void **state) {
  (void)state;
  enum { WIDEST = 1 << 20, EVERY = 823, SAMPLED = 637, ROWS = 2 };
  static double values[ROWS + 1][WIDEST]; /* of any dtype */
  const int64_t position = 131071;
  for (int32_t i = 0; i < FORMATS * (THINNED ? 1 : 2); i++) {
    posenc_spec spec = paper_spec(WIDEST - i / FORMATS), small = paper_spec(2 * SAMPLED);
    reference_value want[2 * SAMPLED];
    small.denominator = SAMPLED;
    spec.denominator = SAMPLED * EVERY;
    spec.dtype = small.dtype = i % FORMATS;
    spec.layout = i % 2;
    spec.order = i / 2 % 2;
    spec.odd = i % 3 == 0;
    mpfr_reference *t = reference_create(&small);
    reference_row(t, position, want);
    reference_destroy(t);
    for (size_t m = 0; runnable(m); m++) {
      const posenc_impl *impl = runnable(m);
      const int exact = is_member(impl, "exact"),
                best = posenc_impl_find("exact") == impl || is_member(impl, "anchored");
      const size_t size = format_of(spec.dtype)->size;
      if (!is_offered(&spec, impl->name) || (i >= FORMATS && !best))
        continue;
      posenc_plan *plan = plan_of(&spec, impl->name);
      memset(values, 0x5a, sizeof values);
      assert_int_equal(posenc_fill(plan, position - ROWS + 1, ROWS, values, WIDEST), POSENC_OK);
      const unsigned char *const row = (unsigned char *)values + (ROWS - 1) * WIDEST * size;
      const unsigned char *const behind = row + (size_t)spec.d_model * size;
      for (int64_t c = 0; c < spec.d_model; c++) {
        const place p = place_of(&spec, c);
        if (p.k % EVERY != 0 || p.k / EVERY >= SAMPLED) /* or a column of zeros */
          continue;
        const reference_value *const truly = &want[2 * (p.k / EVERY) + p.cosine];
        const double got = element_value(spec.dtype, row + (size_t)c * size);
        if (exact ? !same_number(got, reference_rounded(truly, spec.dtype))
                  : !(fabs((got - truly->y) - truly->low) <= posenc_impl_error_bound(impl, &spec, (double)position, c)))
          fail_msg("%s, %s, d_model %lld, column %lld: %a, and truly %a", impl->name, dtype_name(spec.dtype),
              (long long)spec.d_model, (long long)c, got, truly->y);
      }
      for (const unsigned char *at = behind; at < row + WIDEST * size + 64; at++)
        assert_int_equal(*at, 0x5a);
      posenc_plan_destroy(plan);
    }
  }
}

int main(int argc, char **argv) {
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 0);
  if (argc > 2)
    rows_per_ladder = strtoll(argv[2], NULL, 0);
  if (rows_per_ladder < 24 || rows_per_ladder > MOST) {
    fprintf(stderr, "rows per ladder: %s; allowed: 24 to %d\n", argv[2], MOST);
    return 2;
  }
  repeats = 1 + rows_per_ladder / 50;
  if (argc > 3)
    cmocka_set_test_filter(argv[3]);
  printf("seed %llu, %lld rows per ladder (arguments set them; a third one: only tests of this pattern)\n",
      (unsigned long long)seed, (long long)rows_per_ladder);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ladders),
      cmocka_unit_test(rising_ladders),
      cmocka_unit_test(real_ladders),
      cmocka_unit_test(frequencies),
      cmocka_unit_test(low_parts),
      cmocka_unit_test(scales),
      cmocka_unit_test(zero_crossings),
      cmocka_unit_test(late_crossings),
      cmocka_unit_test(whole_turns),
      cmocka_unit_test(near_midpoints),
      cmocka_unit_test(near_midpoints_of_ladders),
      cmocka_unit_test(exact_midpoints),
      cmocka_unit_test(hard_cases),
      cmocka_unit_test(single_rows),
      cmocka_unit_test(widest),
  };
  return cmocka_run_group_tests_name("exact", tests, NULL, NULL);
}

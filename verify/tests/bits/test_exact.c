/* exact_*: every output is the float32 nearest to the real value, on the cases where that is hard to know; all members of a
 * family give the same bits; fill, fill_at, streamed and plain tables too. The truth is MPFR's, decided rigorously.
 */
#include "testing.h"
#include "truth.h"

#include <math.h>
#include <stdio.h>

static uint64_t seed = 20170612;
static int64_t rows_per_ladder = 24, judged;

static int is_member(const posenc_impl *impl, const char *family)
{
  const size_t length = strlen(family);
  return strncmp(impl->name, family, length) == 0 && impl->name[length] == '_';
}

/* The row at a position, in a call of so many. */
static void compare(const posenc_plan *plan, int64_t position, const float *got, const truth_value *want, int64_t rows)
{
  const posenc_spec *spec = posenc_plan_spec(plan);
  for (int64_t c = 0; c < spec->d_model; c++)
    if (memcmp(&got[c], &want[c].rounded, sizeof got[c]) != 0)
      fail_msg("%s: d_model %lld, base %g, position %lld, column %lld, %lld rows: got %a, nearest is %a", posenc_plan_impl(plan),
               (long long)spec->d_model, spec->base, (long long)position, (long long)c, (long long)rows, (double)got[c],
               (double)want[c].rounded);
}

/* In calls of so few rows that each is computed by itself, and of enough that they are not. */
static void few_and_more(const posenc_plan *plan, const int64_t *positions, int64_t count, float *got, const truth_value *want)
{
  enum { FEW = 8, MORE = 16, BEHIND = 16 };
  const int64_t d = posenc_plan_spec(plan)->d_model;
  for (int64_t i = 0, rows; i < count; i += rows) {
    rows = count - i < 1 + i % (FEW - 1) ? count - i : 1 + i % (FEW - 1);
    for (int64_t j = 0; j < BEHIND; j++)
      got[rows * d + j] = 77.0f;
    assert_int_equal(posenc_fill_at(plan, positions + i, rows, got, d), POSENC_OK);
    for (int64_t j = 0; j < rows; j++)
      compare(plan, positions[i + j], got + j * d, want + (i + j) * d, rows);
    for (int64_t j = 0; j < BEHIND; j++)
      assert_true(got[rows * d + j] == 77.0f);
  }
  int64_t again[MORE];
  for (int64_t i = 0; i < MORE; i++)
    again[i] = positions[i % count];
  assert_int_equal(posenc_fill_at(plan, again, MORE, got, d), POSENC_OK);
  for (int64_t i = 0; i < MORE; i++)
    compare(plan, again[i], got + i * d, want + i % count * d, MORE);
}

/* Every member of `exact` that runs here, at these positions; a single one also amid the rows of a table. */
static void check_exact(const posenc_spec *spec, const int64_t *positions, int64_t count)
{
  enum { BEFORE = 20, TABLE = 41 };
  const int64_t d = spec->d_model, most = count < TABLE ? TABLE : count;
  truth *t = truth_create(spec);
  truth_value *want = malloc((size_t)(count * d) * sizeof *want);
  float *got = malloc((size_t)(most * d + 16) * sizeof *got);
  for (int64_t i = 0; i < count; i++)
    truth_row(t, positions[i], want + i * d);
  for (size_t m = 0; runnable(m); m++) {
    if (!is_member(runnable(m), "exact"))
      continue;
    posenc_plan *plan = plan_of(spec, runnable(m)->name);
    assert_int_equal(posenc_fill_at(plan, positions, count, got, d), POSENC_OK);
    for (int64_t i = 0; i < count; i++)
      compare(plan, positions[i], got + i * d, want + i * d, count);
    few_and_more(plan, positions, count, got, want);
    if (count == 1) {
      assert_int_equal(posenc_fill(plan, positions[0] - BEFORE, TABLE, got, d), POSENC_OK);
      compare(plan, positions[0], got + BEFORE * d, want, TABLE);
    }
    posenc_plan_destroy(plan);
  }
  judged += count * d;
  free(got);
  free(want);
  truth_destroy(t);
}

enum { MOST = 1000 };

static void ladders(void **state)
{
  (void)state;
  const double bases[] = {2, 1000, 10000, 500000, 1e6, 1e12, 1.0000001, 1e300};
  const int64_t widths[] = {1, 2, 7, 64, 101, 512};
  for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++)
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
      posenc_spec spec = posenc_spec_default(widths[w]);
      spec.base = bases[b];
      int64_t positions[MOST] = {0, 1, -1, 15, 16, 63, 64, 65, POSENC_MAX_POSITION, -POSENC_MAX_POSITION};
      for (int64_t i = 10; i < rows_per_ladder; i++) /* of every magnitude, on both sides */
        positions[i] = random_between(&seed, 0, INT64_C(1) << (i % 33)) * (i % 2 ? -1 : 1);
      check_exact(&spec, positions, rows_per_ladder);
    }
  posenc_spec wide = posenc_spec_default(8192);
  int64_t few[MOST] = {0, 3, 131071};
  for (int64_t i = 3; i < rows_per_ladder / 8; i++)
    few[i] = random_between(&seed, -POSENC_MAX_POSITION, POSENC_MAX_POSITION);
  check_exact(&wide, few, rows_per_ladder / 8);
  wide.denominator = 4095; /* the ladder of tensor2tensor */
  check_exact(&wide, few, rows_per_ladder / 8);
  wide = posenc_spec_default(16387); /* beyond what a plan keeps steps for, and odd */
  check_exact(&wide, few, 3);
}

/* One frequency at a time: beside others that need a second look it would get one too, deserved or not. */
static void check_alone(const double *freqs, int64_t n, const int64_t *positions, int64_t count)
{
  posenc_spec spec = posenc_spec_default(2);
  spec.n_freqs = 1;
  for (int64_t k = 0; k < n; k++) {
    spec.freqs = &freqs[k];
    check_exact(&spec, positions, count);
  }
}

/* Frequencies of which one multiple comes as near to a multiple of pi/2 as a double can: sine or cosine nearly vanish, at
 * the ends and in the middle of the 64 rows that share an anchor, for slow frequencies and fast ones. */
static void zero_crossings(void **state)
{
  (void)state;
  const int64_t crossings[] = {1, 31, 63, 64, 95, 127, 128, 100, 4095, 5003, 8191, 70001, 131072, 131135, -1, -33, -4096, -5001};
  enum { CROSSINGS = sizeof crossings / sizeof crossings[0], TRIES = 40 };
  for (int c = 0; c < CROSSINGS; c++) {
    const int64_t p = crossings[c], size = p < 0 ? -p : p;
    double freqs[TRIES];
    for (int i = 0; i < TRIES; i++) { /* few quarter turns up to there, or up to a turn per position; hit, or just missed */
      const double quarters = (double)random_between(&seed, 1, i % 2 ? 4 * size : i % 4 ? 1 + size / 64 : 1);
      const double missed = ldexp((double)(i % 3 - 1), -18 - i % 16);
      freqs[i] = (quarters * 0x1.921fb54442d18p+0 + missed) / (double)size;
    }
    const int64_t positions[] = {p - 1, p, p + 1};
    check_alone(freqs, TRIES, positions, 3);
  }
}

/* Frequencies so near to a fraction j/q of a turn that the sine at multiples of q is about 2^-42 even there where its angle has
 * 2^31 turns: what reducing that leaves decides. Found among all j/q with q below 8192; and of each a position where it is too much. */
static void whole_turns(void **state)
{
  (void)state;
  const struct {
    double w;
    int64_t q, hard;
  } near[] = {{0x1.7a73f08ba285fp+0, 5691, 2734525500}, {0x1.7a73f08ba285fp+1, 5691, 3958710819}, {0x1.4a31670cacdc9p+1, 5719, 3904321267},
              {0x1.fa21759ccb7d5p+0, 3731, 3156258105}, {0x1.e296f912867d7p+0, 3913, 4006227225}, {0x1.1fa48131918e3p+1, 6565, 2442481990}};
  for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
    const int64_t most = POSENC_MAX_POSITION / near[i].q;
    enum { TRIES = 500 }; /* one of some hundred would show a reduction that is taken for exact */
    int64_t positions[TRIES];
    for (int j = 0; j < TRIES; j++)
      positions[j] = near[i].q * random_between(&seed, most / 2, most) * (j % 2 ? 1 : -1);
    positions[0] = near[i].hard;
    check_alone(&near[i].w, 1, positions, TRIES);
    double others[32] = {0}; /* in a whole strip, and as a sine that is the last column */
    others[5 * i] = near[i].w;
    posenc_spec among = posenc_spec_default(64), last = posenc_spec_default(1);
    among.freqs = others;
    among.n_freqs = 32;
    last.freqs = &near[i].w;
    last.n_freqs = 1;
    check_exact(&among, positions, TRIES);
    check_exact(&last, positions, TRIES);
  }
}

/* Outputs as near to the midpoint of two floats as a float64 frequency can bring them, of ordinary size and small: nothing but
 * the redo decides. */
static void near_midpoints(void **state)
{
  (void)state;
  /* The first six are parts alone and sums in which one part is small, the others sums of parts of one size: those are off most. */
  const int64_t places[2][6] = {{1, 63, 64, 100, 4000, -4000}, {45, 95, 100, 6114, -97, -6180}};
  const double sizes[] = {1, 0x1p-10, 0x1p-18}, turn = 0x1.921fb54442d18p+2;
  for (int i = 0; i < 1200; i++) {
    const double size = sizes[i / 12 % 4 % 3];
    const int64_t p = places[size < 1][i % 6];
    const double middle = ((double)random_between(&seed, 1 << 22, (1 << 24) - 1) + 0.5) * 0x1p-24 * size;
    const double arc = i % 12 < 6 ? asin(middle) : acos(middle);
    double angle = arc;
    if (size == 1) /* in every quarter of a turn, on both sides */
      angle = (i % 4 < 2 ? arc : -arc) + (double)random_between(&seed, 0, i % 6 ? 7 : 1) * turn / 2;
    else if (i % 12 < 6) /* small, of no small angle */
      angle = turn / 2 - arc;
    const double w = angle / (double)p;
    check_alone(&w, 1, &p, 1);
    double others[32] = {0}; /* no check stops at these: the one is all that it has to find */
    others[i / 24 % 32] = w;
    posenc_spec among = posenc_spec_default(64);
    among.freqs = others;
    among.n_freqs = 32;
    check_exact(&among, &p, 1);
    if (arc >= 1)
      continue;
    for (int64_t d = 4; d <= 8; d += 2) { /* the second frequency of a ladder: base^(-2/d) */
      posenc_spec ladder = posenc_spec_default(d);
      ladder.base = pow(arc, -0.5 * (double)d);
      check_exact(&ladder, places[0], 1);
    }
  }
}

/* Outputs from some 10 to 10000 times 2^-53 beside the midpoint of two floats, of angles around an eighth of a turn: there the value
 * that is written decides, and where a polynomial ends it is off most. */
static void beside_midpoints(void **state)
{
  (void)state;
  for (int i = 0; i < 2000; i++) {
    const int64_t p = i % 3 ? random_between(&seed, 1, 100) : 1;
    const double middle = ((double)random_between(&seed, 11200000, 12400000) + 0.5) * 0x1p-24; /* 0.67 to 0.74 */
    const double beside = ldexp(i % 2 ? 1.0 : -1.0, -49 + i / 2 % 10), value = middle + beside;
    const double w = ((i % 4 < 2 ? asin(value) : acos(value)) + (double)(i % 5) * 0x1.921fb54442d18p+2) / (double)p;
    check_alone(&w, 1, &p, 1);
  }
}

/* Angles that are floats or midpoints of floats themselves, subnormal results, the ends of the domain. */
static void midpoints_and_ends(void **state)
{
  (void)state;
  const double freqs[] = {0x1.000003p-70,  0x1.000005p-126, 0x1.8p-149,  0x1.4p-148, 0x1p-150,         0x1p-1022, 0.0,
                          -0x1.000003p-70, -0x1p-149,       0x1p64,      -0x1p64,    0x1.fffffffffffffp63, 1.0,   3.0,
                          0x1.000001p-13,  0x1.7p-130,      0x1p-126,    0x1.2p-127, 0x1.fffffep-127,  0x1p-75,   0x1p-38,
                          0x1.921fb6p+1,   0x1.921fb54442d18p+1, 1e-12,  1e-300,     0x1.000001p-12};
  enum { N = sizeof freqs / sizeof freqs[0] };
  const int64_t positions[] = {0, 1, 2, 3, 5, 7, 63, 64, 65, -1, -2, -64, 4097, 1048577, POSENC_MAX_POSITION, -POSENC_MAX_POSITION};
  posenc_spec spec = posenc_spec_default(2 * N);
  spec.freqs = freqs;
  spec.n_freqs = N;
  check_exact(&spec, positions, sizeof positions / sizeof positions[0]);
  check_alone(freqs, N, positions, sizeof positions / sizeof positions[0]);

  float out[2];
  posenc_spec one = posenc_spec_default(2);
  one.freqs = freqs;
  one.n_freqs = 1;
  posenc_plan *plan = plan_of(&one, "exact");
  assert_int_equal(posenc_fill(plan, 1, 1, out, 2), POSENC_OK);
  assert_true(out[0] == 0x1.000002p-70f && out[1] == 1.0f);
  posenc_plan_destroy(plan);
}

/* Outputs of the 131072 x 1024 table, base 10000, that float64 does not decide: all of them, found by counting redos. */
static void hard_cases(void **state)
{
  (void)state;
  const int64_t positions[] = {16671, 30629, 40672, 42531, 54403, 68832, 74491, 80239, 81665, 93641, 104487, 104505, 106385};
  const posenc_spec spec = posenc_spec_default(1024);
  check_exact(&spec, positions, sizeof positions / sizeof positions[0]);
}

/* Single rows: angles at and around multiples of an eighth of a turn, where what is left of one is largest or changes its sign, up
 * to 2^31 turns and on both sides; widths that end in whole strips, in vectors and in parts of one. */
static void single_rows(void **state)
{
  (void)state;
  const double eighth = 0x1.921fb54442d18p-1;
  const int64_t widths[] = {2, 5, 16, 62, 64, 66, 130, 192};
  for (int i = 0; i < 80; i++) {
    const int64_t d = widths[i % 8], size = i < 8 ? POSENC_MAX_POSITION : random_between(&seed, 1, INT64_C(1) << (i % 33));
    double freqs[96];
    for (int k = 0; k < 96; k++) {
      const int64_t many = k % 3 ? 8 : 4 * size;
      const double missed = k % 4 ? ldexp((double)random_between(&seed, -8, 8), -4 * (k % 13)) : 0.0;
      freqs[k] = ((double)random_between(&seed, -many, many) + missed) * eighth / (double)size;
    }
    posenc_spec spec = posenc_spec_default(d);
    spec.freqs = freqs;
    spec.n_freqs = (d + 1) / 2;
    const int64_t positions[] = {size, -size, size - 1, 0, 1 - size};
    check_exact(&spec, positions, 5);
  }
}

static void families_agree(void **state)
{
  (void)state;
  const struct {
    int64_t first, rows, d;
  } tables[] = {{0, 300, 205}, {-170, 300, 205}, {1000003, 300, 205}, {POSENC_MAX_POSITION - 300, 300, 205}, {62, 3, 16390}};
  const char *families[] = {"anchored", "exact"};
  static float want[300 * 205], got[300 * 205];
  for (size_t f = 0; f < 2; f++)
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
      const int64_t rows = tables[i].rows, d = tables[i].d;
      const posenc_spec spec = posenc_spec_default(d);
      const posenc_impl *first = NULL;
      for (size_t m = 0; runnable(m); m++) {
        if (!is_member(runnable(m), families[f]))
          continue;
        posenc_plan *plan = plan_of(&spec, runnable(m)->name);
        assert_int_equal(posenc_fill(plan, tables[i].first, rows, first ? got : want, d), POSENC_OK);
        if (first)
          assert_rows_equal(runnable(m)->name, got, want, rows, d, d, d);
        first = first ? first : runnable(m);
        posenc_plan_destroy(plan);
      }
    }
}

/* Tables that are written around the caches, and small ones, at lines and not, against rows made one at a time. */
static void tables_and_rows(void **state)
{
  (void)state;
  const struct {
    int64_t rows, d, stride;
  } shapes[] = {{6500, 1024, 1024}, {13500, 498, 512}, {50500, 130, 131}, {300, 512, 512}, {200, 48, 48}, {70, 16, 16}, {333, 15, 16}};
  for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
    for (size_t m = 0; runnable(m); m++) {
      if (!is_member(runnable(m), "exact") && !is_member(runnable(m), "anchored"))
        continue;
      const posenc_spec spec = posenc_spec_default(shapes[s].d);
      const int64_t d = spec.d_model, rows = shapes[s].rows, stride = shapes[s].stride, first = -700;
      const size_t floats = (size_t)(rows * stride + 64);
      posenc_plan *plan = plan_of(&spec, runnable(m)->name);
      float *memory = aligned_alloc(64, (floats * sizeof(float) + 63) / 64 * 64), *row = malloc((size_t)d * sizeof *row);
      static const int64_t offsets[] = {0, 4, 5, 10, 14}; /* floats; an odd one never meets a line */
      for (size_t o = 0; o < sizeof offsets / sizeof offsets[0]; o++) {
        const int64_t offset = offsets[o];
        for (size_t i = 0; i < floats; i++)
          memory[i] = 77.0f;
        float *out = memory + 16 + offset;
        assert_int_equal(posenc_fill(plan, first, rows, out, stride), POSENC_OK);
        for (int64_t i = 0; i < rows; i++) {
          if (i >= 300 && i <= rows - 300 && i % 37 && (i + 2) % 512 > 3) /* 512 or 1024 rows at a time: their seams, too */
            continue;
          assert_int_equal(posenc_fill(plan, first + i, 1, row, d), POSENC_OK);
          assert_rows_equal(runnable(m)->name, out + i * stride, row, 1, d, stride, d);
          for (int64_t c = d; c < stride; c++)
            assert_true(out[i * stride + c] == 77.0f);
        }
        for (int64_t i = 0; i < 16 + offset; i++)
          assert_true(memory[i] == 77.0f);
        for (size_t i = (size_t)(16 + offset + rows * stride); i < floats; i++)
          assert_true(memory[i] == 77.0f);
      }
      free(row);
      free(memory);
      posenc_plan_destroy(plan);
    }
}

/* Rows that share lines with their neighbours, written by vectors that belong to two rows, against rows made one at a time: at
 * frequencies of which many multiples are midpoints, or nearly whole turns, so that nothing but the last look decides. */
static void shared_lines(void **state)
{
  (void)state;
  enum { D = 192, ROWS = 300 };
  const int64_t starts[] = {-4200, 230, 3900, 131000}, offsets[] = {4, 6, 14}; /* floats */
  double freqs[D / 2];
  for (int k = 0; k < D / 2; k++) /* odd positions 257 to 511 of the first kind need 25 bits, whose last is 1 */
    freqs[k] = k < 32 && k % 3 ? ldexp(0x1.0001p0, -70 - k) : 0x1.921fb54442d18p+2 / (k + 5);
  posenc_spec spec = posenc_spec_default(D);
  spec.freqs = freqs;
  spec.n_freqs = D / 2;
  float *memory = aligned_alloc(64, (ROWS * D + 32) * sizeof *memory), row[D];
  for (size_t m = 0; runnable(m); m++) {
    if (!is_member(runnable(m), "exact") && !is_member(runnable(m), "anchored"))
      continue;
    posenc_plan *plan = plan_of(&spec, runnable(m)->name);
    for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++)
      for (size_t o = 0; o < sizeof offsets / sizeof offsets[0]; o++) {
        float *out = memory + offsets[o];
        assert_int_equal(posenc_fill(plan, starts[s], ROWS, out, D), POSENC_OK);
        for (int64_t i = 0; i < ROWS; i++) {
          assert_int_equal(posenc_fill(plan, starts[s] + i, 1, row, D), POSENC_OK);
          assert_rows_equal(runnable(m)->name, out + i * D, row, 1, D, D, D);
        }
      }
    posenc_plan_destroy(plan);
  }
  free(memory);
}

int main(int argc, char **argv)
{
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 0);
  if (argc > 2)
    rows_per_ladder = strtoll(argv[2], NULL, 0);
  if (rows_per_ladder < 24 || rows_per_ladder > MOST) {
    fprintf(stderr, "rows per ladder: %s; allowed: 24 to %d\n", argv[2], MOST);
    return 2;
  }
  if (argc > 3)
    cmocka_set_test_filter(argv[3]);
  printf("seed %llu, %lld rows per ladder (arguments set them; a third one: only tests of this pattern)\n",
         (unsigned long long)seed, (long long)rows_per_ladder);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ladders),
      cmocka_unit_test(zero_crossings),
      cmocka_unit_test(whole_turns),
      cmocka_unit_test(near_midpoints),
      cmocka_unit_test(beside_midpoints),
      cmocka_unit_test(midpoints_and_ends),
      cmocka_unit_test(hard_cases),
      cmocka_unit_test(single_rows),
      cmocka_unit_test(families_agree),
      cmocka_unit_test(tables_and_rows),
      cmocka_unit_test(shared_lines),
  };
  const int failed = cmocka_run_group_tests_name("exact", tests, NULL, NULL);
  printf("%lld outputs judged against MPFR\n", (long long)judged);
  return failed;
}

/* Same bits: every member of a family that runs here gives each table of hashes.inc the one hash written there, in one
 * call, in any calls, and row by row in any order. The hashes come from another build and perhaps another machine, and
 * stand for bits that MPFR has judged.
 */
#include "testing.h"

#include <inttypes.h>

#include "family.h"
#include "hashed.h"

static const hashed tables[] = {
#define POSENC_HASH(family, ...) {#family, __VA_ARGS__},
#include "hashes.inc"
#undef POSENC_HASH
};
enum { TABLES = sizeof tables / sizeof tables[0], SMALLEST = 8 };

static uint64_t seed = 20170612;

static void compare(const hashed *t, const char *impl, const char *way, uint64_t got) {
  if (got != t->hash)
    fail_msg("%s, %s: rows %" PRId64 " to %" PRId64 " of d_model %" PRId64 ", base %g, have the hash %016" PRIx64
             ", not %016" PRIx64 " as in hashes.inc",
        impl, way, t->first, t->first + t->rows - 1, t->d_model, t->base, got, t->hash);
}

static uint64_t hash_of(const hashed *t, const float *out, int64_t stride) {
  uint64_t hash = HASHED_START;
  for (int64_t i = 0; i < t->rows; i++)
    hash = hashed_row(hash, out + i * stride, t->d_model);
  return hash;
}

static void check_whole(const hashed *t, const posenc_plan *plan, float *out) {
  assert_int_equal(posenc_fill(plan, t->first, t->rows, out, t->d_model), POSENC_OK);
  compare(t, posenc_plan_impl(plan), "one call", hash_of(t, out, t->d_model));
}

/* Pieces of every size from one row, with room between the rows. */
static void check_split(const hashed *t, const posenc_plan *plan, float *out) {
  const int64_t stride = t->d_model + 3;
  for (int64_t i = 0, n; i < t->rows; i += n) {
    n = random_between(&seed, 1, INT64_C(1) << random_between(&seed, 0, 8));
    n = n < t->rows - i ? n : t->rows - i;
    assert_int_equal(posenc_fill(plan, t->first + i, n, out + i * stride, stride), POSENC_OK);
  }
  compare(t, posenc_plan_impl(plan), "many calls", hash_of(t, out, stride));
}

static void check_shuffled(const hashed *t, const posenc_plan *plan, float *out) {
  int64_t *positions = malloc((size_t)t->rows * sizeof *positions), *line = malloc((size_t)t->rows * sizeof *line);
  assert_true(positions && line);
  for (int64_t i = 0; i < t->rows; i++)
    positions[i] = t->first + i;
  for (int64_t i = t->rows - 1; i > 0; i--) {
    const int64_t j = random_between(&seed, 0, i), position = positions[i];
    positions[i] = positions[j];
    positions[j] = position;
  }
  for (int64_t i = 0; i < t->rows; i++)
    line[positions[i] - t->first] = i;
  assert_int_equal(posenc_fill_at(plan, positions, t->rows, out, t->d_model), POSENC_OK);
  uint64_t hash = HASHED_START;
  for (int64_t i = 0; i < t->rows; i++)
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): positions are a permutation, so all of line is
     * set */
    hash = hashed_row(hash, out + line[i] * t->d_model, t->d_model);
  compare(t, posenc_plan_impl(plan), "fill_at, shuffled", hash);
  free(positions);
  free(line);
}

static void check_family(const char *family) {
  const posenc_impl *member;
  if (!family_member(family, 0))
    printf("skipped: %s: no member runs on this machine\n", family);
  for (size_t m = 0; (member = family_member(family, m)); m++)
    for (size_t i = 0; i < TABLES; i++) {
      const hashed *t = &tables[i];
      if (strcmp(t->family, family) != 0)
        continue;
      double freqs[HASHED_MOST_FREQS];
      const posenc_spec spec = hashed_spec(t, freqs);
      posenc_plan *plan = plan_of(&spec, member->name);
      float *out = malloc((size_t)(t->rows * (t->d_model + 3)) * sizeof *out);
      assert_non_null(out);
      check_whole(t, plan, out);
      check_split(t, plan, out);
      check_shuffled(t, plan, out);
      free(out);
      posenc_plan_destroy(plan);
    }
}

static void exact_has_the_bits(void **state) {
  (void)state;
  check_family("exact");
}

static void anchored_has_the_bits(void **state) {
  (void)state;
  check_family("anchored");
}

/* A row stands for a judgement that was good, of every output of its table; and no family goes without. */
static void rows_were_judged(void **state) {
  (void)state;
  int64_t n[HASHED_FAMILIES] = {0};
  for (size_t i = 0; i < TABLES; i++) {
    const hashed *t = &tables[i];
    size_t f = 0;
    while (f < HASHED_FAMILIES && strcmp(t->family, hashed_families[f]) != 0)
      f++;
    assert_true(f < HASHED_FAMILIES);
    n[f]++;
    assert_int_equal(t->judged, t->rows * t->d_model);
    assert_true(t->worst >= 0 && t->worst <= 1);
    assert_true(t->misrounded == 0 || strcmp(t->family, "exact") != 0);
    assert_true(!t->freqs || (t->d_model + 1) / 2 <= HASHED_MOST_FREQS);
  }
  for (size_t f = 0; f < HASHED_FAMILIES; f++)
    assert_true(n[f] >= SMALLEST);
}

/* The hash itself: a published value, and no single bit of a row goes unseen. */
static void hash_sees_every_bit(void **state) {
  (void)state;
  float row[4];
  memcpy(row, "foobfoobfoobfoo!", sizeof row);
  assert_true(hashed_row(HASHED_START, row, 1) == UINT64_C(0xdd120e790c2512af)); /* FNV-1a of "foob" */
  const uint64_t hash = hashed_row(HASHED_START, row, 4);
  for (int bit = 0; bit < 128; bit++) {
    unsigned char bytes[sizeof row];
    memcpy(bytes, row, sizeof row);
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    float other[4];
    memcpy(other, bytes, sizeof other);
    assert_true(hashed_row(HASHED_START, other, 4) != hash);
  }
}

int main(int argc, char **argv) {
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 0);
  printf("seed %" PRIu64 " (an argument sets it)\n", seed);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hash_sees_every_bit),
      cmocka_unit_test(rows_were_judged),
      cmocka_unit_test(exact_has_the_bits),
      cmocka_unit_test(anchored_has_the_bits),
  };
  return cmocka_run_group_tests_name("bits", tests, NULL, NULL);
}

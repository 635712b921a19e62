/* "freqs[k] is the double nearest to that value, and freqs_low[k] the double nearest to the remainder" (posenc.h).
 *
 * Scaled rotary embeddings, with the parameters of published models and with random ones. The high and low parts of
 * frequencies and the attention factors have all bits of the formulas' values as MPFR computes them. The float32
 * cosines and sines that exact computes from these frequencies are the nearest to the formulas' real values.
 */
#include "judged.h"

#include "reference/rotary_reference.h"
#include "rotary_models.h"

static void must_compute(const posenc_rotary *rotary, double *freqs, double *freqs_low, double *attention_factor) {
  char message[512] = "";
  if (posenc_rotary_freqs(rotary, freqs, freqs_low, attention_factor) != POSENC_OK) {
    posenc_last_error(message, sizeof message);
    fail_msg("%s", message);
  }
}

/* ---- frequencies ---- */

enum { MOST_FREQS = 256 };

static void check_pairs(const char *name, const posenc_rotary *rotary) {
  const int64_t n = rotary->d_model / 2;
  double freqs[MOST_FREQS], low[MOST_FREQS], attention;
  mpfr_t want;
  mpfr_init2(want, ROTARY_BITS);
  freqs[n] = low[n] = 7; /* a guard behind the elements that may be written */
  must_compute(rotary, freqs, low, &attention);
  assert_true(freqs[n] == 7 && low[n] == 7);
  for (int64_t k = 0; k < n; k++) {
    rotary_frequency(want, rotary, k);
    const rotary_pair pair = rotary_rounded(want);
    if (freqs[k] != pair.high || low[k] != pair.low || freqs[k] + low[k] != freqs[k])
      fail_msg(
          "%s: frequency %lld is %a + %a, truly %a + %a", name, (long long)k, freqs[k], low[k], pair.high, pair.low);
  }
  rotary_attention(want, rotary);
  if (attention != rotary_rounded(want).high)
    fail_msg("%s: the attention factor is %a, truly %a", name, attention, rotary_rounded(want).high);
  mpfr_clear(want);
}

static void models(void **state) {
  (void)state;
  for (int i = 0; i < ROTARY_MODELS; i++)
    check_pairs(rotary_models[i].name, &rotary_models[i].rotary);
}

static double size_between(double low, double high) { /* uniform in the logarithm */
  return low * pow(high / low, between(0, 1));
}

/* Random parameters: all that are allowed, or such as a model may have. */
static void any_parameters(void **state) {
  (void)state;
  enum { CASES = 600 };
  float factors[MOST_FREQS / 2];
  for (int i = 0; i < CASES; i++) {
    if (skipped(&seed))
      continue;
    posenc_rotary r;
    const int usual = next_random(&seed) % 2 != 0;
    const double wide = usual ? 64 : 0x1p32;
    assert_int_equal(
        posenc_rotary_init(&r, 2 * random_between(&seed, 2, 40), (posenc_rotary_scaling)(i % 6)), POSENC_OK);
    r.base = usual ? size_between(100, 1e7) : size_between(2, 0x1p512);
    r.factor = size_between(usual ? 1 : 0x1p-32, wide);
    r.attention_factor = next_random(&seed) % 4 ? 0 : size_between(0.5, 2);
    r.max_position_embeddings = (int64_t)size_between(1, usual ? 131072 : 0x1p32);
    r.original_max_position_embeddings = (int64_t)size_between(2, usual ? 131072 : 0x1p32);
    r.length = random_between(&seed, 0, usual ? 1 << 18 : POSENC_MAX_POSITION);
    r.beta_slow = size_between(usual ? 0.5 : 0x1p-32, wide);
    r.beta_fast = next_random(&seed) % 4 ? size_between(r.beta_slow, wide) : r.beta_slow;
    r.truncate = (int32_t)(next_random(&seed) % 2);
    r.mscale = next_random(&seed) % 2 ? size_between(0.1, 10) : 0;
    r.mscale_all_dim = next_random(&seed) % 2 ? size_between(0.1, 10) : 0;
    r.low_freq_factor = size_between(usual ? 0.5 : 0x1p-32, wide / 2);
    r.high_freq_factor = usual ? size_between(2 * r.low_freq_factor, 2 * wide) : nextafter(r.low_freq_factor, 0x1p33);
    for (int64_t k = 0; k < r.d_model / 2; k++)
      factors[k] = (float)size_between(usual ? 0.9 : 0x1p-32, wide);
    r.long_factor = r.short_factor = factors;
    check_pairs("any parameters", &r);
  }
}

/* Cases that random parameters do not reach: frequencies that are powers of 2, and a frequency within a thousandth
 * of YaRN's low and high, or of Llama 3's, when these are equal. */
static void rare_parameters(void **state) {
  (void)state;
  posenc_rotary r;
  assert_int_equal(posenc_rotary_init(&r, 32, POSENC_ROTARY_NONE), POSENC_OK);
  r.base = 65536;
  check_pairs("powers of 2", &r);

  assert_int_equal(posenc_rotary_init(&r, 32, POSENC_ROTARY_YARN), POSENC_OK);
  assert_true(r.base == 10000 && r.truncate == 1 && r.beta_fast == 32 && r.beta_slow == 1);
  r.factor = 4;
  r.truncate = 0;
  r.original_max_position_embeddings = 4096;
  r.beta_fast = r.beta_slow = 4096 / 6.283185307179586 * pow(10000, -(5 - 0.0004) / 16);
  check_pairs("low equals high", &r);

  assert_int_equal(posenc_rotary_init(&r, 32, POSENC_ROTARY_LLAMA3), POSENC_OK);
  r.factor = 4;
  r.original_max_position_embeddings = 4096;
  r.low_freq_factor = r.high_freq_factor = 4096 / 6.283185307179586 * pow(10000, -5.0 / 16) - 0.0004;
  check_pairs("the same factor for low and high frequencies", &r);
}

/* ---- cosines and sines ---- */

/* The outputs of exact at positions of a 128 Ki context are the floats nearest to the values for the real
 * frequencies, although freqs + freqs_low differs slightly from these. test_exact.c tests every member with sums of
 * two doubles. */
static void values(void **state) {
  (void)state;
  enum { ROWS = 256 };
  static float got[2 * MOST_FREQS * ROWS], want[2 * MOST_FREQS * ROWS];
  mpfr_t w, sine, cosine;
  mpfr_init2(w, ROTARY_BITS);
  mpfr_inits2(192, sine, cosine, (mpfr_ptr)NULL); /* so 160 bits more than a float32 decide its rounding */
  for (int m = 0; m < ROTARY_MODELS; m++) {
    double freqs[MOST_FREQS], low[MOST_FREQS], attention;
    int64_t positions[ROWS] = {0, 1, 4096, 131071};
    const int64_t d = rotary_models[m].rotary.d_model;
    const posenc_spec spec = frequency_spec(freqs, low, d / 2, POSENC_DTYPE_F32);
    must_compute(&rotary_models[m].rotary, freqs, low, &attention);
    for (int i = 4; i < ROWS; i++)
      positions[i] = random_between(&seed, 0, 131071);
    for (int64_t k = 0; k < d / 2; k++) {
      rotary_frequency(w, &rotary_models[m].rotary, k);
      for (int i = 0; i < ROWS; i++) {
        mpfr_mul_si(sine, w, (long)positions[i], MPFR_RNDN);
        mpfr_sin_cos(sine, cosine, sine, MPFR_RNDN);
        want[i * d + 2 * k] = mpfr_get_flt(sine, MPFR_RNDN);
        want[i * d + 2 * k + 1] = mpfr_get_flt(cosine, MPFR_RNDN);
      }
    }
    posenc_plan *plan = plan_of(&spec, "exact");
    assert_int_equal(posenc_fill_at(plan, positions, ROWS, got, d), POSENC_OK);
    assert_rows_equal(rotary_models[m].name, got, want, ROWS, d, d, d);
    posenc_plan_destroy(plan);
  }
  mpfr_clears(w, sine, cosine, (mpfr_ptr)NULL);
}

int main(int argc, char **argv) {
  if (!take_arguments(argc, argv))
    return 2;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models),
      cmocka_unit_test(any_parameters),
      cmocka_unit_test(rare_parameters),
      cmocka_unit_test(values),
  };
  return cmocka_run_group_tests_name("rotary", tests, NULL, NULL);
}

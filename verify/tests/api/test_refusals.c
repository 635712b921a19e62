/* "Errors are returned, never printed; on error nothing is written." "Returns the calling thread's most recent error
 * status and writes a one-line description of it: the argument, its value and what is allowed."
 *
 * The refusals of specs, presets, implementations and rotary scaling: a row for each rule, most with the words of the
 * message and a change that makes a valid argument wrong. test_refused_calls.c has those of calls, test_presets.c the
 * widths of presets, test_memory.c memory that runs out.
 */
#include "refusals.h"

#include <float.h>
#include <math.h>
#include <pthread.h>

/* ---- specs ---- */

/* A bound is a number in each column of a valid spec. In a column that a refused spec makes invalid it is NaN. */
static void expect_bounds(const posenc_spec *spec, int valid) {
  int numbers = 0;
  const int columns = valid && spec->d_model < 8 ? (int)spec->d_model : 8;
  for (int c = 0; c < columns; c++)
    numbers += !isnan(posenc_impl_error_bound(posenc_impl_find(NULL), spec, 1.0, c));
  assert_int_equal(numbers == columns, valid);
}

static void expect_spec(const posenc_spec *spec, posenc_status want, const char *words) {
  posenc_plan *plan = (posenc_plan *)&want;
  assert_int_equal(posenc_plan_create(&plan, spec, NULL), want);
  assert_int_equal(plan != NULL, want == POSENC_OK);
  posenc_plan_destroy(plan);
  expect_bounds(spec, want == POSENC_OK);
  if (want != POSENC_OK) {
    expect_last(want, words);
    assert_int_equal(posenc_fill_once(spec, NULL, 0, 1, NULL, 8), want);
  }
}

#define REFUSED_SPEC(status, words, ...)                                                                               \
  do {                                                                                                                 \
    posenc_spec s = paper_spec(8);                                                                                     \
    __VA_ARGS__;                                                                                                       \
    expect_spec(&s, POSENC_ERROR_##status, words);                                                                     \
  } while (0)
#define BAD_SPEC(...) REFUSED_SPEC(SPEC, __VA_ARGS__)
#define FINE_SPEC(...)                                                                                                 \
  do {                                                                                                                 \
    posenc_spec s = paper_spec(8);                                                                                     \
    __VA_ARGS__;                                                                                                       \
    expect_spec(&s, POSENC_OK, "");                                                                                    \
  } while (0)

static void spec_fields(void **state) {
  (void)state;
  const double freqs[] = {1.0, -0.5, 0x1p-1022, 0x1p64};
  FINE_SPEC();
  FINE_SPEC(s.d_model = 1, s.base = DBL_MAX); /* no ladder is computed: the only frequency is 1 */
  FINE_SPEC(s.freqs = freqs, s.n_freqs = 4);
  FINE_SPEC(s.position_scale = -0x1p32);
  FINE_SPEC(s.position_scale = 0x1p-32);
  BAD_SPEC("d_model is 0|1 to 1048576", s.d_model = 0);
  BAD_SPEC("d_model is -9223372036854775808|1 to 1048576", s.d_model = INT64_MIN);
  BAD_SPEC("d_model is 1048577|1 to 1048576", s.d_model = POSENC_MAX_D_MODEL + 1);
  FINE_SPEC(s.base = 1.0, s.denominator = 1e-300);
  FINE_SPEC(s.base = 0x1p-64, s.denominator = 3);
  FINE_SPEC(s.base = 0x1p-1074, s.denominator = 51);
  FINE_SPEC(s.d_model = 1, s.base = 0x1p-32);
  BAD_SPEC("base is 0;|finite and > 0", s.base = 0.0);
  BAD_SPEC("denominator is 4 and base is 1.0000000000000001e-30|exceeds 2^64|a denominator of at least 4.67",
      s.base = 1e-30);
  BAD_SPEC("base^(-3/denominator) exceeds 2^64|at least 3", s.base = 0x1p-64, s.denominator = 2.9999999);
  BAD_SPEC("base^(-1/denominator) exceeds 2^64", s.d_model = 1, s.base = 0x1p-33);
  BAD_SPEC("base is -10000|finite and > 0", s.base = -10000.0);
  BAD_SPEC("base is nan|finite and > 0", s.base = (double)NAN);
  BAD_SPEC("base is inf|finite and > 0", s.base = (double)INFINITY);
  BAD_SPEC("denominator is -1|> 0", s.denominator = -1.0);
  BAD_SPEC("denominator is nan|> 0", s.denominator = (double)NAN);
  BAD_SPEC("denominator is inf|> 0", s.denominator = (double)INFINITY);
  BAD_SPEC("denominator is 0.01|at least", s.denominator = 0.01); /* the last frequency would be 10000^-300 */
  BAD_SPEC("denominator|e-40|at least", s.d_model = 2,
      s.denominator = 1e-39); /* the only frequency is 1, but the ladder is checked too */
  BAD_SPEC("base^(-1/denominator)|at least", s.d_model = 1, s.odd = POSENC_ODD_ZERO,
      s.denominator = 1e-39); /* also where there is no frequency */
  BAD_SPEC("n_freqs is 4|allowed: 0", s.n_freqs = 4);
  BAD_SPEC("n_freqs is 3|4, one for each pair of d_model 8's columns", s.n_freqs = 3, s.freqs = freqs);
  BAD_SPEC("n_freqs is 1152921504606846976|4", s.n_freqs = INT64_MAX / 8 + 1, s.freqs = freqs);
  const double wrong[] = {NAN, INFINITY, -INFINITY, 0x1p-1074, 0x1.8p64, -0x1.8p64, 0x1.fp-1023};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    char words[64];
    snprintf(words, sizeof words, "freqs[2]|%.17g|2^-1022 to 2^64", wrong[i]);
    BAD_SPEC(words, s.freqs = (const double[]){1.0, 1.0, wrong[i], 1.0}, s.n_freqs = 4);
  }
  const double half[] = {0x1p-54, -0x1p-54, 0.0, 0x1p11}, above[] = {0, 0x1p-53, 0, 0}, tiny[] = {0x1p-1074, 0, 0, 0};
  FINE_SPEC(s.freqs = freqs, s.freqs_low = half, s.n_freqs = 4);
  BAD_SPEC("freqs_low is given but freqs is NULL; allowed: NULL", s.freqs_low = half);
  BAD_SPEC("n_freqs is 3|4, one for each pair", s.freqs = freqs, s.freqs_low = half, s.n_freqs = 3);
  BAD_SPEC(
      "freqs_low[1] is 1.1102230246251565e-16 and freqs[1] is -0.5; allowed: a number that float64 rounds away when it is added to freqs[1], at most half a unit",
      s.freqs = freqs, s.freqs_low = above, s.n_freqs = 4);
  BAD_SPEC("freqs_low[0] is 4.9406564584124654e-324 and freqs[0] is 0; allowed", s.freqs = above, s.freqs_low = tiny,
      s.n_freqs = 4);
  for (size_t i = 0; i < 3; i++) {
    char words[64];
    snprintf(words, sizeof words, "freqs_low[3] is %g and freqs[3] is|allowed", wrong[i]);
    BAD_SPEC(words, s.freqs = freqs, s.freqs_low = (const double[]){0, 0, 0, wrong[i]}, s.n_freqs = 4);
  }
  BAD_SPEC("layout is 2|allowed", s.layout = 2);
  BAD_SPEC("layout is -1|allowed", s.layout = -1);
  BAD_SPEC("order is 2|allowed", s.order = 2);
  BAD_SPEC("odd is -1|allowed", s.odd = -1);
  BAD_SPEC("odd is 2|allowed", s.odd = 2);
  BAD_SPEC("dtype is 4|allowed", s.dtype = 4);
  BAD_SPEC("dtype is -1|allowed", s.dtype = -1);
  const double scales[] = {NAN, INFINITY, -INFINITY, 0x1.8p32, -0x1.8p32, 0x1.8p-33, 0x1p-1074};
  for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
    BAD_SPEC("position_scale|2^-32|2^32", s.position_scale = scales[i]);
  FINE_SPEC(s.table_rows = 2 * POSENC_MAX_POSITION + 1);
  BAD_SPEC("table_rows is 8589934594; allowed: 0 to 8589934593", s.table_rows = 2 * POSENC_MAX_POSITION + 2);
  BAD_SPEC("table_rows is -1; allowed: 0 to 8589934593", s.table_rows = -1);
  BAD_SPEC("struct_size is 0|allowed|posenc_spec_init()", s.struct_size = 0);
  BAD_SPEC("struct_size is|allowed|posenc_spec_init()", s.struct_size += 8);
  for (size_t i = 0; i < sizeof paper_spec(1).reserved / sizeof(uint64_t); i++)
    for (int bit = 0; bit < 64; bit += 21) {
      char words[32];
      snprintf(words, sizeof words, "reserved[%zu]|allows 0", i);
      BAD_SPEC(words, s.reserved[i] = UINT64_C(1) << bit);
    }
  expect_spec(NULL, POSENC_ERROR_ARGUMENT, "spec is NULL; allowed: a posenc_spec aligned to 8 bytes");
  const double *const apart = (const void *)((const char *)freqs + 4);
  expect_spec((const void *)apart, POSENC_ERROR_ARGUMENT, "spec is 0x|aligned to 8");
  REFUSED_SPEC(ARGUMENT, "freqs is 0x|aligned to 8", s.freqs = apart, s.n_freqs = 4);
  REFUSED_SPEC(ARGUMENT, "freqs_low is 0x|aligned to 8", s.freqs = freqs, s.freqs_low = apart, s.n_freqs = 4);
}

/* The denominator that a refusal names is allowed. */
static void denominators(void **state) {
  (void)state;
  uint64_t seed = 43;
  for (int i = 0; i < 20000; i++) {
    char message[512];
    posenc_spec s = paper_spec(random_between(&seed, 1, 4096));
    s.base = ldexp((double)random_between(&seed, 1, 1 << 30), (int)random_between(&seed, -90, 60));
    s.denominator = ldexp((double)random_between(&seed, 1, 1 << 30), -40);
    if (spec_status(&s) != POSENC_OK) {
      posenc_last_error(message, sizeof message);
      s.denominator = strtod(strstr(message, "at least ") + strlen("at least "), NULL);
      assert_int_equal(spec_status(&s), POSENC_OK);
    }
  }
}

/* ---- presets and implementations ---- */

static void presets(void **state) {
  (void)state;
  static const char *const names[] = {"", "papers", "Paper", "pape", "whisper "};
  static const posenc_spec zeros;
  posenc_spec s;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    memset(&s, 0x5a, sizeof s);
    assert_int_equal(posenc_spec_init(&s, 64, names[i]), POSENC_ERROR_SPEC);
    assert_memory_equal(&s, &zeros, sizeof s);
    expect_last(POSENC_ERROR_SPEC, names[i]);
    for (size_t p = 0; p < posenc_preset_count(); p++)
      expect_last(POSENC_ERROR_SPEC, posenc_preset_by_index(p)->name);
  }
  expect_spec(&zeros, POSENC_ERROR_SPEC, "struct_size is 0|posenc_spec_init() sets it where it succeeds");
  assert_int_equal(posenc_spec_init(NULL, 64, "paper"), POSENC_ERROR_ARGUMENT);
  expect_last(POSENC_ERROR_ARGUMENT, "spec is NULL; allowed: a posenc_spec aligned to 8 bytes");
}

static void expect_impl(const posenc_spec *spec, const char *name, posenc_status want, const char *words) {
  posenc_plan *plan = (posenc_plan *)&want;
  float out[8];
  assert_int_equal(posenc_plan_create(&plan, spec, name), want);
  assert_null(plan);
  expect_last(want, words);
  assert_int_equal(posenc_fill_once(spec, name, 0, 1, out, 8), want);
}

/* The message of a refused name lists those that can be used. */
static void implementations(void **state) {
  (void)state;
  posenc_spec s = paper_spec(8);
  char message[512];
  expect_impl(&s, "a\n\x1b[31m\"\\\x7f\xc3\xa9", POSENC_ERROR_UNKNOWN_IMPL,
      "impl is \"a\\x0a\\x1b[31m\\x22\\x5c\\x7f\\xc3\\xa9\"; allowed: exact, anchored, ");
  for (size_t i = 0; i < posenc_impl_count(); i++)
    expect_last(POSENC_ERROR_UNKNOWN_IMPL, posenc_impl_by_index(i)->name);
  expect_impl(&s, "sleef_u3", POSENC_ERROR_UNKNOWN_IMPL, "impl is \"sleef_u3\"; allowed: exact, anchored, ");
  posenc_last_error(message, sizeof message);
  assert_null(strstr(message, "SLEEF"));
  if (!posenc_impl_find("sleef")) /* test_builds.sh runs this in a build without SLEEF */
    for (int i = 0; i < 3; i++)
      expect_impl(&s, (const char *const[]){"sleef", "sleef_u35", "sleef_f64"}[i], POSENC_ERROR_UNKNOWN_IMPL,
          "this build has no SLEEF: impl is \"sleef|\"; allowed: exact, anchored, ");
  for (size_t i = 0; i < posenc_impl_count(); i++)
    if (!posenc_impl_supported(posenc_impl_by_index(i))) {
      expect_impl(&s, posenc_impl_by_index(i)->name, POSENC_ERROR_CPU, posenc_impl_by_index(i)->isa);
      posenc_last_error(message, sizeof message);
      char *const instead = strstr(message, "this machine can run \"");
      assert_non_null(instead);
      instead[22 + strcspn(instead + 22, "\"")] = '\0';
      posenc_plan_destroy(plan_of(&s, instead + 22));
    }
  s.dtype = POSENC_DTYPE_BF16;
  expect_impl(&s, "naive", POSENC_ERROR_UNSUPPORTED, "dtype");
  s.dtype = POSENC_DTYPE_F32;
  s.denominator = 8;
  for (int i = 0; i < 2; i++) {
    s.base = i ? 0x1.fffffffp-127 : 1e39; /* beyond float32's normal numbers */
    expect_impl(&s, "naive", POSENC_ERROR_UNSUPPORTED, "needs a base from 2^-126 to 0x1.fffffep127");
    assert_true(isnan(posenc_impl_error_bound(posenc_impl_find("naive"), &s, 0, 0)));
    posenc_plan_destroy(plan_of(&s, "float64"));
  }
}

/* ---- rotary scaling ---- */

static const float factors[] = {1, 2, 3, 4};

static posenc_rotary rotary_of(posenc_rotary_scaling kind) {
  posenc_rotary r;
  assert_int_equal(posenc_rotary_init(&r, 8, kind), POSENC_OK);
  r.factor = 2;
  r.original_max_position_embeddings = r.max_position_embeddings = 4096;
  r.low_freq_factor = 1;
  r.high_freq_factor = 4;
  r.short_factor = r.long_factor = factors;
  return r;
}

static void expect_rotary(const posenc_rotary *r, posenc_status want, const char *words) {
  double results[9], sevens[9];
  for (int i = 0; i < 9; i++)
    results[i] = sevens[i] = 7;
  assert_int_equal(posenc_rotary_freqs(r, results, results + 4, results + 8), want);
  if (want != POSENC_OK) {
    expect_last(want, words);
    assert_memory_equal(results, sevens, sizeof results);
  }
}

#define BAD_ROTARY(kind, words, ...)                                                                                   \
  do {                                                                                                                 \
    posenc_rotary r = rotary_of(POSENC_ROTARY_##kind);                                                                 \
    __VA_ARGS__;                                                                                                       \
    expect_rotary(&r, POSENC_ERROR_SPEC, words);                                                                       \
  } while (0)

static void rotary_fields(void **state) {
  (void)state;
  const float bad[] = {1, 2, 0, 4};
  for (int kind = POSENC_ROTARY_NONE; kind <= POSENC_ROTARY_LLAMA3; kind++) {
    const posenc_rotary r = rotary_of((posenc_rotary_scaling)kind);
    expect_rotary(&r, POSENC_OK, "");
  }
  BAD_ROTARY(NONE, "d_model is 7; allowed: an even number from 2 to 1048576", r.d_model = 7);
  BAD_ROTARY(NONE, "d_model is 0; allowed: an even number from 2 to 1048576", r.d_model = 0);
  BAD_ROTARY(NONE, "d_model is 1048578; allowed: an even number from 2 to 1048576", r.d_model = POSENC_MAX_D_MODEL + 2);
  BAD_ROTARY(DYNAMIC, "d_model is 2; allowed: an even number from 4 to 1048576", r.d_model = 2);
  BAD_ROTARY(NONE, "scaling is 6; allowed: 0 to 5, see posenc_rotary_scaling", r.scaling = 6);
  BAD_ROTARY(NONE, "scaling is -1; allowed: 0 to 5, see posenc_rotary_scaling", r.scaling = -1);
  BAD_ROTARY(NONE, "base is 1.5; allowed: 2 to 2^512", r.base = 1.5);
  BAD_ROTARY(NONE, "base is nan; allowed: 2 to 2^512", r.base = (double)NAN);
  BAD_ROTARY(LINEAR, "factor is 0; allowed: 2^-32 to 2^32", r.factor = 0);
  BAD_ROTARY(YARN, "factor is nan; allowed: 2^-32 to 2^32", r.factor = (double)NAN);
  BAD_ROTARY(LLAMA3, "factor is 4294967297; allowed: 2^-32 to 2^32", r.factor = 0x1p32 + 1);
  BAD_ROTARY(LONGROPE, "attention_factor is -1; allowed: 0, or 2^-32 to 2^32", r.attention_factor = -1);
  BAD_ROTARY(YARN, "attention_factor is nan; allowed: 0, or 2^-32 to 2^32", r.attention_factor = (double)NAN);
  BAD_ROTARY(YARN, "beta_fast is 0; allowed: 2^-32 to 2^32", r.beta_fast = 0);
  BAD_ROTARY(YARN, "beta_slow is 0; allowed: 2^-32 to 2^32", r.beta_slow = 0);
  BAD_ROTARY(YARN, "beta_slow is 33; allowed: at most beta_fast, which is 32", r.beta_slow = 33);
  BAD_ROTARY(YARN, "mscale is -1; allowed: 0, or 2^-32 to 2^32", r.mscale = -1);
  BAD_ROTARY(YARN, "mscale_all_dim is -1; allowed: 0, or 2^-32 to 2^32", r.mscale_all_dim = -1);
  BAD_ROTARY(YARN, "truncate is 2; allowed: 0 to 1", r.truncate = 2);
  BAD_ROTARY(
      YARN, "original_max_position_embeddings is 1; allowed: 2 to 4294967296", r.original_max_position_embeddings = 1);
  BAD_ROTARY(LLAMA3, "original_max_position_embeddings is 4294967297; allowed: 2 to 4294967296",
      r.original_max_position_embeddings = POSENC_MAX_POSITION + 1);
  BAD_ROTARY(LLAMA3, "low_freq_factor is 0; allowed: 2^-32 to 2^32", r.low_freq_factor = 0);
  BAD_ROTARY(LLAMA3, "high_freq_factor is inf; allowed: 2^-32 to 2^32", r.high_freq_factor = (double)INFINITY);
  BAD_ROTARY(LLAMA3, "low_freq_factor is 5; allowed: at most high_freq_factor, which is 4", r.low_freq_factor = 5);
  BAD_ROTARY(DYNAMIC, "max_position_embeddings is 0; allowed: 1 to 4294967296", r.max_position_embeddings = 0);
  BAD_ROTARY(DYNAMIC, "length is -1; allowed: 0 to 4294967296", r.length = -1);
  BAD_ROTARY(LONGROPE, "length is 4294967297; allowed: 0 to 4294967296", r.length = POSENC_MAX_POSITION + 1);
  BAD_ROTARY(LONGROPE, "short_factor is NULL; with length 4096, d_model / 2 = 4 floats are needed", r.length = 4096,
      r.short_factor = NULL);
  BAD_ROTARY(LONGROPE, "long_factor is NULL; with length 4097, d_model / 2 = 4 floats are needed", r.length = 4097,
      r.long_factor = NULL);
  BAD_ROTARY(LONGROPE, "short_factor[2] is 0; allowed: 2^-32 to 2^32", r.short_factor = bad);
  BAD_ROTARY(NONE,
      "struct_size is 1; allowed: sizeof(posenc_rotary) = 184, as posenc_rotary_init() sets it where it succeeds",
      r.struct_size = 1);
  BAD_ROTARY(NONE,
      "reserved[5] is 1; this library, version " POSENC_VERSION_STRING
      ", allows 0: was the posenc_rotary set up by posenc_rotary_init()?",
      r.reserved[5] = 1);
}

static void rotary_arguments(void **state) {
  (void)state;
  static const posenc_rotary zeros;
  posenc_rotary r = rotary_of(POSENC_ROTARY_NONE);
  double freqs[5], low[4], factor, *const apart = (void *)((char *)freqs + 4);
  const struct {
    const void *rotary;
    double *freqs, *low, *factor;
  } rows[] = {{NULL, freqs, low, &factor}, {&r, NULL, low, &factor}, {&r, freqs, NULL, &factor}, {&r, freqs, low, NULL},
      {apart, freqs, low, &factor}, {&r, apart, low, &factor}, {&r, freqs, freqs, &factor}, {&r, freqs, low, low + 3}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(
        posenc_rotary_freqs(rows[i].rotary, rows[i].freqs, rows[i].low, rows[i].factor), POSENC_ERROR_ARGUMENT);
    expect_last(POSENC_ERROR_ARGUMENT, "");
  }
  assert_int_equal(posenc_rotary_init(NULL, 8, POSENC_ROTARY_NONE), POSENC_ERROR_ARGUMENT);
  assert_int_equal(posenc_rotary_init((void *)apart, 8, POSENC_ROTARY_NONE), POSENC_ERROR_ARGUMENT);
  assert_int_equal(posenc_rotary_init(&r, 8, (posenc_rotary_scaling)6), POSENC_ERROR_SPEC);
  assert_int_equal(posenc_rotary_init(&r, 7, POSENC_ROTARY_NONE), POSENC_ERROR_SPEC);
  assert_memory_equal(&r, &zeros, sizeof r);
  expect_rotary(&zeros, POSENC_ERROR_SPEC, "struct_size is 0");
}

/* ---- the last error ---- */

static void messages_are_cut(void **state) {
  (void)state;
  char message[8] = {'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x'}, whole[512];
  posenc_spec spec = paper_spec(8);
  spec.d_model = 0;
  assert_int_equal(spec_status(&spec), POSENC_ERROR_SPEC);
  assert_int_equal(posenc_last_error(message, 5), POSENC_ERROR_SPEC);
  assert_int_equal(posenc_last_error(message, 0), POSENC_ERROR_SPEC);
  assert_int_equal(posenc_last_error(NULL, 100), POSENC_ERROR_SPEC);
  assert_memory_equal(message, "d_mo\0xxx", 8);
  assert_int_equal(posenc_last_error(whole, SIZE_MAX), POSENC_ERROR_SPEC); /* the message is shorter than `size` */
  assert_string_equal(whole, "d_model is 0; allowed: 1 to 1048576");
}

static void *in_another_thread(void *spec) {
  char message[512];
  assert_int_equal(posenc_last_error(message, sizeof message), POSENC_OK);
  assert_string_equal(message, "");
  assert_int_equal(spec_status(spec), POSENC_ERROR_SPEC);
  return NULL;
}

/* Each thread has its own last error. A call that succeeds does not change it. A name that the caller gave is
 * copied. A cut line ends with a whole name. */
static void last_errors(void **state) {
  (void)state;
  posenc_spec wrong = paper_spec(8);
  wrong.d_model = -7;
  char name[200];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  const posenc_spec fine = paper_spec(8);
  posenc_plan *plan = plan_of(&fine, NULL), *none;
  assert_int_equal(posenc_plan_create(&none, &fine, name), POSENC_ERROR_UNKNOWN_IMPL);
  memset(name, 'm', sizeof name);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, in_another_thread, &wrong), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  float out[8];
  assert_int_equal(posenc_fill(plan, 0, 1, out, 8), POSENC_OK);
  posenc_plan_destroy(plan);
  assert_true(isnan(posenc_impl_error_bound(posenc_impl_find(NULL), &wrong, 0, 0))); /* a bound of NaN sets no error */
  expect_last(POSENC_ERROR_UNKNOWN_IMPL,
      "impl is \"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn|nn\"; allowed: exact, anchored, naive, ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spec_fields),
      cmocka_unit_test(denominators),
      cmocka_unit_test(presets),
      cmocka_unit_test(implementations),
      cmocka_unit_test(rotary_fields),
      cmocka_unit_test(rotary_arguments),
      cmocka_unit_test(messages_are_cut),
      cmocka_unit_test(last_errors),
  };
  return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}

/* The caller's floating-point state does not change the results, and the calls restore it: every rounding mode,
 * flush-to-zero and denormals-are-zero, unmasked traps, and the exception flags.
 */
#include "testing.h"

#include <fenv.h>
#include <math.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

typedef unsigned fp_state;
static fp_state get_state(void) { return _mm_getcsr(); }
static void set_state(fp_state s) { _mm_setcsr(s); }

/* Rounding x FTZ and DAZ x traps x a flag that is already raised. */
static size_t make_states(fp_state *states) {
  size_t n = 0;
  for (unsigned rounding = 0; rounding < 4; rounding++)
    for (unsigned flush = 0; flush < 4; flush++)
      for (unsigned traps = 0; traps < 2; traps++)
        states[n++] = 0x1f80u * !traps | rounding << 13 | (flush & 1) << 15 | (flush >> 1) << 6 | (traps ? 0u : 0x08u);
  return n;
}

#elif defined(__aarch64__)

typedef struct fp_state {
  uint64_t control, flags;
} fp_state;
static fp_state get_state(void) {
  fp_state s;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(s.control), "=r"(s.flags));
  return s;
}
static void set_state(fp_state s) {
  __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(s.control), "r"(s.flags) : "memory");
}

/* Rounding x FZ x a flag that is already raised. Traps are optional in the architecture and absent in most cores. */
static size_t make_states(fp_state *states) {
  size_t n = 0;
  for (uint64_t rounding = 0; rounding < 4; rounding++)
    for (uint64_t flush = 0; flush < 2; flush++)
      states[n++] = (fp_state){rounding << 22 | flush << 24, flush ? 0x08 : 0};
  return n;
}
#endif

enum { D = 37, HALF = (D + 1) / 2, ROWS = 70 };

/* The results of all calls. */
typedef struct answers {
  float rows[ROWS * D], at[3 * D], reals[3 * D], sines[ROWS * HALF], cosines[ROWS * HALF], table[ROWS * D];
  double bound, rotary[6][2][4], attention_factors[6], whole[HALF], rest[HALF];
  uint64_t phases[HALF];  /* 0 for the recipes, which refuse */
  int refused;            /* posenc_rotary_freqs() refused a rotary embedding */
  posenc_status tiny;     /* a subnormal frequency is refused, not read as zero */
  posenc_status fraction; /* a plan of a fractional denominator: its logarithm may not leave a flag raised */
} answers;

static void ask(const posenc_impl *impl, const posenc_spec *spec, answers *a) {
  const int64_t positions[3] = {131071, -5, 1000003};
  const float factors[4] = {1.1f, 1.3f, 2.7f, 60.1f};
  const double subnormal = 0x1p-1074, reals[3] = {0.1, -1e-3, 131071.5};
  void *table = NULL;
  posenc_spec refused = paper_spec(1), fraction = paper_spec(8);
  posenc_plan *plan = NULL;
  posenc_rotary rotary;
  refused.freqs = &subnormal;
  refused.n_freqs = 1;
  fraction.denominator = 10.3;
  memset(a, 0, sizeof *a);
  if (posenc_plan_create(&plan, spec, impl->name) != POSENC_OK)
    return; /* the rows stay zero, and the comparison fails */
  posenc_fill(plan, 40, ROWS, a->rows, D);
  posenc_fill_at(plan, positions, 3, a->at, D);
  posenc_fill_at_real(plan, reals, 3, a->reals, D);
  posenc_fill_pair(plan, 40, ROWS, a->sines, a->cosines, HALF);
  if (posenc_table_create(&table, plan, 40, ROWS, D) == POSENC_OK)
    memcpy(a->table, table, sizeof a->table);
  posenc_table_destroy(table);
  posenc_plan_phases(plan, a->whole, a->phases, a->rest);
  a->bound = posenc_impl_error_bound(impl, spec, 131071.1, 8);
  for (int i = 0; i < 6; i++) {
    posenc_rotary_init(&rotary, 8, (posenc_rotary_scaling)i);
    rotary.factor = rotary.high_freq_factor = 4;
    rotary.low_freq_factor = 1;
    rotary.original_max_position_embeddings = rotary.max_position_embeddings = 4096;
    rotary.length = 5000;
    rotary.long_factor = factors;
    a->refused |= posenc_rotary_freqs(&rotary, a->rotary[i][0], a->rotary[i][1], &a->attention_factors[i]) != POSENC_OK;
  }
  a->tiny = spec_status(&refused);
  posenc_plan_destroy(plan);
  a->fraction = posenc_plan_create(&plan, &fraction, impl->name);
  posenc_plan_destroy(plan);
}

/* fesetround() changes more than the vector unit: on x86-64 the x87 unit too. */
static void state_does_not_matter(void **state) {
  (void)state;
  static answers plain, got;
  static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
  fp_state states[64];
  const fp_state usual = get_state();
  const size_t n = make_states(states);
  double freqs[HALF]; /* the sines of some of them are float32 subnormals */
  for (int k = 0; k < HALF; k++)
    freqs[k] = k % 3 == 2 ? 0x1.7p-140 : 1.0 / (k + 1);
  posenc_spec spec = paper_spec(D);
  for (int kind = 0; kind < 3; kind++) { /* kind 2: a scale, whose product with other numbers is rounded */
    spec.freqs = kind == 1 ? freqs : NULL;
    spec.n_freqs = kind == 1 ? HALF : 0;
    spec.denominator = kind == 1 ? 0x1p-1070 : 0.0; /* ignored, though a comparison would raise a flag */
    spec.order = kind == 2;
    spec.position_scale = kind == 2 ? 0.3 : 1.0;
    for (size_t m = 0; runnable(m); m++) {
      ask(runnable(m), &spec, &plain);
      assert_true(plain.bound > 0.0 && !plain.refused && plain.tiny == POSENC_ERROR_SPEC);
      for (size_t i = 0; i < n; i++) {
        fesetround(modes[i % 4]);
        feclearexcept(FE_ALL_EXCEPT);
        set_state(states[i]);
        const fp_state before = get_state(); /* read back, as the CPU may not keep every bit */
        const int rounding = fegetround(), flags = fetestexcept(FE_ALL_EXCEPT);
        ask(runnable(m), &spec, &got);
        const fp_state after = get_state();
        const int same = fegetround() == rounding && fetestexcept(FE_ALL_EXCEPT) == flags;
        fesetround(FE_TONEAREST);
        set_state(usual);
        if (!same || memcmp(&before, &after, sizeof before) != 0)
          fail_msg("%s: state %zu was not restored", runnable(m)->name, i);
        if (memcmp(&plain, &got, sizeof got) != 0)
          fail_msg("%s: state %zu changed the results", runnable(m)->name, i);
      }
    }
  }
}

/* Refused calls leave no flag raised, although comparisons with NaN and numbers that are too large raise flags. */
static void flags_of_refusals(void **state) {
  (void)state;
  const double reals[] = {NAN};
  float out[D] = {0};
  const posenc_spec spec = paper_spec(D);
  posenc_plan *plan = plan_of(&spec, NULL);
  feclearexcept(FE_ALL_EXCEPT);
  assert_int_equal(posenc_fill_at_real(plan, reals, 1, out, D), POSENC_ERROR_DOMAIN);
  assert_true(isnan(posenc_impl_error_bound(posenc_impl_find(NULL), &spec, reals[0], 0)));
  posenc_spec large = spec;
  large.denominator = 0x1p1023; /* its double overflows */
  posenc_plan_destroy(plan_of(&large, "exact"));
  char nearest[128], downward[128]; /* the message does not depend on the rounding mode either */
  large.base = -0.1;
  assert_int_equal(spec_status(&large), POSENC_ERROR_SPEC);
  posenc_last_error(nearest, sizeof nearest);
  fesetround(FE_DOWNWARD);
  assert_int_equal(spec_status(&large), POSENC_ERROR_SPEC);
  assert_int_equal(fegetround(), FE_DOWNWARD);
  fesetround(FE_TONEAREST);
  posenc_last_error(downward, sizeof downward);
  assert_string_equal(downward, nearest);
  assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
  posenc_plan_destroy(plan);
}

/* The product of position and scale is 2^32 when rounded to nearest, and more when rounded upwards. */
static void the_domain_in_other_modes(void **state) {
  (void)state;
  posenc_spec spec = paper_spec(D);
  float out[D];
  int found = 0;
  for (double scale = 1.1; scale < 2 && found < 3; scale += 0.01) {
    const double position = 0x1p32 / scale;
    if (position * scale != 0x1p32 || !(fma(position, scale, -0x1p32) > 0))
      continue;
    spec.position_scale = scale;
    posenc_plan *plan = plan_of(&spec, NULL);
    fesetround(FE_UPWARD);
    const posenc_status status = posenc_fill_at_real(plan, &position, 1, out, D);
    const double bound = posenc_impl_error_bound(posenc_impl_find(NULL), &spec, position, 0);
    fesetround(FE_TONEAREST);
    assert_int_equal(status, POSENC_OK);
    assert_true(bound > 0.0);
    posenc_plan_destroy(plan);
    found++;
  }
  assert_int_equal(found, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(state_does_not_matter), cmocka_unit_test(flags_of_refusals),
      cmocka_unit_test(the_domain_in_other_modes)};
  return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}

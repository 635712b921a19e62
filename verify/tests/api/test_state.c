/* The caller's floating-point state does not reach the results, and comes back as it was: every rounding mode, flush-to-zero
 * and denormals-are-zero, unmasked traps, and the exception flags.
 */
#include "testing.h"

#include <fenv.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

typedef unsigned fp_state;
static fp_state get_state(void) { return _mm_getcsr(); }
static void set_state(fp_state s) { _mm_setcsr(s); }

/* Rounding x FTZ and DAZ x traps x a flag that is already up. */
static size_t make_states(fp_state *states)
{
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
static fp_state get_state(void)
{
  fp_state s;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(s.control), "=r"(s.flags));
  return s;
}
static void set_state(fp_state s)
{
  __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(s.control), "r"(s.flags) : "memory");
}

/* Rounding x FZ x a flag that is already up; traps are optional in the architecture and absent in most cores. */
static size_t make_states(fp_state *states)
{
  size_t n = 0;
  for (uint64_t rounding = 0; rounding < 4; rounding++)
    for (uint64_t flush = 0; flush < 2; flush++)
      states[n++] = (fp_state){rounding << 22 | flush << 24, flush ? 0x08 : 0};
  return n;
}
#endif

enum { D = 37, ROWS = 70 };

/* Everything a caller may ask for, into memory: rows, rows by position, a bound. */
typedef struct answers {
  float rows[ROWS * D], at[3 * D];
  double bound;
  posenc_status tiny; /* a subnormal frequency is refused, not read as zero */
  posenc_status fraction; /* whether 2 * denominator is a whole number is found out without a flag */
} answers;

static void ask(const posenc_impl *impl, const posenc_spec *spec, answers *a)
{
  const int64_t positions[3] = {131071, -5, 1000003};
  const double subnormal = 0x1p-1074;
  posenc_spec refused = posenc_spec_default(1), fraction = posenc_spec_default(8);
  posenc_plan *plan = NULL;
  refused.freqs = &subnormal;
  refused.n_freqs = 1;
  fraction.denominator = 10.3;
  memset(a, 0, sizeof *a);
  if (posenc_plan_create(&plan, spec, impl->name) != POSENC_OK)
    return; /* the rows stay zero and do not compare equal */
  posenc_fill(plan, 40, ROWS, a->rows, D);
  posenc_fill_at(plan, positions, 3, a->at, D);
  a->bound = posenc_impl_error_bound(impl, spec, 131071, 8);
  a->tiny = posenc_spec_check(&refused, NULL, 0);
  a->fraction = posenc_plan_check(&fraction, impl->name, NULL, 0);
  posenc_plan_destroy(plan);
}

static void state_does_not_matter(void **state)
{
  (void)state;
  static answers plain, got;
  fp_state states[64];
  const fp_state usual = get_state();
  const size_t n = make_states(states);
  double freqs[(D + 1) / 2]; /* with some whose sines are float32 subnormals */
  for (int k = 0; k < (D + 1) / 2; k++)
    freqs[k] = k % 3 == 2 ? 0x1.7p-140 : 1.0 / (k + 1);
  posenc_spec spec = posenc_spec_default(D);
  for (int explicit_freqs = 0; explicit_freqs < 2; explicit_freqs++) {
    spec.freqs = explicit_freqs ? freqs : NULL;
    spec.n_freqs = explicit_freqs ? (D + 1) / 2 : 0;
    for (size_t m = 0; runnable(m); m++) {
      ask(runnable(m), &spec, &plain);
      assert_true(plain.bound > 0.0 && plain.tiny == POSENC_ERROR_SPEC);
      for (size_t i = 0; i < n; i++) {
        set_state(states[i]);
        const fp_state before = get_state(); /* as the CPU keeps it */
        ask(runnable(m), &spec, &got);
        const fp_state after = get_state();
        set_state(usual);
        if (memcmp(&before, &after, sizeof before) != 0)
          fail_msg("%s: state %zu came back changed", runnable(m)->name, i);
        if (memcmp(&plain, &got, sizeof got) != 0)
          fail_msg("%s: state %zu changed the results", runnable(m)->name, i);
      }
    }
  }
}

/* The way the language has it, which reaches further than the vector unit: on x86-64 into the x87 too. */
static void fesetround_does_not_matter(void **state)
{
  (void)state;
  static answers plain, got;
  const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
  const posenc_spec spec = posenc_spec_default(D);
  for (size_t m = 0; runnable(m); m++) {
    ask(runnable(m), &spec, &plain);
    for (size_t i = 0; i < 4; i++) {
      fesetround(modes[i]);
      ask(runnable(m), &spec, &got);
      const int after = fegetround();
      fesetround(FE_TONEAREST);
      assert_int_equal(after, modes[i]);
      if (memcmp(&plain, &got, sizeof got) != 0)
        fail_msg("%s: rounding mode %zu changed the results", runnable(m)->name, i);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(state_does_not_matter), cmocka_unit_test(fesetround_does_not_matter)};
  return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}

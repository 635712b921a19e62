/* Signals: a fill that is interrupted again and again, by handlers that fill from the same plan themselves and by
 * handlers that leave another rounding behind, writes the same bits, and gives back the caller's rounding. Handlers are
 * refused too, and put back what was said of the call before. One that leaves a fill by siglongjmp() leaves a usable
 * plan, and the state that the header says.
 */
#define _GNU_SOURCE
#include "testing.h"

#include <errno.h>
#include <fenv.h>
#include <signal.h>
#include <sys/time.h>

#include "formats.h"

enum { ROWS = 64, D = 70, ENOUGH = 24 };

static const posenc_plan *plan;
static volatile sig_atomic_t inside, interruptions, in_handler, wrong, leave;
static volatile double third = 3.0; /* not known when compiled */
static unsigned char own[3 * D * 8], own_want[3 * D * 8], sums[D * 8], sums_want[D * 8];
static sigjmp_buf out_of_it;
static uint64_t seed = 20170612;

/* What handlers do: whole rows, rows anywhere, reals and sums. Returns 0 if something was refused. */
static int fill_some(unsigned char *rows, unsigned char *sum) {
  static const int64_t at[] = {131071};
  static const double reals[] = {0.5};
  const size_t bytes = (size_t)D * format_of(posenc_plan_spec(plan)->dtype)->size;
  memset(sum, 0, bytes);
  const posenc_status added = posenc_add(plan, 5, 1, sum, D, 1.0, sum, D);
  return posenc_fill(plan, 62, 1, rows, D) == POSENC_OK && posenc_fill_at(plan, at, 1, rows + bytes, D) == POSENC_OK &&
         posenc_fill_at_real(plan, reals, 1, rows + 2 * bytes, D) == POSENC_OK &&
         (added == POSENC_OK || added == POSENC_ERROR_UNSUPPORTED);
}

/* One signal at a time: the next is asked for when this one has been dealt with, or a slow machine would do nothing
 * else. */
static void ask_for_one(void) {
  const struct itimerval soon = {{0, 0}, {0, (suseconds_t)random_between(&seed, 20, 200)}};
  setitimer(ITIMER_REAL, &soon, NULL);
}

static void ask_for_none(void) { setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL); }

static void handler(int number) {
  const int error = errno;
  const posenc_error refusal = *posenc_error_location();
  (void)number;
  in_handler++;
  if (inside)
    interruptions++;
  if (inside && leave)
    siglongjmp(out_of_it, 1);
  if (in_handler % 2) {
    const int rounding = fegetround();
    wrong |=
        !fill_some(own, sums) || memcmp(own, own_want, sizeof own) != 0 || memcmp(sums, sums_want, sizeof sums) != 0;
    wrong |= fegetround() != rounding || posenc_fill(plan, INT64_MAX, 1, own, D) != POSENC_ERROR_DOMAIN;
  } else {
    fesetround(FE_UPWARD); /* and back by the system, with all that the handler changed */
    feraiseexcept(FE_INEXACT | FE_OVERFLOW);
    wrong |= !(1.0 / third > 0x1.5555555555555p-2);
  }
  ask_for_one();
  *posenc_error_location() = refusal;
  errno = error;
}

static void set_plan(const posenc_impl *impl, int32_t dtype, int32_t layout) {
  posenc_spec spec = paper_spec(D);
  spec.dtype = dtype;
  spec.layout = layout;
  plan = is_offered(&spec, impl->name) ? plan_of(&spec, impl->name) : NULL;
}

static void destroy_plan(void) { posenc_plan_destroy((posenc_plan *)(uintptr_t)plan); }

static void same_bits(void **state) {
  (void)state;
  static unsigned char want[ROWS * D * 8], got[ROWS * D * 8];
  for (size_t m = 0; runnable(m); m++)
    for (int32_t i = 0; i < FORMATS; i++) {
      set_plan(runnable(m), i, i % 2);
      if (!plan)
        continue;
      assert_int_equal(posenc_fill(plan, 131000, ROWS, want, D), POSENC_OK);
      memset(own, 0, sizeof own);
      memset(sums, 0, sizeof sums);
      assert_true(fill_some(own, sums));
      memcpy(own_want, own, sizeof own);
      memcpy(sums_want, sums, sizeof sums);
      const size_t bytes = ROWS * D * format_of(i)->size;
      interruptions = wrong = 0;
      ask_for_one();
      while (interruptions < ENOUGH) {
        memset(got, 0, sizeof got);
        fesetround(FE_DOWNWARD);
        feclearexcept(FE_ALL_EXCEPT);
        inside = 1;
        const posenc_status status = posenc_fill(plan, 131000, ROWS, got, D);
        char message[64];
        for (int refused = 0; refused < 100; refused++)
          wrong |= posenc_fill(plan, INT64_MIN, 1, own, D) != POSENC_ERROR_DOMAIN ||
                   posenc_last_error(message, sizeof message) != POSENC_ERROR_DOMAIN ||
                   strcmp(message, "first is -9223372036854775808; allowed: -2^32 to 2^32") != 0;
        inside = 0;
        const int rounding = fegetround(), raised = fetestexcept(FE_ALL_EXCEPT);
        fesetround(FE_TONEAREST);
        if (status != POSENC_OK || rounding != FE_DOWNWARD || raised || memcmp(got, want, bytes) != 0 || wrong) {
          ask_for_none();
          fail_msg("%s, %s: status %d, rounding %d, flags %d, %s, in the handler %s", runnable(m)->name, dtype_name(i),
              status, rounding, raised, memcmp(got, want, bytes) ? "other bits" : "the same bits",
              wrong ? "wrong" : "fine");
        }
      }
      ask_for_none();
      destroy_plan();
    }
}

static void left_by_a_jump(void **state) {
  (void)state;
  static unsigned char want[ROWS * D * 8], got[ROWS * D * 8];
  static volatile size_t m, default_state;
  for (m = 0; runnable(m); m++) {
    set_plan(runnable(m), POSENC_DTYPE_F32, POSENC_LAYOUT_INTERLEAVED);
    assert_int_equal(posenc_fill(plan, 131000, ROWS, want, D), POSENC_OK);
    leave = 1;
    fesetround(FE_UPWARD);
    if (sigsetjmp(out_of_it, 1) == 0) {
      inside = 1;
      ask_for_one();
      for (;;)
        posenc_fill(plan, 131000, ROWS, got, D);
    }
    inside = leave = 0;
    const int rounding = fegetround();
    fesetround(FE_TONEAREST);
    feclearexcept(FE_ALL_EXCEPT);
    default_state += rounding == FE_TONEAREST;
    memset(got, 0, sizeof got);
    assert_int_equal(posenc_fill(plan, 131000, ROWS, got, D), POSENC_OK);
    assert_memory_equal(got, want, ROWS * D * sizeof(float));
    destroy_plan();
  }
  /* else the jump was from between two fills, or from a system that keeps the caller's state */
  assert_true(default_state > 0);
}

int main(void) {
  const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(left_by_a_jump)};
  return cmocka_run_group_tests_name("signals", tests, NULL, NULL);
}

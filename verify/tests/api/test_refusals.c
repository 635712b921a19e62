/* What the newer calls refuse: the status, a line that names what is wrong, its value and what is allowed, and nothing written.
 * posenc_fill and posenc_fill_at are in test_api.c.
 */
#include "testing.h"

#include <math.h>
#include <stdio.h>

enum { D = 8, ELEMENTS = 64 };

static double memory[ELEMENTS], before[ELEMENTS]; /* of any dtype: aligned for all */

static int setup(void **state)
{
  (void)state;
  memset(memory, 0x5a, sizeof memory);
  memcpy(before, memory, sizeof memory);
  return 0;
}

static posenc_plan *plan_for(int32_t dtype)
{
  posenc_spec spec = posenc_spec_default(D);
  spec.dtype = dtype;
  return plan_of(&spec, NULL);
}

/* status and message of a call that was made, and of what foretold it; words: what the message must say, up to NULL */
static void refused(posenc_status got, posenc_status foretold, posenc_status want, const char *message, const char *const *words)
{
  assert_int_equal(got, want);
  assert_int_equal(foretold, want);
  for (; *words; words++)
    if (!strstr(message, *words))
      fail_msg("\"%s\" does not say \"%s\"", message, *words);
  assert_memory_equal(memory, before, sizeof memory);
}

#define WORDS(...) (const char *const[]) { __VA_ARGS__, NULL }

static void spec_fields(void **state)
{
  (void)state;
  static const struct {
    size_t field;
    int32_t value;
    const char *name;
  } cases[] = {{offsetof(posenc_spec, layout), 2, "layout"}, {offsetof(posenc_spec, layout), -1, "layout"},
               {offsetof(posenc_spec, order), 2, "order"},   {offsetof(posenc_spec, odd), -1, "odd"},
               {offsetof(posenc_spec, odd), 2, "odd"},       {offsetof(posenc_spec, dtype), 4, "dtype"},
               {offsetof(posenc_spec, dtype), -1, "dtype"}};
  char message[512], value[32];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    posenc_spec spec = posenc_spec_default(D);
    memcpy((char *)&spec + cases[i].field, &cases[i].value, sizeof cases[i].value);
    snprintf(value, sizeof value, "%d", cases[i].value);
    posenc_plan *plan = (posenc_plan *)memory;
    const posenc_status got = posenc_plan_create(&plan, &spec, NULL);
    assert_null(plan);
    refused(got, posenc_spec_check(&spec, message, sizeof message), POSENC_ERROR_SPEC, message,
            WORDS(cases[i].name, value, "allowed"));
  }
  const double scales[] = {NAN, INFINITY, -INFINITY, 0x1.8p32, -0x1.8p32, 0x1.8p-33, 0x1p-1074};
  for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
    posenc_spec spec = posenc_spec_default(D);
    spec.position_scale = scales[i];
    posenc_plan *plan = (posenc_plan *)memory;
    const posenc_status got = posenc_plan_create(&plan, &spec, NULL);
    assert_null(plan);
    refused(got, posenc_spec_check(&spec, message, sizeof message), POSENC_ERROR_SPEC, message,
            WORDS("position_scale", "2^-32", "2^32"));
  }
  assert_int_equal(posenc_dtype_size(POSENC_F32), 4);
  assert_int_equal(posenc_dtype_size(POSENC_F64), 8);
  assert_int_equal(posenc_dtype_size(POSENC_BF16), 2);
  assert_int_equal(posenc_dtype_size(POSENC_F16), 2);
  assert_int_equal(posenc_dtype_size((posenc_dtype)4), 0);
  assert_int_equal(posenc_dtype_size((posenc_dtype)-1), 0);
}

/* With a scale, positions are measured by their product too; and memory by the dtype. */
static void scaled_positions_and_elements(void **state)
{
  (void)state;
  char message[512];
  posenc_spec spec = posenc_spec_default(D);
  spec.position_scale = -1024;
  posenc_plan *plan = plan_of(&spec, NULL);
  const int64_t far = POSENC_MAX_POSITION / 1024, beyond[] = {0, far, -far - 1};
  refused(posenc_fill(plan, far + 1, 1, memory, D), posenc_fill_check(plan, far + 1, 1, memory, D, message, sizeof message),
          POSENC_ERROR_DOMAIN, message, WORDS("first", "4194305", "position_scale", "-2^32 to 2^32"));
  refused(posenc_fill(plan, far, 2, memory, D), posenc_fill_check(plan, far, 2, memory, D, message, sizeof message),
          POSENC_ERROR_DOMAIN, message, WORDS("count", "position_scale", "-2^32 to 2^32"));
  refused(posenc_fill_at(plan, beyond, 3, memory, D), posenc_fill_at_check(plan, beyond, 3, memory, D, message, sizeof message),
          POSENC_ERROR_DOMAIN, message, WORDS("positions[2]", "-4194305", "position_scale"));
  assert_true(isnan(posenc_impl_error_bound(posenc_impl_find("exact"), &spec, (double)(far + 1), 0)));
  assert_true(posenc_impl_error_bound(posenc_impl_find("exact"), &spec, (double)far, 0) > 0);
  posenc_plan_destroy(plan);
  for (int32_t dtype = 0; dtype < 4; dtype++) {
    char allowed[32];
    const size_t size = posenc_dtype_size((posenc_dtype)dtype);
    plan = plan_for(dtype);
    snprintf(allowed, sizeof allowed, "aligned to %zu bytes", size);
    char *const odd = (char *)memory + size / 2;
    refused(posenc_fill(plan, 0, 1, odd, D), posenc_fill_check(plan, 0, 1, odd, D, message, sizeof message), POSENC_ERROR_ARGUMENT,
            message, WORDS("out", allowed));
    posenc_plan_destroy(plan);
  }
}

static void real_positions(void **state)
{
  (void)state;
  char message[512];
  const double wrong[] = {NAN, INFINITY, -INFINITY, 0x1.0000000000001p32, -0x1.8p32, 1e300};
  for (size_t m = 0; runnable(m); m++) {
    const posenc_spec spec = posenc_spec_default(D);
    posenc_plan *plan = plan_of(&spec, runnable(m)->name);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
      const double positions[] = {0.5, -1e-300, wrong[i]};
      refused(posenc_fill_at_real(plan, positions, 3, memory, D),
              posenc_fill_at_real_check(plan, positions, 3, memory, D, message, sizeof message), POSENC_ERROR_DOMAIN, message,
              WORDS("positions[2]", "-2^32 to 2^32"));
    }
    const double fine[] = {0.5};
    refused(posenc_fill_at_real(plan, NULL, 1, memory, D),
            posenc_fill_at_real_check(plan, NULL, 1, memory, D, message, sizeof message),
            POSENC_ERROR_ARGUMENT, message, WORDS("positions is NULL"));
    refused(posenc_fill_at_real(plan, fine, 1, NULL, D),
            posenc_fill_at_real_check(plan, fine, 1, NULL, D, message, sizeof message),
            POSENC_ERROR_ARGUMENT, message, WORDS("out", "aligned to 4"));
    refused(posenc_fill_at_real(plan, fine, -1, memory, D),
            posenc_fill_at_real_check(plan, fine, -1, memory, D, message, sizeof message),
            POSENC_ERROR_ARGUMENT, message, WORDS("count", "-1"));
    refused(posenc_fill_at_real(plan, fine, 1, memory, D - 1),
            posenc_fill_at_real_check(plan, fine, 1, memory, D - 1, message, sizeof message), POSENC_ERROR_ARGUMENT, message,
            WORDS("row_stride", "7", "d_model = 8"));
    assert_int_equal(posenc_fill_at_real(plan, NULL, 0, NULL, D), POSENC_OK);
    assert_memory_equal(memory, before, sizeof memory);
    posenc_plan_destroy(plan);
  }
  assert_int_equal(posenc_fill_at_real(NULL, wrong, 1, memory, D), POSENC_ERROR_ARGUMENT);
}

static void pairs(void **state)
{
  (void)state;
  char message[512];
  posenc_plan *plan = plan_for(POSENC_F32);
  float *const sines = (float *)(void *)memory, *const cosines = sines + 4;
  const struct {
    int64_t first, count;
    void *sines, *cosines;
    int64_t stride;
    posenc_status status;
    const char *words[2];
  } cases[] = {{0, 1, NULL, cosines, 8, POSENC_ERROR_ARGUMENT, {"sines", "aligned to 4"}},
               {0, 1, sines, NULL, 8, POSENC_ERROR_ARGUMENT, {"cosines", "aligned to 4"}},
               {0, 1, (char *)sines + 1, cosines, 8, POSENC_ERROR_ARGUMENT, {"sines", "aligned to 4"}},
               {0, 1, sines, (char *)cosines + 2, 8, POSENC_ERROR_ARGUMENT, {"cosines", "aligned to 4"}},
               {0, 2, sines, cosines, 3, POSENC_ERROR_ARGUMENT, {"row_stride is 3", "= 4"}},
               {0, -1, sines, cosines, 8, POSENC_ERROR_ARGUMENT, {"count is -1", "0 or more"}},
               {POSENC_MAX_POSITION, 2, sines, cosines, 8, POSENC_ERROR_DOMAIN, {"count is 2", "-2^32 to 2^32"}},
               {-POSENC_MAX_POSITION - 1, 1, sines, cosines, 8, POSENC_ERROR_DOMAIN, {"first", "-4294967297"}},
               {0, INT64_MAX, sines, cosines, 8, POSENC_ERROR_SIZE, {"count", "at most"}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    refused(posenc_fill_pair(plan, cases[i].first, cases[i].count, cases[i].sines, cases[i].cosines, cases[i].stride),
            posenc_fill_pair_check(plan, cases[i].first, cases[i].count, cases[i].sines, cases[i].cosines, cases[i].stride, message,
                                   sizeof message),
            cases[i].status, message, WORDS(cases[i].words[0], cases[i].words[1]));
  assert_int_equal(posenc_fill_pair(NULL, 0, 1, sines, cosines, 8), POSENC_ERROR_ARGUMENT);
  assert_int_equal(posenc_fill_pair(plan, 0, 0, NULL, NULL, 8), POSENC_OK);
  assert_memory_equal(memory, before, sizeof memory);
  posenc_plan_destroy(plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(spec_fields, setup),
      cmocka_unit_test_setup(scaled_positions_and_elements, setup),
      cmocka_unit_test_setup(real_positions, setup),
      cmocka_unit_test_setup(pairs, setup),
  };
  return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}

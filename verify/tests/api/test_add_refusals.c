/* What posenc_add and posenc_add_batch refuse: the status, a line that says why, and nothing written. */
#include "testing.h"

#include <math.h>
#include <stdio.h>

enum { D = 8, COUNT = 2, BATCH = 3, ELEMENTS = 4 * D * COUNT * BATCH };

static double x[ELEMENTS], out[ELEMENTS], before[ELEMENTS];

static posenc_plan *plan_for(int32_t dtype)
{
  posenc_spec spec = posenc_spec_default(D);
  spec.dtype = dtype;
  return plan_of(&spec, NULL);
}

typedef struct call {
  int64_t first, count, batch;
  const void *x;
  posenc_strides x_strides;
  double scale;
  void *out;
  posenc_strides out_strides;
} call;

/* One that is fine, of shape (batch, count, d_model). */
static call fine(void)
{
  const posenc_strides packed = {COUNT * D, D};
  return (call){0, COUNT, BATCH, x, packed, 1.0, out, packed};
}

static void expect(const posenc_plan *plan, const call *c, posenc_status status, const char *word, const char *other)
{
  char message[512] = "";
  assert_int_equal(posenc_add_batch(plan, c->first, c->count, c->batch, c->x, c->x_strides, c->scale, c->out, c->out_strides),
                   status);
  assert_int_equal(posenc_add_batch_check(plan, c->first, c->count, c->batch, c->x, c->x_strides, c->scale, c->out, c->out_strides,
                                          message, sizeof message), status);
  if (!strstr(message, word) || !strstr(message, other))
    fail_msg("\"%s\" does not say \"%s\" and \"%s\"", message, word, other);
  assert_memory_equal(out, before, sizeof out);
}

static void of_a_batch(void **state)
{
  (void)state;
  posenc_plan *plan = plan_for(POSENC_F32);
  memset(out, 0x5a, sizeof out);
  memcpy(before, out, sizeof out);
#define REFUSED(status, word, other, ...)                                                                             \
  do {                                                                                                                \
    call c = fine();                                                                                                  \
    __VA_ARGS__;                                                                                                      \
    expect(plan, &c, POSENC_ERROR_##status, word, other);                                                             \
  } while (0)
  REFUSED(ARGUMENT, "x is", "aligned to 4", c.x = NULL);
  REFUSED(ARGUMENT, "out is", "aligned to 4", c.out = NULL);
  REFUSED(ARGUMENT, "x is", "aligned to 4", c.x = (char *)x + 2);
  REFUSED(ARGUMENT, "out is", "aligned to 4", c.out = (char *)out + 3);
  REFUSED(ARGUMENT, "count is -1", "0 or more", c.count = -1);
  REFUSED(ARGUMENT, "batch is -5", "0 or more", c.batch = -5);
  REFUSED(ARGUMENT, "x_strides.row is 7", "d_model = 8", c.x_strides.row = D - 1);
  REFUSED(ARGUMENT, "x_strides.batch is 0", "d_model = 8", c.x_strides.batch = 0);
  REFUSED(ARGUMENT, "out_strides.row is -8", "d_model = 8", c.out_strides.row = -D);
  REFUSED(ARGUMENT, "out_strides.batch is 7", "d_model = 8", c.out_strides.batch = D - 1);
  REFUSED(ARGUMENT, "scale is nan", "finite", c.scale = (double)NAN);
  REFUSED(ARGUMENT, "scale is inf", "finite", c.scale = (double)INFINITY);
  REFUSED(ARGUMENT, "e+300; allowed", "finite as a float", c.scale = -1e300);
  REFUSED(ARGUMENT, "scale is", "finite as a float", c.scale = 0x1.ffffffp127);
  REFUSED(ARGUMENT, "out_strides", "overlap", c.out_strides = (posenc_strides){D, D});
  REFUSED(ARGUMENT, "out_strides", "overlap", c.out_strides = (posenc_strides){COUNT * D - 1, D});
  REFUSED(ARGUMENT, "out_strides", "overlap", c.out_strides = (posenc_strides){D, BATCH * D - 1});
  REFUSED(ARGUMENT, "out_strides", "overlap", c.out_strides = (posenc_strides){D + 4, D + 4});
  REFUSED(DOMAIN, "first is 4294967297", "-2^32 to 2^32", c.first = POSENC_MAX_POSITION + 1);
  REFUSED(DOMAIN, "count is 2", "-2^32 to 2^32", c.first = POSENC_MAX_POSITION);
  REFUSED(SIZE, "x_strides.row is 9223372036854775807", "at most", c.x_strides.row = INT64_MAX);
  REFUSED(SIZE, "x_strides.batch is 4611686018427387904", "at most", c.x_strides.batch = INT64_C(1) << 62);
  REFUSED(SIZE, "out_strides.row is", "at most", c.out_strides.row = INT64_C(1) << 61);
  REFUSED(SIZE, "out_strides", "address space",
          c.out_strides = (posenc_strides){INT64_C(1) << 59, (INT64_C(1) << 60) + (INT64_C(1) << 59)});
  posenc_plan_destroy(plan);
}

/* The same array of x for all of a batch is fine, and so is nothing to do. */
static void what_is_allowed(void **state)
{
  (void)state;
  posenc_plan *plan = plan_for(POSENC_F32);
  float *const from = (float *)(void *)x, *const to = (float *)(void *)out;
  for (int i = 0; i < D * COUNT; i++)
    from[i] = (float)i;
  memset(out, 0x5a, sizeof out);
  memcpy(before, out, sizeof out);
  const posenc_strides packed = {COUNT * D, D}, same = {D, D};
  assert_int_equal(posenc_add_batch(plan, 0, 0, BATCH, NULL, packed, 1, NULL, packed), POSENC_OK);
  assert_int_equal(posenc_add_batch(plan, 0, COUNT, 0, NULL, packed, 1, NULL, packed), POSENC_OK);
  assert_int_equal(posenc_add(plan, 0, 0, NULL, D, 1, NULL, D), POSENC_OK);
  assert_memory_equal(out, before, sizeof out);
  assert_int_equal(posenc_add_batch(plan, 0, COUNT, BATCH, from, same, 0.5, to, packed), POSENC_OK);
  float pe[D * COUNT];
  assert_int_equal(posenc_fill(plan, 0, COUNT, pe, D), POSENC_OK);
  for (int b = 0; b < BATCH; b++)
    for (int i = 0; i < COUNT; i++)
      for (int c = 0; c < D; c++) /* rows of x overlap: batch b and row i is b + i */
        assert_true(to[b * COUNT * D + i * D + c] == 0.5f * from[(b + i) * D + c] + pe[i * D + c]);
  assert_int_equal(posenc_add(plan, 0, COUNT, from, D, 0x1.fffffefffffffp127, to, D), POSENC_OK);
  const posenc_strides alone = {0, D}; /* a batch of one has no second row to be anywhere */
  assert_int_equal(posenc_add_batch(plan, 0, COUNT, 1, from, alone, 0.5, to, alone), POSENC_OK);
  posenc_plan_destroy(plan);
}

static void of_one(void **state)
{
  (void)state;
  posenc_plan *plan = plan_for(POSENC_F32);
  char message[512] = "";
  memset(out, 0x5a, sizeof out);
  memcpy(before, out, sizeof out);
  assert_int_equal(posenc_add(plan, 0, COUNT, x, D - 1, 1, out, D), POSENC_ERROR_ARGUMENT);
  assert_int_equal(posenc_add_check(plan, 0, COUNT, x, D - 1, 1, out, D, message, sizeof message), POSENC_ERROR_ARGUMENT);
  assert_non_null(strstr(message, "x_stride is 7; allowed: d_model = 8 or more"));
  assert_int_equal(posenc_add(plan, 0, COUNT, x, D, 1, out, D - 1), POSENC_ERROR_ARGUMENT);
  assert_int_equal(posenc_add_check(plan, 0, COUNT, x, D, 1, out, D - 1, message, sizeof message), POSENC_ERROR_ARGUMENT);
  assert_non_null(strstr(message, "out_stride is 7; allowed: d_model = 8 or more"));
  assert_int_equal(posenc_add(plan, 0, COUNT, x, D, (double)-INFINITY, out, D), POSENC_ERROR_ARGUMENT);
  assert_int_equal(posenc_add(plan, 0, COUNT, NULL, D, 1, out, D), POSENC_ERROR_ARGUMENT);
  assert_int_equal(posenc_add(plan, 0, COUNT, x, D, 1, NULL, D), POSENC_ERROR_ARGUMENT);
  assert_int_equal(posenc_add(NULL, 0, COUNT, x, D, 1, out, D), POSENC_ERROR_ARGUMENT);
  const posenc_strides packed = {D, D};
  assert_int_equal(posenc_add_batch(NULL, 0, COUNT, 1, x, packed, 1, out, packed), POSENC_ERROR_ARGUMENT);
  posenc_plan_destroy(plan);
  const int32_t without[] = {POSENC_F64, POSENC_F16};
  for (int i = 0; i < 2; i++) {
    plan = plan_for(without[i]);
    assert_int_equal(posenc_add(plan, 0, COUNT, x, D, 1, out, D), POSENC_ERROR_UNSUPPORTED);
    assert_int_equal(posenc_add_check(plan, 0, COUNT, x, D, 1, out, D, message, sizeof message), POSENC_ERROR_UNSUPPORTED);
    assert_non_null(strstr(message, i ? "float16" : "float64"));
    assert_non_null(strstr(message, "float32 and bfloat16"));
    posenc_plan_destroy(plan);
  }
  plan = plan_for(POSENC_BF16);
  assert_int_equal(posenc_add_check(plan, 0, COUNT, (char *)x + 1, D, 1, out, D, message, sizeof message), POSENC_ERROR_ARGUMENT);
  assert_non_null(strstr(message, "aligned to 2"));
  assert_memory_equal(out, before, sizeof out);
  posenc_plan_destroy(plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(of_a_batch), cmocka_unit_test(what_is_allowed), cmocka_unit_test(of_one)};
  return cmocka_run_group_tests_name("add_refusals", tests, NULL, NULL);
}

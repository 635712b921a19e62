/* The refusals of calls (see test_refusals.c): a row for each rule, with the calls that have it, the words of the message,
 * and a change that makes an allowed call wrong. What is refused writes nothing. test_elements.c has random calls.
 */
#include "refusals.h"

#include <math.h>

#include "api/internal.h"
#include "tools/call.h"
#include "formats.h"

enum { D = 8, COUNT = 2, ELEMENTS = 128 };
static double memory[ELEMENTS], untouched[ELEMENTS]; /* aligned for every dtype */
static int64_t positions[COUNT];
static double reals[COUNT];

static void expect_call(arguments *a, posenc_status want, const char *words) {
  a->table = memory; /* not NULL */
  const posenc_status got = make_call(a);
  if (got != want)
    fail_msg("%s: first %" PRId64 ", count %" PRId64 ", row_stride %" PRId64 ", out %p: status %d, not %d",
        call_names[a->kind], a->first, a->count, a->row_stride, a->out, got, want);
  if (a->kind == CALL_TABLE) {
    assert_int_equal(got == POSENC_OK, a->table != NULL);
    posenc_table_destroy(a->table);
  }
  if (got != POSENC_OK) {
    expect_last(got, words);
    assert_memory_equal(memory, untouched, sizeof memory);
  }
  memcpy(memory, untouched, sizeof memory);
}

/* Plans are made once. Refusals do not depend on the implementation. */
static posenc_plan *plan_for(int32_t dtype, double scale) {
  static posenc_plan *plans[FORMATS + 2]; /* each dtype with scale 1, then float32 with 0.5 and with -1024 */
  posenc_plan **const plan = &plans[scale == 1 ? dtype : FORMATS + (scale < 0)];
  posenc_spec spec = paper_spec(D);
  spec.dtype = dtype;
  spec.position_scale = scale;
  if (!*plan)
    *plan = plan_of(&spec, "exact_scalar");
  return *plan;
}

/* An allowed call, with rows without gaps. */
static arguments fine(call_kind c) {
  return (arguments){.kind = c,
      .plan = plan_for(POSENC_DTYPE_F32, 1),
      .count = COUNT,
      .positions = positions,
      .reals = reals,
      .out = memory,
      .cosines = (float *)(void *)memory + 4,
      .row_stride = D};
}

/* For each call in `calls`: `...` changes an allowed call `a`, which must then have this status and message. */
#define TELL(status, words, calls, ...)                                                                                \
  for (int one = CALL_FILL; one < CALL_KINDS; one++)                                                                   \
    if ((calls) >> one & 1) {                                                                                          \
      arguments a = fine((call_kind)one);                                                                              \
      __VA_ARGS__;                                                                                                     \
      expect_call(&a, status, words);                                                                                  \
    }
#define REFUSED(status, words, calls, ...) TELL(POSENC_ERROR_##status, words, calls, __VA_ARGS__)
#define OF(call) (1u << (call))

static void calls(void **state) {
  (void)state;
  const unsigned all = OF(CALL_KINDS) - 1, given = OF(CALL_AT) | OF(CALL_AT_REAL), ranges = all & ~given;
  const unsigned into = all & ~OF(CALL_TABLE), whole = into & ~OF(CALL_PAIR);
  const int64_t far = POSENC_MAX_POSITION;
  REFUSED(ARGUMENT, "plan is NULL; a plan from posenc_plan_create() is needed", all & ~OF(CALL_ONCE), a.plan = NULL);
  REFUSED(ARGUMENT, "spec is NULL", OF(CALL_ONCE), a.plan = NULL);
  REFUSED(ARGUMENT, "count is -1;|0 or more", all, a.count = -1);
  REFUSED(ARGUMENT, "count is -9223372036854775808|0 or more", all, a.count = INT64_MIN);
  REFUSED(ARGUMENT, "out is NULL; allowed: memory aligned to 4 bytes", into & ~OF(CALL_PAIR), a.out = NULL);
  REFUSED(ARGUMENT, "sines is|aligned to 4", OF(CALL_PAIR), a.out = NULL);
  REFUSED(ARGUMENT, "cosines is|aligned to 4", OF(CALL_PAIR), a.cosines = NULL);
  REFUSED(ARGUMENT, "sines is|aligned to 4", OF(CALL_PAIR), a.out = (char *)memory + 1);
  REFUSED(ARGUMENT, "cosines is|aligned to 4", OF(CALL_PAIR), a.cosines = (char *)memory + 18);
  for (int32_t dtype = 0; dtype < FORMATS; dtype++) {
    char words[64];
    const size_t size = format_of(dtype)->size;
    snprintf(words, sizeof words, "out is|aligned to %zu bytes", size);
    REFUSED(ARGUMENT, words, whole, a.out = (char *)memory + size / 2; a.plan = plan_for(dtype, 1));
  }
  REFUSED(
      ARGUMENT, "positions is NULL; allowed: an array of count positions aligned to 8 bytes", given, a.positions = NULL;
      a.reals = NULL);
  REFUSED(ARGUMENT, "positions is 0x|aligned to 8", given, a.positions = (const void *)((char *)positions + 4);
          a.reals = (const void *)((char *)reals + 4));
  /* Positions in the second row, at the first row's start, and, beyond the domain, between the rows. */
  REFUSED(ARGUMENT, "positions are 0x|overlap", given, a.positions = (const void *)(memory + 7); a.reals = memory + 7;
          a.row_stride = 14);
  char addresses[80];
  snprintf(addresses, sizeof addresses, "positions are %p and out is %p, so rows of out overlap", (void *)memory,
      (void *)(memory + 1));
  REFUSED(ARGUMENT, addresses, given, a.positions = (const void *)memory; a.reals = memory; a.out = memory + 1);
  REFUSED(DOMAIN, "positions[0] is", given, a.positions = (const void *)(memory + 4); a.reals = memory + 4;
          a.row_stride = 12);
  /* Positions, beyond the domain, that end where the rows start or start where the rows end. */
  REFUSED(DOMAIN, "positions[0] is", given, a.positions = (const void *)memory; a.reals = memory;
          a.out = memory + COUNT);
  REFUSED(DOMAIN, "positions[0] is", given, a.positions = (const void *)(memory + 8); a.reals = memory + 8);
  for (int k = -20; k <= 20; k++) { /* one row or two of 4 sines, and as many cosines k elements further, 8 apart */
    const int one_row = abs(k) < 4, two_rows = one_row || (abs(k) > 4 && abs(k) < 12);
    for (int count = 1; count <= 2; count++)
      TELL((count == 1 ? one_row : two_rows) ? POSENC_ERROR_ARGUMENT : POSENC_OK,
           "rows of 4 columns overlap with row_stride 8", OF(CALL_PAIR), a.out = (float *)(void *)memory + 100;
           a.cosines = (float *)a.out + k; a.count = count);
  }
  for (int i = 0; i < 5; i++)
    TELL(POSENC_OK, "", into, a.count = 1; a.row_stride = (const int64_t[]){0, 7, -8, INT64_MIN, INT64_MAX}[i]);
  REFUSED(ARGUMENT, "row_stride is 7|d_model = 8 or more", OF(CALL_TABLE), a.count = 1; a.row_stride = 7);
  REFUSED(ARGUMENT, "row_stride is 7|d_model = 8 or more", whole | OF(CALL_TABLE), a.row_stride = 7);
  REFUSED(ARGUMENT, "row_stride is 7|or 0 for d_model", OF(CALL_TABLE), a.row_stride = 7; a.count = 0);
  REFUSED(ARGUMENT, "row_stride is 3|= 4", OF(CALL_PAIR), a.row_stride = 3);
  REFUSED(DOMAIN, "first is 4294967297|-2^32 to 2^32", ranges, a.first = far + 1);
  REFUSED(DOMAIN, "first is -4294967297|-2^32 to 2^32", ranges, a.first = -far - 1);
  REFUSED(DOMAIN, "first is 9223372036854775807|-2^32 to 2^32", ranges, a.first = INT64_MAX);
  REFUSED(DOMAIN, "count is 2, so the last position is beyond 2^32|-2^32 to 2^32", ranges, a.first = far);
  REFUSED(DOMAIN, "count is 8589934594|-2^32 to 2^32", ranges, a.first = -far; a.count = 2 * far + 2);
  TELL(POSENC_OK, "", ranges, a.first = far; a.count = 1);
  REFUSED(DOMAIN, "first is 4294967297|-2^32 to 2^32", ranges, a.first = far + 1;
          a.plan = plan_for(POSENC_DTYPE_F32, 0.5)); /* a scale below 1 does not extend the domain */
  REFUSED(DOMAIN, "first is -4294967297|-2^32 to 2^32", ranges, a.first = -far - 1;
          a.plan = plan_for(POSENC_DTYPE_F32, 0.5));
  REFUSED(DOMAIN, "first|4194305|position_scale|-2^32 to 2^32", ranges, a.first = far / 1024 + 1;
          a.plan = plan_for(POSENC_DTYPE_F32, -1024));
  REFUSED(DOMAIN, "count|position_scale|-2^32 to 2^32", ranges, a.first = far / 1024;
          a.plan = plan_for(POSENC_DTYPE_F32, -1024));
  const int64_t beyond[] = {far + 1, -far - 1, INT64_MIN, INT64_MAX}, scaled[] = {0, far / 1024, -far / 1024 - 1};
  for (size_t i = 0; i < 4; i++)
    REFUSED(DOMAIN, "positions[2] is|-2^32 to 2^32", OF(CALL_AT), a.positions = (const int64_t[]){0, far, beyond[i]};
            a.count = 3);
  REFUSED(DOMAIN, "positions[2]|-4194305|position_scale", OF(CALL_AT), a.positions = scaled; a.count = 3;
          a.plan = plan_for(POSENC_DTYPE_F32, -1024));
  REFUSED(DOMAIN, "positions[0]", OF(CALL_AT), a.positions = beyond; a.count = 1;
          a.plan = plan_for(POSENC_DTYPE_F32, 0.5));
  const double wrong[] = {NAN, INFINITY, -INFINITY, 0x1.0000000000001p32, -0x1.8p32, 1e300};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    for (int scales = 0; scales < 2; scales++)
      REFUSED(
          DOMAIN, "positions[2]|-2^32 to 2^32", OF(CALL_AT_REAL), a.reals = (const double[]){0.5, -1e-300, wrong[i]};
          a.count = 3; a.plan = plan_for(POSENC_DTYPE_F32, scales ? 0.5 : 1));
  REFUSED(SIZE, "count is 8589934592 and row_stride is 536870912; allowed: a product below 2^60", all,
          a.count = INT64_C(1) << 33;
          a.row_stride = INT64_C(1) << 29);
  REFUSED(SIZE, "count is 9223372036854775807 and row_stride is 8;|below 2^60", all, a.count = INT64_MAX);
  REFUSED(SIZE, "count is 9223372036854775807 and row_stride is 8;|below 2^60", OF(CALL_TABLE), a.count = INT64_MAX;
          a.row_stride = 0);
  TELL(POSENC_OK, "", all, a.count = 0; a.out = a.cosines = NULL; a.positions = NULL; a.reals = NULL);
  TELL(POSENC_OK, "", ranges, a.count = 0; a.first = INT64_MAX);
  TELL(POSENC_OK, "", ranges, a.count = 0; a.first = INT64_MIN);
  TELL(POSENC_OK, "", OF(CALL_TABLE), a.count = 0; a.row_stride = INT64_MAX);
  assert_int_equal(posenc_table_create(NULL, fine(CALL_TABLE).plan, 0, 1, 0), POSENC_ERROR_ARGUMENT);
  void *const apart = (char *)memory + 4, *const both = calloc(1, sizeof(posenc_spec));
  assert_int_equal(posenc_table_create(apart, fine(CALL_TABLE).plan, 0, 1, 0), POSENC_ERROR_ARGUMENT);
  assert_int_equal(posenc_plan_create(apart, posenc_plan_spec(fine(CALL_FILL).plan), NULL), POSENC_ERROR_ARGUMENT);
  assert_int_equal(posenc_plan_create(NULL, posenc_plan_spec(fine(CALL_FILL).plan), NULL), POSENC_ERROR_ARGUMENT);
  /* A result may go where an argument was: a spec over its preset's name, a plan into its spec. */
  assert_int_equal(posenc_spec_init(both, 8, strcpy(both, "t2t")), POSENC_OK);
  assert_int_equal(posenc_plan_create(both, both, NULL), POSENC_OK);
  posenc_plan_destroy(*(posenc_plan **)both);
  free(both);
}

static void phases(void **state) {
  (void)state;
  posenc_spec spec = paper_spec(D);
  posenc_plan *const exact = plan_of(&spec, "exact"), *const recipe = plan_of(&spec, "naive");
  double *const whole = memory, *const rest = memory + 4, *const apart = (void *)((char *)memory + 4);
  uint64_t *const fraction = (void *)(memory + 8);
  const struct {
    const posenc_plan *plan;
    double *whole;
    uint64_t *fraction;
    double *rest;
    posenc_status want;
    const char *words;
  } rows[] = {{NULL, whole, fraction, rest, POSENC_ERROR_ARGUMENT, "plan is NULL"},
      {recipe, whole, fraction, rest, POSENC_ERROR_UNSUPPORTED, "impl is \"naive\"|exact and anchored"},
      {exact, NULL, fraction, rest, POSENC_ERROR_ARGUMENT, "whole is NULL; allowed: memory aligned to 8 bytes"},
      {exact, whole, NULL, rest, POSENC_ERROR_ARGUMENT, "fraction is NULL; allowed: memory aligned to 8 bytes"},
      {exact, whole, fraction, NULL, POSENC_ERROR_ARGUMENT, "rest is NULL; allowed: memory aligned to 8 bytes"},
      {exact, apart, fraction, rest, POSENC_ERROR_ARGUMENT, "whole is 0x|aligned to 8"},
      {exact, whole, fraction, whole + 3, POSENC_ERROR_ARGUMENT, "rest is 0x|overlaps the whole at 0x"},
      {exact, whole, fraction, memory + 11, POSENC_ERROR_ARGUMENT, "rest is 0x|overlaps the fraction at 0x"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(posenc_plan_phases(rows[i].plan, rows[i].whole, rows[i].fraction, rows[i].rest), rows[i].want);
    expect_last(rows[i].want, rows[i].words);
    assert_memory_equal(memory, untouched, sizeof memory);
  }
  posenc_plan_destroy(exact);
  posenc_plan_destroy(recipe);
}

/* ---- limits ---- */

/* No machine has the memory for these calls, so the library's own checks are called. */
static void limits(void **state) {
  (void)state;
  const int64_t most = (INT64_C(1) << 60) - 1, far = POSENC_MAX_POSITION;
  const int64_t counts[] = {1, 2, 3, 1000, INT64_C(1) << 32, 2 * far + 1, most};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    assert_int_equal(posenc_check_size(counts[i], most / counts[i]), POSENC_OK);
    assert_int_equal(posenc_check_size(counts[i], most / counts[i] + 1), POSENC_ERROR_SIZE);
    assert_int_equal(posenc_check_size(counts[i], INT64_MAX), POSENC_ERROR_SIZE);
  }
  assert_int_equal(posenc_check_size(INT64_MAX, 1), POSENC_ERROR_SIZE);
  const posenc_rows all = {.first = -far, .count = 2 * far + 1}, more = {.first = -far, .count = 2 * far + 2};
  assert_int_equal(posenc_check_positions(fine(CALL_FILL).plan, &all), POSENC_OK);
  assert_int_equal(posenc_check_positions(fine(CALL_FILL).plan, &more), POSENC_ERROR_DOMAIN);
}

int main(void) {
  memset(memory, 0x5a, sizeof memory);
  memcpy(untouched, memory, sizeof memory);
  const struct CMUnitTest tests[] = {cmocka_unit_test(calls), cmocka_unit_test(phases), cmocka_unit_test(limits)};
  return cmocka_run_group_tests_name("refused_calls", tests, NULL, NULL);
}

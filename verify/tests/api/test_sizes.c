/* Counts, strides and addresses at the edges of int64 and of the address space: of every call the largest that is allowed, and the
 * first that is refused, with its status and before anything is written. What is largest is worked out here in 128 bits. What no
 * machine has memory for is asked of the functions that only check.
 */
#include "guarded.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

__extension__ typedef __int128 wide;

typedef enum call { FILL, AT, AT_REAL, PAIR, ADD, ADD_BATCH, TABLE, CALLS } call;

static const char *const names[CALLS] = {"posenc_fill", "posenc_fill_at", "posenc_fill_at_real", "posenc_fill_pair",
                                         "posenc_add", "posenc_add_batch", "posenc_table_create"};

enum { GIVEN = 1000 };
static const int64_t positions[GIVEN]; /* all 0 */
static const double reals[GIVEN];
static double memory[64], untouched[64];

typedef struct edge {
  int64_t first, count, stride;
  void *out;         /* and x, and the sines */
  const void *given; /* positions; NULL: those above */
} edge;

static posenc_status checked(call c, const posenc_plan *p, const edge *e, char *message, size_t size)
{
  const posenc_strides s = {posenc_plan_spec(p)->d_model, e->stride};
  const void *const given = e->given ? e->given : c == AT ? (const void *)positions : (const void *)reals;
  switch (c) {
  case FILL: return posenc_fill_check(p, e->first, e->count, e->out, e->stride, message, size);
  case AT: return posenc_fill_at_check(p, given, e->count, e->out, e->stride, message, size);
  case AT_REAL: return posenc_fill_at_real_check(p, given, e->count, e->out, e->stride, message, size);
  case PAIR: return posenc_fill_pair_check(p, e->first, e->count, e->out, e->out, e->stride, message, size);
  case ADD: return posenc_add_check(p, e->first, e->count, e->out, e->stride, 1, e->out, e->stride, message, size);
  case ADD_BATCH: return posenc_add_batch_check(p, e->first, e->count, 1, e->out, s, 1, e->out, s, message, size);
  default: return posenc_table_check(p, e->first, e->count, e->stride, message, size);
  }
}

/* The call itself. Only made where it must be refused. */
static posenc_status made(call c, const posenc_plan *p, const edge *e)
{
  const posenc_strides s = {posenc_plan_spec(p)->d_model, e->stride};
  const void *const given = e->given ? e->given : c == AT ? (const void *)positions : (const void *)reals;
  void *table = memory;
  posenc_status status;
  switch (c) {
  case FILL: return posenc_fill(p, e->first, e->count, e->out, e->stride);
  case AT: return posenc_fill_at(p, given, e->count, e->out, e->stride);
  case AT_REAL: return posenc_fill_at_real(p, given, e->count, e->out, e->stride);
  case PAIR: return posenc_fill_pair(p, e->first, e->count, e->out, e->out, e->stride);
  case ADD: return posenc_add(p, e->first, e->count, e->out, e->stride, 1, e->out, e->stride);
  case ADD_BATCH: return posenc_add_batch(p, e->first, e->count, 1, e->out, s, 1, e->out, s);
  default:
    status = posenc_table_create(&table, p, e->first, e->count, e->stride);
    assert_null(table);
    return status;
  }
}

static void expect(call c, const posenc_plan *p, const edge *e, posenc_status want, const char *says)
{
  char message[512] = "";
  const posenc_status got = checked(c, p, e, message, sizeof message);
  if (got != want || (want != POSENC_OK && made(c, p, e) != want))
    fail_msg("%s: d_model %" PRId64 ", %s, first %" PRId64 ", count %" PRId64 ", stride %" PRId64 ", out %p: status %d (%s), not %d",
             names[c], posenc_plan_spec(p)->d_model, dtype_name(posenc_plan_spec(p)->dtype), e->first, e->count, e->stride, e->out,
             got, message, want);
  if (!strstr(message, says))
    fail_msg("%s: \"%s\" does not say \"%s\"", names[c], message, says);
  assert_memory_equal(memory, untouched, sizeof memory);
}

static posenc_plan *plan_for(int64_t d_model, int32_t dtype)
{
  posenc_spec spec = posenc_spec_default(d_model);
  spec.dtype = dtype;
  return plan_of(&spec, "exact_scalar"); /* what is refused does not depend on it */
}

static int offered(call c, int32_t dtype) { return (c != ADD && c != ADD_BATCH) || dtype == POSENC_F32 || dtype == POSENC_BF16; }

static const int64_t widths[] = {1, 7, 512, POSENC_MAX_D_MODEL};
enum { CASES = 4 * FORMATS * CALLS };

static posenc_plan *plans[4][FORMATS]; /* large ones: made once */

typedef struct ask { /* one of the CASES */
  call c;
  int64_t d_model, columns, element, most;
  int32_t dtype;
  int there;
  posenc_plan *plan;
} ask;

static ask ask_of(int i)
{
  ask a = {.c = (call)(i % CALLS), .dtype = i / CALLS % FORMATS, .d_model = widths[i / CALLS / FORMATS]};
  a.columns = a.c == PAIR ? (a.d_model + 1) / 2 : a.d_model;
  a.element = (int64_t)format_of(a.dtype)->size;
  a.most = INT64_MAX / a.element;
  a.there = offered(a.c, a.dtype);
  posenc_plan **plan = &plans[i / CALLS / FORMATS][a.dtype];
  if (!*plan)
    *plan = plan_for(a.d_model, a.dtype);
  a.plan = *plan;
  return a;
}

/* Elements from the first one reached to the last. */
static wide reached(const ask *a, int64_t count, int64_t stride)
{
  return a->c == TABLE ? (wide)count * stride : (wide)(count - 1) * stride + a->columns;
}

/* The product of count and stride: for few rows the largest stride, for dense rows the largest count. */
static void products(void **state)
{
  (void)state;
  const int64_t counts[] = {2, 3, GIVEN, INT64_C(1) << 32, (INT64_C(1) << 33) + 1};
  for (int i = 0; i < CASES; i++) {
    const ask a = ask_of(i);
    if (!a.there)
      continue;
    for (size_t n = 0; n < 5; n++) {
      if ((a.c == AT || a.c == AT_REAL) && counts[n] > GIVEN)
        continue;
      edge e = {-POSENC_MAX_POSITION, counts[n], 0, (void *)4096, NULL};
      e.stride = a.c == TABLE ? a.most / e.count : (a.most - a.columns) / (e.count - 1);
      if (e.stride < a.columns)
        continue;
      assert_true(reached(&a, e.count, e.stride) <= a.most && reached(&a, e.count, e.stride + 1) > a.most);
      expect(a.c, a.plan, &e, POSENC_OK, "");
      e.out = memory;
      char says[64];
      snprintf(says, sizeof says, "is %" PRId64 "; allowed: a product of at most %" PRId64, ++e.stride, a.most);
      expect(a.c, a.plan, &e, POSENC_ERROR_SIZE, says);
      e.stride = INT64_MAX;
      expect(a.c, a.plan, &e, POSENC_ERROR_SIZE, "at most");
    }
    /* Fitting, but of positions beyond the domain; positions that are given would be read. */
    edge e = {0, a.c == TABLE ? a.most / a.columns : (a.most - a.columns) / a.columns + 1, a.columns, (void *)4096, NULL};
    assert_true(reached(&a, e.count, e.stride) <= a.most && reached(&a, e.count + 1, e.stride) > a.most);
    if (a.c != AT && a.c != AT_REAL)
      expect(a.c, a.plan, &e, POSENC_ERROR_DOMAIN, "beyond 2^32");
    e.out = memory;
    e.count++;
    expect(a.c, a.plan, &e, POSENC_ERROR_SIZE, "at most");
    e.count = INT64_MAX;
    expect(a.c, a.plan, &e, POSENC_ERROR_SIZE, "count is 9223372036854775807");
    e.count = INT64_MIN;
    expect(a.c, a.plan, &e, POSENC_ERROR_ARGUMENT, "count is -9223372036854775808");
    e = (edge){0, 1, INT64_MIN, memory, NULL};
    expect(a.c, a.plan, &e, POSENC_ERROR_ARGUMENT, "is -9223372036854775808");
  }
}

/* first and count together, where the strides of rows leave room for more of them than there are positions. */
static void positions_at_the_edge(void **state)
{
  (void)state;
  const int64_t far = POSENC_MAX_POSITION;
  const struct {
    int64_t first, count;
    posenc_status status;
    const char *says;
  } cases[] = {{-far, 2 * far + 1, POSENC_OK, ""},      {-far, 2 * far + 2, POSENC_ERROR_DOMAIN, "beyond 2^32"},
               {far, 1, POSENC_OK, ""},                 {far, 2, POSENC_ERROR_DOMAIN, "beyond 2^32"},
               {-far - 1, 1, POSENC_ERROR_DOMAIN, "first is -4294967297"},
               {far + 1, 1, POSENC_ERROR_DOMAIN, "first is 4294967297"},
               {INT64_MIN, 1, POSENC_ERROR_DOMAIN, "first is -9223372036854775808"},
               {INT64_MAX, 1, POSENC_ERROR_DOMAIN, "first is 9223372036854775807"},
               {INT64_MIN, 1 << 30, POSENC_ERROR_DOMAIN, "first is"}, {INT64_MAX, 1 << 30, POSENC_ERROR_DOMAIN, "first is"},
               {INT64_MAX, 0, POSENC_OK, ""},           {INT64_MIN, 0, POSENC_OK, ""}};
  for (int i = 0; i < CASES; i++) {
    const ask a = ask_of(i);
    if (!a.there)
      continue;
    for (size_t n = 0; a.c != AT && a.c != AT_REAL && n < sizeof cases / sizeof cases[0]; n++) {
      const edge e = {cases[n].first, cases[n].count, a.columns, cases[n].status == POSENC_OK ? (void *)4096 : memory, NULL};
      expect(a.c, a.plan, &e, cases[n].status, cases[n].says);
    }
  }
}

/* An address so far from the end that this many elements fit, up to the last but one: there an address ends, too. */
static void *before_the_end(wide elements, int64_t size) { return (void *)(uintptr_t)(-(wide)size * (elements + 1)); }

/* Rows, and positions, that would run over the end of all addresses. */
static void addresses(void **state)
{
  (void)state;
  for (int i = 0; i < CASES; i++) {
    const ask a = ask_of(i);
    if (!a.there || a.c == TABLE)
      continue;
    const int64_t counts[] = {1, 2, GIVEN}, strides[] = {a.columns, a.columns + 3, a.most / GIVEN};
    for (size_t n = 0; n < 9; n++) {
      edge e = {5, counts[n % 3], strides[n / 3], NULL, NULL};
      e.out = before_the_end(reached(&a, e.count, e.stride), a.element);
      expect(a.c, a.plan, &e, POSENC_OK, "");
      e.out = (char *)e.out + a.element;
      expect(a.c, a.plan, &e, POSENC_ERROR_SIZE, "beyond the address space");
    }
    for (size_t n = 0; (a.c == AT || a.c == AT_REAL) && n < 3; n++) {
      edge e = {0, counts[n], a.columns, memory, before_the_end(counts[n] - 1, 8)};
      expect(a.c, a.plan, &e, POSENC_ERROR_SIZE, "allowed: positions within the address space");
    }
    const edge e = {0, INT64_MAX / 8 + 1, 1, memory, NULL}; /* of 16 bits, this many would fit: as outputs, not as positions */
    if ((a.c == AT || a.c == AT_REAL) && a.d_model == 1 && a.element == 2)
      expect(a.c, a.plan, &e, POSENC_ERROR_SIZE, "at most 1152921504606846975");
  }
}

/* Each of the arrays by itself: x, out, sines, cosines. */
static void every_array(void **state)
{
  (void)state;
  const posenc_spec spec = posenc_spec_default(8);
  posenc_plan *p = plan_of(&spec, NULL);
  const posenc_strides s = {24, 8};
  char message[512];
  void *const fine = (void *)4096, *const bad = before_the_end(15, 4), *const bad_batch = before_the_end(39, 4), *const bad_pair = before_the_end(11, 4);
  assert_int_equal(posenc_add_check(p, 0, 2, bad, 8, 1, fine, 8, message, sizeof message), POSENC_ERROR_SIZE);
  assert_int_equal(strncmp(message, "x is ", 5), 0);
  assert_int_equal(posenc_add_check(p, 0, 2, fine, 8, 1, bad, 8, message, sizeof message), POSENC_ERROR_SIZE);
  assert_int_equal(strncmp(message, "out is ", 7), 0);
  assert_int_equal(posenc_add_batch_check(p, 0, 2, 2, bad_batch, s, 1, fine, s, message, sizeof message), POSENC_ERROR_SIZE);
  assert_int_equal(strncmp(message, "x is ", 5), 0);
  assert_int_equal(posenc_add_batch_check(p, 0, 2, 2, fine, s, 1, bad_batch, s, message, sizeof message), POSENC_ERROR_SIZE);
  assert_int_equal(strncmp(message, "out is ", 7), 0);
  assert_int_equal(posenc_add_batch_check(p, 0, 2, 2, (char *)bad_batch - 4, s, 1, (char *)bad_batch - 4, s, NULL, 0), POSENC_OK);
  assert_int_equal(posenc_fill_pair_check(p, 0, 2, bad_pair, fine, 8, message, sizeof message), POSENC_ERROR_SIZE);
  assert_int_equal(strncmp(message, "sines is ", 9), 0);
  assert_int_equal(posenc_fill_pair_check(p, 0, 2, fine, bad_pair, 8, message, sizeof message), POSENC_ERROR_SIZE);
  assert_int_equal(strncmp(message, "cosines is ", 11), 0);
  posenc_plan_destroy(p);
}

/* Of a batch, both strides together. */
static void batches(void **state)
{
  (void)state;
  const int32_t dtypes[] = {POSENC_F32, POSENC_BF16};
  const int64_t shapes[][2] = {{2, 2}, {2, 1000}, {1000, 3}, {1, 1 << 20}, {1 << 20, 1}, {1 << 20, 1 << 20}}; /* count, batch */
  for (int i = 0; i < 12; i++) {
    posenc_plan *p = plan_for(8, dtypes[i % 2]);
    const int64_t count = shapes[i / 2][0], batch = shapes[i / 2][1], most = INT64_MAX / (i % 2 ? 2 : 4);
    posenc_strides s = {0, 8};
    s.batch = (int64_t)(((wide)most - 8 - 8 * (count - 1)) / (batch > 1 ? batch - 1 : 1)); /* the largest with these rows */
    assert_true(s.batch >= 8 * count);
    assert_int_equal(posenc_add_batch_check(p, 0, count, batch, (void *)4096, s, 1, (void *)4096, s, NULL, 0), POSENC_OK);
    s.batch++;
    const posenc_status want = batch > 1 ? POSENC_ERROR_SIZE : POSENC_OK; /* of one, no stride is looked at */
    const posenc_strides packed = {8 * count, 8};
    assert_int_equal(posenc_add_batch_check(p, 0, count, batch, (void *)4096, s, 1, (void *)4096, packed, NULL, 0), want);
    assert_int_equal(posenc_add_batch_check(p, 0, count, batch, (void *)4096, packed, 1, (void *)4096, s, NULL, 0), want);
    const posenc_strides largest = {INT64_MAX, INT64_MAX};
    const posenc_status alone = count > 1 || batch > 1 ? POSENC_ERROR_SIZE : POSENC_OK;
    assert_int_equal(posenc_add_batch(p, 0, count, batch, memory, largest, 1, memory, largest), alone);
    assert_memory_equal(memory, untouched, sizeof memory);
    posenc_plan_destroy(p);
  }
}

/* A row alone may have any stride, and is what it is with its own; no rows may have any, too. */
static void strides_of_one(void **state)
{
  (void)state;
  enum { D = 151 };
  for (size_t m = 0; runnable(m); m++)
    for (int32_t i = 0; i < FORMATS * 8; i++) {
      posenc_spec spec = posenc_spec_default(i / FORMATS % 2 ? D - 1 : D);
      spec.dtype = i % FORMATS;
      spec.layout = i / FORMATS / 2 % 2;
      spec.odd = spec.order = i / FORMATS / 4;
      if (posenc_plan_check(&spec, runnable(m)->name, NULL, 0) != POSENC_OK)
        continue;
      posenc_plan *p = plan_of(&spec, runnable(m)->name);
      const int64_t d = spec.d_model, n = (d + !spec.odd) / 2, most = INT64_MAX, at[] = {131071};
      const posenc_strides packed = {d, d}, largest = {most, most};
      for (int64_t count = 1; count >= 0; count--) {
        array want[6], got[6];
        for (int j = 0; j < 6; j++) {
          want[j] = array_of(spec.dtype, 1, j == 3 ? 2 * D : d, 0, 1);
          got[j] = array_of(spec.dtype, 1, j == 3 ? 2 * D : d, 0, 1);
          if (j >= 4) { /* what sums are added to, in place: finite numbers, whatever the dtype */
            memset(want[j].start, 0x3c, (size_t)d * want[j].size);
            memset(got[j].start, 0x3c, (size_t)d * got[j].size);
          }
        }
        const double real[] = {0.5};
        const posenc_status sums = offered(ADD, spec.dtype) ? POSENC_OK : POSENC_ERROR_UNSUPPORTED;
        assert_int_equal(posenc_fill(p, 62, count, want[0].start, d), POSENC_OK);
        assert_int_equal(posenc_fill(p, 62, count, got[0].start, most), POSENC_OK);
        assert_int_equal(posenc_fill_at(p, at, count, want[1].start, d), POSENC_OK);
        assert_int_equal(posenc_fill_at(p, at, count, got[1].start, most), POSENC_OK);
        assert_int_equal(posenc_fill_at_real(p, real, count, want[2].start, d), POSENC_OK);
        assert_int_equal(posenc_fill_at_real(p, real, count, got[2].start, most), POSENC_OK);
        assert_int_equal(posenc_fill_pair(p, -9, count, want[3].start, want[3].start + n * (int64_t)want[3].size, n), POSENC_OK);
        assert_int_equal(posenc_fill_pair(p, -9, count, got[3].start, got[3].start + n * (int64_t)got[3].size, most), POSENC_OK);
        assert_int_equal(posenc_add(p, 7, count, want[4].start, d, 2, want[4].start, d), sums);
        assert_int_equal(posenc_add(p, 7, count, got[4].start, most, 2, got[4].start, most), sums);
        assert_int_equal(posenc_add_batch(p, 7, count, 1, want[5].start, packed, 2, want[5].start, packed), sums);
        assert_int_equal(posenc_add_batch(p, 7, count, 1, got[5].start, largest, 2, got[5].start, largest), sums);
        for (int j = 0; j < 6; j++) {
          if (memcmp(want[j].memory, got[j].memory, want[j].bytes) != 0)
            fail_msg("%s, %s, call %d: a row alone depends on its stride", runnable(m)->name, dtype_name(spec.dtype), j);
          free(want[j].memory);
          free(got[j].memory);
        }
      }
      posenc_plan_destroy(p);
    }
}

/* Numbers of a spec that would overflow, or be read by, what they are not checked against first; and the room for a message. */
static void specs(void **state)
{
  (void)state;
  const double freqs[1] = {1.0};
  const int64_t counts[] = {INT64_MAX, INT64_MIN, -1, 0, 2, INT64_MAX / 8 + 1};
  posenc_spec spec = posenc_spec_default(1);
  spec.freqs = freqs;
  spec.n_freqs = 1;
  assert_int_equal(posenc_spec_check(&spec, NULL, 0), POSENC_OK);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    spec.n_freqs = counts[i];
    assert_int_equal(posenc_spec_check(&spec, NULL, 0), POSENC_ERROR_SPEC);
  }
  const int64_t d_models[] = {0, INT64_MIN, INT64_MAX, POSENC_MAX_D_MODEL + 1};
  for (size_t i = 0; i < sizeof d_models / sizeof d_models[0]; i++) {
    spec = posenc_spec_default(d_models[i]);
    assert_int_equal(posenc_spec_check(&spec, NULL, 0), POSENC_ERROR_SPEC);
    for (size_t j = 0; j < posenc_preset_count(); j++)
      assert_int_equal(posenc_spec_preset(posenc_preset_at(j)->name, d_models[i], &spec), POSENC_ERROR_SPEC);
    for (int32_t layout = 0; layout < 2; layout++) {
      spec.layout = layout;
      assert_true(isnan(posenc_impl_error_bound(posenc_impl_at(0), &spec, 1, d_models[i] - (d_models[i] > 0))));
    }
  }
  spec = posenc_spec_default(POSENC_MAX_D_MODEL);
  assert_true(posenc_impl_error_bound(posenc_impl_at(0), &spec, 1, POSENC_MAX_D_MODEL - 1) > 0);
  assert_true(isnan(posenc_impl_error_bound(posenc_impl_at(0), &spec, 1, POSENC_MAX_D_MODEL)));
  assert_true(isnan(posenc_impl_error_bound(posenc_impl_at(0), &spec, 1, INT64_MAX)));
  assert_true(isnan(posenc_impl_error_bound(posenc_impl_at(0), &spec, 1, INT64_MIN)));
  assert_null(posenc_impl_at(SIZE_MAX));
  assert_null(posenc_preset_at(SIZE_MAX));
  static char message[512];
  spec.d_model = 0;
  assert_int_equal(posenc_spec_check(&spec, message, SIZE_MAX), POSENC_ERROR_SPEC); /* it is as long as it is */
  assert_string_equal(message, "d_model is 0; allowed: 1 to 1048576");
}

int main(void)
{
  memset(memory, 0x5a, sizeof memory);
  memcpy(untouched, memory, sizeof memory);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products), cmocka_unit_test(positions_at_the_edge), cmocka_unit_test(addresses), cmocka_unit_test(every_array),
      cmocka_unit_test(batches),  cmocka_unit_test(strides_of_one),        cmocka_unit_test(specs),
  };
  const int failed = cmocka_run_group_tests_name("sizes", tests, NULL, NULL);
  for (int i = 0; i < 4 * FORMATS; i++)
    posenc_plan_destroy(plans[i / FORMATS][i % FORMATS]);
  return failed;
}

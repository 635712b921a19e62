/* posenc-verify detects every fault that it should. This file replaces the library: it has one correct
 * implementation, and one for each fault. The checks are those of posenc-verify. */
#include "testing.h"

#include <signal.h>
#include <unistd.h>

#include "expected.h"
#include "formats.h"
#include "trial.h"
#include "verdict.h"

struct posenc_plan {
  const char *name;
  posenc_spec spec;
};

static int is(const char *name, const char *other) { return strcmp(name, other) == 0; }

/* Sweeps use only the names of presets. */
posenc_status posenc_spec_init(posenc_spec *spec, int64_t d_model, const char *preset) {
  (void)preset;
  *spec = (posenc_spec){.struct_size = sizeof(posenc_spec), .d_model = d_model, .base = 10000.0};
  return POSENC_OK;
}

const char *posenc_status_string(posenc_status status) { return status == POSENC_ERROR_MEMORY ? "out of memory" : "?"; }

posenc_status posenc_plan_create(posenc_plan **plan, const posenc_spec *spec, const char *name) {
  static struct posenc_plan only;
  only = (posenc_plan){name, *spec};
  *plan = &only;
  return is(name, "refuses") ? POSENC_ERROR_UNSUPPORTED : is(name, "errs") ? POSENC_ERROR_MEMORY : POSENC_OK;
}

void posenc_plan_destroy(posenc_plan *plan) { (void)plan; }

enum { D = 6 };

static void put(const posenc_plan *plan, void *rows, int64_t element, float value) {
  const int misrounds = is(plan->name, "misrounds") && fabsf(value) < 0.5f; /* within the bound */
  if (misrounds && plan->spec.dtype == POSENC_DTYPE_F32)
    value = nextafterf(value, 1);
  if (plan->spec.dtype == POSENC_DTYPE_F32) {
    ((float *)rows)[element] = value;
    return;
  }
  const int cut = is(plan->name, "cuts") || misrounds;
  const float rounded = cut ? value : (float)format_nearest(format_of(POSENC_DTYPE_BF16), (double)value);
  uint32_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  ((uint16_t *)rows)[element] = (uint16_t)(bits >> 16);
}

/* The paper's row in float64, rounded. */
static void right_row(const posenc_plan *plan, double position, void *rows, int64_t from) {
  for (int c = 0; c < D; c++) {
    const double angle = position * pow(10000, -(c / 2) / (D / 2.0));
    const double slip = is(plan->name, "slips") && position >= 300 && position < 301 && c == 4 ? 0.25 : 0;
    put(plan, rows, from + c, (float)((c % 2 ? cos(angle) : sin(angle)) + slip));
  }
}

posenc_status posenc_fill(const posenc_plan *plan, int64_t first, int64_t count, void *out, int64_t stride) {
  const char *name = plan->name;
  for (int64_t i = is(name, "forgets"); i < count; i++)
    right_row(plan, (double)(first + i + (count == 1 && is(name, "errs in single rows"))), out, i * stride);
  if (is(name, "crashes"))
    raise(SIGILL);
  if (is(name, "hangs"))
    for (;;)
      pause();
  if (is(name, "exits"))
    _exit(3);
  if (is(name, "leaves"))
    _exit(0);
  return POSENC_OK;
}

/* An error in rows whose position is not above those before it in the list: those in no order, and repeated ones. */
posenc_status posenc_fill_at(
    const posenc_plan *plan, const int64_t *positions, int64_t count, void *out, int64_t stride) {
  for (int64_t i = 0; i < count; i++) {
    const int64_t before = positions[i > 0 ? i - 1 : 0], at = positions[i];
    const int slips = (is(plan->name, "errs in falling rows") && at < before) ||
                      (is(plan->name, "errs in repeated rows") && i > 0 && at == before) ||
                      (is(plan->name, "errs beyond 400") && at > 400);
    right_row(plan, (double)(at + slips), out, i * stride);
  }
  return is(plan->name, "errs in lists") ? POSENC_ERROR_MEMORY : POSENC_OK;
}

posenc_status posenc_fill_at_real(
    const posenc_plan *plan, const double *positions, int64_t count, void *out, int64_t stride) {
  for (int64_t i = 0; i < count; i++) {
    const double at = positions[i];
    right_row(plan, is(plan->name, "cuts reals") ? floor(at) : at + is(plan->name, "errs at reals"), out, i * stride);
  }
  return POSENC_OK;
}

posenc_status posenc_fill_pair(
    const posenc_plan *plan, int64_t first, int64_t count, void *sines, void *cosines, int64_t stride) {
  const size_t size = format_of(plan->spec.dtype)->size;
  char row[D * sizeof(float)];
  for (int64_t i = 0; i < count * stride; i++) {
    right_row(plan, (double)(first + i / stride), row, 0);
    const char *const pair = row + 2 * (size_t)(i % stride) * size;
    const int exchanged = is(plan->name, "exchanges");
    memcpy((char *)sines + (size_t)i * size, exchanged ? pair + size : pair, size);
    memcpy((char *)cosines + (size_t)i * size, exchanged ? pair : pair + size, size);
  }
  return POSENC_OK;
}

posenc_status posenc_fill_once(
    const posenc_spec *spec, const char *name, int64_t first, int64_t count, void *out, int64_t stride) {
  const posenc_plan plan = {is(name, "slips once") ? "forgets" : name, *spec};
  return posenc_fill(&plan, first, count, out, stride);
}

posenc_status posenc_table_create(void **table, const posenc_plan *plan, int64_t first, int64_t count, int64_t stride) {
  *table = malloc((size_t)(count * stride) * sizeof(float));
  return posenc_fill(plan, first + is(plan->name, "errs in tables"), count, *table, stride);
}

void posenc_table_destroy(void *table) { free(table); }

const posenc_spec *posenc_plan_spec(const posenc_plan *plan) { return &plan->spec; }
const char *posenc_plan_impl(const posenc_plan *plan) { return plan->name; }

double posenc_impl_error_bound(const posenc_impl *impl, const posenc_spec *spec, double position, int64_t column) {
  (void)position;
  const double rounding = spec->dtype == POSENC_DTYPE_F32 ? 0x1p-24 : 0x1p-9 + 0x1p-24;
  return is(impl->name, "boasts") && column == 0 ? rounding / 65536
         : is(impl->name, "unbounded")           ? (double)NAN
                                                 : rounding;
}

posenc_status posenc_last_error(char *message, size_t size) {
  (void)message, (void)size;
  return POSENC_OK;
}

/* Runs the implementation of that name over some rows and judges them. Returns whether all was right. */
static int tried(const char *name, int32_t dtype, int64_t rows, trial_outcome *outcome, verdict *v, char reason[256]) {
  posenc_spec spec = paper_spec(D);
  spec.dtype = dtype;
  sweep s = sweep_of(&spec, NULL, 0, 512, rows, 1);
  assert_int_equal(s.count, 1);
  reference_value *expected = expected_rows(&s.segments[0], 0);
  trial t = trial_create(&s.segments[0]);
  const posenc_impl impl = {.name = name, .correctly_rounded = is(name, "misrounds")};
  *reason = '\0';
  *v = (verdict){0};
  *outcome = trial_run(&t, &impl, 1, reason, 256);
  const int fine = *outcome == TRIAL_DONE ? judge_trial(&t, &impl, expected, v, reason, 256) : *outcome != TRIAL_FAILED;
  trial_destroy(&t);
  free(expected);
  sweep_destroy(&s);
  return fine;
}

static void every_fault_is_named(void **state) {
  (void)state;
  static const struct {
    const char *name;
    trial_outcome outcome;
    const char *reason; /* why it is judged wrong; NULL: judged right */
  } cases[] = {
      {"right", TRIAL_DONE, NULL},
      {"refuses", TRIAL_NOT_OFFERED, NULL},
      {"errs", TRIAL_FAILED, "posenc_plan_create returned an error: out of memory"},
      {"forgets", TRIAL_DONE, "beyond their bound"},
      {"boasts", TRIAL_DONE, "beyond their bound"},
      {"unbounded", TRIAL_DONE, "beyond their bound"},
      {"cuts", TRIAL_DONE, "beyond their bound"},
      {"misrounds", TRIAL_DONE, "are not correctly rounded"},
      {"crashes", TRIAL_FAILED, "SIGILL in posenc_fill"},
      {"hangs", TRIAL_FAILED, "after 1 seconds, in posenc_fill"},
      {"exits", TRIAL_FAILED, "status 3, in posenc_fill"},
      {"leaves", TRIAL_FAILED, "ended the process in posenc_fill"},
      {"errs in falling rows", TRIAL_DONE, "posenc_fill_at (rows: 64): position "},
      {"errs in repeated rows", TRIAL_DONE, "posenc_fill_at (rows: 64): position "},
      {"errs beyond 400", TRIAL_DONE, "posenc_fill_at (rows: 64): position "},
      {"errs in lists", TRIAL_FAILED, "posenc_fill_at returned an error: out of memory"},
      {"errs at reals", TRIAL_DONE, "posenc_fill_at_real (rows: 64): position "},
      {"cuts reals", TRIAL_DONE, "posenc_fill_at_real: "},
      {"errs in single rows", TRIAL_DONE, "posenc_fill (rows: 1): position "},
      {"exchanges", TRIAL_DONE,
          "posenc_fill_pair (rows: 1): position 0, column 0: got 0x1p+0, but posenc_fill of consecutive rows gives 0x0p+0"},
      {"slips once", TRIAL_DONE, "posenc_fill_once (rows: 1): position "},
      {"errs in tables", TRIAL_DONE, "posenc_table_create (rows: 8): position "},
  };
  for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
    const char *const name = cases[i / 2].name;
    const int32_t dtype = i % 2 ? POSENC_DTYPE_BF16 : POSENC_DTYPE_F32;
    const char *const why = is(name, "cuts") && dtype == POSENC_DTYPE_F32 ? NULL : cases[i / 2].reason;
    char reason[256];
    verdict v;
    trial_outcome outcome;
    const int fine = tried(name, dtype, 100, &outcome, &v, reason);
    if (outcome != cases[i / 2].outcome || fine != !why || (why && !strstr(reason, why)))
      fail_msg("%s: outcome %d, '%s' where '%s' was expected", name, (int)outcome, reason, why ? why : "success");
    /* the values are float64 rounded twice, so nearly all are the nearest */
    if (fine && outcome == TRIAL_DONE && dtype == POSENC_DTYPE_BF16)
      assert_true(correct_share(&v) > 0.999 && v.ulp_max > 0.4 && v.ulp_max < 0.501);
  }
}

/* One output is far off. All others are the nearest numbers. */
static void an_error_is_counted_and_named(void **state) {
  (void)state;
  char reason[256];
  verdict v;
  trial_outcome outcome;
  assert_false(tried("slips", POSENC_DTYPE_F32, 512, &outcome, &v, reason));
  assert_int_equal(outcome, TRIAL_DONE);
  assert_int_equal(v.misrounded, 1);
  assert_int_equal(v.worst.position, 300);
  assert_int_equal(v.worst.column, 4);
  assert_true(v.worst.error > 0.1 && v.last_beyond_bound.position == 300 && v.last_misrounded.column == 4);
}

/* Every sweep has the first and the last row of its ranges, has rows on both sides of multiples of 64, and is the
 * same for the same seed. */
static void samples_are_as_promised(void **state) {
  (void)state;
  const posenc_spec spec = paper_spec(D);
  for (int64_t rows = SWEEP_MIN_ROWS; rows <= 512; rows *= 4) {
    const int64_t end = POSENC_MAX_POSITION + 1;
    sweep s = sweep_of(&spec, NULL, -1000, end, rows, 7), again = sweep_of(&spec, NULL, -1000, end, rows, 7);
    for (int64_t i = 0; i < s.count; i++) {
      const segment *g = &s.segments[i];
      int64_t crossings = 0;
      assert_true(i == 0 ? g->from == -1000 : g->from == s.segments[i - 1].to);
      assert_true(g->n_rows <= rows && g->positions[0] == g->from && g->positions[g->n_rows - 1] == g->to - 1);
      assert_memory_equal(g->positions, again.segments[i].positions, (size_t)g->n_rows * sizeof *g->positions);
      for (int64_t row = 1; row < g->n_rows; row++) {
        assert_true(g->positions[row] > g->positions[row - 1]);
        crossings += g->positions[row] % 64 == 0 && g->positions[row - 1] == g->positions[row] - 1;
      }
      if (rows == 512)
        assert_true(crossings >= 7);
    }
    assert_int_equal(s.segments[s.count - 1].to, end);
    sweep_destroy(&s);
    sweep_destroy(&again);
  }
}

/* Without a number of rows: all of 2.6 million outputs, or most of so many, spread over the ranges. */
static void samples_have_a_default_size(void **state) {
  (void)state;
  static const struct {
    int64_t d_model, from, to;
    bool whole;
  } tables[] = {{512, 0, 5000, true}, {512, 0, 5200, false}, {32, -40000, 300000, false}, {1048576, 0, 2, true}};
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
    const posenc_spec spec = paper_spec(tables[i].d_model);
    sweep s = sweep_of(&spec, NULL, tables[i].from, tables[i].to, 0, 7);
    int64_t rows = 0;
    for (int64_t j = 0; j < s.count; j++)
      rows += s.segments[j].n_rows;
    assert_int_equal(rows == tables[i].to - tables[i].from, tables[i].whole);
    assert_in_range(rows * spec.d_model, 1000000, 2600000);
    sweep_destroy(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_fault_is_named),
      cmocka_unit_test(an_error_is_counted_and_named), cmocka_unit_test(samples_are_as_promised),
      cmocka_unit_test(samples_have_a_default_size)};
  return cmocka_run_group_tests_name("trial", tests, NULL, NULL);
}

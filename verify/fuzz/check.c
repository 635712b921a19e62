#include "../campaign/family.h"
#include "../reference/columns.h"
#include "../reference/formats.h"
#include "../tools/memory.h"
#include "../reference/mpfr_reference.h"
#include "../tools/random.h"
#include "fuzz.h"

/* ---- calls */

#if defined(__x86_64__)
static uint64_t get_state(void) { return __builtin_ia32_stmxcsr(); }
static void set_state(uint64_t s) { __builtin_ia32_ldmxcsr((unsigned)s); }
/* Rounding mode, FTZ and DAZ; no flags and no unmasked traps. */
static uint64_t odd_state(unsigned how) { return 0x1f80u | (how & 0xe0) << 8 | (how & 1) << 6; }
#elif defined(__aarch64__) /* the control register; test_state.c covers the flags */
static uint64_t get_state(void) { return __builtin_aarch64_get_fpcr(); }
static void set_state(uint64_t s) { __builtin_aarch64_set_fpcr((unsigned)s); }
static uint64_t odd_state(unsigned how) { return (how & 7) << 22; }
#endif

static uint64_t usual, entered;

void enter_state(unsigned how) {
  usual = get_state();
  if (how)
    set_state(odd_state(how));
  entered = get_state();
}

void leave_state(const char *what) {
  const uint64_t left = get_state();
  set_state(usual);
  if (left != entered)
    complain("%s changes the floating-point state", what);
}

/* Checks that the status is an error of the enum, and that the message is one line that ends within `room` bytes. */
void check_refusal(const char *what, posenc_status status, unsigned room) {
  char message[257];
  memset(message, '\n', sizeof message);
  if (status < POSENC_ERROR_ARGUMENT || status > POSENC_ERROR_MEMORY || posenc_last_error(message, room) != status)
    complain("%s returns %d, posenc_last_error another status", what, (int)status);
  if (message[room] != '\n' || (room > 0 && message[strcspn(message, "\n")] != '\0') || (room > 1 && !*message))
    complain("%s: the message is not one line that ends within %u bytes", what, room);
}

static double position_of(const arguments *a, int64_t i) {
  return a->reals ? a->reals[i] : a->positions ? (double)a->positions[i] : (double)a->first + (double)i;
}

/* The product may be rounded, since 2^32 is a double. */
static bool is_beyond(double x, double scale) { return !(fabs(x) <= 0x1p32 && fabs(x * scale) <= 0x1p32); }

/* The status of the positions alone. For consecutive positions, the first and the last decide. */
static posenc_status positions_status(const arguments *a, double scale) {
  if (a->count <= 0)
    return a->count < 0 ? POSENC_ERROR_ARGUMENT : POSENC_OK;
  if (((uintptr_t)a->positions | (uintptr_t)a->reals) % sizeof(int64_t) != 0)
    return POSENC_ERROR_ARGUMENT;
  bool beyond = is_beyond(position_of(a, a->count - 1), scale);
  for (int64_t i = 0; !beyond && i < (a->positions || a->reals ? a->count : 1); i++)
    beyond = is_beyond(position_of(a, i), scale);
  return beyond ? POSENC_ERROR_DOMAIN : POSENC_OK;
}

void check_status(const fuzz_call *c, const posenc_spec *spec, bool allowed, posenc_status status) {
  const arguments *a = &c->a;
  const posenc_status positions = positions_status(a, spec_scale(spec));
  if (allowed ? status != positions : status == POSENC_OK || (status == POSENC_ERROR_DOMAIN && status != positions))
    complain("%s returns %d; for its positions alone it would be %d, its other arguments are %s", call_names[a->call],
        (int)status, (int)positions, allowed ? "allowed" : "not allowed");
}

/* ---- rows */

static double value_at(const fuzz_call *c, const void *row, int64_t column) {
  return element_value(posenc_plan_spec(c->a.plan)->dtype, (const unsigned char *)row + (size_t)column * c->size);
}

static unsigned char *row_at(const fuzz_call *c, void *start, int64_t i) {
  return (unsigned char *)start + (size_t)(i * c->a.row_stride) * c->size;
}

/* Compares 16 elements of a row with MPFR. `spec` describes the row's columns. */
static void check_sample(
    const fuzz_call *c, const posenc_spec *spec, double position, const arguments *row, uint64_t seed) {
  enum { SAMPLE = 16 };
  const posenc_impl *impl = posenc_impl_find(posenc_plan_impl(row->plan));
  const bool exact = impl->correctly_rounded, recipe = !exact && strcmp(impl->family, "anchored") != 0;
  reference_value *wanted = must_calloc(spec->d_model, sizeof *wanted);
  mpfr_reference *reference = reference_create(spec);
  reference_row_real(reference, position, wanted);
  for (int64_t i = 0; i < SAMPLE; i++) {
    const int64_t column = random_between(&seed, 0, spec->d_model - 1);
    const double got = column < c->width ? value_at(c, row->out, column) : value_at(c, row->cosines, column - c->width);
    const double nearest = reference_rounded(&wanted[column], spec->dtype);
    const double bound = posenc_impl_error_bound(impl, spec, position, column);
    const int64_t k = place_of(spec, column).k;
    const bool no_angle = position == 0 || k < 0 || (spec->freqs && spec->freqs[k] == 0);
    const bool equal = recipe ? got == nearest : same_number(got, nearest); /* recipes may give a zero of either sign */
    if (!(fabs((got - wanted[column].y) - wanted[column].low) <= bound) || ((exact || no_angle) && !equal))
      complain("%s, d_model %lld, position %a, column %lld: %a; the nearest is %a, the bound %a", impl->name,
          (long long)spec->d_model, position, (long long)column, got, nearest, bound);
  }
  reference_destroy(reference);
  free(wanted);
}

/* A plan of the same spec. If all members of the family promise the same bits, another member may make it. */
static posenc_plan *other_plan(bytes *b, const posenc_plan *plan, const posenc_spec *spec) {
  const char *name = posenc_plan_impl(plan), *family = posenc_impl_find(name)->family;
  const posenc_impl *member = family_member(family, take_byte(b) % 4);
  if (member && (strcmp(family, "exact") == 0 || strcmp(family, "anchored") == 0))
    name = member->name;
  posenc_plan *other = NULL;
  if (posenc_plan_create(&other, spec, name) != POSENC_OK)
    complain("%s refuses a spec that %s takes", name, posenc_plan_impl(plan));
  return other;
}

void make_image(bytes *b, const fuzz_call *c, const posenc_spec *spec, const arguments *image) {
  const arguments *a = &c->a;
  uint64_t seed = take_byte(b);
  posenc_spec columns = *spec;
  if (a->call == PAIR) { /* the same frequencies: sines, then cosines */
    columns.d_model = 2 * c->width;
    columns.denominator = spec_denominator(spec);
    columns.layout = POSENC_LAYOUT_SPLIT;
    columns.order = POSENC_ORDER_SIN_FIRST;
  }
  posenc_plan *plan = other_plan(b, a->plan, spec);
  arguments row = *a;
  row.call = a->call == TABLE ? FILL : a->call;
  row.plan = plan;
  row.count = 1;
  row.row_stride = c->width;
  const int64_t sampled = random_between(&seed, 0, a->count - 1);
  for (int64_t i = 0; i < a->count; i++) {
    const double position = position_of(a, i);
    row.first = a->first + i;
    row.positions = a->positions ? a->positions + i : NULL;
    row.reals = a->reals ? a->reals + i : NULL;
    row.out = row_at(c, image->out, i);
    row.cosines = row_at(c, image->cosines, i);
    if (make_call(&row) != POSENC_OK)
      complain("%s refuses position %a alone", call_names[row.call], position);
    if (i == sampled && row.call == FILL &&
        posenc_fill_once(spec, posenc_plan_impl(plan), row.first, 1, row.out, 0) != POSENC_OK)
      complain("posenc_fill_once refuses position %a", position);
    if (i == sampled)
      check_sample(c, &columns, position, &row, seed);
  }
  posenc_plan_destroy(plan);
}

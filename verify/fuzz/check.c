#include "../reference/columns.h"
#include "../reference/judge.h"
#include "../tools/family.h"
#include "../tools/memory.h"
#include "fuzz.h"

#include <fenv.h>

/* ---- the floating-point state */

#if defined(__x86_64__)
static uint64_t get_state(void) { return __builtin_ia32_stmxcsr(); }
static void set_state(uint64_t s) { __builtin_ia32_ldmxcsr((unsigned)s); }
/* Rounding mode, FTZ, DAZ, and either unmasked traps or perhaps a flag that is already raised. */
static uint64_t odd_state(unsigned how) {
  const unsigned masks = how & 16 ? 0 : 0x1f80u | (how & 32) >> 2;
  return masks | (how & 3) << 13 | (how & 4) << 13 | (how & 8) << 3;
}
#elif defined(__aarch64__) /* the control register, and above it that of the flags */
static uint64_t get_state(void) {
  uint64_t control, flags;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(flags));
  return flags << 32 | control;
}
static void set_state(uint64_t s) {
  __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(s & UINT32_MAX), "r"(s >> 32) : "memory");
}
/* Rounding mode, FZ, and perhaps a flag that is already raised. Traps are absent in most cores. */
static uint64_t odd_state(unsigned how) { return (uint64_t)(how & 32) << 30 | (how & 7) << 22; }
#endif

static uint64_t usual, entered;
static int rounding;

/* fesetround() changes more than the vector unit: on x86-64 the x87 unit too. */
void enter_state(unsigned how) {
  static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  usual = get_state();
  if (how) {
    fesetround(modes[how >> 6]);
    set_state(odd_state(how));
  }
  entered = get_state(); /* read back, as the CPU may not keep every bit */
  rounding = fegetround();
}

void leave_state(const char *what) {
  const uint64_t left = get_state();
  const int left_rounding = fegetround();
  fesetround(FE_TONEAREST);
  set_state(usual);
  if (left != entered || left_rounding != rounding)
    complain("%s changes the floating-point state", what);
}

/* ---- calls */

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
  const posenc_status positions = positions_status(&c->a, spec_scale(spec));
  if (allowed ? status != positions : status == POSENC_OK || (status == POSENC_ERROR_DOMAIN && status != positions))
    complain("%s returns %d; for its positions alone it would be %d, its other arguments are %s", call_names[c->a.kind],
        (int)status, (int)positions, allowed ? "allowed" : "not allowed");
}

void try_phases(bytes *b, const posenc_plan *plan) {
  const int64_t n = spec_count(posenc_plan_spec(plan));
  double *const whole = must_calloc(n, sizeof *whole), *const rest = must_calloc(n, sizeof *rest);
  uint64_t *const fraction = must_calloc(n, sizeof *fraction);
  posenc_status status;
  TRY(b, take_byte(b), "posenc_plan_phases", status, posenc_plan_phases(plan, whole, fraction, rest));
  if (status != POSENC_OK && status != POSENC_ERROR_UNSUPPORTED)
    complain("posenc_plan_phases returns %d", (int)status);
  free(whole);
  free(rest);
  free(fraction);
}

/* ---- rows ---- */

/* Frequencies, and some more. */
static double *longer(const double *freqs, int64_t n, int64_t more) {
  double *const list = must_calloc(n + more, sizeof *list);
  if (n > 0)
    memcpy(list, freqs, (size_t)n * sizeof *list);
  return list;
}

/* A plan of the same frequencies and perhaps some more, as interleaved pairs: sines are the even columns. Where all
 * members of the family promise the same bits, another member may make it. */
static posenc_plan *plan_alone(bytes *b, const posenc_plan *plan, const posenc_spec *spec) {
  const char *name = posenc_plan_impl(plan), *const family = posenc_impl_find(name)->family;
  const bool promised = strcmp(family, "exact") == 0 || strcmp(family, "anchored") == 0;
  const posenc_impl *member = family_member(family, take_byte(b) % 4);
  const int64_t n = spec_count(spec);
  name = promised && member ? member->name : name;
  /* If an angle of a vector is large, SLEEF reduces all of them in another way, so no frequencies may be added. */
  const int64_t more = promised ? take_byte(b) % 8 : 0;
  posenc_spec alone = *spec;
  alone.layout = alone.order = alone.odd = 0;
  alone.denominator = n > 1 ? spec_denominator(spec) : spec->denominator;
  posenc_plan *made = NULL;
  for (int64_t added = more; !made; added = 0) { /* a ladder with more frequencies may be refused */
    alone.d_model = 2 * (n + added > 0 ? n + added : 1);
    alone.n_freqs = spec->freqs ? alone.d_model / 2 : 0;
    double *const freqs = spec->freqs ? longer(spec->freqs, n, alone.n_freqs - n) : NULL;
    double *const low = spec->freqs_low ? longer(spec->freqs_low, n, alone.n_freqs - n) : NULL;
    alone.freqs = freqs;
    alone.freqs_low = low;
    posenc_plan_create(&made, &alone, name);
    free(freqs); /* the plan has copies */
    free(low);
    if (!made && added == 0)
      complain("%s refuses a spec that %s takes", name, posenc_plan_impl(plan));
  }
  return made;
}

/* Fills the row of a position, by a call for integers where possible. */
static void fill_alone(const posenc_plan *plan, double position, unsigned char *row) {
  const int64_t width = posenc_plan_spec(plan)->d_model;
  const bool integer = position == nearbyint(position) && !(position == 0 && signbit(position));
  const posenc_status status = integer ? posenc_fill(plan, (int64_t)position, 1, row, width)
                                       : posenc_fill_at_real(plan, &position, 1, row, width);
  if (status != POSENC_OK)
    complain("%s refuses position %a alone", posenc_plan_impl(plan), position);
}

/* Compares 16 elements of a row of `alone` with MPFR. `columns` describes the columns of the call. */
static void check_sample(const posenc_plan *alone, mpfr_reference *reference, const posenc_spec *columns,
    double position, const unsigned char *row, unsigned state, uint64_t *seed) {
  enum { SAMPLE = 16 };
  const posenc_spec *const spec = posenc_plan_spec(alone);
  const posenc_impl *impl = posenc_impl_find(posenc_plan_impl(alone));
  const bool exact = impl->correctly_rounded, recipe = !exact && strcmp(impl->family, "anchored") != 0;
  for (int64_t i = 0; i < SAMPLE; i++) {
    const int64_t column = random_between(seed, 0, columns->d_model - 1);
    const component it = component_of(columns, column);
    if (it.k < 0)
      continue;
    reference_value pair[2];
    reference_pair(reference, position, it.k, pair);
    const size_t at = (size_t)(2 * it.k + it.cosine) * format_of(spec->dtype)->size;
    const judgement j = judge_element(spec->dtype, row + at, &pair[it.cosine]);
    enter_state(state);
    const double bound = posenc_impl_error_bound(impl, columns, position, column);
    leave_state("posenc_impl_error_bound");
    const bool no_angle = position == 0 || (spec->freqs && spec->freqs[it.k] == 0);
    const bool equal = recipe ? j.got == j.nearest : j.is_nearest; /* recipes may give a zero of either sign */
    if (!(j.error <= bound) || ((exact || no_angle) && !equal))
      complain("%s, d_model %lld, position %a, column %lld: %a; the nearest is %a, the bound %a", impl->name,
          (long long)columns->d_model, position, (long long)column, j.got, j.nearest, bound);
  }
}

/* Copies the columns of a row alone to where the call writes them. */
static void place_row(const fuzz_call *c, const posenc_spec *columns, const unsigned char *row, unsigned char *out,
    unsigned char *cosines) {
  for (int64_t j = 0; j < columns->d_model; j++) {
    const component it = component_of(columns, j);
    unsigned char *const to = j < c->width ? out + (size_t)j * c->size : cosines + (size_t)(j - c->width) * c->size;
    if (it.k < 0)
      memset(to, 0, c->size);
    else
      memcpy(to, row + (size_t)(2 * it.k + it.cosine) * c->size, c->size);
  }
}

void make_image(bytes *b, const fuzz_call *c, const posenc_spec *spec, const arguments *image) {
  const arguments *a = &c->a;
  uint64_t seed = take_byte(b);
  posenc_spec columns = *spec;
  if (a->kind == CALL_PAIR) { /* the same frequencies: sines, then cosines */
    columns.d_model = 2 * c->width;
    if (c->width > 1) /* a single frequency needs no denominator */
      columns.denominator = spec_denominator(spec);
    columns.layout = POSENC_LAYOUT_SPLIT;
    columns.order = POSENC_ORDER_SIN_FIRST;
  }
  posenc_plan *const alone = plan_alone(b, a->plan, spec);
  unsigned char *const row = must_calloc(posenc_plan_spec(alone)->d_model, c->size);
  mpfr_reference *const reference = reference_create(posenc_plan_spec(alone));
  const int64_t every = a->count / 4 + 1, sampled = random_between(&seed, 0, every - 1);
  for (int64_t i = 0; i < a->count; i++) {
    const double position = position_of(a, i);
    const size_t at = (size_t)(i * a->row_stride) * c->size;
    fill_alone(alone, position, row);
    place_row(c, &columns, row, (unsigned char *)image->out + at, (unsigned char *)image->cosines + at);
    if (i % every == sampled)
      check_sample(alone, reference, &columns, position, row, c->state, &seed);
  }
  free(row);
  reference_destroy(reference);
  posenc_plan_destroy(alone);
}

void check_element(const fuzz_call *c, const unsigned char *rows, bool cosines, const unsigned char *byte,
    const unsigned char *image) {
  const int64_t element = (byte - rows) / (int64_t)c->size, row = c->a.count > 1 ? element / c->a.row_stride : 0;
  const int64_t column = element - row * c->a.row_stride;
  const size_t at = (size_t)element * c->size;
  const int32_t dtype = posenc_plan_spec(c->a.plan)->dtype;
  if (byte >= rows && row < c->a.count && column < c->width)
    complain("%s, %s, position %.17g, column %lld%s: got %a, want %a", posenc_plan_impl(c->a.plan),
        call_names[c->a.kind], position_of(&c->a, row), (long long)column, cosines ? " of the cosines" : "",
        element_value(dtype, rows + at), element_value(dtype, image + at));
}

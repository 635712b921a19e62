#include "../campaign/family.h"
#include "fuzz.h"
#include "state.h"

enum { CANARY = 0x5a };

/* ---- messages: terminated within their size, one line, nothing written where nothing is wrong */

void message_clear(message *m, bytes *b) {
  const unsigned how = take_byte(b);
  memset(m->text, CANARY, sizeof m->text);
  m->size = how < 64 ? how : how < 128 ? MESSAGE_ROOM - 8 : 200;
}

bool judge_refusal(const char *what, message *m, posenc_status status, allowed a) {
  if (status != POSENC_OK && posenc_last_error(m->text, m->size) != status)
    complain("%s: posenc_last_error does not return %d", what, (int)status);
  const bool written = status != POSENC_OK && m->size > 0;
  const char *end = memchr(m->text, '\0', sizeof m->text);
  if (written && (!end || end >= m->text + m->size))
    complain("%s: the message is not terminated within its %zu bytes", what, m->size);
  for (size_t i = written ? m->size : 0; i < sizeof m->text; i++)
    if (m->text[i] != CANARY)
      complain("%s: byte %zu of a message of %zu was written", what, i, m->size);
  if (written && (strchr(m->text, '\n') || (m->size > 1 && !*m->text)))
    complain("%s: the message is not one line: %s", what, m->text);
  return judge_status(what, status, a);
}

/* ---- specs */

static int64_t take_width(bytes *b) {
  static const int64_t edges[] = {
      0, -1, 1 << 20, (1 << 20) + 1, INT64_MIN, INT64_MAX, 8194, 8193, 96, 512, INT64_C(1) << 32};
  const unsigned how = take_byte(b);
  if (how < 210)
    return 1 + how % 42;
  if (how < 245)
    return 1 + (int64_t)take_bits(b, 2) % 320;
  return edges[how - 245];
}

/* lows: 0 none, else with low parts of some size, in one of four cases with one that may be too large. */
static void take_freqs(bytes *b, fuzz_spec *f, unsigned lows) {
  const int64_t d = f->spec.d_model;
  const int64_t n = d < 1 || d > WIDEST_PLAN ? 1 : model_count(&f->spec);
  f->freqs = calloc(n > 0 ? (size_t)n : 1, sizeof *f->freqs);
  double w = 0;
  for (int64_t k = 0; k < n; k++)
    f->freqs[k] = w = b->at < b->end ? take_real(b) : w / 2 < 0x1p-1022 ? 0.75 : w / 2; /* a valid rest */
  if (lows) {
    f->freqs_low = calloc(n > 0 ? (size_t)n : 1, sizeof *f->freqs_low);
    for (int64_t k = 0; k < n; k++)
      f->freqs_low[k] = ldexp(f->freqs[k] * (k % 2 ? -0x1.4cccccccccccdp-55 : 0x1.7p-55), -(int)(k % 4 * 37 * lows));
    if (lows == 3 && n > 0)
      f->freqs_low[n / 2] *= 4;
  }
  f->spec.freqs = f->freqs;
  f->spec.freqs_low = f->freqs_low;
  f->spec.n_freqs = n;
}

/* One field changed, perhaps to what it may not be. */
static void take_field(bytes *b, posenc_spec *s) {
  const unsigned what = take_byte(b) % 16;
  const unsigned how = take_byte(b);
  const int32_t choice = how < 240 ? (int32_t)(how & 1) : (int32_t)take_bits(b, 4);
  int32_t *const choices[] = {&s->layout, &s->order, &s->odd, &s->dtype};
  if (what < 8) {
    *choices[what / 2] = what < 6 || how >= 240 ? choice : (int32_t)(how & 3);
    return;
  }
  switch (what) {
  case 8:
    s->base = take_real(b);
    break;
  case 9:
    s->denominator = take_real(b);
    break;
  case 10:
    s->denominator = (double)how / 2;
    break;
  case 11:
    s->position_scale = take_real(b);
    break;
  case 12:
    s->position_scale = ldexp(how & 1 ? -1.25 : 1.0, (int)(how >> 1) % 65 - 32);
    break;
  case 13:
    s->base = 1 + ldexp((double)(how + 1), (int)(take_byte(b) % 128) - 52);
    s->base = how & 1 ? 1 / s->base : s->base;
    break;
  case 14:
    s->n_freqs = how < 128 ? 0 : s->n_freqs + (int8_t)how;
    break;
  default:
    if (how < 8)
      s->struct_size = how == 7 ? SIZE_MAX : sizeof *s - 8 * how;
    else if (how < 12)
      s->reserved[how - 8] = take_bits(b, 1);
    else if (how < 32)
      s->table_rows = (INT64_C(1) << (how + 3)) + (how & 1) * 2;
  }
}

/* A preset's spec, where there is one; zeros, and then of no use, where there is none. */
static void take_preset(bytes *b, int64_t width, posenc_spec *spec) {
  const size_t which = take_byte(b) % (posenc_preset_count() + 2);
  const char *name = which < posenc_preset_count() ? posenc_preset_by_index(which)->name
                     : which % 2                   ? "no such preset"
                                                   : NULL;
  message m;
  message_clear(&m, b);
  const bool refused = (name && which >= posenc_preset_count()) || width < 1 || width > POSENC_MAX_D_MODEL;
  const allowed wanted = {refused ? BIT(SPEC) : 0, name ? BIT(SPEC) : 0};
  static const posenc_spec zeros;
  memset(spec, CANARY, sizeof *spec);
  if (!judge_refusal("posenc_spec_init", &m, posenc_spec_init(spec, width, name), wanted) &&
      memcmp(spec, &zeros, sizeof zeros) != 0)
    complain("posenc_spec_init: refused, but the spec is not all zeros");
}

static void take_name(bytes *b, fuzz_spec *f) {
  static const char *const families[] = {
      NULL, "exact", "anchored", "sleef", "sleef_u35", "sleef_f64", "", "exact_", "naive ", "avx2"};
  enum { FAMILIES = sizeof families / sizeof families[0] };
  const unsigned how = take_byte(b);
  f->name = f->own;
  if (how < 64) /* half of all work is for those whose every bit is known */
    f->name = how < 32 ? "exact" : "anchored";
  else if (how < 208)
    f->name = posenc_impl_by_index(how % posenc_impl_count())->name;
  else if (how < 248)
    f->name = families[how % FAMILIES];
  else
    for (size_t i = 0; i < sizeof f->own - 1; i++)
      f->own[i] = (char)(' ' + take_byte(b) % 95); /* messages quote it */
  char family[FAMILY_SIZE];
  if (how >= 64 || !posenc_impl_find(f->name))
    return;
  family_of(posenc_impl_find(f->name), family); /* by turns each that runs here */
  for (unsigned i = 0; i <= how % 4; i++)
    if (family_member(family, i))
      f->name = family_member(family, i)->name;
}

void take_spec(bytes *b, fuzz_spec *f) {
  *f = (fuzz_spec){.freqs = NULL};
  take_name(b, f);
  const unsigned how = take_byte(b);
  const int64_t width = take_width(b);
  posenc_spec_init(&f->spec, 1, NULL);
  f->spec.d_model = width;
  if (how & 1)
    take_preset(b, width, &f->spec);
  for (unsigned i = 0; i < (how >> 1) % 6; i++)
    take_field(b, &f->spec);
  if (how >= 192 && f->spec.d_model < (INT64_C(1) << 40))
    take_freqs(b, f, how >> 3 & 3);
  if (how >= 250)
    take_field(b, &f->spec);
}

/* ---- plans */

posenc_plan *plan_judged(bytes *b, const fuzz_spec *f) {
  const unsigned how = take_byte(b);
  message m;
  posenc_status status;
  message_clear(&m, b);
  IN_STATE(how, status = posenc_spec_check(&f->spec));
  judge_refusal("posenc_spec_check", &m, status, allowed_spec(&f->spec));
  if (status == POSENC_OK && f->spec.d_model > WIDEST_PLAN)
    return NULL;

  message_clear(&m, b);
  posenc_plan *plan = (posenc_plan *)(void *)&m;
  IN_STATE(how, status = posenc_plan_create(&plan, &f->spec, f->name));
  judge_refusal("posenc_plan_create", &m, status, allowed_plan(&f->spec, f->name));
  if ((status == POSENC_OK) != (plan != NULL))
    complain("posenc_plan_create returns %d and %s", (int)status, plan ? "a plan" : "NULL");
  return plan;
}

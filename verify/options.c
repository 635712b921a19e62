#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "columns.h"
#include "formats.h"
#include "memory.h"

enum { KEY_IMPL = 'i', KEY_LIST = 'l', KEY_JSON = 'o', KEY_SEED = 's', KEY_ROWS = 'r' };
enum { KEY_REFERENCE = 256, KEY_THREADS };
enum { KEY_D_MODEL = 300, KEY_PRESET, KEY_BASE, KEY_DENOMINATOR, KEY_POSITIONS };
enum { KEY_SCALE = KEY_POSITIONS + 1, KEY_LAYOUT, KEY_ORDER, KEY_ODD, KEY_DTYPE };

static const struct argp_option argp_options[] = {
    {"impl", KEY_IMPL, "NAME", 0, "Verify this implementation only; may be repeated", 0},
    {"list", KEY_LIST, NULL, 0, "List the implementations and stop", 0},
    {"json", KEY_JSON, "FILE", 0, "Write the results as JSON; - is stdout, the text then goes to stderr", 0},
    {"seed", KEY_SEED, "N", 0, "Seed of the choice of rows (default 1)", 0},
    {"rows", KEY_ROWS, "N", 0, "Rows per range of the accuracy table, nine times as many from 512 to 5000 (default 512: all up to there)", 0},
    {"reference", KEY_REFERENCE, "NAME", 0, "mpfr (default), or float64: quick, its own error allowed for", 0},
    {"threads", KEY_THREADS, "N", 0, "Threads that compute the reference (default: one for every processor)", 0},
    {NULL, 0, NULL, 0, "Sweep one shape instead of the default ones:", 1},
    {"d-model", KEY_D_MODEL, "N", 0, "Columns of the shape (default 512)", 1},
    {"preset", KEY_PRESET, "NAME", 0, "What a real system computes; the options below change fields of it (default paper)", 1},
    {"base", KEY_BASE, "X", 0, "Base of its frequencies (default 10000)", 1},
    {"denominator", KEY_DENOMINATOR, "X", 0, "Denominator of their exponents (default half of N)", 1},
    {"positions", KEY_POSITIONS, "[FROM:]TO", 0, "Its positions, FROM to TO-1 (default 0:1048576)", 1},
    {"position-scale", KEY_SCALE, "X", 0, "Factor of the positions (default 1)", 1},
    {"layout", KEY_LAYOUT, "NAME", 0, "interleaved (default) or split", 1},
    {"order", KEY_ORDER, "NAME", 0, "sin_first (default) or cos_first", 1},
    {"odd", KEY_ODD, "NAME", 0, "half_pair (default) or zero: the last column of an odd width", 1},
    {"dtype", KEY_DTYPE, "NAME", 0, "f32 (default), f64, bf16 or f16; who does not offer it is not run", 1},
    {0}};

static uint64_t parse_seed(struct argp_state *state, const char *text)
{
  char *end;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (strchr(text, '-') || end == text || *end != '\0' || errno != 0)
    argp_error(state, "--seed %s: an integer from 0 to 18446744073709551615 is needed", text);
  return value;
}

static void add_impl(struct argp_state *state, options *o, const char *name)
{
  const posenc_impl *impl = argument_impl(state, name);
  for (size_t i = 0; i < o->n_impls; i++)
    if (o->impls[i] == impl)
      return;
  o->impls[o->n_impls++] = impl;
}

/* Which of the names a text is. */
static int32_t choice(struct argp_state *state, const char *option, const char *text, const char *(*name)(int32_t))
{
  char known[128] = "";
  for (int32_t i = 0; name(i); i++) {
    if (strcmp(text, name(i)) == 0)
      return i;
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", name(i));
  }
  argp_error(state, "%s %s: one of these is needed: %s", option, text, known);
  return 0;
}

/* What changes the spec of a preset waits until that is known. */
static void set_field(options *o, int key, const char *text, struct argp_state *state)
{
  posenc_spec *spec = &o->spec;
  switch (key) {
  case KEY_BASE: spec->base = argument_number(state, "--base", text); break;
  case KEY_DENOMINATOR: spec->denominator = argument_number(state, "--denominator", text); break;
  case KEY_SCALE: spec->position_scale = argument_number(state, "--position-scale", text); break;
  case KEY_LAYOUT: spec->layout = choice(state, "--layout", text, layout_name); break;
  case KEY_ORDER: spec->order = choice(state, "--order", text, order_name); break;
  case KEY_ODD: spec->odd = choice(state, "--odd", text, odd_name); break;
  case KEY_DTYPE: spec->dtype = choice(state, "--dtype", text, dtype_name); break;
  }
}

static const char *preset_named(struct argp_state *state, const char *text)
{
  char known[512] = "";
  for (size_t i = 0; posenc_preset_at(i); i++) {
    const char *name = posenc_preset_at(i)->name;
    if (strcmp(text, name) == 0)
      return name;
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", name);
  }
  argp_error(state, "--preset %s: one of these is needed: %s", text, known);
  return NULL;
}

enum { FIRST_FIELD = KEY_D_MODEL, END_FIELD = KEY_DTYPE + 1 };
static const char *fields[END_FIELD - FIRST_FIELD]; /* the texts of these options, or NULL */

static void build_spec(struct argp_state *state, options *o)
{
  char message[256];
  if (o->preset) {
    const int64_t d_model = o->spec.d_model;
    if (posenc_spec_preset_check(o->preset, d_model, message, sizeof message) != POSENC_OK)
      argp_error(state, "--preset %s: %s", o->preset, message);
    posenc_spec_preset(o->preset, d_model, &o->spec);
  }
  for (int key = FIRST_FIELD; key < END_FIELD; key++)
    if (fields[key - FIRST_FIELD])
      set_field(o, key, fields[key - FIRST_FIELD], state);
  if (posenc_spec_check(&o->spec, message, sizeof message) != POSENC_OK)
    argp_error(state, "%s", message);
  const double scale = fabs(spec_scale(&o->spec)), far = fmax(fabs((double)o->from), fabs((double)(o->to - 1)));
  if (far * scale > (double)POSENC_MAX_POSITION)
    argp_error(state, "--positions %lld:%lld, times a scale of %g, lie beyond -2^32 to 2^32", (long long)o->from,
               (long long)o->to, spec_scale(&o->spec));
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  options *o = state->input;
  if (key >= FIRST_FIELD && key < END_FIELD) {
    fields[key - FIRST_FIELD] = text;
    o->one_shape = true;
  }
  switch (key) {
  case KEY_IMPL: add_impl(state, o, text); return 0;
  case KEY_LIST: list_impls();
  case KEY_JSON: o->json = text; return 0;
  case KEY_SEED: o->seed = parse_seed(state, text); return 0;
  case KEY_ROWS: o->rows = argument_integer(state, "--rows", text, SWEEP_MIN_ROWS, SWEEP_MAX_ROWS); return 0;
  case KEY_THREADS: o->threads = argument_integer(state, "--threads", text, 1, EXPECTED_MOST_THREADS); return 0;
  case KEY_REFERENCE:
    if (strcmp(text, "mpfr") != 0 && strcmp(text, "float64") != 0)
      argp_error(state, "--reference %s: mpfr or float64 is needed", text);
    o->by = text[0] == 'm' ? REFERENCE_MPFR : REFERENCE_FLOAT64;
    return 0;
  case KEY_D_MODEL: o->spec = posenc_spec_default(argument_integer(state, "--d-model", text, 1, POSENC_MAX_D_MODEL)); return 0;
  case KEY_POSITIONS: argument_positions(state, text, &o->from, &o->to); return 0;
  case KEY_PRESET: o->preset = preset_named(state, text); return 0;
  case KEY_BASE: case KEY_DENOMINATOR: case KEY_SCALE: case KEY_LAYOUT: case KEY_ORDER: case KEY_ODD: case KEY_DTYPE: return 0;
  case ARGP_KEY_ARG: argp_error(state, "%s: no arguments are taken, only options", text); return 0;
  case ARGP_KEY_END: build_spec(state, o); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static void print_version(FILE *out, struct argp_state *state)
{
  (void)state;
  fprintf(out, "posenc-verify %s\n", posenc_version());
}

options options_parse(int argc, char **argv)
{
  static const struct argp argp = {
      argp_options, parse, NULL,
      "Verifies every implementation of posenc that runs here against the truth and against its own error bound."
      "\vText on stdout, progress on stderr. Exit status: 0 all verified, 1 an implementation failed, 2 bad usage.",
      NULL, NULL, NULL};
  options o = {.seed = 1, .rows = 512, .by = REFERENCE_MPFR, .from = 0, .to = 1048576};
  o.impls = must_calloc((int64_t)posenc_impl_count(), sizeof(posenc_impl *));
  o.spec = posenc_spec_default(512);
  argp_err_exit_status = 2;
  argp_program_version_hook = print_version;
  argp_parse(&argp, argc, argv, 0, NULL, &o);
  return o;
}

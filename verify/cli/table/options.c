#include "options.h"

#include <argp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../arguments.h"

enum { KEY_IMPL = 'i', KEY_LIST = 'l', KEY_OUTPUT = 'o', KEY_PRESET = 'p' };
enum { KEY_D_MODEL = 256, KEY_POSITIONS, KEY_FIRST, KEY_DTYPE, KEY_BASE, KEY_DENOMINATOR, KEY_SCALE, KEY_LAYOUT };
enum { KEY_ORDER = 512, KEY_ODD };

static const struct argp_option argp_options[] = {{NULL, 0, NULL, 0, "The table:", 1},
    {"output", KEY_OUTPUT, "FILE", 0, "The .npy file; - is stdout", 1},
    {"positions", KEY_POSITIONS, "N", 0, "Its rows", 1},
    {"first", KEY_FIRST, "P", 0, "Position of its first row (default 0)", 1},
    {"d-model", KEY_D_MODEL, "N", 0, "Its columns (default 512)", 1},
    {"preset", KEY_PRESET, "NAME", 0, "Whose table (default paper)", 1},
    {"list", KEY_LIST, NULL, 0, "List the presets and stop", 1},
    {"dtype", KEY_DTYPE, "TYPE", 0,
        "f32 (default), f64, f16, or bf16, which NumPy has no type for: the file then has its bits as unsigned 16-bit "
        "integers, '<u2'",
        1},
    {"impl", KEY_IMPL, "NAME", 0, "The implementation (default exact, or float64 where exact does not go)", 1},
    {NULL, 0, NULL, 0, "Instead of the preset's own:", 2}, {"base", KEY_BASE, "X", 0, "Base of the frequencies", 2},
    {"denominator", KEY_DENOMINATOR, "X", 0, "Frequencies are base^(-k/X); 0 means d-model / 2", 2},
    {"position-scale", KEY_SCALE, "X", 0, "Positions are multiplied by this", 2},
    {"layout", KEY_LAYOUT, "interleaved|split", 0, "Where sines and cosines are", 2},
    {"order", KEY_ORDER, "sin|cos", 0, "Which of them is first", 2},
    {"odd", KEY_ODD, "half-pair|zero", 0, "The last column of an odd d-model", 2}, {0}};

/* What was given, to be put over the preset's spec when all is known. */
typedef struct given {
  options *options;
  const char *preset, *dtype, *layout, *order, *odd;
  double base, denominator, scale;
  bool has_base, has_denominator, has_scale, has_rows;
  int64_t d_model;
} given;

/* Its index among the choices. */
static int choice(struct argp_state *state, const char *option, const char *text, const char *const *choices, int n) {
  char all[64] = "";
  for (int i = 0; i < n; i++) {
    if (strcmp(text, choices[i]) == 0)
      return i;
    const size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", i == 0 ? "" : i == n - 1 ? " or " : ", ", choices[i]);
  }
  argp_error(state, "%s %s: %s is needed", option, text, all);
  return 0;
}

static void list_presets(void) {
  for (size_t i = 0; i < posenc_preset_count(); i++) {
    const posenc_preset *p = posenc_preset_at(i);
    printf("%s\n  formula  %s\n  users    %s\n  starts   %s\n", p->name, p->formula, p->users, p->starts);
  }
  exit(0);
}

/* The spec and its plan, refused in the library's own words. */
static void finish(struct argp_state *state, given *g) {
  static const char *const layouts[] = {"interleaved", "split"}, *const orders[] = {"sin", "cos"};
  static const char *const odds[] = {"half-pair", "zero"};
  static const char *const dtypes[] = {"f32", "f64", "bf16", "f16"}; /* in the order of posenc_dtype */
  options *o = g->options;
  if (!o->output)
    argp_error(state, "-o FILE is needed");
  if (!g->has_rows)
    argp_error(state, "--positions N, the number of rows, is needed");
  char message[512];
  if (posenc_spec_preset_check(g->preset, g->d_model, message, sizeof message) != POSENC_OK)
    argp_error(state, "%s", message);
  posenc_spec *spec = &o->spec;
  posenc_spec_preset(g->preset, g->d_model, spec);
  if (g->has_base)
    spec->base = g->base;
  if (g->has_denominator)
    spec->denominator = g->denominator;
  if (g->has_scale)
    spec->position_scale = g->scale;
  if (g->dtype)
    spec->dtype = choice(state, "--dtype", g->dtype, dtypes, 4);
  if (g->layout)
    spec->layout = choice(state, "--layout", g->layout, layouts, 2);
  if (g->order)
    spec->order = choice(state, "--order", g->order, orders, 2);
  if (g->odd)
    spec->odd = choice(state, "--odd", g->odd, odds, 2);
  if (posenc_plan_check(spec, o->impl, message, sizeof message) != POSENC_OK)
    argp_error(state, "%s", message);
  if (o->first > POSENC_MAX_POSITION - o->rows + 1)
    argp_error(state, "--first %lld --positions %lld: positions end at %lld", (long long)o->first, (long long)o->rows,
        (long long)POSENC_MAX_POSITION);
}

static error_t parse(int key, char *text, struct argp_state *state) {
  const int64_t last = POSENC_MAX_POSITION;
  given *g = state->input;
  options *o = g->options;
  switch (key) {
  case KEY_LIST:
    list_presets();
    return 0;
  case KEY_OUTPUT:
    o->output = text;
    return 0;
  case KEY_PRESET:
    g->preset = text;
    return 0;
  case KEY_IMPL:
    o->impl = argument_impl(state, text)->name;
    return 0;
  case KEY_DTYPE:
    g->dtype = text;
    return 0;
  case KEY_LAYOUT:
    g->layout = text;
    return 0;
  case KEY_ORDER:
    g->order = text;
    return 0;
  case KEY_ODD:
    g->odd = text;
    return 0;
  case KEY_POSITIONS:
    o->rows = argument_integer(state, "--positions", text, 1, 2 * last + 1);
    g->has_rows = true;
    return 0;
  case KEY_FIRST:
    o->first = argument_integer(state, "--first", text, -last, last);
    return 0;
  case KEY_D_MODEL:
    g->d_model = argument_integer(state, "--d-model", text, 1, POSENC_MAX_D_MODEL);
    return 0;
  case KEY_BASE:
    g->base = argument_number(state, "--base", text);
    g->has_base = true;
    return 0;
  case KEY_DENOMINATOR:
    g->denominator = argument_number(state, "--denominator", text);
    g->has_denominator = true;
    return 0;
  case KEY_SCALE:
    g->scale = argument_number(state, "--position-scale", text);
    g->has_scale = true;
    return 0;
  case ARGP_KEY_ARG:
    argp_error(state, "%s: no arguments are taken, only options", text);
    return 0;
  case ARGP_KEY_END:
    finish(state, g);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void print_version(FILE *out, struct argp_state *state) {
  (void)state;
  fprintf(out, "posenc-table %s\n", posenc_version());
}

options options_parse(int argc, char **argv) {
  static const struct argp argp = {argp_options, parse, NULL,
      "Writes a sinusoidal position table as an .npy file."
      "\vExit status: 0 written; 2 bad usage, or a file that cannot be written, and "
      "nothing is written. Progress is on stderr.\n\n"
      "Examples:\n"
      "  $ posenc-table --preset whisper --d-model 1280 --positions 1500 -o pe.npy",
      NULL, NULL, NULL};
  options o = {.first = 0};
  given g = {.options = &o, .preset = "paper", .d_model = 512};
  argp_err_exit_status = 2;
  argp_program_version_hook = print_version;
  arguments_parse(&argp, argc, argv, &g);
  return o;
}

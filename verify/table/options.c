#include "options.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "../arguments.h"
#include "numbers.h"

enum { KEY_IMPL = 'i', KEY_LIST = 'l', KEY_OUTPUT = 'o', KEY_PRESET = 'p' };
enum { KEY_D_MODEL = 256, KEY_POSITIONS, KEY_FIRST, KEY_DTYPE, KEY_BASE, KEY_DENOMINATOR, KEY_SCALE, KEY_LAYOUT };
enum { KEY_ORDER = 512, KEY_ODD, KEY_IDENTIFY, KEY_FORMAT };

static const struct argp_option argp_options[] = {
    {NULL, 0, NULL, 0, "Write a table:", 1},
    {"output", KEY_OUTPUT, "FILE", 0, "The .npy file; - is stdout", 1},
    {"positions", KEY_POSITIONS, "N", 0, "Its rows", 1},
    {"first", KEY_FIRST, "P", 0, "Position of its first row (default 0)", 1},
    {"d-model", KEY_D_MODEL, "N", 0, "Its columns (default 512)", 1},
    {"preset", KEY_PRESET, "NAME", 0, "Whose table (default paper)", 1},
    {"list", KEY_LIST, NULL, 0, "List the presets and stop", 1},
    {"dtype", KEY_DTYPE, "TYPE", 0,
     "f32 (default), f64, f16, or bf16, which NumPy has no type for: the file then has its bits as unsigned 16-bit "
     "integers, '<u2'", 1},
    {"impl", KEY_IMPL, "NAME", 0, "The implementation (default exact, or float64 where exact does not go)", 1},
    {NULL, 0, NULL, 0, "Instead of the preset's own:", 2},
    {"base", KEY_BASE, "X", 0, "Base of the frequencies", 2},
    {"denominator", KEY_DENOMINATOR, "X", 0, "Frequencies are base^(-k/X); 0 means d-model / 2", 2},
    {"position-scale", KEY_SCALE, "X", 0, "Positions are multiplied by this", 2},
    {"layout", KEY_LAYOUT, "interleaved|split", 0, "Where sines and cosines are", 2},
    {"order", KEY_ORDER, "sin|cos", 0, "Which of them is first", 2},
    {"odd", KEY_ODD, "half-pair|zero", 0, "The last column of an odd d-model", 2},
    {NULL, 0, NULL, 0, "Recognise a table:", 3},
    {"identify", KEY_IDENTIFY, "FILE", 0,
     "Say which preset, base, first position and arithmetic an .npy file is; - is stdin. Elements f8, f4, f2, or "
     "bfloat16 as u2 or V2; rows of consecutive whole positions, without a position scale", 3},
    {"format", KEY_FORMAT, "text|json", 0, "How to say it (default text)", 3},
    {0}};

/* What was given, to be put over the preset's spec when all is known. */
typedef struct given {
  options *options;
  const char *preset, *dtype, *layout, *order, *odd, *format;
  double base, denominator, scale;
  bool has_base, has_denominator, has_scale, has_rows;
  int64_t d_model;
  const char *writing; /* the last option that is about writing */
} given;

/* Its index among the choices. */
static int choice(struct argp_state *state, const char *option, const char *text, const char *const *choices, int n)
{
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

static void list_presets(void)
{
  for (size_t i = 0; i < posenc_preset_count(); i++) {
    const posenc_preset *p = posenc_preset_at(i);
    printf("%s\n  formula  %s\n  users    %s\n  starts   %s\n", p->name, p->formula, p->users, p->starts);
  }
  exit(0);
}

/* The spec and its plan, refused in the library's own words. */
static void finish(struct argp_state *state, given *g)
{
  static const char *const layouts[] = {"interleaved", "split"}, *const orders[] = {"sin", "cos"};
  static const char *const odds[] = {"half-pair", "zero"}, *const formats[] = {"text", "json"};
  static const char *const dtypes[] = {"f32", "f64", "bf16", "f16"}; /* in the order of posenc_dtype */
  options *o = g->options;
  if (g->format)
    o->json = choice(state, "--format", g->format, formats, 2) == 1;
  if (o->identify) {
    if (g->writing)
      argp_error(state, "--identify reads a table, %s is about writing one: only one of them", g->writing);
    return;
  }
  if (g->format)
    argp_error(state, "--format is about --identify");
  if (!o->output)
    argp_error(state, "-o FILE, or --identify FILE, is needed");
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

static error_t parse(int key, char *text, struct argp_state *state)
{
  const int64_t last = POSENC_MAX_POSITION;
  given *g = state->input;
  options *o = g->options;
  if (key == KEY_IDENTIFY) {
    o->identify = text;
    return 0;
  }
  switch (key) {
  case KEY_FORMAT: g->format = text; return 0;
  case KEY_LIST: list_presets(); return 0;
  case KEY_OUTPUT: o->output = text, g->writing = "--output"; return 0;
  case KEY_PRESET: g->preset = text, g->writing = "--preset"; return 0;
  case KEY_IMPL: o->impl = argument_impl(state, text)->name, g->writing = "--impl"; return 0;
  case KEY_DTYPE: g->dtype = text, g->writing = "--dtype"; return 0;
  case KEY_LAYOUT: g->layout = text, g->writing = "--layout"; return 0;
  case KEY_ORDER: g->order = text, g->writing = "--order"; return 0;
  case KEY_ODD: g->odd = text, g->writing = "--odd"; return 0;
  case KEY_POSITIONS:
    o->rows = argument_integer(state, "--positions", text, 1, 2 * last + 1);
    g->has_rows = true, g->writing = "--positions";
    return 0;
  case KEY_FIRST: o->first = argument_integer(state, "--first", text, -last, last), g->writing = "--first"; return 0;
  case KEY_D_MODEL:
    g->d_model = argument_integer(state, "--d-model", text, 1, POSENC_MAX_D_MODEL);
    g->writing = "--d-model";
    return 0;
  case KEY_BASE:
    g->base = argument_number(state, "--base", text);
    g->has_base = true, g->writing = "--base";
    return 0;
  case KEY_DENOMINATOR:
    g->denominator = argument_number(state, "--denominator", text);
    g->has_denominator = true, g->writing = "--denominator";
    return 0;
  case KEY_SCALE:
    g->scale = argument_number(state, "--position-scale", text);
    g->has_scale = true, g->writing = "--position-scale";
    return 0;
  case ARGP_KEY_ARG: argp_error(state, "%s: no arguments are taken, only options", text); return 0;
  case ARGP_KEY_END: finish(state, g); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static void print_version(FILE *out, struct argp_state *state)
{
  (void)state;
  fprintf(out, "posenc-table %s\n", posenc_version());
}

options options_parse(int argc, char **argv)
{
  static const struct argp argp = {
      argp_options, parse, NULL,
      "Writes a sinusoidal position table as an .npy file, or says what table an .npy file is."
      "\vOutput: the result on stdout, progress on stderr.\n"
      "Exit status: 0 written, or recognised; 1 nothing known fits the file; 2 bad usage, or a file that cannot be read or "
      "written, or is no table, and nothing is written.\n\n"
      "Examples:\n"
      "  $ posenc-table --preset whisper --d-model 1280 --positions 1500 -o pe.npy\n"
      "  $ posenc-table --identify pe.npy",
      NULL, NULL, NULL};
  options o = {.first = 0};
  given g = {.options = &o, .preset = "paper", .d_model = 512};
  argp_err_exit_status = 2;
  argp_program_version_hook = print_version;
  arguments_parse(&argp, argc, argv, &g);
  return o;
}

#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "memory.h"

enum { KEY_IMPL = 'i', KEY_LIST = 'l', KEY_JSON = 'o', KEY_SEED = 's', KEY_ROWS = 'r' };
enum { KEY_REFERENCE = 256, KEY_THREADS };

static const struct argp_option argp_options[] = {
    {"impl", KEY_IMPL, "NAME", 0, "Verify this implementation only; may be repeated", 0},
    {"list", KEY_LIST, NULL, 0, "List the implementations and stop", 0},
    {"json", KEY_JSON, "FILE", 0, "Write the results as JSON; - is stdout, the text then goes to stderr", 0},
    {"seed", KEY_SEED, "N", 0, "Seed of the choice of rows (default 1)", 0},
    {"rows", KEY_ROWS, "N", 0, "Rows per range of the accuracy table, nine times as many from 512 to 5000 (default 512: all up to there)", 0},
    {"reference", KEY_REFERENCE, "NAME", 0, "mpfr (default), or float64: quick, its own error allowed for", 0},
    {"threads", KEY_THREADS, "N", 0, "Threads that compute the reference (default: one for every processor)", 0},
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

static error_t parse(int key, char *text, struct argp_state *state)
{
  options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &o->shape; return 0;
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
  case ARGP_KEY_ARG: argp_error(state, "%s: no arguments are taken, only options", text); return 0;
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
  static const struct argp_child children[] = {{&spec_options_argp, 0, "Sweep one shape, by default to position 1048576, instead of the default ones:", 1}, {0}};
  static const struct argp argp = {
      argp_options, parse, NULL,
      "Verifies every implementation of posenc that runs here against the truth and against its own error bound."
      "\vOutput: text on stdout, progress on stderr.\n"
      "Exit status: 0 all verified, 1 an implementation failed, 2 bad usage.",
      children, NULL, NULL};
  options o = {.seed = 1, .rows = 512, .by = REFERENCE_MPFR, .shape = spec_options_default(1048576)};
  o.impls = must_calloc((int64_t)posenc_impl_count(), sizeof(posenc_impl *));
  argp_err_exit_status = 2;
  argp_program_version_hook = print_version;
  arguments_parse(&argp, argc, argv, &o);
  return o;
}

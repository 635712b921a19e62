#include "exhaustive.h"

#include <unistd.h>

#include "arguments.h"

enum { KEY_IMPL = 'i', KEY_LIST = 'l', KEY_ALL = 'a' };
enum { KEY_D_MODEL = 256, KEY_BASE, KEY_POSITIONS, KEY_THREADS };

static const struct argp_option argp_options[] = {
    {"impl", KEY_IMPL, "NAME", 0, "Judge this implementation (default exact: its best member that runs here)", 0},
    {"all-members", KEY_ALL, NULL, 0, "Judge every member of its family that runs here", 0},
    {"list", KEY_LIST, NULL, 0, "List the implementations and stop", 0},
    {"d-model", KEY_D_MODEL, "N", 0, "Columns of the table (default 512)", 0},
    {"base", KEY_BASE, "X", 0, "Base of its frequencies (default 10000)", 0},
    {"positions", KEY_POSITIONS, "[FROM:]TO", 0, "Its positions, FROM to TO-1 (default 0:1048576)", 0},
    {"threads", KEY_THREADS, "N", 0, "Threads that judge (default: one for every processor)", 0},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
  exhaustive_options *o = state->input;
  switch (key) {
  case KEY_IMPL: o->impl = argument_impl(state, text); return 0;
  case KEY_ALL: o->all_members = true; return 0;
  case KEY_LIST: list_impls();
  case KEY_D_MODEL: o->spec.d_model = argument_integer(state, "--d-model", text, 1, POSENC_MAX_D_MODEL); return 0;
  case KEY_BASE: o->spec.base = argument_number(state, "--base", text); return 0;
  case KEY_POSITIONS: argument_positions(state, text, &o->from, &o->to); return 0;
  case KEY_THREADS: o->threads = argument_integer(state, "--threads", text, 1, EXHAUSTIVE_MOST_THREADS); return 0;
  case ARGP_KEY_ARG: argp_error(state, "%s: no arguments are taken, only options", text); return 0;
  case ARGP_KEY_END: {
    char message[512];
    if (posenc_plan_check(&o->spec, o->impl->name, message, sizeof message) != POSENC_OK)
      argp_error(state, "%s", message);
    return 0;
  }
  default: return ARGP_ERR_UNKNOWN;
  }
}

static void print_version(FILE *out, struct argp_state *state)
{
  (void)state;
  fprintf(out, "posenc-exhaustive %s\n", posenc_version());
}

exhaustive_options exhaustive_options_parse(int argc, char **argv)
{
  static const struct argp argp = {
      argp_options, parse, NULL,
      "Judges every output of a table: is it the float32 nearest to the real value? MPFR decides, output by output."
      "\vkey=value lines on stdout; progress, and the first misrounded outputs, on stderr. Exit status: 0 all are "
      "correctly rounded, 1 some are not, 2 bad usage.",
      NULL, NULL, NULL};
  const int64_t processors = sysconf(_SC_NPROCESSORS_ONLN);
  exhaustive_options o = {.impl = posenc_impl_find("exact"), .from = 0, .to = 1048576};
  o.spec = posenc_spec_default(512);
  o.threads = processors < 1 ? 1 : processors > EXHAUSTIVE_MOST_THREADS ? EXHAUSTIVE_MOST_THREADS : processors;
  argp_err_exit_status = 2;
  argp_program_version_hook = print_version;
  arguments_parse(&argp, argc, argv, &o);
  return o;
}

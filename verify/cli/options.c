#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "../campaign/expected.h"
#include "../tools/arguments.h"
#include "../tools/memory.h"
#include "../tools/spec.h"

const char *argp_program_version = "posenc-verify " POSENC_VERSION_STRING;

enum { KEY_THREADS = 256, KEY_EXHAUSTIVE };

static const struct argp_option argp_options[] = {
    {"impl", 'i', "NAME", 0, "Verify only this implementation; may be given several times", 0},
    {"list", 'l', NULL, 0, "List the implementations and stop", 0},
    {"json", 'o', "FILE", 0, "Write the results as JSON; with - to stdout, and the text to stderr", 0},
    {"quiet", 'q', NULL, 0, "Print only failures, and the number of verified implementations", 0},
    {"seed", 's', "N", 0, "Seed for the choice of rows (default 1)", 0},
    {"rows", 'r', "N", 0,
        "Rows per range of the accuracy table (default 512). The range from 512 to 5000 gets nine times as many. By "
        "default this compares every row below 5000. For one table: rows per range (default: all rows, or 2.6 million "
        "outputs)",
        0},
    {"threads", KEY_THREADS, "N", 0, "Threads that compute the reference (default: one per processor)", 0},
    {NULL, 0, NULL, 0, "Other work:", 2},
    {"exhaustive", KEY_EXHAUSTIVE, NULL, 0,
        "Compare every output of one float32 table with the float32 nearest to the real value, for every member of the "
        "implementation's family that runs here (default: exact, 512 columns, positions 0 to 1048575). Write key=value "
        "lines to stdout, and the first misrounded outputs to stderr",
        2},
    {0},
};

_Noreturn static void list_impls(void) {
  for (size_t i = 0; i < posenc_impl_count(); i++) {
    const posenc_impl *impl = posenc_impl_by_index(i);
    printf("%-18s %-7s %-10s %s; %s\n", impl->name, impl->isa, posenc_impl_supported(impl) ? "runs here" : "not here",
        impl->summary, impl->arithmetic);
  }
  exit(0);
}

static void add_impl(struct argp_state *state, options *o, const char *name) {
  char message[512];
  posenc_plan *plan;
  const posenc_spec spec = paper_spec(2); /* every implementation offers it */
  if (posenc_plan_create(&plan, &spec, name) != POSENC_OK) {
    posenc_last_error(message, sizeof message);
    argp_error(state, "--impl %s: %s", name, message);
  }
  posenc_plan_destroy(plan);
  const posenc_impl *impl = posenc_impl_find(name);
  for (size_t i = 0; i < o->n_impls; i++)
    if (o->impls[i] == impl)
      return;
  o->impls[o->n_impls++] = impl;
}

/* Refuses options that --exhaustive does not have. */
static void check_exhaustive(struct argp_state *state, const options *o) {
  const char *wrong = o->json                                   ? "it writes no JSON"
                      : o->quiet                                ? "not with --quiet"
                      : o->shape.spec.dtype != POSENC_DTYPE_F32 ? "it compares float32 only"
                      : o->n_impls > 1                          ? "one --impl at most"
                                                                : NULL;
  if (wrong)
    argp_error(state, "--exhaustive: %s", wrong);
  if (o->sampling)
    argp_error(state, "%s: not with --exhaustive, which compares every output with MPFR", o->sampling);
}

static error_t parse(int key, char *text, struct argp_state *state) {
  options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &o->shape;
    return 0;
  case 'i':
    add_impl(state, o, text);
    return 0;
  case 'l':
    list_impls();
  case 'o':
    o->json = text;
    return 0;
  case 'q':
    o->quiet = true;
    return 0;
  case 's':
    o->sampling = "--seed";
    o->seed = (uint64_t)argument_integer(state, "--seed", text, 0, INT64_MAX);
    return 0;
  case 'r':
    o->sampling = "--rows";
    o->rows = argument_integer(state, "--rows", text, SWEEP_MIN_ROWS, SWEEP_MAX_ROWS);
    return 0;
  case KEY_THREADS:
    o->threads = argument_integer(state, "--threads", text, 1, EXPECTED_MOST_THREADS);
    return 0;
  case KEY_EXHAUSTIVE:
    o->exhaustive = true;
    return 0;
  case ARGP_KEY_ARG:
    argp_error(state, "%s: no arguments are taken, only options", text);
    return 0;
  case ARGP_KEY_END:
    if (o->exhaustive)
      check_exhaustive(state, o);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

options options_parse(int argc, char **argv) {
  static const struct argp_child children[] = {
      {&spec_options_argp, 0, "Verify one table instead of the default ones (default: positions 0 to 1048575):", 1},
      {0},
  };
  static const struct argp argp = {argp_options, parse, NULL,
      "Verifies every implementation of posenc that runs here against MPFR and against its own error bound. Sampled rows "
      "must have the same bits by every call that writes rows."
      "\vOutput: results on stdout; progress, and failures as they occur, on stderr.\n"
      "Exit status: 0 all verified; 1 an implementation failed, or the references disagree; 2 bad usage, or a file that cannot be written.",
      children, NULL, NULL};
  options o = {.seed = 1, .shape = spec_options_default(1048576)};
  o.impls = must_calloc((int64_t)posenc_impl_count(), sizeof(posenc_impl *));
  arguments_parse(&argp, argc, argv, &o);
  return o;
}

void options_destroy(options *o) { free(o->impls); }

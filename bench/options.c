#include "bench.h"

#include "posenc.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_LIST = 1000, KEY_VERIFIED, KEY_JSON, KEY_SHAPE, KEY_OFFSET };

static const struct argp_option known[] = {
    {"list", KEY_LIST, NULL, 0, "Print the benchmarks, and those left out with the reason", 0},
    {"shape", KEY_SHAPE, "NAME", 0, "Only this shape; may be given several times", 0},
    {"verified", KEY_VERIFIED, "FILE", 0, "JSON of posenc-verify: what it does not call verified is not run", 0},
    {"offset", KEY_OFFSET, "BYTES", 0,
     "Start of the output modulo 64: 0, 4, ... 60; default 16, where large malloc and NumPy buffers start", 0},
    {"json", KEY_JSON, "FILE", 0, "Results as JSON, - for stdout; short for --benchmark_out or --benchmark_format", 0},
    {0}};

static const char text[] =
    "Measures every implementation of posenc on the shapes of real models, next to the limits of this machine.\v"
    "Google Benchmark's own options all work (with =):\n"
    "  --benchmark_filter=REGEX\n"
    "  --benchmark_list_tests={true|false}\n"
    "  --benchmark_repetitions=N\n"
    "  --benchmark_min_time=SECONDS\n"
    "  --benchmark_min_warmup_time=SECONDS\n"
    "  --benchmark_enable_random_interleaving={true|false}\n"
    "  --benchmark_report_aggregates_only={true|false}\n"
    "  --benchmark_display_aggregates_only={true|false}\n"
    "  --benchmark_format={console|json|csv}\n"
    "  --benchmark_out=FILE\n"
    "  --benchmark_out_format={json|console|csv}\n"
    "  --benchmark_color={auto|true|false}\n"
    "  --benchmark_counters_tabular={true|false}\n"
    "  --benchmark_context=KEY=VALUE,...\n"
    "  --benchmark_time_unit={ns|us|ms|s}\n"
    "  --v=VERBOSITY\n";

static void add_shape(const char *name, const struct argp_state *state)
{
  bench_options *o = state->input;
  size_t index = 0;
  if (bench_shape_find(name, &index)) {
    o->shapes |= UINT64_C(1) << index;
    return;
  }
  char names[1024] = "";
  for (size_t i = 0; i < bench_shape_count(); i++) {
    strncat(names, i ? ", " : "", sizeof names - strlen(names) - 1);
    strncat(names, bench_shape_at(i)->name, sizeof names - strlen(names) - 1);
  }
  argp_error(state, "no shape is named '%s'; the shapes are: %s", name, names);
}

static error_t take(int key, char *arg, struct argp_state *state)
{
  bench_options *o = state->input;
  char *end;
  switch (key) {
  case KEY_LIST: o->list = true; break;
  case KEY_VERIFIED: o->verified = arg; break;
  case KEY_JSON: o->json = arg; break;
  case KEY_SHAPE: add_shape(arg, state); break;
  case KEY_OFFSET:
    o->offset = strtol(arg, &end, 10);
    if (*arg == '\0' || *end != '\0' || o->offset < 0 || o->offset > 60 || o->offset % 4 != 0)
      argp_error(state, "--offset is '%s'; allowed: a multiple of 4 from 0 to 60", arg);
    break;
  case ARGP_KEY_ARG: argp_error(state, "'%s' is not expected: there are options only", arg); break;
  case ARGP_KEY_END:
    if (o->shapes == 0)
      o->shapes = ~UINT64_C(0);
    break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

void bench_options_parse(int argc, char **argv, bench_options *options)
{
  static const struct argp parser = {known, take, NULL, text, NULL, NULL, NULL};
  argp_program_version = "posenc-bench " POSENC_VERSION_STRING;
  argp_err_exit_status = 2;
  *options = (bench_options){.offset = 16};
  argp_parse(&parser, argc, argv, 0, NULL, options);
}

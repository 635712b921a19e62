#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../verify/tools/arguments.h"

enum { KEY_LIST = 1000, KEY_JSON, KEY_SHAPE, KEY_OFFSET, KEY_ALL, KEY_PEERS, KEY_QUIET, KEY_IMPL, KEY_SKIP };

static const struct argp_option known[] = {
    {"list", KEY_LIST, NULL, 0, "Print the names of the cases; for cases that are not run, also the reason", 0},
    {"shape", KEY_SHAPE, "NAME", 0, "Measure only this shape or cache level; can be given several times", 0},
    {"all-cases", KEY_ALL, NULL, 0,
        "Add more dtypes and presets, neighbouring positions, plans, fresh memory, all "
        "implementations at 131072 x 1024, and output at offset 0",
        0},
    {"peers", KEY_PEERS, NULL, 0,
        "Measure only exact, anchored and what people use instead of posenc, at sizes from L1 to memory", 0},
    {"impl", KEY_IMPL, "NAME", 0, "Measure only this implementation; can be given several times", 0},
    {"skip", KEY_SKIP, "NAME[/DTYPE]", 0,
        "Leave out this implementation, or one dtype of it; can be given several times", 0},
    {"offset", KEY_OFFSET, "BYTES", 0,
        "Alignment: address of the output modulo 64, 0, 4, ... 60 (default 16, that of large malloc and NumPy buffers)",
        0},
    {"json", KEY_JSON, "FILE", 0, "Write the results as Google Benchmark's JSON; with - to stdout, instead of the text",
        0},
    {"quiet", KEY_QUIET, NULL, 0, "Print only errors on stderr. Only the JSON then has the conditions of the run", 0},
    {0}};

static const char text[] =
    "Measures every implementation of posenc on the shapes of real models, and the limits of this machine; or on one "
    "table."
    "\vOptions of Google Benchmark, each with =: " SHIM_OPTIONS ".\n\n"
    "Output: results on stdout, the conditions of the run on stderr.\n"
    "Exit status: 0 fine, 1 a case failed, 2 bad usage, or a file that cannot be written.";

const char *argp_program_version = "posenc-bench " POSENC_VERSION_STRING;

static const char *shape_name(int32_t i) {
  return (size_t)i < bench_shape_count() ? bench_shape_at((size_t)i)->name : NULL;
}

static const char *impl_name(int32_t i) {
  const posenc_impl *impl = posenc_impl_by_index((size_t)i);
  return impl ? impl->name : NULL;
}

static void want(struct argp_state *state, bench_options *o, const char *arg) {
  const posenc_impl *const wanted = posenc_impl_find(arg);
  if (!wanted)
    argument_choice(state, "--impl", arg, impl_name);
  for (size_t i = 0; i < posenc_impl_count(); i++)
    o->impls |= (uint64_t)(posenc_impl_by_index(i) == wanted) << i;
}

/* An implementation that this CPU lacks instructions for is listed with that reason. */
static void skip(struct argp_state *state, const char *arg) {
  char name[64];
  const size_t length = strcspn(arg, "/");
  snprintf(name, sizeof name, "%.*s", (int)length, arg);
  const int32_t i = argument_choice(state, "--skip", name, impl_name);
  if (arg[length])
    argument_choice(state, "--skip NAME/DTYPE", arg + length + 1, dtype_name);
  if (posenc_impl_supported(posenc_impl_by_index((size_t)i)))
    bench_skip(arg, "skipped by --skip");
}

/* Checks the options together, and sets the defaults that depend on several. */
static void complete(const struct argp_state *state) {
  bench_options *o = state->input;
  if (o->all_cases && o->shapes != 0)
    argp_error(state, "--shape and --all-cases exclude each other; --benchmark_filter=REGEX selects among all cases");
  if (o->table.given && (o->shapes || o->all_cases || o->peers))
    argp_error(state, "the options of a table exclude --shape, --all-cases and --peers");
  const int size = (int)posenc_dtype_size((posenc_dtype)o->table.spec.dtype), offset = (int)o->offsets[0].bytes;
  if (offset % size != 0)
    argp_error(state, "--offset %d: a multiple of the element's %d bytes is needed", offset, size);
  if (o->peers && (o->all_cases || o->shapes))
    argp_error(state, "--peers has its own sizes; it excludes --shape and --all-cases");
  for (size_t i = 0; o->impls && i < posenc_impl_count(); i++)
    if (!(o->impls >> i & 1) && posenc_impl_supported(posenc_impl_by_index(i)))
      bench_skip(posenc_impl_by_index(i)->name, "not named by --impl");
  o->all_shapes = o->shapes == 0;
  for (size_t i = 0; o->all_shapes && i < bench_shape_count(); i++)
    o->shapes |= UINT64_C(1) << i;
  if (o->all_cases && o->offsets[0].bytes != 0)
    o->offsets[o->n_offsets++] = (bench_offset){0, "/offset:0"};
}

static error_t take(int key, char *arg, struct argp_state *state) {
  bench_options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &o->table;
    break;
  case KEY_LIST:
    o->list = true;
    break;
  case KEY_QUIET:
    o->quiet = true;
    break;
  case KEY_IMPL:
    want(state, o, arg);
    break;
  case KEY_SKIP:
    skip(state, arg);
    break;
  case KEY_JSON:
    o->json = arg;
    break;
  case KEY_SHAPE:
    o->shapes |= UINT64_C(1) << argument_choice(state, "--shape", arg, shape_name);
    break;
  case KEY_ALL:
    o->all_cases = true;
    break;
  case KEY_PEERS:
    o->peers = true;
    break;
  case KEY_OFFSET:
    o->offsets[0].bytes = argument_integer(state, "--offset", arg, 0, 60);
    if (o->offsets[0].bytes % 4 != 0)
      argp_error(state, "--offset %s: a multiple of 4 from 0 to 60 is needed", arg);
    break;
  case ARGP_KEY_ARG:
    argp_error(state, "unknown argument '%s'; only options are allowed", arg);
    break;
  case ARGP_KEY_END:
    complete(state);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

void bench_options_parse(int argc, char **argv, bench_options *options) {
  static const struct argp_child children[] = {
      {&spec_options_argp, 0, "Measure one table instead of the shapes (default: positions 0 to 4999):", 1}, {0}};
  static const struct argp parser = {known, take, NULL, text, children, NULL, NULL};
  *options = (bench_options){.offsets = {{.bytes = 16}}, .n_offsets = 1, .table = spec_options_default(5000)};
  arguments_parse(&parser, argc, argv, options);
}

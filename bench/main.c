#include "limits/limits.h"
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../verify/tools/output.h"

static void register_at(const bench_options *o, const bench_offset *at) {
  for (size_t i = 0; i < bench_shape_count(); i++) {
    const bench_shape *shape = bench_shape_at(i);
    if (!(o->shapes >> i & 1))
      continue;
    bench_register_fills(shape, o->all_cases, at);
    bench_register_tables(shape, o->all_cases, at);
  }
  if (o->all_shapes) {
    bench_register_uncached(o->all_cases, at);
    bench_register_positions(o->all_cases, at);
  }
}

static void register_all(const bench_options *o) {
  if (o->table.given) {
    bench_register_one(&o->table, &o->offsets[0]);
    return;
  }
  bench_register_harness();
  if (o->peers) {
    bench_register_peers(&o->offsets[0]);
    return;
  }
  for (size_t i = 0; i < o->n_offsets; i++)
    register_at(o, &o->offsets[i]);
  if (o->all_cases) {
    bench_register_plans();
    bench_register_fresh();
  }
}

/* Measures with Google Benchmark and its flags. Returns the exit status. */
static int measure(const bench_options *o, int n_flags, char **flags) {
  const char *refused = shim_flags(n_flags, flags), *name, *reason, *json;
  if (refused) {
    fprintf(stderr,
        "posenc-bench: '%s' is unknown, or its value is not allowed; the options of Google Benchmark that are allowed: "
        "%s\n",
        refused, SHIM_OPTIONS);
    return 2;
  }
  register_all(o);
  if (shim_select(o->list) == 0) {
    fputs("posenc-bench: there is no case to measure; see --benchmark_filter and --skip, and --list without them\n",
        stderr);
    return 2;
  }
  for (size_t i = 0; o->list && (name = bench_skipped_at(i, &reason)); i++)
    printf("not run: %s: %s\n", name, reason);
  if (o->list)
    return 0;
  const output file = o->json ? output_open(o->json) : (output){.direct = -1};
  bench_context(o);
  const size_t failed = shim_run(file.direct != STDOUT_FILENO, &json);
  return o->json && !output_write(&file, json) ? 2 : failed > 0 ? 1 : 0;
}

int main(int argc, char **argv) {
  /* Google Benchmark gets its own flags, and argp all others. Both vectors start with the program and end in NULL. */
  char **ours = must_calloc(argc + 1, sizeof *argv), **theirs = must_calloc(argc + 1, sizeof *argv);
  int n_ours = 0, n_theirs = 0;
  ours[n_ours++] = theirs[n_theirs++] = argv[0];
  for (int i = 1; i < argc; i++)
    if (strncmp(argv[i], "--benchmark_", 12) == 0)
      theirs[n_theirs++] = argv[i];
    else
      ours[n_ours++] = argv[i];

  bench_options o;
  bench_options_parse(n_ours, ours, &o);
  const int status = measure(&o, n_theirs, theirs);
  shim_release();
  bench_buffer_release();
  free(ours);
  free(theirs);
  return status;
}

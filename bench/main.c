#include "limits/limits.h"
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../verify/tools/machine.h"
#include "../verify/tools/output.h"

static void register_at(const bench_options *o, const bench_offset *at) {
  for (size_t i = 0; i < bench_shape_count(); i++) {
    const bench_shape *shape = bench_shape_at(i);
    if (!(o->shapes >> i & 1))
      continue;
    bench_register_limits(shape, POSENC_DTYPE_F32, at);
    bench_register_fills(shape, at);
    if (shape->level && !o->all_cases) /* a cache level matters for its size only */
      continue;
    bench_register_tables(shape, o->all_cases, at);
  }
  if (o->all_shapes) {
    bench_register_positions(o->all_cases, at);
  }
}

static void register_all(const bench_options *o) {
  for (size_t i = 0; i < bench_shape_count(); i++) /* cases of other sizes, which run with all shapes, are smaller */
    if (o->shapes >> i & 1)
      bench_buffer_room(bench_shape_bytes(bench_shape_at(i), POSENC_DTYPE_F32));
  bench_register_harness();
  if (o->peers) {
    bench_register_peers(&o->offsets[0]);
    return;
  }
  for (size_t i = 0; i < o->n_offsets; i++)
    register_at(o, &o->offsets[i]);
  if (o->all_cases)
    bench_register_plans();
  if (o->all_shapes) {
    bench_register_widths();
    bench_register_fresh();
  }
}

/* Measures with Google Benchmark and its flags. Returns the exit status. */
static int measure(const bench_options *o, int n_flags, char **flags) {
  const char *unknown = shim_flags(n_flags, flags);
  if (unknown) {
    fprintf(stderr,
        "posenc-bench: '%s' is not an option of Google Benchmark, or its value is not allowed; allowed: %s\n", unknown,
        GOOGLE_OPTIONS);
    return 2;
  }
  if (o->verified)
    bench_read_verified(o->verified);

  register_all(o);
  if (shim_select() == 0) {
    fputs("posenc-bench: no benchmark matches the filter; --list names them all\n", stderr);
    return 2;
  }
  if (shim_list(o->list)) {
    const char *name, *reason;
    for (size_t i = 0; o->list && (name = bench_skipped_at(i, &reason)); i++)
      printf("not run: %s: %s\n", name, reason);
    return 0;
  }
  const char *name = shim_output_file(), *text;
  const output file = name ? output_open(name) : (output){0};
  bench_context(o);
  /* times under an emulator decide nothing */
  const size_t failed = shim_run_all(o->quiet, !machine_emulated(), name ? &text : NULL);
  return name && !output_write(&file, text) ? 2 : failed > 0 ? 1 : 0;
}

int main(int argc, char **argv) {
  /* Google Benchmark gets its own flags, and argp all others. Both vectors start with the program and end in NULL. */
  char **ours = must_calloc(argc + 1, sizeof *argv), **theirs = must_calloc(argc + 3, sizeof *argv), file[4096];
  int n_ours = 0, n_theirs = 0, status;
  ours[n_ours++] = theirs[n_theirs++] = argv[0];
  for (int i = 1; i < argc; i++)
    if (strncmp(argv[i], "--benchmark_", 12) == 0 || strncmp(argv[i], "--v=", 4) == 0)
      theirs[n_theirs++] = argv[i];
    else
      ours[n_ours++] = argv[i];

  bench_options o;
  bench_options_parse(n_ours, ours, &o);
  if (o.pick && n_theirs > 1) {
    fprintf(stderr, "posenc-bench: %s: --pick sets the flags of Google Benchmark itself\n", theirs[1]);
    status = 2;
  } else if (o.pick) {
    status = pick_run(&o.choice);
  } else {
    static char json_out[] = "--benchmark_out_format=json", json_stdout[] = "--benchmark_format=json";
    if (o.json && strcmp(o.json, "-") == 0) {
      theirs[n_theirs++] = json_stdout;
    } else if (o.json) {
      snprintf(file, sizeof file, "--benchmark_out=%s", o.json);
      theirs[n_theirs++] = file;
      theirs[n_theirs++] = json_out;
    }
    status = measure(&o, n_theirs, theirs);
  }
  shim_release();
  bench_buffer_release();
  free(ours);
  free(theirs);
  return status;
}

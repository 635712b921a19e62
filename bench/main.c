#include "limits/limits.h"
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Google Benchmark's flags go to it, all others to argp; --json becomes the flags it stands for. Both vectors end in
 * NULL and start with the program. */
typedef struct arguments {
  int n_ours, n_theirs;
  char **ours, **theirs;
} arguments;

static arguments split(int argc, char **argv) {
  arguments a = {0, 0, must_calloc(argc + 1, sizeof *argv), must_calloc(argc + 3, sizeof *argv)};
  a.ours[a.n_ours++] = a.theirs[a.n_theirs++] = argv[0];
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "--benchmark_", 12) == 0 || strncmp(argv[i], "--v=", 4) == 0)
      a.theirs[a.n_theirs++] = argv[i];
    else
      a.ours[a.n_ours++] = argv[i];
  }
  return a;
}

static bool wanted(const bench_options *o, size_t shape) { return o->shapes >> shape & 1; }

static void register_at(const bench_options *o, const bench_offset *at) {
  for (size_t i = 0; i < bench_shape_count(); i++) {
    if (!wanted(o, i))
      continue;
    bench_register_limits(bench_shape_at(i), POSENC_F32, at);
    bench_register_fills(bench_shape_at(i), at);
    if (bench_shape_at(i)->level && !o->all_cases) /* a level is there for its size alone */
      continue;
    bench_register_tables(bench_shape_at(i), o->all_cases, at);
    bench_register_sums(bench_shape_at(i), o->all_cases, at);
    if (at == o->offsets &&
        strcmp(bench_shape_at(i)->name, "transformer") == 0) /* a check of our rows: once is enough */
      bench_register_sleef_loops(bench_shape_at(i), at);
  }
  if (o->all_shapes) {
    bench_register_more_sums(o->all_cases, at);
    bench_register_positions(o->all_cases, at);
  }
  if (o->all_cases)
    bench_register_threads(at);
}

static void register_all(const bench_options *o) {
  size_t largest = 0; /* all shapes are wanted where there are cases of other sizes, which are smaller */
  for (size_t i = 0; i < bench_shape_count(); i++)
    if (wanted(o, i) && bench_shape_bytes(bench_shape_at(i), POSENC_F32) > largest)
      largest = bench_shape_bytes(bench_shape_at(i), POSENC_F32);
  bench_buffer_setup(largest);

  bench_register_harness();
  if (o->peers) {
    bench_register_peers(&o->offsets[0]);
    return;
  }
  for (size_t i = 0; i < o->n_offsets; i++)
    register_at(o, &o->offsets[i]);
  if (o->all_cases)
    bench_register_plans();
  if (o->all_shapes)
    bench_register_fresh();
}

static void print_skipped(const char *name, const char *reason, void *data) {
  (void)data;
  printf("not run: %s: %s\n", name, reason);
}

/* Before anything runs, and without touching what the file holds: Google Benchmark would find out late, or not say. */
static bool can_write(const char *path) {
  FILE *f = path ? fopen(path, "ab") : NULL;
  if (path && !f)
    fprintf(stderr, "posenc-bench: cannot write %s: %s\n", path, strerror(errno));
  if (f)
    fclose(f);
  return !path || f;
}

/* Google Benchmark's part: returns the exit status. */
static int measure(const bench_options *o, arguments *a) {
  const char *unknown = shim_flags(a->n_theirs, a->theirs);
  if (unknown) {
    fprintf(stderr, "posenc-bench: '%s' is no option of Google Benchmark, or its value is not allowed; see --help\n",
        unknown);
    return 2;
  }
  if (o->verified)
    bench_read_verified(o->verified);

  register_all(o);
  if (shim_select() == 0) {
    fputs("posenc-bench: no benchmark matches the filter; --list names them all\n", stderr);
    return 2;
  }
  if (o->list || shim_list_asked_for()) {
    shim_list();
    if (o->list)
      bench_each_skipped(print_skipped, NULL);
    return 0;
  }
  if (!can_write(shim_output_file()))
    return 2;
  bench_context(o);
  return shim_run_all() > 0 ? 1 : 0;
}

int main(int argc, char **argv) {
  bench_options o;
  arguments a = split(argc, argv);
  char json_out[] = "--benchmark_out_format=json", json_stdout[] = "--benchmark_format=json", *json_file = NULL;
  int status;
  bench_options_parse(a.n_ours, a.ours, &o);
  if (o.pick && a.n_theirs > 1) {
    fprintf(stderr, "posenc-bench: %s: --pick measures in its own way, without Google Benchmark\n", a.theirs[1]);
    status = 2;
  } else if (o.pick) {
    status = pick_run(&o.choice);
  } else {
    if (o.json && strcmp(o.json, "-") == 0) {
      a.theirs[a.n_theirs++] = json_stdout;
    } else if (o.json) {
      const size_t size = strlen(o.json) + 32;
      json_file = must_calloc((int64_t)size, 1);
      snprintf(json_file, size, "--benchmark_out=%s", o.json);
      a.theirs[a.n_theirs++] = json_file;
      a.theirs[a.n_theirs++] = json_out;
    }
    status = measure(&o, &a);
    shim_release();
  }
  bench_buffer_release();
  free(json_file);
  free(a.ours);
  free(a.theirs);
  return status;
}

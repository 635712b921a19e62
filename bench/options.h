/* The command line of posenc-bench. */
#ifndef POSENC_BENCH_OPTIONS_H
#define POSENC_BENCH_OPTIONS_H

#include "pick/pick.h"

/* The options that Google Benchmark 1.7 lists. */
#define GOOGLE_OPTIONS                                                                                                 \
  "--benchmark_filter=REGEX, --benchmark_repetitions=N, --benchmark_min_time=SECONDS, "                                \
  "--benchmark_min_warmup_time=SECONDS, --benchmark_enable_random_interleaving=BOOL, --benchmark_out=FILE, "           \
  "--benchmark_out_format=FORMAT, --benchmark_format=FORMAT (console, json or csv), --benchmark_list_tests=BOOL, "     \
  "--benchmark_report_aggregates_only=BOOL, --benchmark_display_aggregates_only=BOOL, "                                \
  "--benchmark_counters_tabular=BOOL, --benchmark_color=auto|BOOL, --benchmark_time_unit=ns|us|ms|s, "                 \
  "--benchmark_context=KEY=VALUE,..."

typedef struct bench_options {
  bool list;
  bool quiet;           /* stderr has only progress and errors */
  bool all_cases;       /* more cases than a choice among implementations needs */
  bool peers;           /* only peers, exact and anchored are measured */
  const char *verified; /* a JSON file of posenc-verify, or NULL */
  const char *json;     /* results as JSON: a file, "-" for stdout, or NULL */
  bool all_shapes;      /* no shape was named */
  uint64_t shapes;      /* bit i: shape i is wanted */
  bench_offset offsets[2];
  size_t n_offsets;
  bool pick; /* only an implementation is picked, at the first offset */
  pick_options choice;
} bench_options;

/* Exits with 0 after --help and --version, and with 2 on a mistake, which it prints. */
void bench_options_parse(int argc, char **argv, bench_options *options);

/* Adds the conditions of the run to the JSON, and prints them on stderr unless `quiet` is set. */
void bench_context(const bench_options *options);

/* Reads a report of posenc-verify. Skips every implementation that it does not call verified, and every dtype of an
 * implementation that it has not judged, under the name IMPLEMENTATION/DTYPE. Notes the errors of the others. Exits
 * with 2 where the file is not such a report, and prints why. */
void bench_read_verified(const char *path);

#endif

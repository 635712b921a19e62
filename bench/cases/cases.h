/* The benchmarks, and what they share: which implementations run, and tables to fill. */
#ifndef POSENC_BENCH_CASES_H
#define POSENC_BENCH_CASES_H

#include "../shim/bench.h"

/* ---- Which implementations run: cases.c --------------------------------------------------------------------- */

bool bench_offers(const posenc_impl *impl, posenc_dtype dtype);

/* The i-th of the list that offers the dtype and runs here, neither it nor that dtype of it being skipped; NULL past
 * the last. Unless `all`, only the default and the best `anchored`: a run without all cases has these of sums and of
 * other dtypes. */
const posenc_impl *bench_impl(size_t i, posenc_dtype dtype, bool all);
bool bench_runs(const posenc_impl *impl, posenc_dtype dtype);

/* ---- Tables to fill: fill.c --------------------------------------------------------------------------------- */

typedef struct bench_table bench_table;
struct bench_table {
  const char *function; /* of posenc.h, without posenc_: a name's first part */
  const char *kind;     /* a name's last part, in front of the offset: "" or "/whisper" */
  const bench_shape *shape;
  posenc_spec spec;
  int64_t origin;   /* position of row 0 */
  const void *data; /* what `write` may need */
  void *self;       /* of a peer: likewise, and given to destroy() in the end */
  void (*destroy)(void *self);

  /* Rows first .. first+count-1 of the table that starts at `table`. NULL: by posenc_fill. */
  posenc_status (*write)(const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table);
};

/* The table is copied, what it points to is not. peer, stands_for: of bench_work, for impl == NULL. */
void bench_register_table(const bench_table *table, const posenc_impl *impl, const char *peer, const char *stands_for,
    const bench_offset *at);

/* Of this thread. */
double bench_cpu_seconds(void);

/* ---- Random positions: positions.c -------------------------------------------------------------------------- */

enum { BENCH_EARLY_END = 4096, BENCH_END = 1 << 20 }; /* they are below */
int64_t *bench_random_positions(int64_t n, int64_t end);

/* ---- The benchmarks, by the first part of their names ------------------------------------------------------- */

/* fill/... */
void bench_register_fill(const posenc_impl *impl, const bench_shape *shape, const bench_offset *at);
void bench_register_fills(const bench_shape *shape, const bench_offset *at);

/* Of other dtypes, and of presets. */
void bench_register_tables(const bench_shape *shape, bool all, const bench_offset *at);

/* add/... of that table, and of other sizes. */
void bench_register_sums(const bench_shape *shape, bool all, const bench_offset *at);
void bench_register_more_sums(bool all, const bench_offset *at);

/* fill_at/..., their limits, and row/... */
void bench_register_positions(bool all, const bench_offset *at);
void bench_register_rows(const posenc_impl *impl, const bench_offset *at);

void bench_register_threads(const bench_offset *at); /* threads:2/... */
void bench_register_widths(void);                    /* widths/... */
void bench_register_plans(void);                     /* plan/... */
void bench_register_fresh(void);                     /* fresh/... */

/* --peers: all peers that run here, exact and anchored beside them, and the limits. */
void bench_register_peers(const bench_offset *at);

#endif

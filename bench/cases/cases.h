/* The cases, and what they share: the implementations that run, and tables to fill. */
#ifndef POSENC_BENCH_CASES_H
#define POSENC_BENCH_CASES_H

#include "../../verify/tools/spec_options.h"
#include "../shim/bench.h"

/* ---- Which implementations run: cases.c --------------------------------------------------------------------- */

/* The i-th implementation in the list that offers the dtype and runs here; NULL past the last. Leaves out those that
 * are skipped, or whose dtype is skipped. Unless `all` is set, counts only the default and the best `anchored`: a run
 * without all cases measures other dtypes, uncached memory and peers with these two. */
const posenc_impl *bench_impl(size_t i, posenc_dtype dtype, bool all);
bool bench_runs(const posenc_impl *impl, posenc_dtype dtype);

/* ---- Tables to fill: fill.c --------------------------------------------------------------------------------- */

typedef struct bench_table bench_table;
struct bench_table {
  const char *call;    /* the first part of the case's name: a function of posenc.h, without posenc_ */
  const char *variant; /* the last part of the case's name, in front of the offset: NULL, or as "/whisper" */
  const char *peer;    /* its name, where no implementation writes the table */
  const bench_shape *shape;
  posenc_spec spec;
  int64_t origin; /* position of row 0 */
  double error;   /* see shim_case */
  int64_t not_nearest;
  const void *data; /* for `write`; not freed */
  void *self;       /* for `write`; destroy() frees it */
  void (*destroy)(void *self);

  /* Writes rows first .. first+count-1 of the table that starts at `table`. NULL: posenc_fill writes them. */
  posenc_status (*write)(const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table);
};

/* Copies the table, but not the memory that it points to. impl: NULL for a peer. */
void bench_register_table(const bench_table *table, const posenc_impl *impl, const bench_offset *at);

/* ---- Random positions: positions.c -------------------------------------------------------------------------- */

enum { BENCH_EARLY_END = 4096, BENCH_END = 1 << 20 }; /* all positions are smaller */
int64_t *bench_random_positions(int64_t n, int64_t end);

/* ---- The cases, by the first part of their names ------------------------------------------------------------ */

/* fill/... */
void bench_register_fill(const posenc_impl *impl, const bench_shape *shape, const bench_offset *at);
void bench_register_fills(const bench_shape *shape, bool all, const bench_offset *at); /* and their limits */
void bench_register_uncached(bool all, const bench_offset *at);                        /* and their limits */

/* fill/... of the table that the options describe, or of its first rows if it is too large; and their limits. */
void bench_register_one(const spec_options *options, const bench_offset *at);

/* Tables of other dtypes, and of presets; and the limits of other dtypes. */
void bench_register_tables(const bench_shape *shape, bool all, const bench_offset *at);

/* fill_at/..., their limits, and row/... */
void bench_register_positions(bool all, const bench_offset *at);
void bench_register_rows(const posenc_impl *impl, const bench_offset *at);

void bench_register_plans(void); /* plan/... */
void bench_register_fresh(void); /* fresh/... */

/* --peers: all peers that run here, exact and anchored, and the limits. */
void bench_register_peers(const bench_offset *at);

#endif

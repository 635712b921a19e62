/* The cases, and what they share: the implementations that run, and tables to fill. */
#ifndef POSENC_BENCH_CASES_H
#define POSENC_BENCH_CASES_H

#include "../../verify/tools/spec_options.h"
#include "../shim/bench.h"

/* ---- Which implementations run: cases.c --------------------------------------------------------------------- */

/* The i-th implementation in the list that offers the dtype and runs here; NULL past the last. Leaves out
 * implementations that are skipped, or whose dtype is skipped. Unless `all` is set, counts only the default and the best
 * `anchored`: a run without all cases measures other dtypes, uncached memory and peers with these two. */
const posenc_impl *bench_impl(size_t i, posenc_dtype dtype, bool all);
bool bench_runs(const posenc_impl *impl, posenc_dtype dtype);

/* ---- Tables to fill: fill.c --------------------------------------------------------------------------------- */

/* The case fill/... of this shape, with the spec's dtype. Callers change some fields before they register it. */
bench_case bench_table(const posenc_impl *impl, const bench_shape *shape, const posenc_spec *spec);

/* ---- Single rows at random positions: positions.c ----------------------------------------------------------- */

enum { BENCH_ROW_COLUMNS = 512, BENCH_EARLY_END = 4096, BENCH_END = 1 << 20 }; /* all positions are below an END */

/* row/...: registers `c`, which has the writer of the rows and write(), with all other fields of such a case. */
void bench_register_row(bench_case c, int64_t below, const bench_offset *at);

/* ---- The cases, by the first part of their names ------------------------------------------------------------ */

/* fill/... */
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

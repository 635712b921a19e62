/* The benchmarks, and what they share: plans, and tables to fill. */
#ifndef POSENC_BENCH_CASES_H
#define POSENC_BENCH_CASES_H

#include "../shim/bench.h"

/* ---- Plans of the cases: plan.c ----------------------------------------------------------------------------- */

bool bench_offers(const posenc_impl *impl, posenc_dtype dtype);

/* It offers the dtype and runs here, and neither it nor that dtype of it is left out. */
bool bench_runs(const posenc_impl *impl, posenc_dtype dtype);

/* The default or the best `anchored`: of sums and other dtypes, a run without all cases has these. */
bool bench_is_main(const posenc_impl *impl);

/* Calls back with every implementation that runs here in float32. */
typedef void bench_for_impl(const posenc_impl *impl, const bench_shape *shape, const bench_offset *at);
void bench_each_impl(bench_for_impl *call, const bench_shape *shape, const bench_offset *at);

/* NULL after skipping the case, with the reason. */
posenc_plan *bench_plan(const char *case_name, const posenc_impl *impl, const posenc_spec *spec);

/* ---- Tables to fill: fill.c --------------------------------------------------------------------------------- */

typedef struct bench_table bench_table;
struct bench_table {
  const char *function; /* of posenc.h, without posenc_: a name's first part */
  const char *kind;     /* a name's last part, in front of the offset: "" or "/whisper" */
  const bench_shape *shape;
  posenc_spec spec;
  void *data;                  /* what `write` may need; const to it */
  void (*release)(void *data); /* or NULL: it is not the table's own */

  /* Rows first .. first+count-1 of the table that starts at `table`. */
  posenc_status (*write)(const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table);

  int64_t origin; /* position of row 0 */
};

/* The table is copied, what it points to is not; release() is called in the end. */
void bench_register_table(const posenc_impl *impl, const bench_table *table, const bench_offset *at);

/* The case alone, not registered; false after skipping it. name is not copied. */
bool bench_table_case(
    const posenc_impl *impl, const bench_table *table, const bench_offset *at, const char *name, shim_case *c);
shim_case bench_filling(
    posenc_plan *plan, const bench_table *table, const bench_offset *at, const char *name); /* takes the plan */
int64_t bench_table_rows(const shim_case *c); /* that a pass of it writes, after begin() */
double bench_cpu_seconds(void);               /* of this thread */
posenc_status bench_write_rows(
    const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table);

/* ---- Other rows: work.c ------------------------------------------------------------------------------------- */

/* Rows written into the buffer. */
typedef struct bench_work bench_work;
struct bench_work {
  posenc_plan *plan; /* the work's own, or NULL */
  const bench_shape *shape;
  int64_t rows; /* that a pass writes; the shape's unless given */
  size_t bytes; /* of the buffer; the shape's unless given */
  int64_t offset;
  int64_t *positions; /* the work's own, or NULL */
  const void *what;   /* whatever else `write` needs; not its own */
  void *self;         /* its own, or NULL */
  void (*destroy)(void *self);
  posenc_status (*write)(const bench_work *w);
  void (*prepare)(bench_work *w); /* or NULL: called by begin() */
  bool checked;                   /* begin() writes once, and reports an error before anything is measured */
  float *out;                     /* set by begin() */
  posenc_status status;           /* the first that is not OK */
};

/* The work is copied. Of names: name, who, stands_for and wall; the rest is filled in. */
void bench_register_work(const bench_work *work, shim_case names);

/* ---- Random positions: positions.c --------------------------------------------------------------------------- */

enum { BENCH_EARLY_END = 4096, BENCH_END = 1 << 20 }; /* they are below: powers of two */
int64_t *bench_random_positions(int64_t n, int64_t end);

/* ---- The benchmarks, by the first part of their names ------------------------------------------------------- */

void bench_register_fill(const posenc_impl *impl, const bench_shape *shape, const bench_offset *at);
void bench_register_fills(const bench_shape *shape, const bench_offset *at); /* fill/... */
void bench_register_tables(
    const bench_shape *shape, bool all, const bench_offset *at); /* of other dtypes, and of presets */
void bench_register_sums(const bench_shape *shape, bool all, const bench_offset *at); /* add/... of that table */
void bench_register_more_sums(bool all, const bench_offset *at);                      /* add/... of other sizes */
void bench_register_positions(bool all, const bench_offset *at);           /* fill_at/..., their limits, row/... */
void bench_register_rows(const posenc_impl *impl, const bench_offset *at); /* row/... */
void bench_register_threads(const bench_offset *at);                       /* threads:2/... */
void bench_register_plans(void);                                           /* plan/... */
void bench_register_fresh(void);                                           /* fresh/... */

/* --peers: all peers that run here, exact and anchored beside them, and the limits. */
void bench_register_peers(const bench_offset *at);

/* loop/<implementation>/...: the peers that are loops around SLEEF, for the implementation of that name to be compared
 * with. */
void bench_register_sleef_loops(const bench_shape *shape, const bench_offset *at);

#endif

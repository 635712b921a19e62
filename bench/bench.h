/* What the parts of posenc-bench share: the options, the shapes, the one output buffer, and what was left out. */
#ifndef POSENC_BENCH_BENCH_H
#define POSENC_BENCH_BENCH_H

#include "../verify/cli/spec_options.h"
#include "posenc.h"
#include "shim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Shapes: verify/campaign/shapes.inc, then levels.inc ------------------------------------------------------------- */

typedef struct bench_shape {
  const char *name;
  int64_t positions, d_model;
  double base;
  const char *who; /* has such a table; of a level: what it is for */
  bool level;      /* of levels.inc */
} bench_shape;

enum { BENCH_MAX_SHAPES = 64 }; /* bits of bench_options.shapes */

size_t bench_shape_count(void);
const bench_shape *bench_shape_at(size_t i);

/* The row is named; NULL for an unknown name. index may be NULL. */
const bench_shape *bench_shape_find(const char *name, size_t *index);
size_t bench_shape_bytes(const bench_shape *shape, posenc_dtype dtype);

/* The paper's table of that shape. */
posenc_spec bench_spec(const bench_shape *shape);

/* As names have it: "f32". */
const char *bench_dtype_name(posenc_dtype dtype);

/* ---- Options ----------------------------------------------------------------------------------------------- */

/* Where the output starts. Names of the first place of a run are plain, those of the others end in /offset:BYTES. */
typedef struct bench_place {
  int64_t offset; /* bytes modulo 64 */
  char suffix[16];
} bench_place;

enum { BENCH_MAX_PLACES = 16 }; /* multiples of 4 below 64 */

typedef struct bench_options {
  bool list;
  bool all_cases;       /* and not only what a choice among implementations needs */
  bool peers;           /* instead: what people would use in its place, beside exact and anchored */
  const char *verified; /* a JSON file of posenc-verify, or NULL */
  const char *json;     /* results as JSON: a file, "-" for stdout, or NULL */
  bool all_shapes;      /* none was named */
  uint64_t shapes;      /* bit i: shape i is wanted */
  bench_place places[BENCH_MAX_PLACES];
  size_t n_places; /* at least 1 */

  bool pick;               /* choose an implementation: of all this, the first place and what follows */
  spec_options table;
  double max_ulp, max_abs; /* the budget of error; infinite where not asked for */
  bool recipe;             /* instead: the framework's own roundings */
  bool format_given, format_json;
} bench_options;

/* Prints and leaves on --help, --version (0) and on what it does not understand (2). */
void bench_options_parse(int argc, char **argv, bench_options *options);

/* ---- The output buffer: buffer.c ---------------------------------------------------------------------------- */

/* One for all cases, so that all of them meet the same pages: huge ones where the system gives them, mapped and written
 * to before the first use. bytes: at most those of two arrays of max_bytes. NULL when there is no memory. */
void *bench_buffer(size_t bytes, int64_t offset);
void bench_buffer_setup(size_t max_bytes);
void bench_buffer_release(void);

/* From the start of an array of so many bytes to that of the next in the buffer, as malloc() has large ones: at the same place of
 * a page, and a page further than whole pages would need. */
size_t bench_to_next(size_t bytes);

/* The share of the buffer's pages, of those in use, that are huge; negative where the system does not tell. */
double bench_buffer_huge(void);

/* Within a case's end(): a pass wrote so many rows of the buffer. */
void bench_wrote(shim_run *run, int64_t rows, int64_t d_model, posenc_dtype dtype);

/* ---- What is left out, and why ------------------------------------------------------------------------------ */

/* name: an implementation, a limit or a case. Both strings are copied. */
void bench_leave_out(const char *name, const char *reason);
bool bench_left_out(const char *name);
void bench_each_left_out(void (*call)(const char *name, const char *reason, void *data), void *data);
void bench_left_out_release(void);

/* Leaves out the implementations that the report of posenc-verify does not call verified, and their dtypes that it has not judged,
 * by the name IMPLEMENTATION/DTYPE. Prints what is wrong with the file and leaves with 2. */
void bench_read_verified(const char *path);

/* ---- Plans of the cases: plan.c ----------------------------------------------------------------------------- */

bool bench_offers(const posenc_impl *impl, posenc_dtype dtype);

/* It offers the dtype and runs here, and neither it nor that dtype of it is left out. */
bool bench_runs(const posenc_impl *impl, posenc_dtype dtype);

/* The default or the best `anchored`: of sums and other dtypes, a run without all cases has these. */
bool bench_is_main(const posenc_impl *impl);

/* Calls back with every implementation that runs here in float32. */
typedef void bench_for_impl(const posenc_impl *impl, const bench_shape *shape, const bench_place *place);
void bench_each_impl(bench_for_impl *call, const bench_shape *shape, const bench_place *place);

/* NULL after leaving out the case, with the reason. */
posenc_plan *bench_plan(const char *case_name, const posenc_impl *impl, const posenc_spec *spec);

/* ---- Tables to fill: fill.c --------------------------------------------------------------------------------- */

typedef struct bench_table bench_table;
struct bench_table {
  const char *function; /* of posenc.h, without posenc_: a name's first part */
  const char *kind;     /* a name's last part, in front of the place: "" or "/whisper" */
  const bench_shape *shape;
  posenc_spec spec;
  void *data;                 /* what `write` may need; const to it */
  void (*release)(void *data); /* or NULL: it is not the table's own */

  /* Rows first .. first+count-1 of the table that starts at `table`. */
  posenc_status (*write)(const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table);

  int64_t origin; /* position of row 0 */
};

/* The table is copied, what it points to is not; release() is called in the end. */
void bench_register_table(const posenc_impl *impl, const bench_table *table, const bench_place *place);

/* The case alone, not registered; false after leaving it out. name is not copied. */
bool bench_table_case(const posenc_impl *impl, const bench_table *table, const bench_place *place, const char *name, shim_case *c);
shim_case bench_filling(posenc_plan *plan, const bench_table *table, const bench_place *place, const char *name); /* takes the plan */
int64_t bench_table_rows(const shim_case *c); /* that a pass of it writes, after begin() */
double bench_cpu_seconds(void);               /* of this thread */
posenc_status bench_write_rows(const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table);

/* ---- Random positions: positions.c --------------------------------------------------------------------------- */

enum { BENCH_EARLY_END = 4096, BENCH_END = 1 << 20 }; /* they are below: powers of two */
int64_t *bench_random_positions(int64_t n, int64_t end);

/* ---- Cases and context -------------------------------------------------------------------------------------- */

typedef void bench_take_case(void *data, const shim_case *c); /* its name is to be copied */
void bench_each_limit(const bench_shape *shape, posenc_dtype dtype, const bench_place *place, bench_take_case *take, void *data);
void bench_register_harness(void);
void bench_register_limits(const bench_shape *shape, posenc_dtype dtype, const bench_place *place); /* limit/... */
void bench_register_fill(const posenc_impl *impl, const bench_shape *shape, const bench_place *place);
void bench_register_fills(const bench_shape *shape, const bench_place *place); /* fill/... */
void bench_register_dtypes(const bench_shape *shape, bool all, const bench_place *place); /* fill/... of others, their limits */
void bench_register_conventions(const bench_shape *shape, const bench_place *place); /* fill/.../whisper, fill_pair/..., ... */
void bench_register_sums(const bench_shape *shape, bool all, const bench_place *place); /* add/... of that table */
void bench_register_more_sums(bool all, const bench_place *place);                      /* add/... of other sizes */
void bench_register_positions(bool all, const bench_place *place); /* fill_at/..., their limits, row/... */
void bench_register_rows(const posenc_impl *impl, const bench_place *place); /* row/... */
void bench_register_threads(const bench_place *place);   /* threads:2/... */
void bench_register_plans(void);                         /* plan/... */
void bench_register_fresh(void);                         /* fresh/... */

void bench_context(const bench_options *options);

/* calloc, name by format, and the like cannot fail in a way worth handling here: says so and leaves with 1. */
void *bench_alloc(size_t size);
const char *bench_name(char *text, size_t size, const char *what, const bench_shape *shape, const bench_place *place);

#endif

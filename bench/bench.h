/* What the parts of posenc-bench share: the options, the shapes, the one output buffer, and what was left out. */
#ifndef POSENC_BENCH_BENCH_H
#define POSENC_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Shapes: verify/shapes.inc ----------------------------------------------------------------------------- */

typedef struct bench_shape {
  const char *name;
  int64_t positions, d_model;
  double base;
  const char *who;
} bench_shape;

enum { BENCH_MAX_SHAPES = 64 }; /* bits of bench_options.shapes */

size_t bench_shape_count(void);
const bench_shape *bench_shape_at(size_t i);

/* The row is named; NULL for an unknown name. */
const bench_shape *bench_shape_find(const char *name, size_t *index);

/* ---- Options ----------------------------------------------------------------------------------------------- */

typedef struct bench_options {
  bool list;
  int64_t offset;       /* of the output buffer's start, bytes modulo 64 */
  const char *verified; /* a JSON file of posenc-verify, or NULL */
  const char *json;     /* results as JSON: a file, "-" for stdout, or NULL */
  uint64_t shapes;      /* bit i: shape i is wanted */
} bench_options;

/* Prints and leaves on --help, --version (0) and on what it does not understand (2). */
void bench_options_parse(int argc, char **argv, bench_options *options);

/* ---- The output buffer ------------------------------------------------------------------------------------- */

/* One for all cases, so that all of them meet the same pages: huge ones where the system gives them, mapped and written
 * to before the first use. bytes: at most the largest shape's table. NULL when there is no memory. */
float *bench_buffer(size_t bytes);
void bench_buffer_setup(int64_t offset, size_t max_bytes);
void bench_buffer_release(void);

/* ---- What is left out, and why ------------------------------------------------------------------------------ */

/* name: an implementation, a limit or a case. Both strings are copied. */
void bench_leave_out(const char *name, const char *reason);
bool bench_left_out(const char *name);
void bench_each_left_out(void (*call)(const char *name, const char *reason, void *data), void *data);
void bench_left_out_release(void);

/* Leaves out the implementations that the report of posenc-verify does not call verified. Prints what is wrong with the
 * file and leaves with 2. */
void bench_read_verified(const char *path);

/* ---- Cases and context -------------------------------------------------------------------------------------- */

void bench_register_harness(void);
void bench_register_limits(const bench_shape *shape); /* limit/... */
void bench_register_fills(const bench_shape *shape);  /* fill/... */
void bench_register_loops(const bench_shape *shape);  /* loop/..., of the implementations that fill/ has */

void bench_context(const bench_options *options);

/* calloc, name by format, and the like cannot fail in a way worth handling here: says so and leaves with 1. */
void *bench_alloc(size_t size);
const char *bench_name(char *text, size_t size, const char *what, const bench_shape *shape);

#endif

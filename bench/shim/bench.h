/* What all cases share: shapes, names, the output buffer, and what is skipped. */
#ifndef POSENC_BENCH_BENCH_H
#define POSENC_BENCH_BENCH_H

#include "../../verify/reference/columns.h"
#include "../../verify/reference/formats.h"
#include "../../verify/reference/memory.h"
#include "posenc.h"
#include "shim.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Shapes: verify/campaign/shapes.inc, then levels.inc ---------------------------------------------------- */

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

/* Where the output starts. Names of the first offset of a run are plain, those of the others, and of a sweep
 * over widths, end in /offset:BYTES. */
typedef struct bench_offset {
  int64_t bytes; /* modulo 64 */
  char suffix[16];
} bench_offset;

/* ---- The output buffer: buffer.c ---------------------------------------------------------------------------- */

/* One for all cases, so that all of them meet the same pages: huge ones where the system gives them, mapped and written
 * to before the first use. bytes: at most those of two arrays of the most that bench_buffer_room() was asked for
 * before. NULL when there is no memory. */
void *bench_buffer(size_t bytes, int64_t offset);
void bench_buffer_room(size_t bytes);
void bench_buffer_release(void);

/* From the start of an array of so many bytes to that of the next in the buffer, as malloc() has large ones: at the
 * same place of a page, and a page further than whole pages would need. */
size_t bench_to_next(size_t bytes);

/* The share of the buffer's pages in use that are huge; negative where the system does not tell. */
double bench_buffer_huge(void);

/* ---- Cases that write rows: work.c -------------------------------------------------------------------------- */

/* Whose rows they are, and which. */
typedef struct bench_rows {
  const posenc_impl *impl; /* NULL: no implementation's */
  const posenc_spec *spec; /* of its plan; not kept; NULL: it needs none */
  posenc_dtype dtype;
  int64_t n, d_model; /* that a pass writes; n 0: it writes none */
} bench_rows;

typedef struct bench_work bench_work;
struct bench_work {
  bench_rows rows;
  posenc_status (*write)(const bench_work *w); /* a pass; a run with an error is void */
  const char *peer, *stands_for; /* whose case it is, where it is no implementation's; stands_for: see shim_case */
  bool wall;                     /* see shim_case */
  int64_t end;                   /* its positions are below; as many as rows unless given */
  size_t bytes;                  /* of the buffer; those of the rows unless given */
  bool own_memory;               /* it writes elsewhere than to the buffer */
  int64_t *positions;            /* freed in the end, or NULL */
  const void *what;              /* whatever else `write` needs */
  void *self;                    /* likewise, and given to destroy() in the end */
  void (*destroy)(void *self);   /* or NULL */
  const char *(*prepare)(bench_work *w); /* or NULL: called by begin(); returns NULL or an error */

  /* Set while it runs. */
  posenc_plan *plan;
  int64_t offset;
  float *out;
  const char *label;    /* or NULL */
  posenc_status status; /* the first that is not OK */
};

#define BENCH_SIZE "n:%" PRId64 "/d:%" PRId64 /* the part of a name that says the table's size */

/* The work is copied; the rest is its name, without the suffix of the offset. at: NULL where there is none. Skipped
 * where there is no plan. */
__attribute__((format(printf, 3, 4))) void bench_register_work(
    const bench_work *work, const bench_offset *at, const char *name, ...);

/* ---- What is skipped, and why ------------------------------------------------------------------------------- */

/* name: an implementation, a limit or a case. Both strings are copied. */
void bench_skip(const char *name, const char *reason);
bool bench_skipped(const char *name);

/* The i-th name, or NULL past the last. */
const char *bench_skipped_at(size_t i, const char **reason);

#endif

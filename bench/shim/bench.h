/* What all cases share: shapes, names, the output buffer, and the list of skipped names. */
#ifndef POSENC_BENCH_BENCH_H
#define POSENC_BENCH_BENCH_H

#include "../../verify/tools/spec.h"
#include "../../verify/tools/memory.h"
#include "posenc.h"
#include "shim.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Shapes: verify/tools/shapes.inc, then levels.inc ---------------------------------------------------- */

typedef struct bench_shape {
  const char *name;
  int64_t positions, d_model;
  double base;
  const char *who; /* the model that has such a table; for a cache level, its purpose */
  bool level;      /* a cache level, from levels.inc */
  bool uncached;   /* each pass writes its table to memory that is in no cache */
} bench_shape;

enum { BENCH_MAX_SHAPES = 64 }; /* the bits of bench_options.shapes */

size_t bench_shape_count(void);
const bench_shape *bench_shape_at(size_t i);

const bench_shape *bench_shape_find(const char *name); /* ends the program if there is none */
size_t bench_shape_bytes(const bench_shape *shape, posenc_dtype dtype);

/* The spec of the paper's table for this shape. */
posenc_spec bench_spec(const bench_shape *shape);

/* Where the output starts. Case names end in /offset:BYTES, except for the first offset of a run. */
typedef struct bench_offset {
  int64_t bytes; /* modulo 64 */
  char suffix[16];
} bench_offset;

/* ---- The output buffer: buffer.c ---------------------------------------------------------------------------- */

/* Makes room for so many bytes; the largest request counts. Called before bench_buffer(). */
void bench_buffer_room(size_t bytes);

/* The start of the output. All cases share one buffer, so that they run on the same pages: huge pages where the system
 * gives them, mapped and written to before the first use. bytes: at most as many as bench_buffer_room() made room
 * for. Returns NULL if memory runs out. */
void *bench_buffer(size_t bytes, int64_t offset);
void bench_buffer_release(void);

/* The distance from the start of an array of so many bytes to the start of the next one in the buffer. The arrays lie
 * as large ones from malloc() do: at the same offset in a page, and with one page more between them than needed. */
size_t bench_to_next(size_t bytes);

/* The share of the buffer's used pages that are huge; negative where the system does not tell. */
double bench_buffer_huge(void);

/* ---- Cases: case.c, blocks.c -------------------------------------------------------------------------------- */

#define BENCH_SIZE "n:%" PRId64 "/d:%" PRId64 /* the table's size in a case's name */

/* Copies the case and registers it. `pattern` and the arguments after it make its name, without the suffix of the offset.
 * at: NULL if it does not write to the buffer. Skips the case where no plan can be made. */
__attribute__((format(printf, 3, 4))) void bench_register(
    const bench_case *given, const bench_offset *at, const char *pattern, ...);

/* Registers the case as CALL/WHO/DTYPE/n:ROWS/d:COLUMNS[/VARIANT]. */
void bench_register_table(const bench_case *c, const bench_offset *at);

/* The output of row c->first, for cases whose rows follow each other without gaps. */
void *bench_row(const bench_case *c);

/* Chooses the blocks of a case, and with them the rows of a pass. Returns NULL, or an error of write(). */
const char *bench_choose_blocks(bench_case *c);

/* Writes all rows, or the chosen blocks. */
posenc_status bench_write_blocks(bench_case *c);

/* ---- Skipped names, and the reasons ------------------------------------------------------------------------- */

/* Notes that an implementation, a limit or a case is skipped. Copies both strings. */
void bench_skip(const char *name, const char *reason);
bool bench_skipped(const char *name);

/* The i-th skipped name, or NULL past the last. */
const char *bench_skipped_at(size_t i, const char **reason);

#endif

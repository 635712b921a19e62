/* Rows that follow each other without a gap and do not begin at a line: the line over the end of one row and the start
 * of the next, where a table is written around the caches. First and last tiles of all rows of a run go to a buffer,
 * in which the end of a row lies before the start of the next one, and the lines are taken from there.
 */
#ifndef POSENC_EDGES_H
#define POSENC_EDGES_H

#include "angle_addition/run.h"

typedef struct edges {
  block tiles; /* the first 8 frequencies and the last 8 */
  double rotated[4][2 * LINE_FLOATS] LINE;
  vx exempt[2 * PER_LINE];
  float rows[RUN + 1][2 * LINE_FLOATS] LINE; /* of row i, its start behind the end of the row before it */
} edges;

/* For plans that keep steps, as rows without them are so long that a line more or less does not count. */
static inline void set_edges(edges *e, const turns *t, int cosines_first) {
  for (int i = 0; i < 4; i++)
    e->tiles.rotated[i] = e->rotated[i];
  e->tiles.exempt = e->exempt;
  e->tiles.slots = NULL;
  e->tiles.cosines_first = cosines_first;
  e->tiles.split = 0;
  set_tiles(&e->tiles, t, 0, t->there - GROUP, 2 * LINE_FLOATS, PLAIN);
}

/* For the run after the one before. */
__attribute__((noinline)) static void edges_of_run(edges *e, const posenc_spec *spec, int64_t run) {
  const target rows = {
      .run = run, .first = run, .to = RUN, .row = e->rows[STEPS] + LINE_FLOATS, .stride = 2 * LINE_FLOATS};
  memcpy(e->rows[0], e->rows[RUN], LINE_FLOATS * sizeof(float));
  run_tiles(&e->tiles, spec, &rows, PLAIN, 0, 0);
}

#endif

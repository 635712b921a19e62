/* Shared memory for rows of output, with guards around them that show writes outside the rows. */
#ifndef POSENC_VERIFY_SHEET_H
#define POSENC_VERIFY_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A sheet is a stack of lines of `stride` elements. A line is either a row of d_model outputs followed by guard
 * columns, or all guard. Inaccessible pages lie before the first line and after the last. */
typedef struct sheet {
  unsigned char *cells; /* line 0 */
  size_t size;          /* bytes of an element: 2, 4 or 8 */
  int64_t lines, stride, d_model;
  bool *is_row; /* for each line */
  void *map;
  size_t map_size;
} sheet;

/* Children that are forked later share the sheet. Ends the process if there is no memory.
 * offset: bytes by which line 0 misses 64-byte alignment. */
sheet sheet_create(size_t size, int64_t lines, int64_t stride, int64_t d_model, size_t offset);
void sheet_destroy(sheet *s);

/* Fills every element with the guard pattern, a NaN in any type of its size, so that unwritten rows show too. */
void sheet_paint(sheet *s);

/* Finds the first overwritten guard. Returns false if there is none. */
bool sheet_damage(const sheet *s, int64_t *line, int64_t *column);

void *shared_memory(size_t size);

static inline void *sheet_at(const sheet *s, int64_t line, int64_t column) {
  return s->cells + (size_t)(line * s->stride + column) * s->size;
}

#endif

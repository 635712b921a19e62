/* Shared memory for rows of output, with guards around them: what an implementation must not touch is seen. */
#ifndef POSENC_VERIFY_SHEET_H
#define POSENC_VERIFY_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A sheet is a stack of lines of `stride` floats. A line is a row of d_model outputs followed by guard columns, or
 * nothing but guard. Inaccessible pages lie before and behind. */
typedef struct sheet {
  unsigned char *cells; /* line 0 */
  int64_t lines, stride, d_model;
  bool *is_row; /* per line */
  void *map;
  size_t map_size;
} sheet;

/* Shared with children that are forked later. offset: bytes by which line 0 misses 64-byte alignment. Ends the process
 * when there is no memory. */
sheet sheet_create(int64_t lines, int64_t stride, int64_t d_model, int64_t offset);
void sheet_destroy(sheet *s);

/* Paints every float with the guard pattern, a NaN, so that rows never written are seen too. */
void sheet_paint(sheet *s);

/* The first guard that was overwritten; false if there is none. */
bool sheet_damage(const sheet *s, int64_t *line, int64_t *column);

void *shared_memory(size_t size);

static inline float *sheet_line(const sheet *s, int64_t line)
{
  return (float *)(void *)(s->cells + (size_t)(line * s->stride) * sizeof(float));
}

static inline uint32_t sheet_bits(const sheet *s, int64_t line, int64_t column)
{
  uint32_t bits;
  memcpy(&bits, s->cells + (size_t)(line * s->stride + column) * sizeof bits, sizeof bits);
  return bits;
}

#endif

/* A run of a block: where its rows are, and how they are written tile by tile. */
#ifndef POSENC_RUN_H
#define POSENC_RUN_H

#include "angle_addition/block.h"

/* Columns before this one; split, those of the first or the second of each pair. */
static inline int64_t columns_of(const block *p, int64_t column, int part) {
  return p->split ? (column + 1 - part) / 2 : column;
}

/* Of the 8 rows by steps b .. b+3, in a buffer from the lowest up: which row of the run is row i. */
static inline int row_of(int b, int i) { return STEPS + (i < ROWS ? i - ROWS - b : i - ROWS + b); }
static inline int is_wanted(const target *to, int row) { return row >= to->from && row < to->to; }
static inline int any_wanted(const target *to, int b) {
  return (to->to > STEPS + b && to->from < STEPS + b + ROWS) || (to->to > STEPS - ROWS - b && to->from < STEPS - b);
}
static inline float *row_at(const target *to, int row) { return to->row + (row - STEPS) * to->stride; }

FLAT int all_wanted(const target *to, int b) { return to->from <= STEPS - ROWS - b && to->to >= STEPS + ROWS + b; }

/* The rows by steps b .. b+3. What goes to `unwanted` is of rows that nobody asked for, and not split. */
FLAT tile_rows rows_at(const target *to, int b, float *unwanted) {
  tile_rows rows = {.second = to->second};
  if (all_wanted(to, b)) {
    rows.ahead[0] = row_at(to, STEPS + b);
    rows.behind[0] = row_at(to, STEPS - 1 - b);
    for (int i = 1; i < ROWS; i++) {
      rows.ahead[i] = rows.ahead[i - 1] + to->stride;
      rows.behind[i] = rows.behind[i - 1] - to->stride;
    }
    return rows;
  }
  for (int i = 0; i < ROWS; i++) {
    const int ahead = STEPS + b + i, behind = STEPS - 1 - b - i;
    rows.ahead[i] = is_wanted(to, ahead) ? row_at(to, ahead) : unwanted;
    rows.behind[i] = is_wanted(to, behind) ? row_at(to, behind) : unwanted;
  }
  return rows;
}
FLAT tile_rows rows_from(tile_rows rows, int column) {
  for (int i = 0; i < ROWS; i++) {
    rows.ahead[i] += rows.second ? column / 2 : column;
    rows.behind[i] += rows.second ? column / 2 : column;
  }
  return rows;
}

/* The same in a buffer whose rows follow each other, `length` floats apart: row i is row_of(b, i). */
FLAT tile_rows rows_in(float *buffer, int64_t length, int64_t second) {
  tile_rows rows = {.second = second};
  for (int i = 0; i < ROWS; i++) {
    rows.ahead[i] = buffer + (ROWS + i) * length;
    rows.behind[i] = buffer + (ROWS - 1 - i) * length;
  }
  return rows;
}

/* A tile, to column `column` of `rows`; split, two tiles. Returns whether the rounding test failed. */
FLAT int make_tile(
    const target *to, const factors *f, int gap, const tile_rows *rows, int column, int b, int streamed, int split) {
  const int at_0 = EXACT && to->run == 0 && b + ROWS == STEPS;
  return split && at_0 ? write_split(f, gap, rows, column, streamed, 1)
         : split       ? write_split(f, gap, rows, column, streamed, 0)
         : at_0        ? write_tile(f, gap, rows, column, streamed, 1)
                       : write_tile(f, gap, rows, column, streamed, 0);
}

_Static_assert(2 * MOST / LINE_FLOATS <= 32, "a bit for each tile of a block");

/* Of tiles from `first`, the ones whose test failed, a bit each (split, one for two); they are in `rows`. */
__attribute__((noinline, unused)) static void recheck_tiles(const block *p, const posenc_spec *spec, const target *to,
    const tile_rows *rows, int first, int b, uint32_t failed) {
  for (; failed; failed &= failed - 1)
    for (int i = __builtin_ctz(failed), end = i + p->split; i <= end; i++) {
      const factors f = factors_of(p, p->in_slots, first + i, b);
      const tile_rows here = rows_from(*rows, i * LINE_FLOATS);
      recheck_tile(spec, p->t, frequency_of(p, first + i), &f, to->run + STEPS + b, to->run + STEPS - 1 - b, &here,
          p->cosines_first);
    }
}
/* Where tiles were written: their rows anew, so that the inner loop's own are no memory that others could see. */
__attribute__((noinline, unused)) static void recheck_rows(
    const block *p, const posenc_spec *spec, const target *to, int b, uint32_t failed) {
  float unwanted[2 * MOST];
  const tile_rows rows = rows_at(to, b, unwanted);
  recheck_tiles(p, spec, to, &rows, 0, b, failed);
}

/* Of rows that are written around the caches, the line at either end of a block is not where it is not whole, and is
 * fetched: a run ahead, as the processor stores in order and would wait. Perhaps it is of no row: it is not read. */
static inline void prefetch_line(const void *at) {
  if ((uintptr_t)at % 64)
    __builtin_prefetch(at, 1);
}
static inline void prefetch_rows(const block *p, const target *to, int b, int64_t column) {
  for (int i = 0; i < 2 * ROWS; i++)
    for (int part = 0, row = RUN + row_of(b, i); part <= p->split; part++)
      if (to->halves)
        prefetch_line(to->halves + (row - STEPS) * to->stride + column);
      else
        prefetch_line(row_at(to, row) + part * to->second + columns_of(p, column, part));
}

/* A tile that is not whole; split, two of them. */
__attribute__((noinline)) static void buffered_tile(
    const block *p, const posenc_spec *spec, const target *to, int tile, int b) {
  enum { EACH_ROW = 2 * LINE_FLOATS };
  float lines[2 * ROWS * EACH_ROW] LINE;
  const factors f = factors_of(p, p->in_slots, tile, b);
  const tile_rows rows = rows_in(lines, EACH_ROW, p->split ? LINE_FLOATS : 0);
  if (p->how == STREAMED)
    prefetch_rows(p, to, b, tile == 0 && p->from > 0 ? p->from : p->to);
  if (make_tile(to, &f, 0, &rows, 0, b, 0, p->split))
    recheck_tiles(p, spec, to, &rows, tile, b, 1);
  for (int part = 0; part <= p->split; part++) {
    const int64_t at = columns_of(p, tile * LINE_FLOATS, part), from = columns_of(p, p->from, part) - at,
                  end = columns_of(p, p->to, part) - at;
    const int64_t first = from > 0 ? from : 0, last = end < LINE_FLOATS ? end : LINE_FLOATS;
    for (int i = 0; i < 2 * ROWS && first < last; i++)
      if (is_wanted(to, row_of(b, i)))
        memcpy(row_at(to, row_of(b, i)) + part * to->second + at + first,
            lines + i * EACH_ROW + part * LINE_FLOATS + first, (size_t)(last - first) * sizeof(float));
  }
}

/* But for the first row of all. */
static inline void write_edges(const block *p, const target *to, int b) {
  for (int i = 0; i < 2 * ROWS; i++) {
    const int above = i < ROWS ? i - ROWS - b : i - ROWS + b, row = STEPS + above;
    const float *const line = p->edges[row] + LINE_FLOATS - p->from;
    for (int v = 0; row >= to->from && row < to->to && to->run + row != to->first && v < PER_LINE; v++)
      vp_stream(to->row + above * to->stride + v * EACH, vp_load(line + v * EACH));
  }
}

FLAT void run_tiles(block *p, const posenc_spec *spec, const target *to, store how, int in_slots, int split) {
  float unwanted[2 * MOST] LINE;
  set_anchor(p, in_slots, to->run);
  for (int quarter = 0; quarter < STEPS / ROWS; quarter++) {
    const int b = ROWS * quarter;
    if (!any_wanted(to, b))
      continue;
    const tile_rows all_rows = rows_at(to, b, unwanted);
    const int tiles = split ? 2 : 1; /* at a time; from `whole` on they go by way of a buffer */
    const int whole = split && !all_wanted(to, b) ? 0 : (int)(p->to / LINE_FLOATS) / tiles * tiles;
    uint32_t failed = 0;
    int tile = 0;
    if (p->from > 0 && p->edges) {
      write_edges(p, to, b);
      tile++;
    } else if (p->from > 0 || whole == 0) {
      buffered_tile(p, spec, to, tile, b);
      tile += tiles;
    }
    for (int end; tile < whole; tile = end) {
      const int first = in_slots ? 0 : tile, length = span_of(p, in_slots), spans = in_slots ? 2 : 1;
      const tile_rows rows = rows_from(all_rows, first * LINE_FLOATS);
      const factors f = factors_of(p, in_slots, first, b);
#pragma GCC unroll 2
      for (int i = 0; i < spans; i++) {
        const int next = in_slots ? (i + 1) * length : (tile / length + 1) * length;
        end = next < whole ? next : whole;
#pragma GCC unroll 1
        for (; tile < end; tile += tiles) {
          const int column = (tile - first) * LINE_FLOATS;
          failed |= (uint32_t)make_tile(to, &f, i * IN_OTHER, &rows, column, b, how == STREAMED, split) << tile;
        }
      }
    }
    if (EXACT && failed)
      recheck_rows(p, spec, to, b, failed);
    for (; tile < p->tiles; tile += tiles)
      buffered_tile(p, spec, to, tile, b);
  }
}

#endif

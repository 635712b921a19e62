/* A run of a block: its rows, written tile by tile or piece by piece. */
#ifndef POSENC_RUN_H
#define POSENC_RUN_H

#include "rotation/half.h"

/* Of the 8 rows by steps b .. b+3, in a buffer from the lowest up: which row of the run is row i. */
static inline int row_of(int b, int i) { return STEPS + (i < ROWS ? i - ROWS - b : i - ROWS + b); }
static inline int is_wanted(const target *to, int row) { return row >= to->from && row < to->to; }
static inline int any_wanted(const target *to, int b) {
  return (to->to > STEPS + b && to->from < STEPS + b + ROWS) || (to->to > STEPS - ROWS - b && to->from < STEPS - b);
}
static inline float *row_at(const target *to, int row) { return to->row + (row - STEPS) * to->stride; }

/* The rows by steps b .. b+3 from a column on; what goes to `unwanted` is of rows that nobody asked for. */
FLAT tile_rows rows_at(const target *to, int b, int column, float *unwanted) {
  tile_rows rows;
  for (int i = 0; i < ROWS; i++) {
    const int ahead = STEPS + b + i, behind = STEPS - 1 - b - i;
    rows.ahead[i] = (is_wanted(to, ahead) ? row_at(to, ahead) : unwanted) + column;
    rows.behind[i] = (is_wanted(to, behind) ? row_at(to, behind) : unwanted) + column;
  }
  return rows;
}

/* The same in a buffer whose rows follow each other, `length` floats apart: row i is row_of(b, i). */
FLAT tile_rows rows_in(float *buffer, int64_t length) {
  tile_rows rows;
  for (int i = 0; i < ROWS; i++) {
    rows.ahead[i] = buffer + (ROWS + i) * length;
    rows.behind[i] = buffer + (ROWS - 1 - i) * length;
  }
  return rows;
}

/* To rows that begin at `rows`, the first tile of a span at column 0. */
FLAT int tile_of_span(const block *p, const posenc_spec *spec, const target *to, const factors *f,
    const tile_rows *rows, int tile, int column, int b, int streamed) {
  const int at_0 = EXACT && to->run == 0 && b + ROWS == STEPS;
  const int failed = at_0 ? write_tile(f, rows, column, streamed, 1) : write_tile(f, rows, column, streamed, 0);
  if (EXACT && failed && !streamed) {
    const factors same = *f; /* so that the compiler keeps them in registers: nobody else has their address */
    const tile_rows same_rows = *rows;
    recheck_tile(spec, p->t, frequency_of(p, tile) - column / 2, &same, to->run + STEPS + b, to->run + STEPS - 1 - b,
        &same_rows, column);
  }
  return failed;
}

/* A tile that is not whole. */
__attribute__((noinline)) static void buffered_tile(
    const block *p, const posenc_spec *spec, const target *to, int tile, int b) {
  float lines[2 * ROWS][LINE_FLOATS] LINE;
  const factors f = factors_of(p, p->in_slots, tile, b);
  const int64_t from = p->from - tile * LINE_FLOATS, end = p->to - tile * LINE_FLOATS;
  const int64_t first = from > 0 ? from : 0, last = end < LINE_FLOATS ? end : LINE_FLOATS;
  const tile_rows rows = rows_in(lines[0], LINE_FLOATS);
  tile_of_span(p, spec, to, &f, &rows, tile, 0, b, 0);
  for (int i = 0; i < 2 * ROWS; i++)
    if (is_wanted(to, row_of(b, i)))
      memcpy(row_at(to, row_of(b, i)) + tile * LINE_FLOATS + first, lines[i] + first,
          (size_t)(last - first) * sizeof(float));
}

/* Of tiles whose test failed, whose rows are not read again soon: bit b + tile, b a multiple of 4. */
__attribute__((noinline)) static void recheck_strip(
    const block *p, const posenc_spec *spec, const target *to, uint64_t failed) {
  float unwanted[2 * STRIP];
  for (; failed; failed &= failed - 1) {
    const int bit = __builtin_ctzll(failed), tile = bit % ROWS, b = bit - tile;
    const factors f = factors_of(p, 1, tile, b);
    const tile_rows rows = rows_at(to, b, tile * LINE_FLOATS, unwanted);
    recheck_tile(spec, p->t, frequency_of(p, tile), &f, to->run + STEPS + b, to->run + STEPS - 1 - b, &rows, 0);
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

FLAT void run_tiles(block *p, const posenc_spec *spec, const target *to, store how, int in_slots) {
  float unwanted[2 * MOST] LINE;
  uint64_t failed = 0;
  set_anchor(p, in_slots, to->run);
  for (int b = 0; b < STEPS; b += ROWS) {
    if (!any_wanted(to, b))
      continue;
    const int whole = (int)(p->to / LINE_FLOATS); /* tiles from the first or second on */
    int tile = 0;
    if (p->from > 0 && p->edges) {
      write_edges(p, to, b);
      tile++;
    } else if (p->from > 0)
      buffered_tile(p, spec, to, tile++, b);
    for (int end; tile < whole; tile = end) {
      const int next = (tile / span_of(p, in_slots) + 1) * span_of(p, in_slots), first = tile;
      const tile_rows rows = rows_at(to, b, tile * LINE_FLOATS, unwanted);
      const factors f = factors_of(p, in_slots, tile, b);
      end = next < whole ? next : whole;
#pragma GCC unroll 1
      for (; tile < end; tile++) {
        const int column = (tile - first) * LINE_FLOATS;
        const int is_uncertain = tile_of_span(p, spec, to, &f, &rows, tile, column, b, how == STREAMED);
        if (EXACT && how == STREAMED)
          failed |= (uint64_t)is_uncertain << (b + tile);
      }
    }
    for (; tile < p->tiles; tile++)
      buffered_tile(p, spec, to, tile, b);
  }
  if (EXACT && how == STREAMED && failed)
    recheck_strip(p, spec, to, failed);
}

/* Floats of a row from `from` on, added to x where there is one. */
FLAT void write_piece(const float *from, const float *x, float scale, float *to, int64_t n, int streamed) {
  const int64_t before = (int64_t)((uintptr_t)to / sizeof *to % LINE_FLOATS),
                to_line = (LINE_FLOATS - before) % LINE_FLOATS;
  const int64_t head = !streamed ? 0 : to_line < n ? to_line : n;
  const int64_t unit = streamed ? LINE_FLOATS : EACH, vectors = head + (n - head) / unit * unit;
  for (int64_t i = head; i < vectors; i += EACH) {
    const vp row = vp_load(from + i);
    store_vector(to + i, x ? vp_scaled_sum(vp_set1(scale), x + i, row) : row, streamed);
  }
  for (int64_t i = head ? 0 : vectors; i < n; i = i + 1 == head ? vectors : i + 1)
    to[i] = x ? scale * x[i] + from[i] : from[i];
}

/* Before they are written: lines come late where stores do so many at a time. */
FLAT void fetch_line(const target *to, int row, int column, int streamed) {
  __builtin_prefetch(to->x + (row - STEPS) * to->x_stride + column);
  if (!streamed)
    __builtin_prefetch(row_at(to, row) + column, 1);
}

/* As float32 or float16, by way of a buffer of 8 rows of 256 columns, and, before these, what was left of the last whole line. */
static inline void run_pieces(block *p, const posenc_spec *spec, const target *to, int in_slots) {
  enum { TILES = 16, PIECE = TILES * LINE_FLOATS, LEFT = LINE_HALVES };
  float pieces[2 * ROWS][LEFT + PIECE] LINE;
  const int streamed = p->how == PIECES_STREAMED;
  set_anchor(p, in_slots, to->run);
  for (int b = 0; b < STEPS; b += ROWS)
    for (int tile = 0, column = 0; tile < p->tiles && any_wanted(to, b); column += PIECE) {
      const int first = tile, last = tile + TILES < p->tiles ? tile + TILES : p->tiles;
      for (int end; tile < last; tile = end) {
        const int next = (tile / span_of(p, in_slots) + 1) * span_of(p, in_slots), at = (tile - first) * LINE_FLOATS;
        const factors f = factors_of(p, in_slots, tile, b);
        const tile_rows rows = rows_in(pieces[0] + LEFT + at, LEFT + PIECE);
        end = next < last ? next : last;
#pragma GCC unroll 1
        for (int i = tile; i < end; i++) {
          for (int row = 0; to->fetched && row < 2 * ROWS; row++) /* of the sums; perhaps of no row: not read */
            fetch_line(to, row_of(b, row), i * LINE_FLOATS, streamed);
          tile_of_span(p, spec, to, &f, &rows, i, (i - tile) * LINE_FLOATS, b, 0);
        }
      }
      for (int i = 0; i < 2 * ROWS; i++) {
        float *const piece = pieces[i] + LEFT, *const out = to->halves ? NULL : row_at(to, row_of(b, i));
        uint16_t *const halves = to->halves ? to->halves + (row_of(b, i) - STEPS) * to->stride : NULL;
        const float *const x = to->x ? to->x + (row_of(b, i) - STEPS) * to->x_stride : NULL;
        const int64_t before = !streamed ? 0 : halves ? halves_before(halves) : floats_before(out);
        const int64_t from = column > 0 ? column - before : 0;
        const int64_t end = last < p->tiles ? column + PIECE - before : p->to;
        for (int c = 0; to->run + row_of(b, i) == 0 && c < PIECE; c++) /* position 0: no sum, but 0 and 1 exactly */
          piece[c] = (float)(c % 2);
        if (!is_wanted(to, row_of(b, i)))
          continue;
        if (halves)
          write_half_piece(spec, p->t, to->run + row_of(b, i), 2 * p->first + from, piece + from - column, end - from,
              halves + from, streamed);
        else if (x)
          write_piece(piece + from - column, x + from, to->scale, out + from, end - from, streamed);
        else
          write_piece(piece + from - column, NULL, 0.0f, out + from, end - from, streamed);
        memcpy(pieces[i], pieces[i] + PIECE, LEFT * sizeof(float));
      }
    }
}

static void write_run(block *p, const posenc_spec *spec, const target *to) {
  if (p->how == STREAMED)
    run_tiles(p, spec, to, STREAMED, 1);
  else if (p->how != PLAIN && p->in_slots)
    run_pieces(p, spec, to, 1);
  else if (p->how != PLAIN)
    run_pieces(p, spec, to, 0);
  else if (p->in_slots)
    run_tiles(p, spec, to, PLAIN, 1);
  else
    run_tiles(p, spec, to, PLAIN, 0);
}

#endif

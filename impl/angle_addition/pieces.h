/* A run of a block by way of a buffer, 8 rows of 256 columns at a time: rows that are added to others, that have their lines
 * in different places, or that become float16.
 */
#ifndef POSENC_PIECES_H
#define POSENC_PIECES_H

#include "angle_addition/half.h"
#include "angle_addition/run.h"

/* Floats i to end of a row, which is at `from`; added to x where there is one. */
static inline void write_some(const float *from, const float *x, float scale, float *to, int64_t i, int64_t end) {
  for (; i < end; i++)
    to[i] = x ? scale * x[i] + from[i] : from[i];
}
/* n of them, by vectors; whole lines are streamed, if any are. */
FLAT void write_piece(const float *from, const float *x, float scale, float *to, int64_t n, int streamed) {
  const int64_t to_line = (LINE_FLOATS - floats_before(to)) % LINE_FLOATS;
  const int64_t head = !streamed ? 0 : to_line < n ? to_line : n, unit = streamed ? LINE_FLOATS : EACH;
  const int64_t vectors = head + (n - head) / unit * unit;
  write_some(from, x, scale, to, 0, head);
  for (int64_t i = head; i < vectors; i += EACH) {
    const vp row = vp_load(from + i);
    store_vector(to + i, x ? vp_scaled_sum(vp_set1(scale), x + i, row) : row, streamed);
  }
  write_some(from, x, scale, to, vectors, n);
}

/* Before they are written: lines come late where stores do so many at a time. */
FLAT void fetch_line(const target *to, int row, int column, int streamed) {
  __builtin_prefetch(to->x + (row - STEPS) * to->x_stride + column);
  if (!streamed)
    __builtin_prefetch(row_at(to, row) + column, 1);
}

/* As float32 or float16, by way of a buffer of 8 rows of 256 columns, and, before these, what was left of the last whole
 * line. Split, the half of a row has the first of each pair, as the other half has the second. */
FLAT void run_pieces(block *p, const posenc_spec *spec, const target *to, int in_slots, int split) {
  enum { TILES = 16, PIECE = TILES * LINE_FLOATS, LEFT = LINE_HALVES };
  float pieces[2 * ROWS][LEFT + PIECE] LINE;
  const int parts = split ? 2 : 1, length = PIECE / parts, left = LEFT / parts;
  const int64_t apart = split ? left + length : 0;
  const int streamed = p->how == PIECES_STREAMED;
  set_anchor(p, in_slots, to->run);
  for (int b = 0; b < STEPS; b += ROWS)
    for (int tile = 0, column = 0; tile < p->tiles && any_wanted(to, b); column += PIECE) {
      const int first = tile, last = tile + TILES < p->tiles ? tile + TILES : p->tiles;
      uint32_t failed = 0;
      for (int end; tile < last; tile = end) {
        const int next = (tile / span_of(p, in_slots) + 1) * span_of(p, in_slots),
                  at = (tile - first) * LINE_FLOATS / parts;
        const factors f = factors_of(p, in_slots, tile, b);
        const tile_rows rows = rows_in(pieces[0] + left + at, LEFT + PIECE, apart);
        end = next < last ? next : last;
#pragma GCC unroll 1
        for (int i = tile; i < end; i += parts) {
          for (int row = 0; to->fetched && row < 2 * ROWS; row++) /* of the sums; perhaps of no row: not read */
            fetch_line(to, row_of(b, row), i * LINE_FLOATS, streamed);
          failed |= (uint32_t)make_tile(to, &f, 0, &rows, (i - tile) * LINE_FLOATS, b, 0, split) << (i - first);
        }
      }
      if (EXACT && failed) {
        const tile_rows all = rows_in(pieces[0] + left, LEFT + PIECE, apart);
        recheck_tiles(p, spec, to, &all, first, b, failed);
      }
      if (streamed && first == 0)
        prefetch_rows(p, to, b, 0);
      if (streamed && last == p->tiles)
        prefetch_rows(p, to, b, p->to);
      for (int part = 0; part < 2 * ROWS * parts; part++) {
        const int i = part / parts, second = part % parts;
        float *const piece = pieces[i] + left + second * apart;
        float *const out = to->halves ? NULL : row_at(to, row_of(b, i)) + second * to->second;
        uint16_t *const halves = to->halves ? to->halves + (row_of(b, i) - STEPS) * to->stride : NULL;
        const float *const x = to->x ? to->x + (row_of(b, i) - STEPS) * to->x_stride : NULL;
        const int64_t before = !streamed ? 0 : halves ? halves_before(halves) : floats_before(out);
        const int64_t start = column / parts, from = column > 0 ? start - before : 0;
        const int64_t end = last < p->tiles ? start + length - before : columns_of(p, p->to, second);
        for (int c = 0; to->run + row_of(b, i) == 0 && c < length; c++) /* position 0: no sum, but 0 and 1 exactly */
          piece[c] = (float)((split ? second : c % 2) != p->cosines_first);
        if (!is_wanted(to, row_of(b, i)))
          continue;
        if (halves)
          write_half_piece(spec, p->t, to->run + row_of(b, i), 2 * p->first + from, piece + from - start, end - from,
              halves + from, streamed);
        else if (x)
          write_piece(piece + from - start, x + from, to->scale, out + from, end - from, streamed);
        else
          write_piece(piece + from - start, NULL, 0.0f, out + from, end - from, streamed);
        memcpy(piece - left, piece + length - left, (size_t)left * sizeof(float));
      }
    }
}

static void write_run(block *p, const posenc_spec *spec, const target *to) {
  if (p->how == STREAMED && to->second)
    run_tiles(p, spec, to, STREAMED, 1, 1);
  else if (p->how == STREAMED)
    run_tiles(p, spec, to, STREAMED, 1, 0);
  else if (p->how == PLAIN && to->second && p->in_slots)
    run_tiles(p, spec, to, PLAIN, 1, 1);
  else if (p->how == PLAIN && to->second)
    run_tiles(p, spec, to, PLAIN, 0, 1);
  else if (p->how == PLAIN)
    run_tiles(p, spec, to, PLAIN, p->in_slots, 0);
  else if (to->second)
    run_pieces(p, spec, to, p->in_slots, 1);
  else
    run_pieces(p, spec, to, p->in_slots, 0);
}

#endif

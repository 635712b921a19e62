/* Rows at any positions. exact computes each pair from its position (angle_addition/direct.h); anchored, which promises the
 * bits of its sums, from its parts. Positions that follow each other are walked as a table is.
 */
#ifndef POSENC_GATHER_H
#define POSENC_GATHER_H

#include "angle_addition/direct.h"
#include "angle_addition/half.h"
#include "angle_addition/walk.h"

/* Fewer rows are not worth an anchor, nor steps where there are none yet (measured at 512 columns). A sum of anchored's costs
 * more than a pair by itself. float16 and bfloat16 of exact are rounded from single rows below these. */
enum { FEW = EXACT ? 12 : 4, FEW_WITHOUT_STEPS = EXACT ? 48 : 8, FEW_OF_F16 = 4, FEW_OF_BF16 = EXACT ? 20 : 4 };

static inline void anchored_row(const turns *t, int64_t position, float *row, int64_t first, int64_t end) {
  enum { AT_ONCE = SIDE_BY_SIDE * VD_LANES };
  int64_t k = first;
  /* Nearly all: several at once, and steps looked up without a question each. */
  for (; t->steps && 2 * (k + AT_ONCE) <= end; k += AT_ONCE) {
    angle coarse[SIDE_BY_SIDE];
    compute_several(SIDE_BY_SIDE, t, k, VD_LANES, coarse_of(position), 0.0, coarse);
    for (int v = 0; v < SIDE_BY_SIDE; v++) {
      const int64_t at = k + v * VD_LANES;
      const angle anchor = rotated(coarse[v], kept_angle(t, at, middle_of(position)));
      const angle y = rotated(anchor, kept_angle(t, at, step_of(position)));
      vp_store(row + 2 * k + v * EACH, vd_pack(y.sin, y.cos));
    }
  }
  for (; 2 * k < end; k += VD_LANES) {
    const angle y = sum_at(t, compute(t, k, coarse_of(position)), k, position);
    const vp packed = vd_pack(y.sin, y.cos);
    if (end - 2 * k >= EACH)
      vp_store(row + 2 * k, packed);
    else
      vp_store_part(row + 2 * k, packed, 0, end - 2 * k);
  }
}

/* Not inlined: of this and write_table(), only the stack of the one that runs is taken. */
__attribute__((noinline)) static void one_row(
    const posenc_spec *spec, const turns *t, int64_t position, float *row, int64_t first, int64_t end) {
  if (EXACT)
    direct_row(spec, t, (double)position, row, first, end);
  else if (position != 0)
    anchored_row(t, position, row, first, end);
  else
    for (int64_t c = 2 * first; c < end; c++)
      row[c] = (float)(c % 2);
}

/* Adds one row, a buffer at a time. */
static inline void add_row(const posenc_spec *spec, const turns *t, const posenc_rows *r, int64_t i, float *row) {
  enum { AT_ONCE = 8 * WINDOW };
  float part[AT_ONCE];
  const float *const x = r->add->x + i * r->add->stride;
  for (int64_t c = 0, end; c < r->to; c = end) {
    end = c + AT_ONCE < r->to ? c + AT_ONCE : r->to;
    one_row(spec, t, r->first + i, part - c, c / 2, end);
    write_piece(part, x + c, r->add->scale, row + c, end - c, 0);
  }
}

/* float32 at integer positions. */
static inline void write_rows(
    const posenc_spec *spec, const turns *t, const posenc_rows *r, float *out, int64_t stride) {
  float *const origin = out - r->from; /* of a tile: where column 0 would be */
  const int64_t few = t->steps ? FEW : FEW_WITHOUT_STEPS;
  if (!r->positions && (r->count >= few || r->cosines_first || r->second)) {
    write_table(spec, t, r, origin, stride);
    return;
  }
  for (int64_t i = 0; r->add && i < r->count; i++)
    add_row(spec, t, r, i, origin + i * stride);
  if (r->add)
    return;
  for (int64_t i = 0, next; i < r->count; i = next) {
    posenc_rows part = *r;
    part.positions = NULL;
    part.first = posenc_row_position(r, i);
    for (next = i + 1; next < r->count && posenc_row_position(r, next) == part.first + next - i;)
      next++;
    part.count = next - i;
    if (part.count >= few)
      write_table(spec, t, &part, origin + i * stride, stride);
    else
      for (int64_t j = i; j < next; j++)
        one_row(spec, t, posenc_row_position(r, j), origin + j * stride, r->from / 2, r->to);
  }
}

/* Of these columns' frequencies. */
static inline int has_whole_turns(const turns *t, const posenc_rows *r) {
  int any = 0;
  for (int64_t k = r->from / 2; 2 * k < r->to; k++)
    any |= t->whole[k] != 0.0;
  return any;
}

/* Rounds a strip of float32, each the one nearest to a real value, to 16 bits. That is the nearest to the real value too,
 * unless the float32 is the middle between two (float16: or may be). Returns whether none is. */
static inline int round_strip(const float *from, int dtype, uint16_t *to) {
  uint32_t middles = 0;
  vh apart = {0};
  if (dtype == POSENC_DTYPE_F16) {
    for (int c = 0; c < 2 * STRIP; c += EACH)
      apart = vp_store_half(to + c, vp_load(from + c), apart, 0);
    return !vh_any(apart);
  }
  for (int c = 0; c < 2 * STRIP; c++) {
    uint32_t bits;
    memcpy(&bits, from + c, sizeof bits);
    middles |= (bits & 0xffff) == 0x8000;
    to[c] = (uint16_t)((bits + 0x8000) >> 16);
  }
  return !middles;
}

/* Of one row, by parts whose float32 are computed first. */
static inline void write_16_bits(
    const posenc_spec *spec, const turns *t, posenc_rows row, double position, uint16_t *out, int64_t stride) {
  enum { COLUMNS = 2 * STRIP, AT_ONCE = 8 * COLUMNS };
  const int64_t end = row.to;
  float part[AT_ONCE] = {0};
  uint16_t strip[COLUMNS];
  for (int64_t c = row.from, at = 0; c < end; c = row.to, out += COLUMNS, at = (at + COLUMNS) % AT_ONCE) {
    if (at == 0)
      direct_row(spec, t, position, part - c, c / 2, end - c < AT_ONCE ? end : c + AT_ONCE);
    row.from = c;
    row.to = end - c < COLUMNS ? end : c + COLUMNS;
    if (round_strip(part + at, spec->dtype, strip))
      memcpy(out, strip, (size_t)(row.to - c) * sizeof *out);
    else
      write_dtype(spec, t, &row, out, stride);
  }
}

/* exact at any positions, but for float64, each row by itself. Rows below LEAST_DIRECT, and rows between integers where a
 * frequency has lost whole turns, are left to angle_addition/dtypes.h. */
static inline void write_any(const posenc_spec *spec, const turns *t, const posenc_rows *r, void *out, int64_t stride) {
  const int64_t size = (int64_t)posenc_dtype_size((posenc_dtype)spec->dtype);
  const int has_whole = r->reals && has_whole_turns(t, r);
  for (int64_t i = 0; i < r->count; i++) {
    const double position = posenc_row_real(r, i);
    const posenc_rows row = posenc_row_alone(r, i);
    void *const to = (unsigned char *)out + i * stride * size;
    if (fabs(position) < LEAST_DIRECT || (has_whole && position != rint(position)))
      write_dtype(spec, t, &row, to, stride);
    else if (spec->dtype == POSENC_DTYPE_F32)
      direct_row(spec, t, position, (float *)to - r->from, r->from / 2, r->to);
    else
      write_16_bits(spec, t, row, position, to, stride);
  }
}

#endif

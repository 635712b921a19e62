/* A block: frequencies side by side, and what tiles of a run need of them. */
#ifndef POSENC_BLOCK_H
#define POSENC_BLOCK_H

#include "angle_addition/slots.h"

/* Frequencies of a block at most: 2 KiB of a row. What it has of the anchor is in L1, 128 KiB of steps mostly in L2. */
enum { MOST = 256 };

/* How rows are written: by ordinary stores or by non-temporal ones, tile by tile; or piece by piece, which is what
 * rows need that are added to x, have their lines in different places, or are of float16. */
typedef enum store { PLAIN, STREAMED, PIECES, PIECES_STREAMED } store;

typedef struct block {
  const turns *t;
  int64_t first;    /* frequency of lane 0; below 0 in the first block of rows that do not begin at a line */
  int64_t apart;    /* frequencies from one tile to the next */
  int64_t from, to; /* columns of the block that exist */
  int tiles;
  int cosines_first, split; /* 0 or 1, set before the rest: as posenc_rows has it, and whether `second` is not 0 */
  float (*edges)[2 * LINE_FLOATS]; /* NULL, or lines for first tiles that are not whole: angle_addition/edges.h */
  store how;
  double slowest;  /* frequency of them, in turns */
  int none_exempt; /* at the last anchor */
  double at;       /* the coarse position that is set */
  int in_slots;    /* steps and all: rows that are written around the caches, and where the plan keeps no steps */
  slot *slots;
  double *rotated[4]; /* else: pairs (sine, cosine) and (cosine, -sine) at the coarse position, then at the anchor; */
  vx *exempt;         /* which pairs are exempt from part of the test */
} block;

typedef union block_memory {
  slots_memory slots;
  struct {
    double rotated[4][2 * MOST] LINE;
    vx exempt[MOST / VD_LANES] LINE;
  };
} block_memory;

/* Where a run's rows go, and what they are added to. */
typedef struct target {
  int64_t run, first; /* positions of its row 0, and of the first of all rows */
  int from, to;       /* rows that are wanted */
  float *row;         /* the block's columns of row 32, the first one ahead of the anchor */
  int64_t second;     /* 0, or as far behind the first of each pair is the second, these side by side */
  uint16_t *halves;   /* or NULL: likewise, of float16 */
  const float *x;     /* likewise */
  int64_t stride, x_stride;
  float scale;
  int fetched; /* x and the sums are in no cache next to the processor */
} target;

/* Floats of its first line left of `out`. */
static inline int64_t floats_before(const float *out) {
  return (int64_t)((uintptr_t)out / sizeof(float) % LINE_FLOATS);
}

static inline int64_t frequency_of(const block *p, int tile) { return p->first + tile * p->apart; }

/* Tiles whose factors lie side by side: as many as fit in a slot, or in a window of the plan's table. Between the last column
 * of one slot and the first of the strip's other one lie IN_OTHER more float64. */
enum { TILES_IN_SLOT = IN_SLOT / GROUP, IN_OTHER = (OTHER_HALF - 1) * SLOT / (int)sizeof(double) };
FLAT int span_of(const block *p, int in_slots) {
  return in_slots ? TILES_IN_SLOT : p->apart == GROUP ? WINDOW / GROUP : 1;
}

/* The pairs of an entry of tile `tile`, and those that are rotated: i as in `rotated`. Of the next tile of its span, one
 * line on. */
FLAT double *entry_of(const block *p, int in_slots, int tile, int entry) {
  return in_slots ? entry_slot(p->slots, entry, tile / TILES_IN_SLOT)->values + tile % TILES_IN_SLOT * LINE_FLOATS
                  : steps_of(p->t, frequency_of(p, tile)) + entry * ENTRY;
}
FLAT double *rotated_of(const block *p, int in_slots, int tile, int i) {
  return in_slots ? entry_of(p, 1, tile, ROTATED + i) : p->rotated[i] + tile * LINE_FLOATS;
}

/* The factors of rows by entries from b on. */
FLAT factors factors_of(const block *p, int in_slots, int tile, int b) {
  const vx *const exempt = in_slots ? exempt_slot(p->slots)->lanes : p->exempt;
  factors f = {rotated_of(p, in_slots, tile, 2), rotated_of(p, in_slots, tile, 3), {NULL}, exempt + tile * PER_LINE};
  for (int row = 0; row < ROWS; row++)
    f.steps[row] = entry_of(p, in_slots, tile, b + row);
  return f;
}

static inline void set_tiles(block *p, const turns *t, int64_t first, int64_t apart, int64_t to, store how) {
  p->t = t;
  p->first = first;
  p->apart = apart;
  p->from = first < 0 ? -2 * first : 0;
  p->to = to;
  p->tiles = (int)((to + LINE_FLOATS - 1) / LINE_FLOATS);
  p->tiles += p->split & p->tiles; /* even: written two by two */
  p->how = how;
  p->in_slots = how == STREAMED || !t->steps;
  p->edges = NULL;
  p->none_exempt = 0;
  p->at = NAN;
  p->slowest = 1.0;
  for (int tile = 0; EXACT && tile < p->tiles; tile++)
    for (int64_t k = frequency_of(p, tile); k < frequency_of(p, tile) + GROUP; k++)
      if (k >= 0 && k < t->there && fabs(t->hi[k]) < p->slowest)
        p->slowest = fabs(t->hi[k]);
  for (int tile = 0; p->in_slots && tile < p->tiles; tile++) {
    double *entries[ENTRIES];
    for (int i = 0; i < ENTRIES; i++)
      entries[i] = entry_of(p, 1, tile, i);
    if (t->steps)
      copy_entries(t, frequency_of(p, tile), entries);
    for (int k = 0; !t->steps && k < GROUP; k += VD_LANES) {
      make_entries(t, frequency_of(p, tile) + k, entries);
      for (int i = 0; i < ENTRIES; i++)
        entries[i] += EACH;
    }
  }
}

/* Of `width` frequencies from `first`, in rows that end before column `end`; the block's columns of one row begin at
 * `out`. */
static inline void set_block(block *p, block_memory *memory, const turns *t, int64_t first, int64_t width, int64_t end,
    store how, const float *out) {
  const int64_t columns = end - 2 * first;
  p->slots = slots_in(&memory->slots, out);
  for (int i = 0; i < 4; i++)
    p->rotated[i] = memory->rotated[i];
  p->exempt = memory->exempt;
  set_tiles(p, t, first, GROUP, columns < 2 * width ? columns : 2 * width, how);
}

FLAT void set_anchor(block *p, int in_slots, int64_t run) {
  const double anchor = anchor_of(run), coarse = coarse_of(run);
  const int none_exempt = !is_relative_near(p->slowest, anchor);
  const offset middle = middle_of(run);
  enum { AT_ONCE = GROUP / VD_LANES < SIDE_BY_SIDE ? GROUP / VD_LANES : SIDE_BY_SIDE };
  const vd sign = vd_set1(middle.sign), minus = vd_set1(-middle.sign);
  for (int tile = 0; tile < p->tiles; tile++) {
    double *const sines = rotated_of(p, in_slots, tile, 0), *const cosines = rotated_of(p, in_slots, tile, 1);
    const double *const step = entry_of(p, in_slots, tile, middle.entry);
    const factors f = factors_of(p, in_slots, tile, 0);
    const int64_t k = frequency_of(p, tile);
    for (int i = 0; p->at != coarse && i < GROUP; i += AT_ONCE * VD_LANES) {
      angle a[AT_ONCE];
      compute_several(AT_ONCE, p->t, k + i, VD_LANES, coarse, 0.0, a);
      for (int v = 0; v < AT_ONCE; v++) {
        double *const pairs = sines + 2 * i + v * EACH, *const turned = cosines + 2 * i + v * EACH;
        const vd minus_sin = vd_sub(vd_set1(0.0), a[v].sin);
        if (p->cosines_first) {
          store_pairs(pairs, a[v].cos, a[v].sin);
          store_pairs(turned, minus_sin, a[v].cos);
        } else {
          store_pairs(pairs, a[v].sin, a[v].cos);
          store_pairs(turned, a[v].cos, minus_sin);
        }
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < 2 * GROUP; i += VD_LANES) {
      const double *const by = step + i / EACH * EACH;
      const int half = i / VD_LANES % 2;
      const vd s = sine_of(by, half), c = cosine_of(by, half), x = vd_load(sines + i), y = vd_load(cosines + i);
      vd_store((double *)f.sines + i, vd_fma(vd_mul(y, sign), s, vd_mul(x, c)));
      vd_store((double *)f.cosines + i, vd_fma(vd_mul(x, minus), s, vd_mul(y, c)));
    }
    for (int i = 0; EXACT && !(none_exempt && p->none_exempt) && i < GROUP; i += VD_LANES)
      ((vx *)f.exempt)[i / VD_LANES] = exempt_near(p->t, k + i, anchor);
  }
  p->none_exempt = none_exempt;
  p->at = coarse;
}

#endif

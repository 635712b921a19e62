/* The rows of a run in a block, two at a time. */
#ifndef POSENC_RUN_H
#define POSENC_RUN_H

#include "rotation/inner_loop.h"

/* What is known of a block's strips when its loop is compiled: nothing; that all of them are whole and none is shared,
 * as in most tables in the caches; that there is just one whole one, as around the caches. What is asked otherwise
 * would cost a tenth. */
typedef enum known { ANY, WHOLE, ALONE } known;

/* Row -32, the only one from STEP / 2 steps behind, shares lines with a row of another anchor. It has no counterpart
 * ahead, and so the constants of this call tell nearly always that it is not there. */
FLAT int some_rows(const block *p, const view *w, const posenc_spec *spec, store how, known strips, pair_of_rows rows,
    int b, const target *to, recheck_pairs *recheck) {
  int flagged = 0; /* around the caches, where there is one strip */
  if (strips == ALONE)
    return rotate_strip(p, w, spec, how, rows, 0, 0, b, to, recheck);
  if (strips == WHOLE) {
    for (int v = 0; v < p->vectors; v += PER_STRIP)
      rotate_strip(p, w, spec, how, rows, 0, v, b, to, recheck);
    return 0;
  }
  const int y_b = row_of_y(rows, b), z_b = row_of_z(rows, b), y_there = rows != BEHIND, z_there = rows != AHEAD;
  const int whole = (int)(p->to / EACH) / PER_STRIP * PER_STRIP;
  const int edge = (rows == BEHIND && b == STEP / 2) || (rows == TWO_BEHIND && b + 1 == STEP / 2);
  int v = 0;
  if (p->shared && !edge) {
    flagged = rotate_strip(p, w, spec, how, rows, 1, 0, b, to, recheck);
    v = PER_STRIP;
  }
  while (v < p->vectors) {
    if (v < whole && (v > 0 || p->from == 0)) {
      flagged = rotate_strip(p, w, spec, how, rows, 0, v, b, to, recheck);
    } else if (how == ADDED || how == ADDED_STREAMED) {
      if (y_there)
        one_sum(p, spec, v, y_b, to, recheck);
      if (z_there)
        one_sum(p, spec, v, z_b, to, recheck);
    } else {
      if (y_there)
        one_strip(p, spec, v, y_b, row_at(to, y_b), recheck);
      if (z_there)
        one_strip(p, spec, v, z_b, row_at(to, z_b), recheck);
    }
    v += PER_STRIP;
  }
  return flagged;
}

/* Rows of a run in which the rounding test failed: bit b of those at anchor + b and at anchor - b. */
typedef struct uncertain {
  uint64_t ahead, behind;
} uncertain;

FLAT void note(uncertain *u, int flagged, int b) {
  u->ahead |= (uint64_t)(flagged & 1) << b;
  u->behind |= (uint64_t)(flagged >> 1) << b;
}

__attribute__((noinline)) static void recheck_rows(
    const block *p, const posenc_spec *spec, const target *to, uncertain u, recheck_pairs *recheck) {
  for (; u.ahead; u.ahead &= u.ahead - 1)
    recheck_strip(p, spec, 0, __builtin_ctzll(u.ahead), row_at(to, __builtin_ctzll(u.ahead)), recheck);
  for (; u.behind; u.behind &= u.behind - 1)
    recheck_strip(p, spec, 0, -__builtin_ctzll(u.behind), row_at(to, -__builtin_ctzll(u.behind)), recheck);
}

/* Rows lo .. hi of a run, lo as in `to`. Neighbours go together in the caches only, and as vectors: it is there that it
 * pays. With non-temporal stores rows are rechecked at the end, so that the loops call nothing and keep what they need
 * in registers and slots. */
FLAT void run_rows(
    block *p, const posenc_spec *spec, store how, known strips, const target *given, int hi, recheck_pairs *recheck) {
  const view kept = view_of(p, p->view.slots, how), *const w = &kept;
  const target copy = *given, *const to = how == STREAMED ? &copy : given;
  const int lo = to->lo,
            both = lo < 0 && hi > 0 ? (-lo < hi ? -lo : hi) : 0; /* rows behind the anchor with one ahead */
  const int two = how == PLAIN && VD_LANES > 1, behind = both > -hi - 1 ? both : -hi - 1;
  uncertain u = {0, 0};
  int b = -lo;
  for (; two && b > behind + 1; b -= 2)
    some_rows(p, w, spec, how, strips, TWO_BEHIND, b - 1, to, recheck);
  for (; b > behind; b--)
    note(&u, some_rows(p, w, spec, how, strips, BEHIND, b, to, recheck), b);
  if (lo <= 0 && hi >= 0)
    note(&u, some_rows(p, w, spec, how, strips, AHEAD, 0, to, recheck), 0);
  for (b = 1; b <= both; b++)
    note(&u, some_rows(p, w, spec, how, strips, BOTH, b, to, recheck), b);
  b = lo > both ? lo : both + 1;
  for (; two && b < hi; b += 2)
    some_rows(p, w, spec, how, strips, TWO_AHEAD, b, to, recheck);
  for (; b <= hi; b++)
    note(&u, some_rows(p, w, spec, how, strips, AHEAD, b, to, recheck), b);
  if (how == STREAMED && recheck && (u.ahead | u.behind))
    recheck_rows(p, spec, to, u, recheck);
}

/* Not inlined: of the three, only the stack of the one that runs is taken. */
#define RUN_OF(name)                                                                                                   \
  __attribute__((noinline)) static void name(                                                                          \
      block *p, const posenc_spec *spec, const target *to, int hi, recheck_pairs *recheck)

RUN_OF(write_streamed) {
  if (p->from == 0 && p->to == 2 * STRIP)
    run_rows(p, spec, STREAMED, ALONE, to, hi, recheck);
  else
    run_rows(p, spec, STREAMED, ANY, to, hi, recheck);
}

RUN_OF(write_sums) {
  if (p->how == ADDED_STREAMED)
    run_rows(p, spec, ADDED_STREAMED, ANY, to, hi, recheck);
  else
    run_rows(p, spec, ADDED, ANY, to, hi, recheck);
}

RUN_OF(write_plain) {
  if (VD_LANES > 1 && !p->shared && p->from == 0 && p->to % (2 * STRIP) == 0)
    run_rows(p, spec, PLAIN, WHOLE, to, hi, recheck);
  else
    run_rows(p, spec, PLAIN, ANY, to, hi, recheck);
}

static inline void write_run(block *p, const posenc_spec *spec, const target *to, int hi, recheck_pairs *recheck) {
  if (p->how == STREAMED)
    write_streamed(p, spec, to, hi, recheck);
  else if (p->how == PLAIN)
    write_plain(p, spec, to, hi, recheck);
  else
    write_sums(p, spec, to, hi, recheck);
}

#endif

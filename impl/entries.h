/* The steps and middles of turns.h in the row's vectors: looked up, or computed where none are kept. */
#ifndef POSENC_ENTRIES_H
#define POSENC_ENTRIES_H

#include "angle.h"
#include "turns.h"

/* Of VD_LANES frequencies from k, anywhere: sine and cosine at a position. */
static inline angle compute(const turns *t, int64_t k, int64_t position)
{
  return angle_at(vd_set1((double)position), vd_loadu(t->hi + k), vd_loadu(t->mid + k));
}

/* At index * unit, |index| < entries. */
static inline angle entry(const turns *t, double *table, int entries, int64_t k, int index, int unit)
{
  const int64_t i = index < 0 ? -index : index;
  angle a;
  if (table) {
    const double *e = entries_of(table, entries, k) + i * ENTRY;
    a = (angle){vd_loadu(e), vd_loadu(e + ROOM)};
  } else {
    a = compute(t, k, i * unit);
  }
  a.sin = vd_mul(a.sin, vd_set1(index < 0 ? -1.0 : 1.0));
  return a;
}

static inline angle step(const turns *t, int64_t k, int b) { return entry(t, t->steps, STEPS, k, b, 1); }
static inline angle middle(const turns *t, int64_t k, int m) { return entry(t, t->middles, MIDDLES, k, m, STEP); }

static inline void make_entries(const turns *t, double *table, int entries, int unit)
{
  for (int64_t k = 0; k < t->n; k += VD_LANES)
    for (int i = 0; i < entries; i++) {
      const angle a = compute(t, k, i * unit);
      double *e = entries_of(table, entries, k) + i * ENTRY;
      vd_store(e, a.sin);
      vd_store(e + ROOM, a.cos);
      if (k >= WINDOW && k % WINDOW < GROUP) { /* the room behind the window before */
        e += WINDOW - entries * ENTRY;
        vd_store(e, a.sin);
        vd_store(e + ROOM, a.cos);
      }
    }
}

static inline void prepare_turns(const posenc_spec *spec, void *state)
{
  const turns t = turns_of(spec, state);
  posenc_turns(spec, &t);
  if (t.steps) {
    make_entries(&t, t.steps, STEPS, 1);
    make_entries(&t, t.middles, MIDDLES, STEP);
  }
}

#endif

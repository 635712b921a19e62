/* The steps and middles of rotation/turns.h in the row's vectors: looked up, or computed where none are kept. */
#ifndef POSENC_STEP_TABLES_H
#define POSENC_STEP_TABLES_H

#include "rotation/angle.h"
#include "rotation/turns.h"

#include <string.h>

_Static_assert(
    GROUP % VD_LANES == 0 && POSENC_TABLES_FREQS % WINDOW == 0, "vectors do not cross groups, nor tables windows");

static inline angle load_angle(const double *sines, int cosines) {
  return (angle){vd_loadu(sines), vd_loadu(sines + cosines)};
}
static inline void store_angle(double *sines, int cosines, angle a) {
  vd_store(sines, a.sin);
  vd_store(sines + cosines, a.cos);
}

/* Of VD_LANES frequencies from k, anywhere: sine and cosine at a position. */
static inline angle compute(const turns *t, int64_t k, int64_t position) {
  return angle_at(vd_set1((double)position), vd_loadu(t->hi + k), vd_loadu(t->mid + k));
}

/* The same; most tables begin at 0, for which it is much. */
static inline angle coarse_angle(const turns *t, int64_t k, int64_t coarse) {
  const angle none = {vd_set1(0.0), vd_set1(1.0)};
  return coarse ? compute(t, k, coarse) : none;
}

/* At index * unit. `entries` is where the table has those of k, NULL where there is no table. */
static inline angle entry(const turns *t, const double *entries, int64_t k, int index, int unit) {
  static const double signs[] = {
      1.0, -1.0}; /* looked up: they come in no order that a branch could be predicted from */
  const int64_t i = index < 0 ? -index : index;
  angle a;
  if (entries)
    a = load_angle(entries + i * ENTRY, ROOM);
  else
    a = compute(t, k, i * unit);
  a.sin = vd_mul(a.sin, vd_set1(signs[index < 0]));
  return a;
}

static inline const double *steps_of(const turns *t, int64_t k) {
  return t->steps ? entries_of(t, t->steps, STEPS, k) : NULL;
}
static inline const double *middles_of(const turns *t, int64_t k) {
  return t->middles ? entries_of(t, t->middles, MIDDLES, k) : NULL;
}

static inline void make_entries(const turns *t, double *table, int entries, int unit) {
  for (int64_t k = 0; k < t->n; k += VD_LANES)
    for (int i = 0; i < entries; i++) {
      const angle a = compute(t, k, i * unit);
      double *e = entries_of(t, table, entries, k) + i * ENTRY;
      store_angle(e, ROOM, a);
      if (k >= WINDOW && k % WINDOW < GROUP) { /* the room behind the window before */
        e += WINDOW - entries * ENTRY;
        store_angle(e, ROOM, a);
      }
    }
  for (int i = 0; i < 2 * entries; i++) /* behind the last window: no frequency */
    memset(entries_of(t, table, entries, t->n) + i * ROOM, 0, GROUP * sizeof *table);
}

static inline void prepare_turns(const posenc_spec *spec, void *state) {
  const turns t = turns_of(spec, state);
  posenc_turns(spec, &t);
  if (t.steps) {
    make_entries(&t, t.steps, STEPS, 1);
    make_entries(&t, t.middles, MIDDLES, STEP);
  }
}

#endif

/* The largest errors of a table, by octave of positions and by group of columns. */
#ifndef POSENC_VERIFY_PROFILE_H
#define POSENC_VERIFY_PROFILE_H

#include <math.h>
#include <stdint.h>

/* Octave 0 is position 0; octave i is 2^(i-1) to 2^i - 1. A negative position counts by its magnitude. */
enum { PROFILE_OCTAVES = 34, PROFILE_MOST_GROUPS = 32 };

typedef struct profile {
  double max_abs[PROFILE_OCTAVES][PROFILE_MOST_GROUPS]; /* 0 also where nothing was compared */
} profile;

static inline int profile_octave(int64_t position) { return position == 0 ? 0 : 1 + ilogb((double)position); }

/* The sizes of groups differ by at most one column. */
static inline int64_t profile_groups(int64_t d_model) {
  return d_model < PROFILE_MOST_GROUPS ? d_model : PROFILE_MOST_GROUPS;
}

static inline int64_t profile_first_column(int64_t group, int64_t d_model) {
  const int64_t groups = profile_groups(d_model);
  return (group * d_model + groups - 1) / groups;
}

static inline int64_t profile_group(int64_t column, int64_t d_model) {
  return column * profile_groups(d_model) / d_model;
}

static inline void profile_add(profile *p, int64_t position, int64_t column, int64_t d_model, double error) {
  double *here = &p->max_abs[profile_octave(position)][profile_group(column, d_model)];
  *here = fmax(*here, error);
}

static inline void profile_merge(profile *into, const profile *p) {
  for (int i = 0; i < PROFILE_OCTAVES; i++)
    for (int g = 0; g < PROFILE_MOST_GROUPS; g++)
      into->max_abs[i][g] = fmax(into->max_abs[i][g], p->max_abs[i][g]);
}

#endif

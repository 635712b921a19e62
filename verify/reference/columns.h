/* The meaning of a spec's fields, for all references: defaults, and what a column holds. No code comes from impl/. */
#ifndef POSENC_VERIFY_COLUMNS_H
#define POSENC_VERIFY_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "posenc.h"

/* The number of frequencies. */
static inline int64_t spec_count(const posenc_spec *spec) {
  return (spec->d_model + (spec->odd == POSENC_ODD_HALF_PAIR)) / 2;
}

static inline double spec_denominator(const posenc_spec *spec) {
  return spec->denominator > 0 ? spec->denominator : (double)spec->d_model / 2; /* exact: d_model is small */
}

static inline double spec_scale(const posenc_spec *spec) {
  return spec->position_scale != 0 ? spec->position_scale : 1;
}

/* A sine or a cosine of a frequency, which a column holds. */
typedef struct component {
  int64_t k; /* the frequency; -1: a column of zeros */
  bool cosine;
} component;

static inline component component_of(const posenc_spec *spec, int64_t c) {
  const int64_t n = spec_count(spec);
  if (c >= 2 * n)
    return (component){-1, false};
  const bool second = spec->layout == POSENC_LAYOUT_SPLIT ? c >= n : c % 2;
  const int64_t k = spec->layout == POSENC_LAYOUT_SPLIT ? c - (second ? n : 0) : c / 2;
  return (component){k, second == (spec->order == POSENC_ORDER_SIN_FIRST)};
}

/* The column of a frequency's sine or cosine; d_model or more if the spec has no such column. */
static inline int64_t column_of(const posenc_spec *spec, component it) {
  const bool second = it.cosine == (spec->order == POSENC_ORDER_SIN_FIRST);
  return spec->layout == POSENC_LAYOUT_SPLIT ? it.k + second * spec_count(spec) : 2 * it.k + second;
}

#endif

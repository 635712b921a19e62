/* The meaning of a spec's fields, for all references: defaults, what a column holds, and the tools' names for values.
 * No code comes from impl/. */
#ifndef POSENC_VERIFY_COLUMNS_H
#define POSENC_VERIFY_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "posenc.h"

static inline posenc_spec paper_spec(int64_t d_model) {
  posenc_spec spec;
  posenc_spec_init(&spec, d_model, NULL);
  return spec;
}

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

typedef struct place {
  int64_t k; /* the frequency; -1: a column of zeros */
  bool cosine;
} place;

static inline place place_of(const posenc_spec *spec, int64_t c) {
  const int64_t n = spec_count(spec);
  if (c >= 2 * n)
    return (place){-1, false};
  const bool second = spec->layout == POSENC_LAYOUT_SPLIT ? c >= n : c % 2;
  const int64_t k = spec->layout == POSENC_LAYOUT_SPLIT ? c - (second ? n : 0) : c / 2;
  return (place){k, second == (spec->order == POSENC_ORDER_SIN_FIRST)};
}

/* The column of a frequency's sine or cosine; d_model or more if the spec has no such column. */
static inline int64_t column_at(const posenc_spec *spec, place it) {
  const bool second = it.cosine == (spec->order == POSENC_ORDER_SIN_FIRST);
  return spec->layout == POSENC_LAYOUT_SPLIT ? it.k + second * spec_count(spec) : 2 * it.k + second;
}

/* These names are NULL for numbers past the last choice. */
static inline const char *layout_name(int32_t layout) {
  return layout == POSENC_LAYOUT_INTERLEAVED ? "interleaved" : layout == POSENC_LAYOUT_SPLIT ? "split" : NULL;
}

static inline const char *order_name(int32_t order) {
  return order == POSENC_ORDER_SIN_FIRST ? "sin_first" : order == POSENC_ORDER_COS_FIRST ? "cos_first" : NULL;
}

static inline const char *odd_name(int32_t odd) {
  return odd == POSENC_ODD_HALF_PAIR ? "half_pair" : odd == POSENC_ODD_ZERO ? "zero" : NULL;
}

/* Prints the fields that differ from the paper's, except width and base: ", denominator 15, split". */
static inline void spec_print_changes(FILE *out, const posenc_spec *spec) {
  if (!spec->freqs && spec->denominator > 0)
    fprintf(out, ", denominator %g", spec->denominator);
  if (spec_scale(spec) != 1)
    fprintf(out, ", position_scale %g", spec->position_scale);
  if (spec->layout != POSENC_LAYOUT_INTERLEAVED)
    fprintf(out, ", %s", layout_name(spec->layout));
  if (spec->order != POSENC_ORDER_SIN_FIRST)
    fprintf(out, ", %s", order_name(spec->order));
  if (spec->odd != POSENC_ODD_HALF_PAIR && spec->d_model % 2)
    fprintf(out, ", last column zero");
}

#endif

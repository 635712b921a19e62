#include "reading.h"

#include <string.h>

#include "../memory.h"

column_meaning reading_column(const reading *r, int64_t column)
{
  if (column >= r->n + r->n_pairs)
    return (column_meaning){-1, 0};
  const bool split = r->spec.layout == POSENC_SPLIT;
  const bool second = split ? column >= r->n : column % 2 == 1;
  const int64_t k = !split ? column / 2 : second ? column - r->n : column;
  return (column_meaning){second != (r->spec.order == POSENC_COS_FIRST), k};
}

int64_t reading_column_of(const reading *r, int64_t k, int function)
{
  const bool second = function == (r->spec.order == POSENC_COS_FIRST ? 0 : 1);
  if (k >= (second ? r->n_pairs : r->n))
    return -1;
  if (r->spec.layout == POSENC_SPLIT)
    return second ? r->n + k : k;
  return 2 * k + second;
}

static bool same_table(const reading *a, const reading *b)
{
  if (a->n != b->n || a->n_pairs != b->n_pairs)
    return false;
  if (a->n > 1 && (a->denominator != b->denominator || a->spec.base != b->spec.base))
    return false;
  for (int64_t c = 0; c < a->spec.d_model; c++) {
    const column_meaning x = reading_column(a, c), y = reading_column(b, c);
    if (x.function != y.function || x.k != y.k)
      return false;
  }
  return true;
}

reading *readings_of(int64_t d_model, size_t *n)
{
  reading *all = must_calloc((int64_t)posenc_preset_count(), sizeof *all);
  *n = 0;
  for (size_t i = 0; i < posenc_preset_count(); i++) {
    const posenc_preset *preset = posenc_preset_at(i);
    reading r = {.presets = {preset->name}, .n_presets = 1};
    if (posenc_spec_preset(preset->name, d_model, &r.spec) != POSENC_OK)
      continue;
    const bool odd = d_model % 2 == 1;
    r.n_pairs = d_model / 2;
    r.n = r.n_pairs + (odd && r.spec.odd == POSENC_ODD_HALF_PAIR);
    r.denominator = r.spec.denominator > 0 ? r.spec.denominator : (double)d_model / 2;
    if (r.n == 0) /* a column of zeros is nothing to recognise */
      continue;
    size_t same = 0;
    while (same < *n && !same_table(&all[same], &r))
      same++;
    if (same == *n)
      all[(*n)++] = r;
    else if (all[same].n_presets < READING_MOST_PRESETS)
      all[same].presets[all[same].n_presets++] = preset->name;
  }
  return all;
}

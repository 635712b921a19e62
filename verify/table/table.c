#include "table.h"

#include "numbers.h"

static bool all_are(const table *t, posenc_dtype dtype)
{
  bool tells = false; /* 0 and 1 are of every kind */
  for (int64_t row = 0; row < t->rows; row++)
    for (int64_t column = 0; column < t->columns; column++) {
      const double x = table_at(t, row, column);
      if (x != number_round(dtype, x))
        return false;
      tells |= x != 0.0 && x != 1.0 && x != -1.0;
    }
  return tells;
}

static posenc_dtype narrowest(const table *t)
{
  static const posenc_dtype narrow[] = {POSENC_BF16, POSENC_F16, POSENC_F32};
  const posenc_dtype stored = t->array.layout.dtype;
  for (size_t i = 0; i < 3; i++)
    if (number_kinds[narrow[i]].precision < number_kinds[stored].precision && all_are(t, narrow[i]) &&
        (stored == POSENC_F64 || stored == POSENC_F32))
      return narrow[i];
  return stored;
}

static bool is_blank(const table *t, int64_t row)
{
  for (int64_t column = 0; column < t->columns; column++)
    if (table_at(t, row, column) != 0.0)
      return false;
  return true;
}

table table_of(npy_array array)
{
  table t = {.array = array, .rows = array.layout.rows, .columns = array.layout.columns, .blank = -1};
  t.dtype = narrowest(&t);
  int64_t blanks = 0, blank = -1;
  for (int64_t row = 0; row < t.rows; row++)
    if (is_blank(&t, row))
      blanks++, blank = row;
  if (blanks == 1 && t.rows > 1 && t.columns > 1) /* with a single column it is the sine of position 0 */
    t.blank = blank;
  return t;
}

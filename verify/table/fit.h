/* Does a table have the values that a reading, a base and a first position say, as far as some kind of arithmetic would
 * keep to them?
 */
#ifndef POSENC_TABLE_FIT_H
#define POSENC_TABLE_FIT_H

#include "reading.h"
#include "table.h"

typedef enum care {
  CARE_FLOAT64,        /* float64 or better, rounded once or twice */
  CARE_FLOAT32,        /* frequency, angle and sine in float32 */
  CARE_BF16_POSITIONS, /* the same, of positions rounded to bfloat16 */
  CARE_BF16,           /* frequency, position and angle rounded to bfloat16 */
  CARE_BETWEEN,        /* float32, of a real position that is itself only read off the table */
  CARE_LITTLE          /* whatever is within some thousandths */
} care;

typedef struct fit {
  const table *t;
  const reading *r;
  double base;
  care care;
  double *w, *slack; /* by frequency: itself, and the error of an angle as a share of it */
} fit;

fit fit_create(const table *t, const reading *r, double base, care c);
void fit_destroy(fit *f);

/* The position that is meant: rounded to bfloat16 where the arithmetic does so. */
double fit_position(const fit *f, double position);

/* -1 if the row is that of the position, else the first column that is not. A blank row is any position's. */
int64_t fit_row(const fit *f, int64_t row, double position);

/* What the column should be. */
double fit_value(const fit *f, int64_t column, double position);

/* All rows, from position `first` on: true, or false and the first misfit. */
bool fit_all(const fit *f, int64_t first, int64_t *row, int64_t *column);

#endif

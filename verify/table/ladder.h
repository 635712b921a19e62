/* The base of a table's frequencies, read off the table itself. */
#ifndef POSENC_TABLE_LADDER_H
#define POSENC_TABLE_LADDER_H

#include "reading.h"
#include "table.h"

typedef struct ladder {
  bool known;       /* else there are too few rows or frequencies to tell */
  double base;
  double doubt;     /* ln(base) is this well known, as a standard error */
} ladder;

/* Reads the table as r has it. Returns false if its columns are no pairs of a sine and a cosine. */
bool ladder_read(const table *t, const reading *r, ladder *l);

/* The decimal number of fewest digits within `doubts` standard errors; *digits is their number. */
double ladder_round(const ladder *l, double doubts, int *digits);

/* x, rounded to so many decimal digits. */
double ladder_digits(double x, int digits);

#endif

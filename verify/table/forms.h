/* The ways in which programs form the table's values: transcriptions of their arithmetic, roundings included. */
#ifndef POSENC_TABLE_FORMS_H
#define POSENC_TABLE_FORMS_H

#include <stdbool.h>

#include "reading.h"

typedef enum arithmetic {
  CORRECTLY_ROUNDED,
  FLOAT64,
  FLOAT32_EXPLOG,
  FLOAT32_POW,
  BF16_POSITIONS,
  ARITHMETICS
} arithmetic;

extern const char *const arithmetic_names[ARITHMETICS];

typedef struct form {
  arithmetic arithmetic;
  const char *text; /* the angle, as a line of code; for example "pos * exp(k * (-ln(base) / denominator))" */
  enum { BY_LIBRARY, BY_FLOAT64, BY_FLOAT32, BY_BF16 } by;
  enum { EXP_STEP, EXP_PRODUCT, EXP_SHORT_STEP, POW_DIVISOR, POW_INVERSE, POW_NEGATIVE, POW_SMALL_BASE } frequencies;
} form;

extern const form forms[];
extern const int n_forms;

/* A form with its frequencies, for a reading and a base; the library's form with its plan. */
typedef struct formed {
  const form *how;
  const reading *r;
  posenc_dtype dtype; /* what values are rounded to at the end */
  double *w;          /* a frequency, or where it divides its inverse, in the form's arithmetic */
  double *angles;
  posenc_plan *plan;
  void *row;
} formed;

/* Returns false, with nothing to destroy, for a form that does not exist for this base. */
bool formed_create(formed *f, const form *how, const reading *r, double base, posenc_dtype dtype);
void formed_destroy(formed *f);

/* The row of a position: as many values as the reading has columns. */
void formed_row(formed *f, int64_t position, double *values);

/* KerasHub's frequency where all is bfloat16: (1 / base) ** (2k / d), each step rounded. */
double form_bf16_frequency(double base, int64_t k, double denominator);

#endif

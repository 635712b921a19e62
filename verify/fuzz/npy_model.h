/* The slow model of .npy files: the whole file is split into words first, then compared with what a table's header must be. It
 * shares nothing with verify/table/.
 */
#ifndef POSENC_FUZZ_NPY_MODEL_H
#define POSENC_FUZZ_NPY_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct npy_model {
  int32_t dtype;
  bool turned, by_columns; /* big-endian, Fortran's order */
  uint64_t rows, columns;
  const uint8_t *elements;
} npy_model;

/* Is it the file of a table, all of it and nothing behind it? */
bool npy_model_of(const uint8_t *file, size_t size, npy_model *model);

double npy_model_at(const npy_model *model, uint64_t row, uint64_t column);

#endif

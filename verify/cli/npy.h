/* Tables in .npy files, as np.save() writes them: format version 1.0, little-endian elements. */
#ifndef POSENC_CLI_NPY_H
#define POSENC_CLI_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct npy {
  int32_t dtype; /* a posenc_dtype; bfloat16 for 16-bit unsigned integers and for 2-byte void elements */
  bool fortran;  /* column after column */
  int64_t rows, columns;
  const unsigned char *elements;
  void *map;
  size_t map_size;
} npy;

/* Maps the file, so that only the elements that are used are read. Call npy_close() after success. Returns false, with
 * one line in message, for a file that is not a table of (rows, columns), (1, rows, columns), (rows, 1, columns) or one
 * row. */
bool npy_open(const char *path, npy *file, char *message, size_t size);
void npy_close(npy *file);

double npy_at(const npy *file, int64_t row, int64_t column);

#endif

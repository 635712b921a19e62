/* .npy files: NumPy's format for one array, as its documentation numpy.lib.format describes it. */
#ifndef POSENC_TABLE_NPY_H
#define POSENC_TABLE_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "posenc.h"

/* A header of version 1.0 for rows x columns little-endian elements in C order. */
enum { NPY_HEADER_SIZE = 128 };
void npy_header(char header[NPY_HEADER_SIZE], posenc_dtype dtype, int64_t rows, int64_t columns);

typedef struct npy_layout {
  posenc_dtype dtype;
  bool big_endian;
  bool fortran; /* column after column */
  int64_t rows, columns;
} npy_layout;

/* A header's dictionary. Returns false, with one line in message, for what is none or says what is no table. */
bool npy_parse(const char *text, size_t length, npy_layout *layout, char *message, size_t size);

typedef struct npy_array {
  npy_layout layout;
  unsigned char *elements; /* as in the file */
} npy_array;

/* The array of a file; "-" is standard input. Returns false, with one line in message, for what is no such file; else npy_free() is
 * to be called. */
bool npy_read(const char *path, npy_array *array, char *message, size_t size);
/* The same from a stream, which stays open. */
bool npy_read_from(FILE *file, npy_array *array, char *message, size_t size);
void npy_free(npy_array *array);

/* What npy_read() would find, from the header of a file alone; not for standard input, which is read once. */
bool npy_read_layout(const char *path, npy_layout *layout, char *message, size_t size);

/* Returns false, with one line in message, where an element is NaN or infinite. */
bool npy_finite(const npy_array *array, char *message, size_t size);

double npy_at(const npy_array *array, int64_t row, int64_t column);

#endif

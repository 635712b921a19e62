/* The header of an .npy file. */
#ifndef POSENC_VERIFY_NPY_HEADER_H
#define POSENC_VERIFY_NPY_HEADER_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "formats.h"

enum { NPY_HEADER_BYTES = 128 };

/* Makes a header of version 1.0 for rows x columns little-endian elements, row by row. */
static inline void npy_header(char header[NPY_HEADER_BYTES], posenc_dtype dtype, int64_t rows, int64_t columns) {
  char text[NPY_HEADER_BYTES - 10];
  snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%lld, %lld), }",
      format_of((int32_t)dtype)->descr, (long long)rows, (long long)columns);
  memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10); /* 118 bytes follow; NOLINT(bugprone-not-null-terminated-result) */
  snprintf(header + 10, NPY_HEADER_BYTES - 10, "%-117s", text);
  header[NPY_HEADER_BYTES - 1] = '\n';
}

#endif

/* The table is computed and written a few rows at a time. */
#include "write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../reference/npy_header.h"

enum { CHUNK_BYTES = 1 << 20 };

/* Returns 0, or an errno. */
static int put_table(FILE *out, const posenc_plan *plan, const table_options *o) {
  const posenc_spec *spec = &o->table.spec;
  const size_t row_bytes = (size_t)spec->d_model * posenc_dtype_size((posenc_dtype)spec->dtype);
  const int64_t most = row_bytes >= CHUNK_BYTES ? 1 : (int64_t)(CHUNK_BYTES / row_bytes);
  const int64_t count = o->table.to - o->table.from;
  char header[NPY_HEADER_BYTES];
  void *rows = malloc((size_t)most * row_bytes);
  npy_header(header, (posenc_dtype)spec->dtype, count, spec->d_model);
  int error = rows && setvbuf(out, NULL, _IONBF, 0) == 0 && fwrite(header, sizeof header, 1, out) == 1 ? 0 : errno;
  for (int64_t done = 0, n; done < count && error == 0; done += n) {
    n = count - done < most ? count - done : most;
    /* Cannot fail: spec_options.c has checked the positions. */
    if (posenc_fill(plan, o->table.from + done, n, rows, spec->d_model) != POSENC_OK)
      abort();
    if (fwrite(rows, row_bytes, (size_t)n, out) != (size_t)n)
      error = errno;
  }
  free(rows);
  return error;
}

int write_table(const table_options *o) {
  posenc_plan *plan;
  char message[512];
  if (posenc_plan_create(&plan, &o->table.spec, o->impl) != POSENC_OK) {
    posenc_last_error(message, sizeof message);
    fprintf(stderr, "posenc-table: %s\n", message);
    return 2;
  }
  const bool is_stdout = strcmp(o->output, "-") == 0;
  FILE *out = is_stdout ? stdout : fopen(o->output, "wb");
  int error = out ? put_table(out, plan, o) : errno;
  if (out && (is_stdout ? fflush(out) : fclose(out)) != 0 && error == 0)
    error = errno;
  posenc_plan_destroy(plan);
  if (error == 0)
    return 0;
  fprintf(
      stderr, "posenc-table: %s: cannot be written: %s\n", is_stdout ? "standard output" : o->output, strerror(error));
  return 2;
}

/* The table is computed and written a few rows at a time. */
#include "write.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../reference/npy_header.h"
#include "../replacement.h"

enum { CHUNK_BYTES = 1 << 20 };

/* Returns 0, or errno. */
static int put_table(FILE *out, const posenc_plan *plan, const table_options *o) {
  const posenc_spec *spec = &o->table.spec;
  const size_t row_bytes = (size_t)spec->d_model * posenc_dtype_size((posenc_dtype)spec->dtype);
  const int64_t most = row_bytes >= CHUNK_BYTES ? 1 : (int64_t)(CHUNK_BYTES / row_bytes);
  const time_t start = time(NULL);
  time_t shown = start;
  char header[NPY_HEADER_BYTES];
  int error = 0;
  void *rows = malloc((size_t)most * row_bytes);
  npy_header(header, (posenc_dtype)spec->dtype, o->rows, spec->d_model);
  if (!rows || setvbuf(out, NULL, _IONBF, 0) != 0 || fwrite(header, sizeof header, 1, out) != 1)
    error = replacement_error();
  for (int64_t done = 0, count; done < o->rows && error == 0; done += count) {
    count = o->rows - done < most ? o->rows - done : most;
    /* Cannot fail: write_table() has asked. */
    if (posenc_fill(plan, o->first + done, count, rows, spec->d_model) != POSENC_OK)
      abort();
    if (fwrite(rows, row_bytes, (size_t)count, out) != (size_t)count) {
      error = replacement_error();
      break;
    }
    const time_t now = time(NULL); /* nothing for the first two seconds, then a share in place */
    if (now - start < 2 || now == shown)
      continue;
    shown = now;
    fprintf(stderr, "\rwriting: %.0f %% ", 100.0 * (double)(done + count) / (double)o->rows);
  }
  if (shown != start)
    fputc('\n', stderr);
  free(rows);
  return error;
}

int write_table(const table_options *o) {
  posenc_plan *plan;
  char message[512];
  posenc_status status = posenc_plan_create(&plan, &o->table.spec, o->impl);
  if (status == POSENC_OK)
    status = posenc_positions_check(plan, o->first, o->rows, NULL, NULL);
  if (status != POSENC_OK) {
    posenc_last_error(message, sizeof message);
    fprintf(stderr, "posenc-table: %s\n", message);
    posenc_plan_destroy(plan);
    return 2;
  }
  signal(SIGPIPE, SIG_IGN); /* a reader that left is an error like any other */
  FILE *out = replacement_open(o->output);
  const int error = out ? replacement_close(out, put_table(out, plan, o)) : replacement_error();
  posenc_plan_destroy(plan);
  if (error == 0)
    return 0;
  const char *name = strcmp(o->output, "-") == 0 ? "standard output" : o->output;
  fprintf(stderr, "posenc-table: %s: cannot be written: %s\n", name, strerror(error));
  return 2;
}

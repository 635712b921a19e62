/* The table is computed and written a few rows at a time, into a file beside the target that takes its name when it is
 * complete: whoever reads the target sees the whole table or what was there before. */
#include "write.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 20, HEADER_BYTES = 128 };

/* Of version 1.0, for rows x columns little-endian elements, row by row. */
static void npy_header(char header[HEADER_BYTES], posenc_dtype dtype, int64_t rows, int64_t columns) {
  static const char *const descr[] = {
      [POSENC_F32] = "<f4", [POSENC_F64] = "<f8", [POSENC_BF16] = "<u2", [POSENC_F16] = "<f2"};
  char text[HEADER_BYTES - 10];
  snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%lld, %lld), }", descr[dtype],
      (long long)rows, (long long)columns);
  memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10); /* 118 bytes follow; NOLINT(bugprone-not-null-terminated-result) */
  snprintf(header + 10, HEADER_BYTES - 10, "%-117s", text);
  header[HEADER_BYTES - 1] = '\n';
}

static char *temporary; /* to be removed when a signal ends the process */

static void remove_and_die(int signal_number) {
  if (temporary)
    unlink(temporary);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

/* Closes the file too. Returns 0, or errno. */
static int put_table(int fd, const posenc_plan *plan, const table_options *o) {
  const posenc_spec *spec = &o->table.spec;
  const size_t row_bytes = (size_t)spec->d_model * posenc_dtype_size((posenc_dtype)spec->dtype);
  const int64_t most = row_bytes >= CHUNK_BYTES ? 1 : (int64_t)(CHUNK_BYTES / row_bytes);
  const time_t start = time(NULL);
  time_t shown = start;
  char header[HEADER_BYTES];
  FILE *out = fdopen(fd, "wb");
  void *rows = malloc((size_t)most * row_bytes);
  npy_header(header, (posenc_dtype)spec->dtype, o->rows, spec->d_model);
  bool good = out && rows && setvbuf(out, NULL, _IONBF, 0) == 0 && fwrite(header, sizeof header, 1, out) == 1;
  for (int64_t done = 0, count; done < o->rows && good; done += count) {
    count = o->rows - done < most ? o->rows - done : most;
    /* Cannot fail: write_table() has asked. */
    if (posenc_fill(plan, o->first + done, count, rows, spec->d_model) != POSENC_OK)
      abort();
    good = fwrite(rows, row_bytes, (size_t)count, out) == (size_t)count;
    const time_t now = time(NULL); /* nothing for the first two seconds, then a share in place */
    if (now - start < 2 || now == shown)
      continue;
    shown = now;
    fprintf(stderr, "\rwriting: %.0f %% ", 100.0 * (double)(done + count) / (double)o->rows);
  }
  const int error = good ? 0 : errno;
  if (shown != start)
    fputc('\n', stderr);
  free(rows);
  const bool closed = out ? fclose(out) == 0 : close(fd) == 0;
  return error == 0 && !closed ? errno : error;
}

static int write_beside(const char *target, const posenc_plan *plan, const table_options *o) {
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
  if (asprintf(&temporary, "%s.XXXXXX", target) < 0)
    temporary = NULL;
  const int fd = temporary ? mkstemp(temporary) : -1;
  if (fd < 0)
    return errno;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    signal(ends[i], remove_and_die);
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, 0666 & ~mask);
  int error = put_table(fd, plan, o);
  if (error == 0 && rename(temporary, target) != 0)
    error = errno;
  if (error != 0)
    unlink(temporary);
  free(temporary);
  temporary = NULL;
  return error;
}

int write_table(const table_options *o) {
  posenc_plan *plan;
  char message[512];
  double element; /* only its address is looked at */
  posenc_status status = posenc_plan_create(&plan, &o->table.spec, o->impl);
  snprintf(message, sizeof message, "%s", posenc_status_string(status));
  if (status == POSENC_OK)
    status = posenc_fill_check(plan, o->first, o->rows, &element, o->table.spec.d_model, message, sizeof message);
  if (status != POSENC_OK) {
    fprintf(stderr, "posenc-table: %s\n", message);
    posenc_plan_destroy(plan);
    return 2;
  }
  signal(SIGPIPE, SIG_IGN); /* a reader that left is an error like any other */
  struct stat there;
  int error;
  const bool to_stdout = strcmp(o->output, "-") == 0;
  if (to_stdout) {
    error = put_table(STDOUT_FILENO, plan, o);
  } else if (stat(o->output, &there) == 0 && !S_ISREG(there.st_mode)) { /* a pipe or a device cannot be replaced */
    const int fd = open(o->output, O_WRONLY);
    error = fd < 0 ? errno : put_table(fd, plan, o);
  } else {
    char *target = realpath(o->output, NULL); /* what a symbolic link names is replaced, not the link */
    error = write_beside(target ? target : o->output, plan, o);
    free(target);
  }
  posenc_plan_destroy(plan);
  if (error == 0)
    return 0;
  fprintf(
      stderr, "posenc-table: %s: cannot be written: %s\n", to_stdout ? "standard output" : o->output, strerror(error));
  return 2;
}

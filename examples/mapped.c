/* Many processes fill one table in an .npy file, which all of them map. Other processes can then map the file, as by
 * numpy.load(..., mmap_mode="r"). Build the program, and fill a table of 5000 rows and 512 columns with 4 processes:
 *
 *     cc mapped.c $(pkg-config --cflags --libs posenc) -o mapped && ./mapped pe.npy 5000 512 4
 *
 * A row depends on its position alone, so the file has the same bits for any number of processes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <posenc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HEADER = 128 };

/* The file is then not complete. */
static _Noreturn void fail(const char *path, const char *why) {
  fprintf(stderr, "mapped: %s: %s\n", path, why);
  exit(1);
}

/* Makes and maps a new .npy file of this size, and writes its header. In version 1.0 of NumPy's format, that is a magic
 * string, the length of the rest, and a dictionary, padded with spaces and a newline so that elements start at a
 * multiple of 64 bytes. posix_fallocate() reserves the disk space: a full disk is an error here, not a signal later. */
static char *map_file(const char *path, size_t size, int64_t rows, int64_t d_model) {
  const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
  if (file < 0)
    fail(path, strerror(errno));
  if ((errno = posix_fallocate(file, 0, (off_t)size)) != 0)
    fail(path, strerror(errno));
  char *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED)
    fail(path, strerror(errno));
  close(file);
  char text[HEADER];
  snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%lld, %lld), }", (long long)rows,
      (long long)d_model);
  memcpy(mapped, "\x93NUMPY\1\0", 8);
  mapped[8] = HEADER - 10;
  sprintf(mapped + 10, "%-117.117s\n", text); /* the terminating 0 lies in the place of the first element */
  return mapped;
}

int main(int count, char **arguments) {
  const char *path = arguments[1];
  posenc_spec spec;
  posenc_plan *plan;
  if (count != 5) {
    fprintf(stderr, "usage: mapped FILE.npy ROWS D_MODEL PROCESSES\n");
    return 2;
  }
  const int64_t rows = atoll(arguments[2]), d_model = atoll(arguments[3]), processes = atoll(arguments[4]);
  posenc_spec_init(&spec, d_model, NULL);
  if (rows < 1 || processes < 1 || posenc_plan_create(&plan, &spec, NULL) != POSENC_OK) {
    fprintf(stderr, "mapped: ROWS, D_MODEL and PROCESSES must be 1 or more\n");
    return 2;
  }
  const size_t size = HEADER + (size_t)rows * (size_t)d_model * sizeof(float);
  char *mapped = map_file(path, size, rows, d_model);

  /* [part: fork] */
  float *table = (float *)(mapped + HEADER); /* mapped from the file with MAP_SHARED */
  int started = 0;
  for (int64_t i = 0; i < processes; i++) {
    const int64_t first = rows * i / processes, end = rows * (i + 1) / processes;
    const pid_t child = fork();
    if (child == 0) /* the child inherits the plan, which is never written to */
      _exit((int)posenc_fill(plan, first, end - first, table + first * d_model, d_model));
    if (child < 0)
      break;
    started++;
  }
  /* [end: fork] */
  int how, failed = started < processes;
  while (wait(&how) > 0)
    failed |= how != 0;
  if (failed || msync(mapped, size, MS_SYNC) != 0)
    fail(path, "not written by all processes");
  printf("%s: %lld x %lld float32, written by %d processes\n", path, (long long)rows, (long long)d_model, started);
  munmap(mapped, size);
  posenc_plan_destroy(plan);
  return 0;
}

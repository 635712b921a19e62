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

enum { HEADER = 128, MOST_PROCESSES = 1024 };

/* Deletes the unfinished file and exits. */
static const char *unfinished;
static _Noreturn void fail(const char *what, const char *why) {
  fprintf(stderr, "mapped: %s: %s\n", what, why);
  if (unfinished)
    unlink(unfinished);
  exit(1);
}

/* Returns a whole number from 1 to most. For any other text it exits with the status of a wrong usage. */
static int64_t number(const char *name, const char *text, int64_t most) {
  char *end;
  const long long value = strtoll(text, &end, 10); /* the nearest long long if it has no room */
  if (end == text || *end || value < 1 || value > most) {
    fprintf(stderr, "mapped: %s is '%s'; allowed: 1 to %lld\n", name, text, (long long)most);
    exit(2);
  }
  return value;
}

/* Makes and maps a new .npy file of this size, and writes its header. In version 1.0 of NumPy's format, that is a magic
 * string, the length of the rest, and a dictionary, padded with spaces and a newline so that elements start at a
 * multiple of 64 bytes. posix_fallocate() reserves the disk space: a full disk is an error here, not a signal later. */
static char *map_file(const char *path, size_t size, int64_t rows, int64_t d_model) {
  const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
  if (file < 0)
    fail(path, strerror(errno));
  unfinished = path;
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

/* Waits for the processes that were started, and returns the number of those that failed. */
static int wait_for(int started) {
  int failed = 0, how;
  while (started-- > 0 && wait(&how) > 0) {
    if (WIFSIGNALED(how))
      fprintf(stderr, "mapped: a process ended by signal %d\n", WTERMSIG(how));
    else if (WEXITSTATUS(how) != 0)
      fprintf(stderr, "mapped: a process failed: %s\n", posenc_status_string((posenc_status)WEXITSTATUS(how)));
    failed += how != 0;
  }
  return failed;
}

int main(int count, char **arguments) {
  if (count != 5) {
    fprintf(stderr, "usage: mapped FILE.npy ROWS D_MODEL PROCESSES\n");
    return 2;
  }
  const char *path = arguments[1];
  const int64_t rows = number("ROWS", arguments[2], POSENC_MAX_POSITION);
  const int64_t d_model = number("D_MODEL", arguments[3], POSENC_MAX_D_MODEL);
  const int64_t processes = number("PROCESSES", arguments[4], MOST_PROCESSES);

  posenc_spec spec;
  posenc_spec_init(&spec, d_model, NULL);
  posenc_plan *plan;
  const posenc_status created = posenc_plan_create(&plan, &spec, NULL);
  if (created != POSENC_OK)
    fail("posenc_plan_create", posenc_status_string(created));

  /* The file has another name until it is complete. Whoever opens FILE.npy finds a complete table or no file. */
  char *part;
  if (asprintf(&part, "%s.%ld.part", path, (long)getpid()) < 0)
    fail(path, "out of memory");
  const size_t size = HEADER + (size_t)rows * (size_t)d_model * sizeof(float);
  char *mapped = map_file(part, size, rows, d_model);

  /* [part: fork] */
  float *table = (float *)(mapped + HEADER); /* mapped from the file with MAP_SHARED */
  int started = 0;
  for (int64_t i = 0; i < processes; i++) {
    const int64_t first = rows * i / processes, end = rows * (i + 1) / processes;
    const pid_t child = fork();
    if (child == 0) /* the child inherits the plan, which nobody writes to */
      _exit((int)posenc_fill(plan, first, end - first, table + first * d_model, d_model));
    if (child < 0)
      break;
    started++;
  }
  /* [end: fork] */
  const char *why = started < processes ? strerror(errno) : NULL;
  const int failed = wait_for(started);
  if (why)
    fail("fork", why);
  if (failed)
    fail(path, "not written");

  if (msync(mapped, size, MS_SYNC) != 0 || rename(part, path) != 0) /* it is on the disk before it gets its name */
    fail(path, strerror(errno));
  printf("%s: %lld x %lld float32, written by %d processes\n", path, (long long)rows, (long long)d_model, started);
  munmap(mapped, size);
  free(part);
  posenc_plan_destroy(plan);
  return 0;
}

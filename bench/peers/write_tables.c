/* posenc-peer-tables DIR: the table of every peer that runs here, and of exact and anchored, as DIR/NAME.npy for
 * posenc-verify: float32, 1048576 positions of 512 columns. Only the rows that posenc-verify --rows 256 compares are
 * written, in the calls that posenc-verify itself makes of implementations; the rest of each file is a hole, so that it
 * takes little room.
 *
 * Exit status: 0; 2 bad usage, or a file that could not be written.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../verify/campaign/sweep.h"
#include "../../verify/reference/memory.h"
#include "peer.h"

enum { POSITIONS = 1048576, COLUMNS = 512, ROWS = 256, SEED = 1, HEADER = 128 };

/* Of a peer, or of a plan. */
static posenc_status write_rows(const peer *p, void *self, const posenc_plan *plan, const sweep_run *run, float *out) {
  memset(out, 0xff, (size_t)run->count * COLUMNS * sizeof *out); /* NaNs, so that rows that nobody wrote are seen */
  if (!p)
    return posenc_fill(plan, run->first, run->count, out, COLUMNS);
  p->fill(self, run->first, run->count, out);
  return POSENC_OK;
}

static void write_table(const char *name, const peer *p, void *self, const posenc_plan *plan, const sweep *rows) {
  const size_t size = HEADER + (size_t)POSITIONS * COLUMNS * sizeof(float);
  char path[256];
  snprintf(path, sizeof path, "%s.npy", name);
  const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
  char *file = fd >= 0 && ftruncate(fd, (off_t)size) == 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                                                          : MAP_FAILED;
  if (file == MAP_FAILED) {
    fprintf(stderr, "posenc-peer-tables: %s: cannot be written: %s\n", path, strerror(errno));
    exit(2);
  }
  memset(file, ' ', HEADER);
  memcpy(file, "\x93NUMPY\x01\x00\x76\x00", 10); /* NOLINT(bugprone-not-null-terminated-result): bytes, no string */
  const int length = snprintf(
      file + 10, HEADER - 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", POSITIONS, COLUMNS);
  file[10 + length] = ' ';
  file[HEADER - 1] = '\n';
  for (int64_t i = 0; i < rows->count; i++)
    for (int64_t r = 0; r < rows->segments[i].n_runs; r++) {
      const sweep_run *run = &rows->segments[i].runs[r];
      if (write_rows(p, self, plan, run, (float *)(void *)(file + HEADER) + run->first * COLUMNS) != POSENC_OK)
        exit(2);
    }
  munmap(file, size);
  close(fd);
}

int main(int argc, char **argv) {
  static const char *const ours[] = {"exact", "anchored"};
  if (argc != 2 || chdir(argv[1]) != 0) {
    fprintf(stderr, "Usage: posenc-peer-tables DIR, a directory that is there\n");
    return 2;
  }
  const posenc_spec spec = posenc_spec_default(COLUMNS);
  sweep rows = sweep_of(&spec, NULL, 0, POSITIONS, ROWS, SEED);
  for (size_t i = 0; i < 2; i++) {
    posenc_plan *plan;
    if (posenc_plan_create(&plan, &spec, ours[i]) == POSENC_OK) { /* anchored needs fused multiply-add */
      write_table(ours[i], NULL, NULL, plan, &rows);
      posenc_plan_destroy(plan);
    }
  }
  for (size_t i = 0; peers[i]; i++) {
    void *self = peers[i]->lacks() ? NULL : peers[i]->create(COLUMNS, 10000);
    if (self) {
      write_table(peers[i]->name, peers[i], self, NULL, &rows);
      peers[i]->destroy(self);
    }
  }
  sweep_destroy(&rows);
  return 0;
}

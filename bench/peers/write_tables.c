/* posenc-peer-tables DIR: the table of every peer that runs here, and of exact and anchored, as DIR/NAME.npy for
 * posenc-verify: float32, 1048576 positions of 512 columns. Only the rows that posenc-verify --rows 256 compares are
 * written, in the calls that posenc-verify itself makes of implementations; the rest of each file is a hole, so that it
 * takes little room.
 *
 * Exit status: 0; 2 bad usage, or a file that could not be written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../verify/campaign/sweep.h"
#include "../../verify/reference/memory.h"
#include "peer.h"

enum { POSITIONS = 1048576, COLUMNS = 512, ROWS = 256, SEED = 1, HEADER = 128 };

/* A peer with its frequencies, or a plan. */
typedef struct maker {
  const peer *peer;
  void *self;
  posenc_plan *plan;
} maker;

static bool put(int fd, const void *bytes, size_t size, int64_t offset) {
  return pwrite(fd, bytes, size, offset) == (ssize_t)size;
}

static bool write_run(int fd, const maker *m, const sweep_run *run) {
  const int64_t n = run->count * COLUMNS;
  float *out = must_calloc(n, sizeof *out);
  memset(out, 0xff, (size_t)n * sizeof *out); /* NaNs, so that rows that nobody wrote are seen */
  posenc_status status = POSENC_OK;
  if (m->peer)
    m->peer->fill(m->self, run->first, run->count, out);
  else
    status = posenc_fill(m->plan, run->first, run->count, out, COLUMNS);
  const bool good = status == POSENC_OK &&
                    put(fd, out, (size_t)n * sizeof *out, HEADER + run->first * COLUMNS * (int64_t)sizeof *out);
  free(out);
  return good;
}

static bool write_table(const char *name, const maker *m, const sweep *rows) {
  char path[256], header[HEADER];
  snprintf(path, sizeof path, "%s.npy", name);
  memset(header, ' ', HEADER);
  memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10); /* NOLINT(bugprone-not-null-terminated-result): bytes, no string */
  const int length = snprintf(
      header + 10, HEADER - 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", POSITIONS, COLUMNS);
  header[10 + length] = ' ';
  header[HEADER - 1] = '\n';
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  bool good = fd >= 0 && put(fd, header, HEADER, 0) &&
              ftruncate(fd, HEADER + (off_t)POSITIONS * COLUMNS * (off_t)sizeof(float)) == 0;
  for (int64_t i = 0; i < rows->count && good; i++)
    for (int64_t r = 0; r < rows->segments[i].n_runs && good; r++)
      good = write_run(fd, m, &rows->segments[i].runs[r]);
  if (fd >= 0 && close(fd) != 0)
    good = false;
  if (!good)
    fprintf(stderr, "posenc-peer-tables: %s: could not be written: %s\n", path, strerror(errno));
  return good;
}

static bool write_peer(const peer *p, const sweep *rows) {
  maker m = {.peer = p};
  if (p->lacks())
    return true;
  if (!(m.self = p->create(COLUMNS, 10000)))
    out_of_memory("for a peer's frequencies");
  const bool good = write_table(p->name, &m, rows);
  p->destroy(m.self);
  return good;
}

static bool write_ours(const char *name, const posenc_spec *spec, const sweep *rows) {
  maker m = {.peer = NULL};
  if (posenc_plan_create(&m.plan, spec, name) != POSENC_OK)
    return true; /* anchored needs fused multiply-add */
  const bool good = write_table(name, &m, rows);
  posenc_plan_destroy(m.plan);
  return good;
}

int main(int argc, char **argv) {
  if (argc != 2 || chdir(argv[1]) != 0) {
    fprintf(stderr, "Usage: posenc-peer-tables DIR, a directory that is there\n");
    return 2;
  }
  const posenc_spec spec = posenc_spec_default(COLUMNS);
  sweep rows = sweep_of(&spec, NULL, 0, POSITIONS, ROWS, SEED);
  bool good = write_ours("exact", &spec, &rows) && write_ours("anchored", &spec, &rows);
  for (size_t i = 0; i < peer_count() && good; i++)
    good = write_peer(peer_at(i), &rows);
  sweep_destroy(&rows);
  return good ? 0 : 2;
}

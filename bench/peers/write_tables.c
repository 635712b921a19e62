/* posenc-peer-tables DIR: writes the table of every peer that runs here, and of exact and anchored, to DIR/NAME.npy for
 * posenc-verify: float32, 1048576 positions of 512 columns. It writes only the rows that posenc-verify --rows 256
 * compares, with the calls that posenc-verify makes itself for implementations. The rest of each file is a hole, so
 * that the file takes little room on the disk.
 *
 * Exit status: 0 fine, 2 bad usage or a file that could not be written.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../../verify/campaign/sweep.h"
#include "../../verify/tools/memory.h"
#include "../../verify/tools/spec.h"
#include "../../verify/reference/npy_header.h"
#include "peer.h"

enum { POSITIONS = 1048576, COLUMNS = 512, ROWS = 256, SEED = 1, ROW_BYTES = COLUMNS * sizeof(float) };

_Noreturn static void fail(const char *path, const char *why) {
  fprintf(stderr, "posenc-peer-tables: %s: could not be written: %s\n", path, why);
  exit(2);
}

/* Writes rows of the peer or, if p is NULL, of the plan. */
static void write_run(
    const char *path, FILE *f, const peer *p, void *self, const posenc_plan *plan, const sweep_run *run) {
  posenc_status status = POSENC_OK;
  float *out = must_calloc(run->count, ROW_BYTES);
  memset(out, 0xff, (size_t)run->count * ROW_BYTES); /* NaNs, so that rows that were not written are noticed */
  if (p)
    p->fill(self, run->first, run->count, out);
  else
    status = posenc_fill(plan, run->first, run->count, out, COLUMNS);
  if (status != POSENC_OK)
    fail(path, posenc_status_string(status));
  if (fseeko(f, NPY_HEADER_BYTES + run->first * ROW_BYTES, SEEK_SET) != 0 ||
      fwrite(out, ROW_BYTES, (size_t)run->count, f) != (size_t)run->count)
    fail(path, strerror(errno));
  free(out);
}

static void write_table(const char *name, const peer *p, void *self, const posenc_plan *plan, const sweep *rows) {
  char path[256], header[NPY_HEADER_BYTES];
  snprintf(path, sizeof path, "%s.npy", name);
  npy_header(header, POSENC_DTYPE_F32, POSITIONS, COLUMNS);
  FILE *f = fopen(path, "wb");
  if (f) {
    fwrite(header, sizeof header, 1, f);
    for (int64_t i = 0; i < rows->count; i++)
      for (int64_t r = 0; r < rows->segments[i].n_runs; r++)
        write_run(path, f, p, self, plan, &rows->segments[i].runs[r]);
  }
  if (!f || fflush(f) != 0 || ferror(f) || ftruncate(fileno(f), NPY_HEADER_BYTES + (off_t)POSITIONS * ROW_BYTES) != 0 ||
      fclose(f) != 0)
    fail(path, strerror(errno));
}

int main(int argc, char **argv) {
  static const char *const ours[] = {"exact", "anchored"};
  const bool help = argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0);
  if (help || argc != 2 || chdir(argv[1]) != 0) {
    fprintf(help ? stdout : stderr,
        "Usage: posenc-peer-tables DIR\nWrites the tables of exact, anchored and every peer in C as DIR/NAME.npy; DIR must exist.\n");
    return help ? 0 : 2;
  }
  const posenc_spec spec = paper_spec(COLUMNS);
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

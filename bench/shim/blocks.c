/* Which rows of a table a pass writes. A slow recipe need not write half a gigabyte to show how slow it is, so where a
 * table would take longer than WHOLE, a pass writes only rows that take about PART. An implementation whose speed may
 * depend on its stores must stay below WHOLE, also in the estimate from single blocks: a kernel may store a block in
 * another way than a table that is larger than the caches.
 *
 * These rows are spread over the table in evenly spaced blocks, since libm and SLEEF take longer at late positions. A
 * block is so long that the calls do not count, and starts at a multiple of its length, where the recurrence takes its
 * anchors. Fewer blocks than FEWEST would say little about the other rows. Where a single block takes longer than PART,
 * a pass writes only the first row of each block. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <math.h>
#include <time.h>

static const double WHOLE = 0.4, PART = 0.03; /* seconds */
enum { BLOCK = 64, FEWEST = 8 };

static int64_t blocks_of_table(const bench_case *c) { return (c->table_rows + BLOCK - 1) / BLOCK; }

/* Divides the table into as many equal parts as a pass has blocks. Block i is in the middle of part i. Sets first and
 * count to its rows. */
static void select_block(bench_case *c, int64_t i) {
  c->first = (2 * i + 1) * blocks_of_table(c) / (2 * c->blocks) * BLOCK;
  const int64_t left = c->table_rows - c->first;
  c->count = left < c->block_rows ? left : c->block_rows; /* the last block of a table may be short */
}

/* The CPU time of this thread. */
static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

posenc_status bench_write_blocks(bench_case *c) {
  if (c->blocks == blocks_of_table(c) && c->block_rows == BLOCK) {
    c->first = 0;
    c->count = c->table_rows;
    return c->write(c);
  }
  posenc_status status = POSENC_OK;
  for (int64_t i = 0; i < c->blocks && status == POSENC_OK; i++) {
    select_block(c, i);
    status = c->write(c);
  }
  return status;
}

/* Sets the number of blocks and their length, from the time of one block. */
static void choose(bench_case *c) {
  const int64_t all = blocks_of_table(c);
  double per_block = INFINITY; /* the least of three, since the system may hold one up */
  c->blocks = 1;
  c->block_rows = BLOCK;
  for (int i = 0; i < 3; i++) {
    const double start = cpu_seconds();
    bench_write_blocks(c);
    per_block = fmin(per_block, cpu_seconds() - start);
  }
  c->blocks = all;
  if (per_block * (double)all > WHOLE) {
    if (per_block > PART) {
      c->block_rows = 1;
      per_block /= BLOCK;
    }
    const int64_t fit = (int64_t)(PART / per_block), most = fit < FEWEST ? FEWEST : fit;
    c->blocks = most < all ? most : all;
  }
}

const char *bench_choose_blocks(bench_case *c) {
  c->first = 0;
  c->count = 1;
  const posenc_status status = c->write(c);
  if (status != POSENC_OK)
    return posenc_status_string(status);
  choose(c);
  c->rows = 0;
  for (int64_t i = 0; i < c->blocks; i++, c->rows += c->count)
    select_block(c, i);
  return NULL;
}

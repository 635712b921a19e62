/* What posenc.h says of memory, tried with a wheel's library: the stack that calls use, and where tables start. Beside it, the
 * bits are tried by verify/tests/bits/test_bits.c.
 *
 *   try      exit status 1: something is not as the header says
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "posenc.h"

enum {
  PAINTED = 448 << 10,
  ALLOWED = 112 << 10,
  D = 512,
  ROWS = 200,
  HARD = 142401, /* an output of this row is left to the integers, which need the most stack */
  HUGE_PAGE = 1 << 21
};
static double out[ROWS * D];
static volatile unsigned char *painted;

/* Leaves a pattern in the stack below its caller. */
__attribute__((noinline)) static void paint(void) {
  volatile unsigned char bytes[PAINTED];
  painted = bytes;
  for (int i = 0; i < PAINTED; i++)
    bytes[i] = 0xa5;
}

static int used(void) {
  int clean = 0;
  while (clean < PAINTED && painted[clean] == 0xa5)
    clean++;
  return PAINTED - clean;
}

static int most_used(const posenc_plan *plan) {
  static int64_t positions[ROWS];
  static double reals[ROWS];
  for (int i = 0; i < ROWS; i++) {
    positions[i] = HARD;
    reals[i] = HARD + 0.5 * (i % 2);
  }
  int most = 0;
  for (int call = 0; call < 4; call++) {
    paint();
    if (call == 0)
      posenc_fill(plan, HARD - ROWS / 2, ROWS, out, D);
    else if (call == 1)
      posenc_fill_at(plan, positions, ROWS, out, D);
    else if (call == 2)
      posenc_fill_at_real(plan, reals, ROWS, out, D);
    else
      posenc_add(plan, HARD - ROWS / 2, ROWS, out, D, 1, out, D);
    const int stack = used();
    most = stack > most ? stack : most;
  }
  return most;
}

int main(void) {
  int most = 0, failed = 0;
  posenc_spec spec;
  posenc_plan *plan;
  posenc_spec_init(&spec, D, NULL);
  for (size_t i = 0; i < posenc_impl_count(); i++)
    for (spec.dtype = POSENC_DTYPE_F32; spec.dtype <= POSENC_DTYPE_F16; spec.dtype++)
      if (posenc_plan_create(&plan, &spec, posenc_impl_by_index(i)->name) == POSENC_OK) {
        const int stack = most_used(plan);
        most = stack > most ? stack : most;
        posenc_plan_destroy(plan);
      }
  printf("stack: %d KiB\n", (most + 1023) >> 10);
  failed |= most == 0 || most >= ALLOWED;

  spec.dtype = POSENC_DTYPE_F32;
  failed |= posenc_plan_create(&plan, &spec, NULL) != POSENC_OK;
  for (int64_t rows = 1; rows <= 1 << 12; rows <<= 12) {
    void *table;
    failed |= posenc_table_create(&table, plan, 0, rows, 0) != POSENC_OK;
    const uintptr_t multiple = rows == 1 ? 64 : HUGE_PAGE;
    printf("table of %d rows: %s\n", (int)rows, (uintptr_t)table % multiple ? "misplaced" : "at a multiple");
    failed |= (uintptr_t)table % multiple != 0;
    posenc_table_destroy(table);
  }
  posenc_plan_destroy(plan);
  return failed;
}

/* What posenc.h says of memory, tried with a wheel's library: the stack that calls use, and where tables start. Prints the instruction
 * sets that ran, of exact's members, and the stack. The bits are tried by verify/tests/bits/test_bits.c.
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

static posenc_status make(int call, const posenc_plan *plan) {
  static int64_t positions[ROWS];
  static double reals[ROWS];
  const posenc_strides strides = {D * ROWS / 2, D};
  for (int i = 0; i < ROWS; i++) {
    positions[i] = HARD;
    reals[i] = HARD + 0.5 * (i % 2);
  }
  paint();
  switch (call) {
  case 0:
    return posenc_fill(plan, HARD - ROWS / 2, ROWS, out, D);
  case 1:
    return posenc_fill_at(plan, positions, ROWS, out, D);
  case 2:
    return posenc_fill_at_real(plan, reals, ROWS, out, D);
  case 3:
    return posenc_fill_pair(plan, HARD - ROWS / 2, ROWS, out, out + ROWS * D / 2, D / 2);
  case 4:
    return posenc_add(plan, HARD - ROWS / 2, ROWS, out, D, 1, out, D);
  default:
    return posenc_add_batch(plan, HARD - ROWS / 2, ROWS / 2, 2, out, strides, 1, out, strides);
  }
}

int main(void) {
  enum { CALLS = 6, ADDS = 4 };
  int most = 0, failed = 0;
  posenc_spec spec;
  posenc_plan *plan;
  failed |= posenc_spec_init(&spec, D, NULL) != POSENC_OK;
  for (size_t i = 0; i < posenc_impl_count(); i++) {
    const posenc_impl *impl = posenc_impl_by_index(i);
    for (spec.dtype = POSENC_DTYPE_F32; spec.dtype <= POSENC_DTYPE_F16; spec.dtype++) {
      const posenc_status status = posenc_plan_create(&plan, &spec, impl->name);
      failed |= status != POSENC_OK && status != POSENC_ERROR_UNSUPPORTED && status != POSENC_ERROR_CPU;
      for (int call = 0; status == POSENC_OK && call < CALLS; call++) {
        const posenc_status made = make(call, plan);
        const int stack = used();
        failed |= made != POSENC_OK && (made != POSENC_ERROR_UNSUPPORTED || call < ADDS);
        most = stack > most ? stack : most;
      }
      posenc_plan_destroy(plan);
    }
    if (strncmp(impl->name, "exact_", 6) == 0 && posenc_impl_supported(impl))
      printf("%s, ", impl->name + 6);
  }
  printf("%d KiB of stack\n", (most + 1023) >> 10);
  failed |= most < 1 << 10 || most >= ALLOWED;

  spec.dtype = POSENC_DTYPE_F32;
  failed |= posenc_plan_create(&plan, &spec, NULL) != POSENC_OK;
  for (int64_t rows = 1; rows <= 1 << 12; rows <<= 12) {
    void *table;
    failed |= posenc_table_create(&table, plan, 0, rows, 0) != POSENC_OK;
    failed |= (uintptr_t)table % (rows == 1 ? 64 : HUGE_PAGE) != 0;
    posenc_table_destroy(table);
  }
  posenc_plan_destroy(plan);
  return failed;
}

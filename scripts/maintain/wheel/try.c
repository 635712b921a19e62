/* Tests the part of a wheel's library that verify/tests/bits/test_bits.c does not: the memory of tables, which each system allocates
 * differently.
 *
 *   try      exit status 1: a table does not start at an address that posenc.h allows
 */
#include <stdint.h>

#include "posenc.h"

int main(void) {
  posenc_spec spec;
  posenc_plan *plan;
  if (posenc_spec_init(&spec, 512, NULL) != POSENC_OK || posenc_plan_create(&plan, &spec, NULL) != POSENC_OK)
    return 1;
  for (int64_t rows = 1; rows <= 4096; rows *= 4096) {
    const uintptr_t boundary = rows == 1 ? 64 : 2 << 20;
    void *table;
    if (posenc_table_create(&table, plan, 0, rows, 0) != POSENC_OK || (uintptr_t)table % boundary != 0)
      return 1;
    posenc_table_destroy(table);
  }
  posenc_plan_destroy(plan);
}

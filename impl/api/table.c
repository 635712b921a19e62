/* Memory for a table, as cheap as the system gives it, and the table in it.
 *
 * The first touch of a fresh page can cost more than the values written to it: a page fault, and zeros that the kernel
 * writes first. Huge pages save nearly all of the faults. The zeros remain. They are written all at once, before the
 * fill: of a table that leaves the caches this was clearly faster than a fill that faults on its way, whose stores
 * around the caches go to lines just zeroed in them, and faster than bringing in and filling piece by piece, for any
 * size of the pieces. Of smaller tables the fill that faults was a little faster, unless huge pages were refused: not
 * worth a second way. aligned_alloc() costs no more than mmap(), and sanitizers watch what it gives.
 */
#define _DEFAULT_SOURCE 1 /* madvise */
#include "api/memory.h"
#include "api/refusals.h"
#include "api/status.h"

#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

/* The huge page of x86-64, and of AArch64 with pages of 4 KiB. */
enum { LINE = 64, HUGE_PAGE = 1 << 21 };

/* Advice: where it is refused, or unknown, the pages come one by one as they are written. */
static void bring_in(void *memory, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  madvise(memory, bytes, MADV_HUGEPAGE);
#endif
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
  madvise(memory, bytes, MADV_POPULATE_WRITE); /* Linux 5.14; cheaper also where the pages stay small */
#endif
  (void)memory, (void)bytes;
}

/* Whole lines, or whole huge pages: the advice then says nothing about memory of others. */
static void *allocate(size_t bytes) {
  const size_t unit = bytes < HUGE_PAGE ? LINE : HUGE_PAGE, units = bytes / unit + (bytes % unit != 0);
  void *memory = posenc_memory_allocate(unit, units > 0 ? units * unit : unit);
  if (memory && unit == HUGE_PAGE)
    bring_in(memory, units * unit);
  return memory;
}

posenc_status posenc_table_create(
    void **table, const posenc_plan *plan, int64_t first, int64_t count, int64_t row_stride) {
  if (!posenc_is_usable(table, _Alignof(void *)))
    return posenc_fail_pointer("table", table, _Alignof(void *), "a pointer to a table");
  *table = NULL;
  const posenc_rows wanted = {.first = first, .count = count};
  const posenc_status status = posenc_refuse_table(plan, &wanted, row_stride);
  if (status != POSENC_OK)
    return status;

  const int64_t d_model = posenc_plan_spec(plan)->d_model, stride = row_stride ? row_stride : d_model;
  const int64_t size = (int64_t)posenc_dtype_size((posenc_dtype)posenc_plan_spec(plan)->dtype);
  unsigned char *rows = allocate((size_t)(count * stride * size));
  if (!rows)
    return posenc_fail(
        POSENC_ERROR_MEMORY, "out of memory: count is %" PRId64 " and row_stride is %" PRId64, count, stride);
  if (stride > d_model) /* the allocator's memory may have been used before */
    for (int64_t i = 0; i < count; i++)
      memset(rows + (i * stride + d_model) * size, 0, (size_t)((stride - d_model) * size));
  posenc_fill(plan, first, count, rows, stride); /* all it could refuse has been checked */
  *table = rows;
  return POSENC_OK;
}

void posenc_table_destroy(void *table) { posenc_memory_free(table); }

/* Memory for a table, as cheap as the system gives it, and the table in it.
 *
 * The first touch of a fresh page can cost more than the values written to it: a page fault, and zeros that the
 * operating system writes first. Huge pages save nearly all of the faults, but not the zeros. So the pages are touched
 * all at once, before the fill. For a table larger than the caches this was clearly faster than
 *   - a fill that faults on its way: its stores around the caches go to lines that were just zeroed in them;
 *   - touching and filling piece by piece, with any size of the pieces.
 * For smaller tables the fill that faults was a little faster, unless huge pages were refused. That is not worth a
 * second way. aligned_alloc() costs no more than mmap(), and sanitizers watch its memory.
 */
#define _DEFAULT_SOURCE 1 /* madvise */
#include "api/internal.h"

#include "api/fpstate.h"
#include "api/memory.h"

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

static posenc_status check_table(const posenc_plan *plan, const posenc_rows *rows, int64_t row_stride) {
  POSENC_TRY(posenc_check_plan(plan, rows->count));
  const int64_t d_model = plan->spec.d_model, stride = row_stride ? row_stride : d_model;
  if (stride < d_model)
    return posenc_fail(POSENC_ERROR_ARGUMENT,
        "row_stride is %" PRId64 "; allowed: d_model = %" PRId64 " or more, or 0 for d_model", row_stride, d_model);
  if (rows->count > 0)
    POSENC_TRY(posenc_check_size(rows->count, stride));
  return posenc_check_positions(plan, rows);
}

POSENC_NOINLINE static posenc_status create_table(
    void **table, const posenc_plan *plan, const posenc_rows *wanted, int64_t row_stride) {
  POSENC_TRY(check_table(plan, wanted, row_stride));
  const int64_t d_model = plan->spec.d_model, stride = row_stride ? row_stride : d_model, count = wanted->count;
  const int64_t size = (int64_t)posenc_dtype_size((posenc_dtype)plan->spec.dtype);
  unsigned char *rows = allocate((size_t)(count * stride * size));
  if (!rows)
    return posenc_fail(
        POSENC_ERROR_MEMORY, "out of memory: count is %" PRId64 " and row_stride is %" PRId64, count, stride);
  if (stride > d_model) /* the allocator's memory may have been used before */
    for (int64_t i = 0; i < count; i++)
      memset(rows + (i * stride + d_model) * size, 0, (size_t)((stride - d_model) * size));
  *table = rows;
  return posenc_check_and_fill(plan, wanted, rows, stride); /* which refuses nothing any more */
}

posenc_status posenc_table_create(
    void **table, const posenc_plan *plan, int64_t first, int64_t count, int64_t row_stride) {
  if (!posenc_is_usable(table, _Alignof(void *)))
    return posenc_fail_pointer("table", table, _Alignof(void *), "a pointer to a table");
  *table = NULL;
  const posenc_rows wanted = {.first = first, .count = count};
  const posenc_fpstate caller = posenc_fp_enter();
  return posenc_fp_leave(caller, create_table(table, plan, &wanted, row_stride));
}

void posenc_table_destroy(void *table) { posenc_memory_free(table); }

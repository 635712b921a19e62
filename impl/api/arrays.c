/* Arrays of the caller that may not overlap. */
#include "api/internal.h"

/* Whether the arrays meet and b starts at a's start or behind it: b's first row starts in a row of a, or reaches the
 * next row of a. Only b's first row is compared: it is the row of b nearest to a. Addresses are compared as integers,
 * since the arrays are different objects. */
static int begins_in(posenc_array a, posenc_array b) {
  if ((uintptr_t)b.start < (uintptr_t)a.start || a.stride == 0)
    return 0;
  const uint64_t apart = (uintptr_t)b.start - (uintptr_t)a.start, row = apart / (uint64_t)a.stride;
  const int64_t at = (int64_t)(apart % (uint64_t)a.stride);
  return (row < (uint64_t)a.count && at < a.width) || (row + 1 < (uint64_t)a.count && a.stride - at < b.width);
}

int posenc_arrays_meet(posenc_array a, posenc_array b) { return begins_in(a, b) || begins_in(b, a); }

posenc_status posenc_check_results(const char *const names[], const posenc_array arrays[], int count) {
  for (int i = 1; i < count; i++) {
    const void *const start = arrays[i].start;
    if (!posenc_is_usable(start, sizeof(double)))
      return posenc_fail_pointer(names[i], start, sizeof(double), "memory");
    for (int j = 0; j < i; j++)
      if (posenc_arrays_meet(arrays[j], arrays[i]))
        return posenc_fail(POSENC_ERROR_ARGUMENT, "%s is %p and overlaps the %s at %p; allowed: separate arrays",
            names[i], start, names[j], arrays[j].start);
  }
  return POSENC_OK;
}

#include "budget.h"

#include <math.h>
#include <stdlib.h>

#include "../../verify/tools/memory.h"

const bench_errors bench_budget = {1, INFINITY};

static struct noted {
  const posenc_impl *impl;
  posenc_dtype dtype;
  int64_t from;
  bench_errors found;
} * noted;
static size_t n_noted;

bool bench_within(bench_errors found, bench_errors most) { return found.ulp <= most.ulp && found.abs <= most.abs; }

void bench_note_errors(const posenc_impl *impl, posenc_dtype dtype, int64_t from, bench_errors found) {
  noted = realloc(noted, (n_noted + 1) * sizeof *noted);
  if (!noted)
    out_of_memory("for errors");
  noted[n_noted++] = (struct noted){impl, dtype, from, found};
}

bool bench_keeps_budget(const posenc_impl *impl, posenc_dtype dtype, int64_t end) {
  size_t of = 0, within = 0;
  for (const struct noted *n = noted; n < noted + n_noted; n++)
    if (n->impl == impl && n->dtype == dtype && n->from < end) {
      of++;
      within += bench_within(n->found, bench_budget);
    }
  return of > 0 && within == of;
}

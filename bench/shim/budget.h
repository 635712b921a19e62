/* Budgets of error, and which implementations are within them by the report of posenc-verify. */
#ifndef POSENC_BENCH_BUDGET_H
#define POSENC_BENCH_BUDGET_H

#include "posenc.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest errors of some outputs. Of a budget: the largest allowed; infinite where that is not limited. */
typedef struct bench_errors {
  double ulp, abs;
} bench_errors;

/* The budgets that every case has a pick for. The answer for a whole run is by the first. */
enum { BENCH_BUDGETS = 2 };
extern const struct bench_budget {
  const char *name;
  bench_errors most;
} bench_budgets[BENCH_BUDGETS];

bool bench_within(bench_errors found, bench_errors most);

/* Notes the errors of an implementation's outputs of a dtype, from that position on. */
void bench_note_errors(const posenc_impl *impl, posenc_dtype dtype, int64_t from, bench_errors found);

/* Bit i: all errors noted of positions below `end` are within budget i. 0 where none was noted. */
unsigned bench_budgets_kept(const posenc_impl *impl, posenc_dtype dtype, int64_t end);

#ifdef __cplusplus
}
#endif

#endif

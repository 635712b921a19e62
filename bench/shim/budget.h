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

/* The budget of the picks in the JSON, and the default of --pick. */
#define BENCH_BUDGET "at most 1 ULP"
extern const bench_errors bench_budget;

bool bench_within(bench_errors found, bench_errors most);

/* Notes the errors of an implementation's outputs of a dtype, from that position on. */
void bench_note_errors(const posenc_impl *impl, posenc_dtype dtype, int64_t from, bench_errors found);

/* Whether all errors noted of positions below `end` are within bench_budget. False where none was noted. */
bool bench_keeps_budget(const posenc_impl *impl, posenc_dtype dtype, int64_t end);

#ifdef __cplusplus
}
#endif

#endif

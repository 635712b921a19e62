/* Error budgets, and the implementations that are within them according to the report of posenc-verify. */
#ifndef POSENC_BENCH_BUDGET_H
#define POSENC_BENCH_BUDGET_H

#include "posenc.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest errors of some outputs; or a budget, the largest errors allowed, where infinity means no limit. */
typedef struct bench_errors {
  double ulp, abs;
} bench_errors;

/* The budget of the picks in the JSON, and the default of --pick. */
#define BENCH_BUDGET "at most 1 ULP"
extern const bench_errors bench_budget;

bool bench_within(bench_errors found, bench_errors most);

/* Notes the errors of an implementation's outputs in a dtype, in a range that starts at position `from`. */
void bench_note_errors(const posenc_impl *impl, posenc_dtype dtype, int64_t from, bench_errors found);

/* Returns whether all errors noted for ranges that start below `end` are within bench_budget. False where none was
 * noted. */
bool bench_keeps_budget(const posenc_impl *impl, posenc_dtype dtype, int64_t end);

#ifdef __cplusplus
}
#endif

#endif

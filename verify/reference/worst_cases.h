/* The rows of worst_cases.inc. */
#ifndef POSENC_VERIFY_WORST_CASES_H
#define POSENC_VERIFY_WORST_CASES_H

#include "posenc.h"

typedef struct worst_case {
  int32_t dtype;
  double position, frequency, low, sine, cosine;
} worst_case;

static const worst_case worst_cases[] = {
#define POSENC_WORST(dtype, ...) {POSENC_DTYPE_##dtype, __VA_ARGS__},
#include "worst_cases.inc"
#undef POSENC_WORST
};
enum { WORST_CASES = sizeof worst_cases / sizeof worst_cases[0] };

#endif

/* The fallback: one output, correctly rounded by integer arithmetic, for the few whose rounding float64 cannot
 * decide. */
#ifndef POSENC_FALLBACK_H
#define POSENC_FALLBACK_H

#include "multiprecision/bigfloat.h"
#include "kernel.h"

/* The ladder's integer D with denominator = D / 2, or 0 where there is none (or with explicit frequencies). */
int64_t posenc_ladder_degree(const posenc_spec *spec);

/* base^(-2/D), at most 8 units of 2^-64n below or above. w_k is its k-th power. */
void posenc_ladder_root(big *root, double base, int64_t degree, int n);

/* |freqs[k] + freqs_low[k]|: exact without freqs_low, else fewer than 3 units off. */
void posenc_explicit(big *w, const posenc_spec *spec, int64_t k, int n);

/* The number of a dtype nearest to a, ties to even. */
double posenc_big_nearest(const big *a, int32_t dtype, int n);

/* The value of the spec's dtype nearest to the real value of that column; sine in even columns, cosine in odd ones. */
double posenc_fallback(const posenc_spec *spec, double position, int64_t column);

#endif

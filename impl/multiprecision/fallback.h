/* The fallback: one output, correctly rounded by integer arithmetic. It computes the few outputs whose rounding float64
 * cannot decide. */
#ifndef POSENC_FALLBACK_H
#define POSENC_FALLBACK_H

#include "multiprecision/bigfloat.h"

/* 2 * denominator where that is a whole number up to 2^21; else, and with explicit frequencies, 0. */
int64_t posenc_ladder_degree(const posenc_spec *spec);

/* The ratio of two frequencies that follow each other, base^(-1/denominator). Frequency k is its k-th power, which is off
 * by at most 12k units of 2^-64n where posenc_ladder_degree() is not 0, else by less than 2^68 n. With base 1 it is exact. */
void posenc_ladder_ratio(big *ratio, const posenc_spec *spec, int n);

/* |freqs[k] + freqs_low[k]|: exact without freqs_low, else off by fewer than 3 units. */
void posenc_explicit(big *w, const posenc_spec *spec, int64_t k, int n);

/* The number of a dtype nearest to a, ties to even. */
double posenc_big_nearest(const big *a, int32_t dtype, int n);

/* The number of the spec's dtype that is nearest to the real value of that column. Even columns are sines, odd ones cosines. */
double posenc_fallback(const posenc_spec *spec, double position, int64_t column);

#endif

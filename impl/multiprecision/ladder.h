/* The frequencies of a spec as bigs: explicit ones, and the ratio from which a ladder's are computed. Plans begin with
 * them (angle_addition/frequencies.c), and the fallback computes them again with more limbs. Errors are in units of
 * 2^-64n. */
#ifndef POSENC_LADDER_H
#define POSENC_LADDER_H

#include "multiprecision/bigfloat.h"

/* The D of x^D = base^-2, whose root x is the ladder's ratio: 2 * denominator, if that is a whole number up to 2^21.
 * Else, and with explicit frequencies, 0. */
int64_t posenc_ladder_degree(const posenc_problem *problem);

/* The ratio of two frequencies that follow each other, base^(-1/denominator). Frequency k is its k-th power, which is
 * off by at most 12k units where posenc_ladder_degree() is not 0, else by less than 2^68 n. With base 1 it is exact. */
void posenc_ladder_ratio(big *ratio, const posenc_problem *problem, int n);

/* |freqs[k] + freqs_low[k]|: exact without freqs_low, else off by fewer than 3 units. */
void posenc_explicit_frequency(big *w, const posenc_problem *problem, int64_t k, int n);

#endif

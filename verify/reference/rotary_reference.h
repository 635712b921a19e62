/* Frequencies and attention factors of scaled rotary embeddings, by MPFR. The formulas of transformers 5.23.0, which
 * posenc.h quotes, are evaluated as written. No code, table or constant comes from impl/.
 */
#ifndef POSENC_ROTARY_REFERENCE_H
#define POSENC_ROTARY_REFERENCE_H

#include <mpfr.h>

#include "posenc.h"

/* Every operation is rounded to this many bits. A number takes fewer than 30 operations. For the arguments that
 * posenc_rotary_freqs() accepts, subtractions cancel fewer than 256 bits. */
enum { ROTARY_BITS = 1024 };

/* The frequency k and the attention factor of a valid *p; the results have ROTARY_BITS. */
void rotary_frequency(mpfr_t w, const posenc_rotary *p, int64_t k);
void rotary_attention(mpfr_t a, const posenc_rotary *p);

/* The pair of doubles nearest to x: the double nearest to it, and the double nearest to the rest. */
typedef struct rotary_pair {
  double high, low;
} rotary_pair;
rotary_pair rotary_rounded(const mpfr_t x);

#endif

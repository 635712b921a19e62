/* One lane, without FMA: products and sums are rounded one after the other. */
#define POSENC_FUSED 0
#include "simd/scalar.h"

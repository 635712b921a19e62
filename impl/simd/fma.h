/* One lane, with FMA. */
#define POSENC_FUSED 1
#include "simd/scalar.h"

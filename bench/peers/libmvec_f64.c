/* libmvec.c in float64; each value is rounded once, to float32. */
#define PEER_REAL double
#include "libmvec.c"

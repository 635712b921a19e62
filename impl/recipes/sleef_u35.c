/* sleef_u35_*: the sleef recipe with SLEEF's faster sincosf, which is within 3.5 ULP. */
#define FAMILY "sleef_u35"
#define VERSION u35
#define ULP 3.5
#include "recipes/sleef.c"

/* A separate file, so that the compiler does not see that the sums are never read. It is compiled with -O3 and no other
 * flag, as in an ordinary program (CMakeLists.txt). */
#include "plain_loop.h"

void plain_add(const float *x, float c, float *out, size_t n) {
  for (size_t i = 0; i < n; i++)
    out[i] = x[i] + c;
}

void plain_add_to(float *x, float c, size_t n) {
  for (size_t i = 0; i < n; i++)
    x[i] += c;
}

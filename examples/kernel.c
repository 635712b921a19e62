/* Sines and cosines by the functions of positions.h, for kernels that have integers and float32 only; here in C. The
 * program compares them with the correctly rounded values, at positions from -2^32 to 2^32. Build and run it with an
 * installed posenc:
 *
 *     cc kernel.c $(pkg-config --cflags --libs posenc) -lm -o kernel && ./kernel
 */
#include "positions.h"
#include <math.h>
#include <posenc.h>
#include <stdio.h>

static int words_agree(int64_t position, uint64_t fraction) {
  const uint64_t p = (uint64_t)position;
  return turn_of(position, fraction) ==
         turn_of_words((uint32_t)p, (uint32_t)(p >> 32), (uint32_t)fraction, (uint32_t)(fraction >> 32));
}

enum { D = 128, N = D / 2 };

int main(void) {
  /* [part: host] */
  posenc_spec spec;
  posenc_spec_init(&spec, D, NULL);
  spec.base = 500000;
  posenc_plan *plan;
  double whole[N], rest[N]; /* not needed for float32 values at integer positions */
  uint64_t fraction[N];     /* copy this to the device */
  posenc_status status = posenc_plan_create(&plan, &spec, NULL);
  if (status == POSENC_OK)
    status = posenc_plan_phases(plan, whole, fraction, rest);
  /* [end: host] */
  posenc_plan_destroy(plan);
  spec.dtype = POSENC_DTYPE_F64;
  if (status != POSENC_OK || posenc_plan_create(&plan, &spec, NULL) != POSENC_OK)
    return 1;

  double want[D], worst = 0, worst_by_angle = 0;
  int agree = 1;
  for (int64_t p = 0; p <= POSENC_MAX_POSITION; p += 1 + p / 1000)
    for (int64_t position = -p; position <= p; position += p > 0 ? 2 * p : 1) {
      posenc_fill_at(plan, &position, 1, want, D);
      for (int k = 0; k < N; k++) {
        float sine, cosine;
        sine_and_cosine(turn_of(position, fraction[k]), &sine, &cosine);
        worst = fmax(worst, fmax(fabs((double)sine - want[2 * k]), fabs((double)cosine - want[2 * k + 1])));
        const float w = (float)pow(spec.base, -k / (double)N);
        if (p <= 1 << 20)
          worst_by_angle = fmax(worst_by_angle, fabs((double)sinf((float)position * w) - want[2 * k]));
        agree &= words_agree(position, fraction[k]);
      }
    }
  printf("off by at most %.2g; angles in float32, up to 2^20: %.2g\n", worst, worst_by_angle);
  posenc_plan_destroy(plan);
  return !(agree && worst < 1e-7);
}

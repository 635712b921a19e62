/* posenc as one C file in your own source tree. The program adds the row of the next token's position to its embedding,
 * without a table. In this directory:
 *
 *     ../scripts/amalgamate --output . && cc -O3 single.c posenc.c -lm -o single && ./single
 */
#include "posenc.h"

#include <math.h>
#include <stdio.h>

enum { D_MODEL = 512 };

int main(void) {
  /* Create the plan once, when the model is loaded. Any number of threads may share it. */
  posenc_spec spec;
  posenc_spec_init(&spec, D_MODEL, NULL);
  posenc_plan *plan;
  posenc_status status = posenc_plan_create(&plan, &spec, NULL);

  float x[D_MODEL];
  for (int c = 0; c < D_MODEL; c++)
    x[c] = (float)c / D_MODEL; /* in place of a token's embedding */
  const int64_t position = 4095;
  const float scale = sqrtf(D_MODEL);
  float row[D_MODEL];
  if (status == POSENC_OK)
    status = posenc_fill(plan, position, 1, row, D_MODEL);
  for (int c = 0; c < D_MODEL && status == POSENC_OK; c++)
    x[c] = scale * x[c] + row[c];
  if (status != POSENC_OK) {
    char message[256];
    posenc_last_error(message, sizeof message);
    fprintf(stderr, "single: %s\n", message);
    return 1;
  }
  printf("posenc %s, %s: position 4095 gives %.9g %.9g %.9g %.9g\n", posenc_version(), posenc_plan_impl(plan),
      (double)x[0], (double)x[1], (double)x[2], (double)x[3]);
  posenc_plan_destroy(plan);
  return 0;
}

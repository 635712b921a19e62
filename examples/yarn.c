/* A rotary cache with YaRN's scaling and its attention factor, from mscale. Each value is rounded once:
 *
 *     cc yarn.c $(pkg-config --cflags --libs posenc) -o yarn && ./yarn
 */
#include <posenc.h>
#include <stdio.h>

enum { D = 64, POSITIONS = 8192 };

static float cache[POSITIONS][D];

int main(void) {
  /* [part: cache] */
  posenc_rotary yarn;
  posenc_rotary_init(&yarn, D, POSENC_ROTARY_YARN);
  yarn.factor = 40;
  yarn.original_max_position_embeddings = 4096;
  yarn.mscale = 0.707;
  yarn.mscale_all_dim = 1;
  double freqs[D / 2], freqs_low[D / 2], attention_factor;
  posenc_status status = posenc_rotary_freqs(&yarn, freqs, freqs_low, &attention_factor);

  posenc_spec spec;
  posenc_spec_init(&spec, D, "rope"); /* cosines, then sines */
  spec.freqs = freqs;
  spec.freqs_low = freqs_low;
  spec.n_freqs = D / 2;
  spec.dtype = POSENC_DTYPE_F64;
  posenc_plan *plan = NULL;
  if (status == POSENC_OK)
    status = posenc_plan_create(&plan, &spec, NULL);
  for (int p = 0; p < POSITIONS && status == POSENC_OK; p++) {
    double row[D];
    status = posenc_fill(plan, p, 1, row, D);
    for (int c = 0; c < D && status == POSENC_OK; c++)
      cache[p][c] = (float)(attention_factor * row[c]); /* float cache[POSITIONS][D] */
  }
  /* [end: cache] */
  if (status != POSENC_OK) {
    char message[256];
    posenc_last_error(message, sizeof message);
    fprintf(stderr, "yarn: %s\n", message);
    return 1;
  }
  const float *last = cache[POSITIONS - 1];
  printf("row 8191 starts %.9g %.9g %.9g %.9g\n", (double)last[0], (double)last[1], (double)last[2], (double)last[3]);
  posenc_plan_destroy(plan);
}

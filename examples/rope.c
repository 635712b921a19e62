/* The cosines and sines of Llama 3.1's rotary embedding, in two arrays:
 *
 *     cc rope.c $(pkg-config --cflags --libs posenc) -o rope && ./rope
 */
#include <posenc.h>
#include <stdio.h>

enum { POSITIONS = 131072 };

static float cosines[POSITIONS * 64], sines[POSITIONS * 64];

int main(void) {
  /* [part: cache] */
  posenc_rotary llama;
  posenc_rotary_init(&llama, 128, POSENC_ROTARY_LLAMA3); /* 128 columns of a head; the fields as in config.json: */
  llama.base = 500000;                                   /* rope_theta */
  llama.factor = 8;
  llama.low_freq_factor = 1;
  llama.high_freq_factor = 4;
  llama.original_max_position_embeddings = 8192;
  double freqs[64], freqs_low[64], factor; /* factor: multiply the values by it; here it is 1 */
  posenc_status status = posenc_rotary_freqs(&llama, freqs, freqs_low, &factor);
  posenc_spec spec;
  posenc_spec_init(&spec, 128, "rope");
  spec.freqs = freqs;
  spec.freqs_low = freqs_low;
  spec.n_freqs = 64;
  posenc_plan *plan = NULL;
  if (status == POSENC_OK)
    status = posenc_plan_create(&plan, &spec, NULL);
  if (status == POSENC_OK) /* float sines[POSITIONS * 64], cosines[POSITIONS * 64] */
    status = posenc_fill_pair(plan, 0, POSITIONS, sines, cosines, 64);
  /* [end: cache] */
  if (status != POSENC_OK) {
    char message[256];
    posenc_last_error(message, sizeof message);
    fprintf(stderr, "rope: %s\n", message);
    posenc_plan_destroy(plan);
    return 1;
  }
  const float *cosine = cosines + 130928 * 64, *sine = sines + 130928 * 64;
  printf("row 130928: frequency 0 gives %.9g %.9g, frequency 63 %.9g %.9g\n", (double)cosine[0], (double)sine[0],
      (double)cosine[63], (double)sine[63]);
  posenc_plan_destroy(plan);
  return 0;
}

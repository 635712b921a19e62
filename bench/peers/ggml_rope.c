/* ggml fills its cache of rotary embeddings without a list of frequencies. The angle of the first column pair is the
 * position; the angle of each next pair is the previous angle times theta_scale = base^(-2/d), in float32. Column pair
 * k thus has the rounding error of the factor, up to half a unit in the last place, k times. Source: the formula of
 * ggml_rope_cache_init in ggml's ggml-cpu. This peer writes sines first, as in the paper's table.
 */
#include "row.h"

typedef struct cache {
  int64_t pairs;
  float theta_scale;
} cache;

static void *create(int64_t d_model, double base) {
  cache *c = malloc(sizeof *c);
  if (c)
    *c = (cache){d_model / 2, powf((float)base, -2.0f / (float)d_model)};
  return c;
}

static void fill(const void *self, int64_t first, int64_t count, float *out) {
  const cache *c = self;
  for (int64_t i = 0; i < count; i++) {
    float theta = (float)(first + i);
    for (int64_t k = 0; k < c->pairs; k++, out += 2) {
      out[0] = sinf(theta);
      out[1] = cosf(theta);
      theta *= c->theta_scale;
    }
  }
}

PEER(NULL, create, free, fill)

#include "fuzz.h"

/* Returns one of 64 offsets in bytes, rarely half a unit off. */
static size_t take_offset(bytes *b, size_t unit) {
  const unsigned how = take_byte(b);
  return how % 64 * unit + (how >= 240 ? unit / 2 : 0);
}

void try_rotary(bytes *b) {
  enum { N = 4, SIZE = 64 * 8 + N * 8 };
  const float factors[N] = {1, 2, 3, 4};
  double freqs[N], low[N], attention;
  posenc_rotary r;
  posenc_status wanted, status;
  const posenc_rotary_scaling kind = (posenc_rotary_scaling)(take_byte(b) % 7);
  TRY(b, 0, "posenc_rotary_init", status, posenc_rotary_init(&r, 2 * N, kind));
  r.length = take_position(b);
  r.factor = r.high_freq_factor = take_real(b);
  r.original_max_position_embeddings = r.max_position_embeddings = 4096;
  r.low_freq_factor = 1;
  r.short_factor = r.long_factor = factors;
  TRY(b, 0, "posenc_rotary_freqs", wanted, posenc_rotary_freqs(&r, freqs, low, &attention));

  /* The same with factors and results in one array, where they may overlap and be misaligned. */
  _Alignas(8) unsigned char memory[SIZE] = {0}, image[SIZE], taken[SIZE] = {0};
  const size_t at[] = {take_offset(b, 4), take_offset(b, 8), take_offset(b, 8), take_offset(b, 8)};
  const size_t sizes[] = {sizeof factors, sizeof freqs, sizeof low, sizeof attention};
  const void *const results[] = {factors, freqs, low, &attention};
  bool allowed = true;
  for (int i = r.scaling == POSENC_ROTARY_LONGROPE ? 0 : 1; i < 4; i++)
    for (size_t j = at[i]; j < at[i] + sizes[i]; j++)
      allowed = taken[j]++ == 0 && at[i] % (i ? sizeof(double) : sizeof(float)) == 0 && allowed;
  r.short_factor = r.long_factor = memcpy(memory + at[0], factors, sizeof factors);
  memcpy(image, memory, SIZE);
  double *const out[] = {NULL, (void *)(memory + at[1]), (void *)(memory + at[2]), (void *)(memory + at[3])};
  const unsigned state = take_byte(b);
  TRY(b, state, "posenc_rotary_freqs", status, posenc_rotary_freqs(&r, out[1], out[2], out[3]));
  for (int i = 1; i < 4 && status == POSENC_OK; i++)
    memcpy(image + at[i], results[i], sizes[i]);
  if ((allowed ? status != wanted : status == POSENC_OK) || memcmp(memory, image, SIZE) != 0)
    complain("posenc_rotary_freqs in one array returns %d, else %d, or results differ", (int)status, (int)wanted);
}

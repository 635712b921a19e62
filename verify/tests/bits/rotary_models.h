/* Rotary embeddings of published models, from their config.json, and some with a scaling that users set. d_model is the
 * number of a head's columns that are rotated. Lists of factors are the floats nearest to the numbers in the file. */
#ifndef POSENC_ROTARY_MODELS_H
#define POSENC_ROTARY_MODELS_H

#include "posenc.h"

static const float phi35_long[48] = {1.08f, 1.11f, 1.14f, 1.34f, 1.5899999f, 1.6f, 1.62f, 2.6200001f, 3.23f, 3.23f,
    4.79f, 7.4f, 7.7000003f, 9.09f, 12.2f, 17.67f, 24.460001f, 28.570002f, 30.420002f, 30.840002f, 32.590004f,
    32.930004f, 42.320004f, 44.960003f, 50.340004f, 50.450005f, 57.550003f, 57.930004f, 58.210003f, 60.140003f,
    62.610004f, 62.620003f, 62.710003f, 63.140003f, 63.140003f, 63.770004f, 63.930004f, 63.960003f, 63.97f, 64.03f,
    64.07f, 64.08f, 64.12f, 64.41f, 64.48f, 64.51f, 64.53f, 64.84f};
static const float phi35_short[48] = {1.0f, 1.02f, 1.03f, 1.03f, 1.05f, 1.05f, 1.05f, 1.05f, 1.05f, 1.0699999f,
    1.0999999f, 1.1099999f, 1.1599998f, 1.1599998f, 1.1699998f, 1.2899998f, 1.3399998f, 1.6799998f, 1.7899998f,
    1.8199998f, 1.8499998f, 1.8799998f, 1.9099997f, 1.9399997f, 1.9899997f, 2.0199997f, 2.0199997f, 2.0199997f,
    2.0199997f, 2.0199997f, 2.0199997f, 2.0299997f, 2.0299997f, 2.0299997f, 2.0299997f, 2.0299997f, 2.0299997f,
    2.0299997f, 2.0299997f, 2.0299997f, 2.0799997f, 2.0899997f, 2.1899996f, 2.2199996f, 2.5899994f, 2.7299995f,
    2.7499995f, 2.8399994f};

typedef struct rotary_model {
  const char *name;
  posenc_rotary rotary; /* other fields are as posenc_rotary_init() sets them */
} rotary_model;

#define MODEL(d, theta, kind, ...)                                                                                     \
  { .struct_size = sizeof(posenc_rotary), .d_model = d, .base = theta, .scaling = POSENC_ROTARY_##kind, __VA_ARGS__ }
#define LLAMA(d, by)                                                                                                   \
  MODEL(d, 500000, LLAMA3, .factor = by, .low_freq_factor = 1, .high_freq_factor = 4,                                  \
      .original_max_position_embeddings = 8192)
#define YARN(d, theta, by, original, ...)                                                                              \
  MODEL(d, theta, YARN, .factor = by, .original_max_position_embeddings = original, .beta_fast = 32, .beta_slow = 1,   \
      __VA_ARGS__)
#define DYNAMIC(theta, by, max, positions)                                                                             \
  MODEL(128, theta, DYNAMIC, .factor = by, .max_position_embeddings = max, .length = positions)
#define PHI(positions, ...)                                                                                            \
  MODEL(96, 10000, LONGROPE, .factor = 32, .original_max_position_embeddings = 4096, .length = positions, __VA_ARGS__)

static const rotary_model rotary_models[] = {
    {"Llama 3", MODEL(128, 500000, NONE, .factor = 0)},
    {"Gemma 3 4B, global layers: linear 8", MODEL(256, 1e6, LINEAR, .factor = 8)},
    {"linear 4, base 10000", MODEL(128, 10000, LINEAR, .factor = 4)},
    {"Llama 2, with dynamic NTK 2, to 4096", DYNAMIC(10000, 2, 4096, 4096)},
    {"Llama 2, with dynamic NTK 2, to 131072", DYNAMIC(10000, 2, 4096, 131072)},
    {"dynamic NTK 2, base 1e6, to 100000", DYNAMIC(1e6, 2, 32768, 100000)},
    {"Qwen2.5: YaRN 4", YARN(128, 1e6, 4, 32768, .truncate = 1)},
    {"DeepSeek-V3: YaRN 40, mscale", YARN(64, 10000, 40, 4096, .truncate = 1, .mscale = 1, .mscale_all_dim = 1)},
    {"gpt-oss: YaRN 32, not truncated", YARN(64, 150000, 32, 4096, .truncate = 0)},
    {"Phi-3.5-mini, short: LongRoPE", PHI(4096, .short_factor = phi35_short, .long_factor = phi35_long)},
    {"Phi-3.5-mini, long: LongRoPE", PHI(131072, .short_factor = phi35_short, .long_factor = phi35_long)},
    {"Llama 3.1 8B, 70B and 405B", LLAMA(128, 8)},
    {"Llama 3.2 1B", LLAMA(64, 32)},
    {"Llama 3.2 3B", LLAMA(128, 32)},
    {"Llama 4 Scout", MODEL(128, 500000, LLAMA3, .factor = 16, .low_freq_factor = 1, .high_freq_factor = 1,
                          .original_max_position_embeddings = 8192)},
};
enum { ROTARY_MODELS = sizeof rotary_models / sizeof rotary_models[0] };

#endif

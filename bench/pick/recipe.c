/* Which implementation has the float32 roundings of a preset's framework, by the formulas in the projects' sources. The
 * sine and cosine are libm's: a framework's own vector functions may differ from them in the last place.
 */
#include "pick.h"

#include <string.h>

#define EXP_OF_STEP "frequencies exp(k * step) of a step rounded once, all in float32"
#define EXP_OF_QUOTIENT                                                                                                \
  "it forms exp((-ln(base) * k) / n) in float32, which rounds otherwise than explog's exp(k * step); nothing here "    \
  "does"

static const struct {
  const char *preset, *impl, *why;
} recipes[] = {
    {"paper", "explog", "the PyTorch tutorial and The Annotated Transformer: " EXP_OF_STEP},
    {"marian", "float64", "Hugging Face Marian: in float64, rounded once"},
    {"t2t", "explog", "tensor2tensor: " EXP_OF_STEP},
    {"ddpm", "explog", "DDPM: " EXP_OF_STEP},
    {"fairseq", "explog", "fairseq: " EXP_OF_STEP},
    {"whisper", "explog", "Whisper: " EXP_OF_STEP},
    {"musicgen", "explog", "MusicGen: " EXP_OF_STEP},
    {"guided_diffusion", NULL, EXP_OF_QUOTIENT},
    {"diffusers", NULL, EXP_OF_QUOTIENT},
    {"rope", NULL, "rotary caches multiply positions by float32 reciprocals of powers, which nothing here does"},
    {"rothman", "float64", "the notebook: in float64, rounded once"},
};

const char *pick_recipe_of(const char *preset, const char **why) {
  for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
    if (strcmp(recipes[i].preset, preset ? preset : "paper") == 0) {
      *why = recipes[i].why;
      return recipes[i].impl;
    }
  *why = "it is not known how this preset's framework rounds";
  return NULL;
}

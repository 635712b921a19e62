/* The conventions that real systems compute, by name.
 *
 * n = floor(d_model / 2). A ladder is base^(-k / denominator). A spec's denominator of 0 means d_model / 2.
 * BY_N_MINUS_1 also sets 0 for widths of a single frequency, which is 1 with every denominator.
 */
#include "api/internal.h"

#include <string.h>

typedef enum ladder { BY_HALF_D, BY_N_MINUS_1, BY_N, BY_QUARTER_D } ladder;

typedef struct row {
  posenc_preset info;
  ladder ladder;
  int32_t layout, order, odd;
  int64_t multiple, least; /* what d_model must be a multiple of, and at least */
} row;

#define T_LADDER "10000^(-k/(n-1))"
#define H_LADDER "10000^(-k/n)"
#define P_LADDER "10000^(-2k/d)"
#define ZERO_COLUMN ", an odd width ends in a column of zeros"

/* t2t, ddpm and fairseq are one convention: they differ in their texts only. */
#define T2T(name, users, starts)                                                                                       \
  {                                                                                                                    \
    {name, T_LADDER ", sines then cosines" ZERO_COLUMN, users, starts}, BY_N_MINUS_1, POSENC_LAYOUT_SPLIT,             \
        POSENC_ORDER_SIN_FIRST, POSENC_ODD_ZERO, 1, 1                                                                  \
  }

static const row rows[] = {
    {{"paper", P_LADDER ", interleaved, sine first, an odd width ends in a sine",
         "Vaswani et al. 2017, the PyTorch tutorial, The Annotated Transformer, DistilBERT, XLM, FlauBERT, VideoMAE, "
         "KerasHub, the text encoder of SpeechT5; each axis of DETR, from 1",
         "0"},
        BY_HALF_D, POSENC_LAYOUT_INTERLEAVED, POSENC_ORDER_SIN_FIRST, POSENC_ODD_HALF_PAIR, 1, 1},
    {{"marian", P_LADDER ", sines then cosines, an odd width has one more sine",
         "Hugging Face Marian, Pegasus, RoFormer, CTRL, Informer, Autoformer; with even widths the TensorFlow tutorial, "
         "GPT-J, CodeGen, XLNet (from the last position down); each axis of ViTMAE",
         "0"},
        BY_HALF_D, POSENC_LAYOUT_SPLIT, POSENC_ORDER_SIN_FIRST, POSENC_ODD_HALF_PAIR, 1, 1},
    T2T("t2t",
        "tensor2tensor; with even widths Pegasus-X, Flax's examples, MaxText, MLX (times sqrt(2/d)); each axis of the "
        "simple ViT",
        "0"),
    T2T("ddpm", "the timesteps of DDPM", "0"),
    T2T("fairseq",
        "fairseq, FSMT, Speech2Text, M2M100, NLLB-MoE, SeamlessM4T, XGLM, TrOCR, Kosmos-2, the speech encoder of SpeechT5",
        "padding_idx + 1"),
    {{"whisper", T_LADDER ", sines then cosines, even widths from 4",
         "the encoders of Whisper and of Qwen2.5-Omni's audio", "0"},
        BY_N_MINUS_1, POSENC_LAYOUT_SPLIT, POSENC_ORDER_SIN_FIRST, POSENC_ODD_ZERO, 2, 4},
    {{"musicgen", T_LADDER ", cosines then sines" ZERO_COLUMN, "MusicGen, MusicGen Melody", "0"}, BY_N_MINUS_1,
        POSENC_LAYOUT_SPLIT, POSENC_ORDER_COS_FIRST, POSENC_ODD_ZERO, 1, 1},
    {{"guided_diffusion", H_LADDER ", cosines then sines" ZERO_COLUMN,
         "the timesteps of guided-diffusion, GLIDE, DiT, ggml", "any real number"},
        BY_N, POSENC_LAYOUT_SPLIT, POSENC_ORDER_COS_FIRST, POSENC_ODD_ZERO, 1, 1},
    {{"diffusers",
         T_LADDER ", sines then cosines" ZERO_COLUMN "; for other downscale_freq_shift, flip_sin_to_cos and scale set "
                  "denominator n - shift, order and position_scale",
         "get_timestep_embedding of diffusers, by its defaults", "any real number"},
        BY_N_MINUS_1, POSENC_LAYOUT_SPLIT, POSENC_ORDER_SIN_FIRST, POSENC_ODD_ZERO, 1, 1},
    {{"rope", P_LADDER ", cosines then sines, even widths; posenc_fill_pair() for two arrays",
         "caches of rotary embeddings", "0"},
        BY_HALF_D, POSENC_LAYOUT_SPLIT, POSENC_ORDER_COS_FIRST, POSENC_ODD_ZERO, 2, 2},
    {{"rothman", "10000^(-4k/d), interleaved, sine first, even widths: the exponent is doubled by a slip",
         "a notebook of Rothman, Transformers for Natural Language Processing", "0"},
        BY_QUARTER_D, POSENC_LAYOUT_INTERLEAVED, POSENC_ORDER_SIN_FIRST, POSENC_ODD_ZERO, 2, 2},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

size_t posenc_preset_count(void) { return ROWS; }

const posenc_preset *posenc_preset_by_index(size_t i) { return i < ROWS ? &rows[i].info : NULL; }

static const char *preset_name(size_t i) { return rows[i].info.name; }

static const row *find(const char *name) {
  for (size_t i = 0; i < ROWS; i++)
    if (strcmp(rows[i].info.name, name) == 0)
      return &rows[i];
  return NULL;
}

static double denominator_of(ladder l, int64_t d_model) {
  const int64_t pairs = d_model / 2;
  const double n = (double)pairs;
  switch (l) {
  case BY_HALF_D:
    return 0.0;
  case BY_N_MINUS_1:
    return n > 1.0 ? n - 1.0 : 0.0;
  case BY_N:
    return n;
  case BY_QUARTER_D:
    return (double)d_model / 4.0;
  }
  return 0.0;
}

posenc_status posenc_spec_init(posenc_spec *spec, int64_t d_model, const char *preset) {
  if (!posenc_is_usable(spec, _Alignof(posenc_spec)))
    return posenc_fail_pointer("spec", spec, _Alignof(posenc_spec), "a posenc_spec");
  const row *r = find(preset ? preset : "paper");
  const posenc_status found = r ? POSENC_OK : posenc_fail_name(POSENC_ERROR_SPEC, "preset", preset, ROWS, preset_name);
  memset(spec, 0, sizeof *spec); /* after the last look at the preset's name, which may be in the same memory */
  if (!r)
    return found;
  if (d_model < r->least || d_model > POSENC_MAX_D_MODEL || d_model % r->multiple)
    return posenc_fail(POSENC_ERROR_SPEC, "d_model is %" PRId64 "; preset \"%s\" allows%s: %" PRId64 " to %" PRId64,
        d_model, r->info.name, r->multiple == 2 ? " even ones" : "", r->least, POSENC_MAX_D_MODEL);
  spec->struct_size = sizeof *spec;
  spec->d_model = d_model;
  spec->base = 10000.0;
  spec->denominator = denominator_of(r->ladder, d_model);
  spec->position_scale = 1.0;
  spec->layout = r->layout;
  spec->order = r->order;
  spec->odd = r->odd;
  return POSENC_OK;
}

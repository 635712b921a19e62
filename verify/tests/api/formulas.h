/* What the projects compute whose conventions have presets: float64 transcriptions of their formulas, one of each, as
 * that project writes it.
 */
#ifndef POSENC_VERIFY_FORMULAS_H
#define POSENC_VERIFY_FORMULAS_H

#include <math.h>
#include <stdint.h>

/* One element. *angle is what its sine or cosine is taken of; it stays untouched where there is a 0. */
typedef double formula(double position, int64_t column, int64_t d, double *angle);

static const double base = 10000;

/* pytorch/tutorials : beginner_source/transformer_tutorial.py. Its odd widths crash for want of a place for the last
 * cosine. */
static double paper(double position, int64_t column, int64_t d, double *angle) {
  const int64_t even = column / 2 * 2;
  const double div_term = exp((double)even * (-log(base) / (double)d));
  *angle = position * div_term;
  return column % 2 == 0 ? sin(*angle) : cos(*angle);
}

/* huggingface/transformers : models/marian/modeling_marian.py. Even columns j of an interleaved table go to the first
 * half. */
static double marian(double position, int64_t column, int64_t d, double *angle) {
  const int64_t sentinel = d % 2 == 0 ? d / 2 : d / 2 + 1;
  const int64_t j = column < sentinel ? 2 * column : 2 * (column - sentinel) + 1;
  const int64_t half = j / 2;
  *angle = position / pow(base, 2.0 * (double)half / (double)d);
  return j % 2 == 0 ? sin(*angle) : cos(*angle);
}

/* tensorflow/tensor2tensor : layers/common_attention.py, get_timing_signal_1d */
static double t2t(double position, int64_t column, int64_t channels, double *angle) {
  const double min_timescale = 1, max_timescale = 1e4;
  const int64_t num_timescales = channels / 2;
  const double timescales = (double)(num_timescales - 1);
  const double log_timescale_increment = log(max_timescale / min_timescale) / fmax(timescales, 1);
  if (column == 2 * num_timescales)
    return 0; /* tf.pad by channels mod 2 */
  const double inv_timescale = min_timescale * exp((double)(column % num_timescales) * -log_timescale_increment);
  *angle = position * inv_timescale;
  return column < num_timescales ? sin(*angle) : cos(*angle);
}

/* hojonathanho/diffusion : diffusion_tf/nn.py, get_timestep_embedding. It divides by zero where there is one frequency.
 */
static double ddpm(double timestep, int64_t column, int64_t embedding_dim, double *angle) {
  const int64_t half_dim = embedding_dim / 2;
  if (column == embedding_dim - 1 && embedding_dim % 2 == 1)
    return 0;
  const double emb = log(10000) / (double)(half_dim > 1 ? half_dim - 1 : 1);
  *angle = timestep * exp(-emb * (double)(column < half_dim ? column : column - half_dim));
  return column < half_dim ? sin(*angle) : cos(*angle);
}

/* facebookresearch/fairseq : fairseq/modules/sinusoidal_positional_embedding.py, get_embedding: the same, transcribed
 * anew. */
static double fairseq(double row, int64_t column, int64_t embedding_dim, double *angle) {
  const int64_t half_dim = embedding_dim / 2, odd = embedding_dim % 2;
  double emb = log(10000);
  emb = half_dim == 1 ? 0 : emb / (double)(half_dim - 1);
  const int64_t at = column - (column >= half_dim ? half_dim : 0);
  emb = exp((double)at * -emb);
  if (odd && column + 1 == embedding_dim)
    return 0; /* torch.cat with zeros(num_embeddings, 1) */
  *angle = row * emb;
  return at == column ? sin(*angle) : cos(*angle);
}

/* openai/whisper : whisper/model.py, sinusoids */
static double whisper(double position, int64_t column, int64_t channels, double *angle) {
  const double max_timescale = 10000;
  const int64_t last = channels / 2 - 1;
  const double log_timescale_increment = log(max_timescale) / (double)last;
  const double inv_timescales = exp(-log_timescale_increment * (double)(column % (channels / 2)));
  *angle = position * inv_timescales;
  return column < channels / 2 ? sin(*angle) : cos(*angle);
}

/* openai/guided-diffusion : guided_diffusion/nn.py, timestep_embedding */
static double guided_diffusion(double timestep, int64_t column, int64_t dim, double *angle) {
  const double max_period = 10000;
  const int64_t half = dim / 2;
  if (dim % 2 && column == dim - 1)
    return 0;
  const double freqs = exp(-log(max_period) * (double)(column % half) / (double)half);
  *angle = timestep * freqs;
  return column < half ? cos(*angle) : sin(*angle);
}

/* huggingface/diffusers : src/diffusers/models/embeddings.py, get_timestep_embedding, its arguments as they are by
 * default */
static double diffusers(double timestep, int64_t column, int64_t embedding_dim, double *angle) {
  const double downscale_freq_shift = 1, scale = 1, max_period = 10000;
  const int64_t half_dim = embedding_dim / 2;
  if (embedding_dim % 2 == 1 && column == embedding_dim - 1)
    return 0; /* torch.nn.functional.pad */
  double exponent = -log(max_period) * (double)(column % half_dim);
  exponent = half_dim == 1 ? exponent : exponent / ((double)half_dim - downscale_freq_shift);
  *angle = scale * (timestep * exp(exponent));
  return column / half_dim == 0 ? sin(*angle) : cos(*angle);
}

/* huggingface/transformers : models/llama/modeling_llama.py, LlamaRotaryEmbedding; cosines, then sines */
static double rope(double position, int64_t column, int64_t dim, double *angle) {
  const double inv_freq = 1.0 / pow(base, (double)(2 * (column % (dim / 2))) / (double)dim);
  *angle = inv_freq * position;
  return column < dim / 2 ? cos(*angle) : sin(*angle);
}

/* Denis2054/Transformers-for-NLP-2nd-Edition : Chapter02/positional_encoding.ipynb: i steps by 2 and is doubled all the
 * same. */
static double rothman(double position, int64_t column, int64_t d, double *angle) {
  const int64_t i = column - column % 2;
  *angle = position / pow(10000, (2.0 * (double)i) / (double)d);
  return i == column ? sin(*angle) : cos(*angle);
}

#endif

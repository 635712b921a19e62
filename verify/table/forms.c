/* Which program has which form:
 *   EXP_STEP        the PyTorch tutorial, tensor2tensor, fairseq, Whisper, DDPM: a float64 scalar meets a float32 tensor
 *   EXP_PRODUCT     guided-diffusion, diffusers, ggml
 *   EXP_SHORT_STEP  Marian (C++), CTranslate2: the scalar is a float too
 *   POW_DIVISOR     the paper's formula as it reads; Hugging Face Marian, DistilBERT and the TensorFlow tutorial in float64
 *   POW_INVERSE     rotary caches, XLNet
 *   POW_NEGATIVE    x-transformers; in float64 Wan
 *   POW_SMALL_BASE  KerasHub
 * Where d and 2k stand for denominator and k there, the results are the same: a factor of two is exact.
 */
#include "forms.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "../memory.h"
#include "numbers.h"

const char *const arithmetic_names[ARITHMETICS] = {"correctly rounded", "float64 rounded once", "float32 exp-log", "float32 pow",
                                                   "bf16 positions"};

const form forms[] = {
    {CORRECTLY_ROUNDED, "the real value, rounded once", BY_LIBRARY, EXP_STEP},
    {FLOAT64, "pos * pow(base, -k / denominator)", BY_FLOAT64, POW_NEGATIVE},
    {FLOAT64, "pos / pow(base, k / denominator)", BY_FLOAT64, POW_DIVISOR},
    {FLOAT64, "pos * (1 / pow(base, k / denominator))", BY_FLOAT64, POW_INVERSE},
    {FLOAT64, "pos * exp(k * (-ln(base) / denominator))", BY_FLOAT64, EXP_STEP},
    {FLOAT64, "pos * exp(-ln(base) * k / denominator)", BY_FLOAT64, EXP_PRODUCT},
    {FLOAT64, "pos * pow(1 / base, k / denominator)", BY_FLOAT64, POW_SMALL_BASE},
    {FLOAT32_EXPLOG, "pos * exp(k * float(-ln(base) / denominator))", BY_FLOAT32, EXP_STEP},
    {FLOAT32_EXPLOG, "pos * exp(-ln(base) * k / denominator)", BY_FLOAT32, EXP_PRODUCT},
    {FLOAT32_EXPLOG, "pos * exp(k * -(float(ln(base)) / denominator))", BY_FLOAT32, EXP_SHORT_STEP},
    {FLOAT32_POW, "pos / pow(base, k / denominator)", BY_FLOAT32, POW_DIVISOR},
    {FLOAT32_POW, "pos * (1 / pow(base, k / denominator))", BY_FLOAT32, POW_INVERSE},
    {FLOAT32_POW, "pos * pow(base, -k / denominator)", BY_FLOAT32, POW_NEGATIVE},
    {FLOAT32_POW, "pos * pow(1 / base, k / denominator)", BY_FLOAT32, POW_SMALL_BASE},
    {BF16_POSITIONS, "bfloat16(pos) * exp(k * float(-ln(base) / denominator))", BY_FLOAT32, EXP_STEP},
    {BF16_POSITIONS, "bfloat16(pos) * exp(-ln(base) * k / denominator)", BY_FLOAT32, EXP_PRODUCT},
    {BF16_POSITIONS, "bfloat16(pos) / pow(base, k / denominator)", BY_FLOAT32, POW_DIVISOR},
    {BF16_POSITIONS, "bfloat16(pos) * (1 / pow(base, k / denominator))", BY_FLOAT32, POW_INVERSE},
    {BF16_POSITIONS, "bfloat16(pos) * pow(1 / base, k / denominator)", BY_FLOAT32, POW_SMALL_BASE},
    {BF16_POSITIONS, "bfloat16(bfloat16(pos) * bfloat16(pow(1 / base, k / denominator)))", BY_BF16, POW_SMALL_BASE},
};
const int n_forms = sizeof forms / sizeof forms[0];

double form_bf16_frequency(double base, int64_t k, double denominator)
{
  const double small = number_round(POSENC_BF16, 1.0 / base);
  const double exponent =
      number_round(POSENC_BF16, number_round(POSENC_BF16, 2.0 * (double)k) / number_round(POSENC_BF16, 2.0 * denominator));
  return number_round(POSENC_BF16, (double)powf((float)small, (float)exponent));
}

static float frequency32(const form *how, double base, int64_t k, double denominator)
{
  const float b = (float)base, d = (float)denominator, i = (float)k, exponent = i / d;
  switch (how->frequencies) {
  case EXP_STEP: return expf(i * (float)(-log(base) / denominator));
  case EXP_PRODUCT: return expf((float)-log(base) * i / d);
  case EXP_SHORT_STEP: return expf(i * -(logf(b) / d));
  case POW_DIVISOR: return powf(b, exponent);
  case POW_INVERSE: return 1.0F / powf(b, exponent);
  case POW_NEGATIVE: return powf(b, -exponent);
  case POW_SMALL_BASE: return powf(1.0F / b, exponent);
  }
  return 0;
}

static double frequency64(const form *how, double base, int64_t k, double denominator)
{
  const double i = (double)k, exponent = i / denominator;
  switch (how->frequencies) {
  case EXP_STEP:
  case EXP_SHORT_STEP: return exp(i * (-log(base) / denominator));
  case EXP_PRODUCT: return exp(-log(base) * i / denominator);
  case POW_DIVISOR: return pow(base, exponent);
  case POW_INVERSE: return 1.0 / pow(base, exponent);
  case POW_NEGATIVE: return pow(base, -exponent);
  case POW_SMALL_BASE: return pow(1.0 / base, exponent);
  }
  return 0;
}

bool formed_create(formed *f, const form *how, const reading *r, double base, posenc_dtype dtype)
{
  *f = (formed){.how = how, .r = r, .dtype = dtype};
  if (how->by == BY_LIBRARY) {
    posenc_spec spec = r->spec;
    spec.base = base;
    spec.dtype = (int32_t)dtype;
    const posenc_status status = posenc_plan_create(&f->plan, &spec, "exact");
    if (status == POSENC_ERROR_MEMORY)
      out_of_memory("for a plan");
    if (status != POSENC_OK)
      return false;
    f->row = must_calloc(spec.d_model, posenc_dtype_size(dtype));
    return true;
  }
  if (how->by == BY_FLOAT32 && base > (double)FLT_MAX)
    return false;
  f->w = must_calloc(r->n, sizeof *f->w);
  f->angles = must_calloc(r->n, sizeof *f->angles);
  for (int64_t k = 0; k < r->n; k++)
    f->w[k] = how->by == BY_FLOAT64   ? frequency64(how, base, k, r->denominator)
              : how->by == BY_FLOAT32 ? (double)frequency32(how, base, k, r->denominator)
                                       : form_bf16_frequency(base, k, r->denominator);
  return true;
}

void formed_destroy(formed *f)
{
  posenc_plan_destroy(f->plan);
  free(f->row);
  free(f->w);
  free(f->angles);
}

static void library_row(formed *f, int64_t position, double *values)
{
  const int64_t columns = f->r->spec.d_model;
  const size_t size = posenc_dtype_size(f->dtype);
  if (posenc_fill(f->plan, position, 1, f->row, columns) != POSENC_OK)
    abort(); /* the position was found within the library's domain */
  for (int64_t c = 0; c < columns; c++)
    values[c] = number_read(f->dtype, (const char *)f->row + (size_t)c * size);
}

static void set_angles(formed *f, int64_t position)
{
  const bool divides = f->how->frequencies == POW_DIVISOR;
  if (f->how->by == BY_FLOAT64) {
    const double p = (double)position;
    for (int64_t k = 0; k < f->r->n; k++)
      f->angles[k] = divides ? p / f->w[k] : p * f->w[k];
    return;
  }
  const float p = f->how->arithmetic == BF16_POSITIONS ? (float)number_round(POSENC_BF16, (double)position) : (float)position;
  for (int64_t k = 0; k < f->r->n; k++) {
    const float w = (float)f->w[k];
    f->angles[k] = (double)(divides ? p / w : p * w);
    if (f->how->by == BY_BF16)
      f->angles[k] = number_round(POSENC_BF16, f->angles[k]);
  }
}

void formed_row(formed *f, int64_t position, double *values)
{
  if (f->how->by == BY_LIBRARY) {
    library_row(f, position, values);
    return;
  }
  set_angles(f, position);
  for (int64_t c = 0; c < f->r->spec.d_model; c++) {
    const column_meaning m = reading_column(f->r, c);
    if (m.function < 0) {
      values[c] = 0.0;
      continue;
    }
    const double angle = f->angles[m.k];
    double value;
    if (f->how->by == BY_FLOAT64)
      value = m.function == 0 ? sin(angle) : cos(angle);
    else
      value = (double)(m.function == 0 ? sinf((float)angle) : cosf((float)angle));
    values[c] = number_round(f->dtype, value);
  }
}

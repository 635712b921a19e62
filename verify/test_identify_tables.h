/* Tables as the systems that the presets are named after make them, transcribed plainly, for test_identify.c.
 *
 * Exact means long double, rounded once: of the float32 values here none is near enough to a midpoint to matter, which
 * the tool confirms by finding all bits equal to the library's.
 */
#ifndef POSENC_TEST_IDENTIFY_TABLES_H
#define POSENC_TEST_IDENTIFY_TABLES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum arithmetic { EXACT, DOUBLE, EXPLOG, POW, ROUNDED_POSITIONS, ARITHMETICS };
static const char *const arithmetic_names[] = {"correctly rounded", "float64 rounded once", "float32 exp-log", "float32 pow",
                                               "bf16 positions"};

typedef struct system {
  const char *name;
  const char *even, *odd; /* the presets with that table at an even width, and an odd one; NULL: there is none */
  enum { PAPER, LAST, HALVES, QUARTER } ladder;
  enum { PAIRS, SINES_COSINES, COSINES_SINES } layout;
  bool zero; /* an odd width ends in a zero */
} system_t;

#define T_EVEN "t2t ddpm fairseq whisper diffusers"
#define T_ODD "t2t ddpm fairseq diffusers"
static const system_t systems[] = {
    {"paper", "paper", "paper", PAPER, PAIRS, false},
    {"marian", "marian", "marian", PAPER, SINES_COSINES, false},
    {"t2t", T_EVEN, T_ODD, LAST, SINES_COSINES, true},
    {"ddpm", T_EVEN, T_ODD, LAST, SINES_COSINES, true},
    {"fairseq", T_EVEN, T_ODD, LAST, SINES_COSINES, true},
    {"whisper", T_EVEN, NULL, LAST, SINES_COSINES, true},
    {"guided_diffusion", "guided_diffusion rope", "guided_diffusion", HALVES, COSINES_SINES, true},
    {"diffusers", T_EVEN, T_ODD, LAST, SINES_COSINES, true},
    {"rope", "guided_diffusion rope", NULL, PAPER, COSINES_SINES, true},
    {"rothman", "rothman", NULL, QUARTER, PAIRS, true},
};
enum { SYSTEMS = sizeof systems / sizeof systems[0] };

typedef struct shape {
  int d, rows;
  int64_t first;
  double base;
} shape;

/* ---- The transcriptions -------------------------------------------------------------------------------------- */

static double denominator(const system_t *s, int d)
{
  const int pairs = d / 2;
  switch (s->ladder) {
  case PAPER: return d / 2.0;
  case LAST: return pairs - 1;
  case HALVES: return pairs;
  case QUARTER: return d / 4.0;
  }
  return 0;
}

static float bfloat16(float x) /* to nearest, ties to even */
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* guided-diffusion: exp(-log(max_period) * arange(half) / half); all others that use exp: exp(arange(n) * -(log(base) / n)),
 * or the same with a factor of two in both. */
static float explog(const system_t *s, double base, int k, double n)
{
  if (s->ladder == HALVES)
    return expf((float)-log(base) * (float)k / (float)n);
  return expf((float)k * (float)-(log(base) / n));
}

/* The frequency of a pair, or what positions are divided by, in the arithmetic's own precision. */
static long double frequency(const system_t *s, enum arithmetic a, const shape *t, int k, bool *divides)
{
  const double n = denominator(s, t->d);
  *divides = false;
  switch (a) {
  case EXACT: return powl((long double)t->base, -(long double)k / (long double)n);
  case DOUBLE: *divides = true; return (long double)pow(t->base, k / n);
  case POW: /* rotary caches have inv_freq = 1.0 / base ** (arange(0, d, 2) / d); the paper's formula divides */
    if (strcmp(s->name, "rope") == 0)
      return (long double)(1.0F / powf((float)t->base, (float)(2 * k) / (float)t->d));
    *divides = true;
    return (long double)powf((float)t->base, (float)k / (float)n);
  default: return (long double)explog(s, t->base, k, n);
  }
}

static double element(enum arithmetic a, int64_t position, long double w, bool divides, bool cosine)
{
  if (a == EXACT) {
    const long double angle = (long double)position * w;
    return (double)(cosine ? cosl(angle) : sinl(angle));
  }
  if (a == DOUBLE) {
    const double p = (double)position, angle = divides ? p / (double)w : p * (double)w;
    return cosine ? cos(angle) : sin(angle);
  }
  const float p = a == ROUNDED_POSITIONS ? bfloat16((float)position) : (float)position;
  const float angle = divides ? p / (float)w : p * (float)w;
  return (double)(cosine ? cosf(angle) : sinf(angle));
}

static void fill(const system_t *s, enum arithmetic a, const shape *t, double *out)
{
  const int d = t->d, half = d / 2, sines = d - half;
  for (int c = 0; c < d; c++) {
    int k = c / 2;
    bool divides, cosine = c % 2 == 1, zero = d % 2 == 1 && s->zero && c == d - 1;
    if (s->layout != PAIRS && s->zero)
      k = c % half, cosine = (c >= half) == (s->layout == SINES_COSINES);
    else if (s->layout != PAIRS)
      k = c < sines ? c : c - sines, cosine = c >= sines;
    const long double w = frequency(s, a, t, k, &divides);
    for (int i = 0; i < t->rows; i++)
      out[i * d + c] = zero ? 0.0 : element(a, t->first + i, w, divides, cosine);
  }
}

#endif

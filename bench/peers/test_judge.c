/* Peers of known faults, in place of peers.c, for test_judge.py: what posenc-judge says of each is known too. They write the real
 * table, by float64, and then their fault.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

typedef struct table {
  int64_t d_model;
  double base;
} table;

static void *create(int64_t d_model, double base)
{
  table *t = malloc(sizeof *t);
  if (t)
    *t = (table){d_model, base};
  return t;
}

static void *no_memory(int64_t d_model, double base)
{
  (void)d_model, (void)base;
  return NULL;
}

static double angle(const table *t, int64_t position, int64_t k)
{
  return (double)position * pow(t->base, -2 * (double)k / (double)t->d_model);
}

/* Angles are turned by `turn`, and by `growing` for every position. */
static void write_rows(const table *t, int64_t first, int64_t count, float *out, double turn, double growing)
{
  for (int64_t i = 0; i < count; i++)
    for (int64_t k = 0; k < t->d_model / 2; k++) {
      const double x = angle(t, first + i, k) + turn + growing * (double)(first + i);
      out[i * t->d_model + 2 * k] = (float)sin(x);
      out[i * t->d_model + 2 * k + 1] = (float)cos(x);
    }
}

static void good(const void *self, int64_t first, int64_t count, float *out) { write_rows(self, first, count, out, 0, 0); }

/* Many units of the last place of small values, but within what float32 angles cost from position 8 on or so. */
static void rough(const void *self, int64_t first, int64_t count, float *out) { write_rows(self, first, count, out, 1e-6, 0); }

/* 2e-3 at position 500, beyond 1e-6 + 512 * 2^-22; 0.1 is passed at position 25000. */
static void drifts(const void *self, int64_t first, int64_t count, float *out) { write_rows(self, first, count, out, 0, 4e-6); }

static void cosines_first(const void *self, int64_t first, int64_t count, float *out)
{
  const table *t = self;
  good(self, first, count, out);
  for (int64_t i = 0; i < count * t->d_model; i += 2) {
    const float sine = out[i];
    out[i] = out[i + 1];
    out[i + 1] = sine;
  }
}

static void one_nan(const void *self, int64_t first, int64_t count, float *out)
{
  const table *t = self;
  good(self, first, count, out);
  for (int64_t i = 0; i < count; i++)
    if (first + i == 8)
      out[i * t->d_model + 3] = NAN;
}

/* As one that starts its rows afresh for each call: right for the first run alone. */
static void from_zero(const void *self, int64_t first, int64_t count, float *out)
{
  (void)first;
  good(self, 0, count, out);
}

static void last_row_missing(const void *self, int64_t first, int64_t count, float *out) { good(self, first, count - 1, out); }

static const char *runs(void) { return NULL; }
static const char *lacks(void) { return "this CPU lacks everything"; }

static const peer peers[] = {
    {"good", "the float64 table", "Faults 1.0", create, free, good, runs},
    {"rough", "a turn of 1e-6", NULL, create, free, rough, runs},
    {"drifts", "an angle that grows", NULL, create, free, drifts, runs},
    {"cosines_first", "cosines before sines", NULL, create, free, cosines_first, runs},
    {"one_nan", "no number at position 8, column 3", NULL, create, free, one_nan, runs},
    {"from_zero", "positions that begin at 0 in every call", NULL, create, free, from_zero, runs},
    {"last_row_missing", "a row of each call not written", NULL, create, free, last_row_missing, runs},
    {"elsewhere", "never here", NULL, create, free, good, lacks},
    {"no_memory", "never set up", NULL, no_memory, free, good, runs},
};

size_t peer_count(void) { return sizeof peers / sizeof *peers - 1; } /* the last by its name alone */
const peer *peer_at(size_t i) { return &peers[i]; }

const peer *peer_find(const char *name)
{
  for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
    if (strcmp(peers[i].name, name) == 0)
      return &peers[i];
  return NULL;
}

void peer_each_missing(void (*call)(const char *name, const char *reason, void *data), void *data)
{
  call("absent", "its library is not installed", data);
}

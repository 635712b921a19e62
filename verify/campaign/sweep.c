#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/memory.h"
#include "../tools/spec.h"
#include "sampling.h"

/* The ends of the ranges of positions. Errors grow with the position, so reports are by range. The last two ranges lie
 * beyond any real table, but inside the library's domain. */
enum { ORDINARY_END = 5000 };
static const int64_t edges[] = {
    0, 512, ORDINARY_END, 32768, 131072, 1048576, INT64_C(1) << 26, POSENC_MAX_POSITION + 1};
enum { EDGES = sizeof edges / sizeof edges[0], TABLE_RANGES = 5 };

/* The range that ends at ORDINARY_END has so many times the rows of other ranges. By default that is every row, because
 * the error of the ordinary 5000 x 512 table decides picks. */
enum { ORDINARY_TIMES = 9 };

/* The most outputs of a segment: its reference values and verdicts are in memory at once, some 50 bytes per output. */
#define MAX_OUTPUTS (INT64_C(1) << 22)

/* Explicit frequencies that no ladder has: zero, a negative one, both ends of the domain, and one whose products with
 * small positions are exact, tiny, and halfway between two floats. */
static const double awkward[] = {1.0, 0.0, 0x1.000003p-70, -0.25, 0x1p-1022, 0x1p-126, 0x1.8p-149, 3.0, 1e6, 0x1p64};
enum { AWKWARD = sizeof awkward / sizeof awkward[0] };

/* Each segment has a seed of its own, so that its rows do not depend on the segments before it. */
static uint64_t seed_of(const sweep *s, uint64_t seed) {
  return seed * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)s->count;
}

static segment *add_segment(sweep *s, const char *shape, const posenc_spec *spec, int64_t from, int64_t to) {
  segment *segments = realloc(s->segments, (size_t)(s->count + 1) * sizeof *segments);
  if (!segments)
    out_of_memory("for segments");
  s->segments = segments;
  segment *added = &segments[s->count++];
  memset(added, 0, sizeof *added);
  snprintf(added->shape, sizeof added->shape, "%s", shape);
  added->spec = *spec;
  added->from = from;
  added->to = to;
  return added;
}

/* The part of [from, to) in range i; ranges of negative i mirror those of positive positions. Returns false if that
 * part is empty. */
enum { FIRST_RANGE = -EDGES + 1, END_RANGE = EDGES - 1 };
static bool cut(int i, int64_t from, int64_t to, int64_t *low, int64_t *high) {
  *low = i < 0 ? -edges[-i] : edges[i];
  *high = i < 0 ? -edges[-i - 1] : edges[i + 1];
  *low = *low > from ? *low : from;
  *high = *high < to ? *high : to;
  return *low < *high;
}

static int64_t count_ranges(int64_t from, int64_t to) {
  int64_t ranges = 0, low, high;
  for (int i = FIRST_RANGE; i < END_RANGE; i++)
    ranges += cut(i, from, to, &low, &high);
  return ranges;
}

/* One segment over all of [from, to), sampled range by range, with up to `rows` rows of each. Strata of equal width over
 * all of it would nearly miss the small positions. */
static segment *add_sampled(
    sweep *s, const char *shape, const posenc_spec *spec, int64_t from, int64_t to, int64_t rows, uint64_t seed) {
  const int64_t most = MAX_OUTPUTS / (spec->d_model * count_ranges(from, to)), fit = rows < most ? rows : most;
  uint64_t random = seed_of(s, seed);
  segment *added = add_segment(s, shape, spec, from, to);
  int64_t low, high;
  for (int i = FIRST_RANGE; i < END_RANGE; i++)
    if (cut(i, from, to, &low, &high))
      sample_range(added, low, high, fit > SWEEP_MIN_ROWS ? fit : SWEEP_MIN_ROWS, &random);
  sample_finish(added, &random);
  return added;
}

static bool seen(const sweep *s, const posenc_spec *spec) {
  for (int64_t i = 0; i < s->count; i++)
    if (s->segments[i].spec.d_model == spec->d_model && s->segments[i].spec.base == spec->base)
      return true;
  return false;
}

sweep sweep_default(int64_t rows, uint64_t seed) {
  sweep s = {NULL, 0};
  const int64_t million = edges[TABLE_RANGES];
  const int64_t fewer = rows / 8 > SWEEP_MIN_ROWS ? rows / 8 : SWEEP_MIN_ROWS;
  const posenc_spec paper = paper_spec(512);

  for (int i = 0; i < TABLE_RANGES; i++) {
    const int64_t its_rows = edges[i + 1] == ORDINARY_END ? ORDINARY_TIMES * rows : rows;
    add_sampled(&s, "d512", &paper, edges[i], edges[i + 1], its_rows, seed)->in_table = true;
  }

  posenc_spec spec;
#define POSENC_SHAPE(name, n_positions, columns, shape_base, who)                                                      \
  spec = paper_spec(columns);                                                                                          \
  spec.base = shape_base;                                                                                              \
  if (!seen(&s, &spec))                                                                                                \
    add_sampled(&s, #name, &spec, 0, million, fewer, seed);
#include "../tools/shapes.inc"
#undef POSENC_SHAPE

  const int64_t whole = POSENC_MAX_POSITION + 1;
  const struct {
    const char *name, *preset;
    int64_t d_model, from, to, rows;
    posenc_spec changes; /* replace the preset's fields where they are not 0 */
  } others[] = {
      /* ends in vectors of 8 and of 16 lanes that are more than half full */
      {"odd", NULL, 29, 0, million, fewer, {0}},
      {"single", NULL, 1, 0, million, fewer, {0}},
      {"denominator", NULL, 32, 0, million, fewer, {.denominator = 15}},
      {"frequencies", NULL, 2 * AWKWARD, -million, million, fewer, {.freqs = awkward, .n_freqs = AWKWARD}},
      {"negative", NULL, 512, -million, 0, fewer / 2, {0}},
      {"far", NULL, 512, million, whole, fewer, {0}},
      /* tables that users of these presets have; fairseq at an odd width, with a column of zeros */
      {"preset whisper", "whisper", 1280, 0, 1500, fewer, {0}},
      {"preset guided_diffusion", "guided_diffusion", 320, 0, 1000, fewer, {0}},
      {"preset rope", "rope", 128, 0, 131072, fewer, {.base = 500000}},
      {"preset fairseq", "fairseq", 33, 0, 5000, fewer, {0}},
      /* as with diffusion times between 0 and 1 */
      {"scaled", NULL, 32, -million, million, fewer, {.position_scale = 1000, .layout = POSENC_LAYOUT_SPLIT}},
      {"bfloat16", NULL, 512, 0, million, fewer, {.dtype = POSENC_DTYPE_BF16}},
      {"float16", NULL, 512, 0, million, fewer, {.dtype = POSENC_DTYPE_F16}},
      {"float64", NULL, 512, 0, million, fewer, {.dtype = POSENC_DTYPE_F64}},
  };
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    const posenc_spec *changes = &others[i].changes;
    const char *const preset = others[i].preset ? others[i].preset : "paper";
    char message[256];
    if (posenc_spec_init(&spec, others[i].d_model, preset) != POSENC_OK) {
      posenc_last_error(message, sizeof message);
      fprintf(stderr, "preset %s: %s\n", preset, message);
      exit(2);
    }
    spec.base = changes->base > 0 ? changes->base : spec.base;
    spec.denominator = changes->denominator > 0 ? changes->denominator : spec.denominator;
    spec.position_scale = changes->position_scale > 0 ? changes->position_scale : spec.position_scale;
    spec.layout = changes->layout ? changes->layout : spec.layout;
    spec.dtype = changes->dtype ? changes->dtype : spec.dtype;
    spec.freqs = changes->freqs;
    spec.n_freqs = changes->n_freqs;
    segment *added = add_sampled(&s, others[i].name, &spec, others[i].from, others[i].to, others[i].rows, seed);
    added->preset = others[i].preset;
  }
  return s;
}

/* The rows of each range that sweep_of() compares if nobody chose a number: MPFR takes seconds for a million outputs. */
static int64_t default_rows(int64_t d_model, int64_t from, int64_t to) {
  const int64_t all = 2600000 / d_model;
  return to - from <= all ? to - from : all / count_ranges(from, to);
}

sweep sweep_of(const posenc_spec *spec, const char *preset, int64_t from, int64_t to, int64_t rows, uint64_t seed) {
  sweep s = {NULL, 0};
  char shape[24];
  snprintf(shape, sizeof shape, "d%lld", (long long)spec->d_model);
  const int64_t each = rows ? rows : default_rows(spec->d_model, from, to);
  int64_t low, high;
  for (int i = FIRST_RANGE; i < END_RANGE; i++)
    if (cut(i, from, to, &low, &high)) {
      segment *added = add_sampled(&s, shape, spec, low, high, each, seed);
      added->in_table = true;
      added->preset = preset;
    }
  return s;
}

sweep sweep_every_row(const posenc_spec *spec, int64_t from, int64_t to) {
  sweep s = {NULL, 0};
  uint64_t random = 1;
  segment *added = add_segment(&s, "whole", spec, from, to);
  sample_range(added, from, to, to - from, &random);
  sample_finish(added, &random);
  return s;
}

void sweep_destroy(sweep *s) {
  for (int64_t i = 0; i < s->count; i++) {
    free(s->segments[i].samples);
    free(s->segments[i].positions);
  }
  free(s->segments);
  *s = (sweep){NULL, 0};
}

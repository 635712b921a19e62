/* Every output of every table is judged by MPFR first; a table that fails gets no row.
 *
 * The promise is of bits, so the members that run here must agree in all of them, and what they agree on must be right:
 * correctly rounded for exact, within posenc_impl_error_bound() for all.
 */
#include "hashes.h"

#include <inttypes.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "../../campaign/family.h"
#include "../../campaign/hashed.h"
#include "../../reference/memory.h"
#include "../../reference/mpfr_reference.h"

#define WHISPER INT64_C(1280)
#define LAST POSENC_MAX_POSITION

/* Each for something the others lack. Together less than a million outputs: the test that makes them again
 * also runs emulated. */
static const hashed tables[] = {
    {.first = 0, .rows = 192, .d_model = 512, .base = 10000},            /* the paper's */
    {.first = 131072 - 64, .rows = 96, .d_model = 1024, .base = 500000}, /* far out, across several anchors */
    {.first = -1000, .rows = 1100, .d_model = 101, .base = 10000},       /* through 0; ends in a sine */
    {.first = LAST - 300, .rows = 301, .d_model = 128, .base = 10000},   /* to the last position */
    {.first = -LAST, .rows = 130, .d_model = 127, .base = 500000},       /* from the first */
    {.first = 0, .rows = 9, .d_model = 8192, .base = 10000},             /* many frequencies */
    {.first = 1048576 - 100, .rows = 200, .d_model = 128, .base = 1e12}, /* tiny frequencies */
    {.first = -70, .rows = 3000, .d_model = 1, .base = 10000},           /* one column */
    {.first = -64, .rows = 128, .d_model = 512, .base = 2},              /* frequencies of one size */
    /* tensor2tensor's ladder; with an odd number of pairs too */
    {.first = 0, .rows = 50, .d_model = WHISPER, .base = 10000, .denominator = WHISPER / 2 - 1},
    {.first = 4000, .rows = 100, .d_model = 514, .base = 10000, .denominator = 256},
    /* explicit frequencies, with outputs near midpoints */
    {.first = -150, .rows = 300, .d_model = 256, .base = 10000, .freqs = 1},
    {.first = 131072 - 64, .rows = 128, .d_model = 512, .base = 10000, .freqs = 2},
    {.first = LAST - 300, .rows = 301, .d_model = 203, .base = 10000, .freqs = 3},
    {.first = 0, .rows = 64, .d_model = 512, .base = 10000, .freqs = 4},
};
enum { TABLES = sizeof tables / sizeof tables[0] };

static void fill(const posenc_spec *spec, const char *impl, const hashed *t, float *out) {
  posenc_plan *plan;
  posenc_status status = posenc_plan_create(&plan, spec, impl);
  if (status == POSENC_OK)
    status = posenc_fill(plan, t->first, t->rows, out, t->d_model);
  posenc_plan_destroy(plan);
  if (status != POSENC_OK) {
    fprintf(stderr, "posenc-verify: %s: %s\n", impl, posenc_status_string(status));
    exit(1);
  }
}

static void complain(const hashed *t, const char *impl, int64_t output, const char *what) {
  fprintf(stderr, "posenc-verify: %s, table from %" PRId64 ", d_model %" PRId64 ", base %g: ", impl, t->first,
      t->d_model, t->base);
  fprintf(stderr, "position %" PRId64 ", column %" PRId64 " %s\n", t->first + output / t->d_model, output % t->d_model,
      what);
}

/* Fills in what MPFR says of the outputs; false if they are not what their family promises. */
static bool judge(
    hashed *t, const posenc_impl *impl, const posenc_spec *spec, const float *out, const truth_value *truths) {
  const bool must_be_nearest = strcmp(t->family, "exact") == 0;
  int64_t faults = 0;
  t->hash = HASHED_START;
  for (int64_t row = 0; row < t->rows; row++)
    t->hash = hashed_row(t->hash, out + row * t->d_model, t->d_model);
  for (int64_t i = 0; i < t->rows * t->d_model; i++) {
    const int64_t position = t->first + i / t->d_model;
    const double error = fabs((double)out[i] - truths[i].y);
    const double bound = posenc_impl_error_bound(impl, spec, (double)position, i % t->d_model);
    const bool nearest = memcmp(&out[i], &truths[i].rounded, sizeof out[i]) == 0;
    const bool fault = !(error <= bound) || (must_be_nearest && !nearest);
    t->judged++;
    t->misrounded += !nearest;
    t->worst = error > t->worst * bound ? error / bound : t->worst;
    if (fault && faults++ == 0)
      complain(t, impl->name, i, error <= bound ? "is misrounded" : "is beyond its error bound");
  }
  if (faults > 0)
    fprintf(stderr, "posenc-verify: %" PRId64 " such outputs of %" PRId64 "\n", faults, t->judged);
  return faults == 0;
}

static void print_row(const hashed *t) {
  printf("POSENC_HASH(%s, %" PRId64 ", %" PRId64 ", %" PRId64 ", ", t->family, t->first, t->rows, t->d_model);
  printf("%.17g, %.17g, %" PRIu64 ", 0x%016" PRIx64 ", ", t->base, t->denominator, t->freqs, t->hash);
  printf("%" PRId64 ", %" PRId64 ", %.4f)\n", t->judged, t->misrounded, t->worst);
}

/* One family's row for one table, from all its members that run here. */
static bool hash_one(const hashed *table, const char *family, const posenc_spec *spec, const truth_value *truths) {
  hashed t = *table;
  const int64_t outputs = t.rows * t.d_model;
  float *out = must_calloc(outputs, sizeof *out), *other = must_calloc(outputs, sizeof *other);
  const posenc_impl *first = family_member(family, 0), *member;
  bool good = first != NULL;
  t.family = family;
  if (!first)
    fprintf(stderr, "posenc-verify: no implementation of the family %s runs on this machine\n", family);
  else
    fill(spec, first->name, &t, out);
  for (size_t m = 1; good && (member = family_member(family, m)); m++) {
    fill(spec, member->name, &t, other);
    for (int64_t i = 0; good && i < outputs; i++) {
      good = memcmp(&out[i], &other[i], sizeof *out) == 0;
      if (!good)
        complain(&t, member->name, i, "has other bits than the family's first member");
    }
  }
  good = good && judge(&t, first, spec, out, truths);
  if (good)
    print_row(&t);
  free(out);
  free(other);
  return good;
}

static bool hash_all(void) {
  bool good = true;
  for (size_t i = 0; i < TABLES; i++) {
    const hashed *t = &tables[i];
    double freqs[HASHED_MOST_FREQS];
    const posenc_spec spec = hashed_spec(t, freqs);
    truth_value *truths = must_calloc(t->rows * t->d_model, sizeof *truths);
    truth *mpfr = truth_create(&spec);
    fprintf(stderr, "table %zu of %d: %" PRId64 " x %" PRId64 "\n", i + 1, TABLES, t->rows, t->d_model);
    for (int64_t row = 0; row < t->rows; row++)
      truth_row(mpfr, t->first + row, truths + row * t->d_model);
    for (size_t f = 0; f < HASHED_FAMILIES; f++)
      good = hash_one(t, hashed_families[f], &spec, truths) && good;
    truth_destroy(mpfr);
    free(truths);
  }
  mpfr_free_cache();
  return good;
}

int write_hashes(void) {
  puts("/* Written by scripts/update-hashes, never by hand: each row after MPFR has judged every output of its table.\n"
       " *\n"
       " *   POSENC_HASH(family, first, rows, d_model, base, denominator, freqs, hash, judged, misrounded, worst)\n"
       " *\n"
       " * denominator  0: d_model / 2\n"
       " * freqs        0: the ladder; else the seed of explicit frequencies (hashed.h)\n"
       " * hash         64-bit FNV-1a over the bytes of the outputs, row by row, each float32 with its low byte first\n"
       " * judged       outputs that MPFR has judged: all of them\n"
       " * misrounded   those that are not the float nearest to the real value\n"
       " * worst        the largest error, as a share of posenc_impl_error_bound()\n"
       " */");
  bool good = hash_all();
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fputs("posenc-verify: the rows could not be written\n", stderr);
    good = false;
  }
  return good ? 0 : 1;
}

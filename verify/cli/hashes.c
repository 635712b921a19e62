/* MPFR judges every output of every table first; a table that fails gets no row. The outputs must be within
 * posenc_impl_error_bound(), and correctly rounded for exact. A family's first member that runs here makes the table;
 * test_bits compares the others with it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../campaign/family.h"
#include "../campaign/hashed.h"
#include "../campaign/verdict.h"
#include "../tools/progress.h"
#include "work.h"

enum { SECONDS = 600 }; /* for one implementation and one table, also under emulation */

#define WHISPER INT64_C(1280)
#define LAST POSENC_MAX_POSITION

/* Each table has something that the others lack. Together they have less than a million outputs, because the test that
 * computes them again also runs under emulation. */
static const hashed tables[] = {
    {.first = 0, .rows = 192, .d_model = 512, .base = 10000},            /* the paper's */
    {.first = 131072 - 64, .rows = 96, .d_model = 1024, .base = 500000}, /* far out, across several anchors */
    {.first = -1000, .rows = 1100, .d_model = 101, .base = 10000},       /* through position 0; ends in a sine */
    {.first = LAST - 300, .rows = 301, .d_model = 128, .base = 10000},   /* to the last position */
    {.first = -LAST, .rows = 130, .d_model = 127, .base = 500000},       /* from the first position */
    {.first = 0, .rows = 9, .d_model = 8192, .base = 10000},             /* many frequencies */
    {.first = 1048576 - 100, .rows = 200, .d_model = 128, .base = 1e12}, /* tiny frequencies */
    {.first = -70, .rows = 3000, .d_model = 1, .base = 10000},           /* one column */
    {.first = -64, .rows = 128, .d_model = 512, .base = 2},              /* frequencies of similar size */
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

/* Reports what is wrong, and returns false. */
static bool complain(const hashed *t, const char *impl, const char *what) {
  fprintf(stderr, "posenc-verify: %s, table from %" PRId64 ", d_model %" PRId64 ", base %g: %s\n", impl, t->first,
      t->d_model, t->base, what);
  return false;
}

/* Writes one family's row for one table; false if the outputs are not what the family promises. */
static bool hash_one(const hashed *t, const char *family, trial *run, const reference_value *expected) {
  char reason[320] = "";
  verdict v;
  const posenc_impl *impl = family_member(family, 0);
  if (!impl) {
    fprintf(stderr, "posenc-verify: no implementation of the family %s runs on this machine\n", family);
    return false;
  }
  if (trial_run(run, impl, SECONDS, reason, sizeof reason) == TRIAL_NOT_OFFERED)
    return complain(t, impl->name, "not offered");
  if (reason[0] || !judge(run, impl, expected, &v, reason, sizeof reason))
    return complain(t, impl->name, reason);
  uint64_t hash = HASHED_START;
  for (int64_t row = 0; row < t->rows; row++)
    hash = hashed_row(hash, trial_output(run, row, 0), t->d_model);
  printf("POSENC_HASH(%s, %" PRId64 ", %" PRId64 ", %" PRId64 ", ", family, t->first, t->rows, t->d_model);
  printf("%.17g, %.17g, %" PRIu64 ", 0x%016" PRIx64 ")\n", t->base, t->denominator, t->freqs, hash);
  return true;
}

int write_hashes(const options *o) {
  bool good = true;
  puts("/* Written by posenc-verify --hashes: each row after MPFR has judged every output of its table.\n"
       " *\n"
       " *   POSENC_HASH(family, first, rows, d_model, base, denominator, freqs, hash)\n"
       " *\n"
       " * denominator  0: d_model / 2\n"
       " * freqs        0: the ladder; else the seed of explicit frequencies (hashed.h)\n"
       " * hash         64-bit FNV-1a over the bytes of the outputs, row by row, each float32 with its low byte first\n"
       " */");
  for (size_t i = 0; i < TABLES; i++) {
    const hashed *t = &tables[i];
    double freqs[HASHED_MOST_FREQS];
    const posenc_spec spec = hashed_spec(t, freqs);
    progress_show((int64_t)i, TABLES, "tables", "");
    sweep rows = sweep_whole(&spec, t->first, t->first + t->rows);
    reference_value *expected = expected_rows(rows.segments, o->threads);
    trial run = trial_create(rows.segments);
    for (size_t f = 0; f < HASHED_FAMILIES; f++)
      good = hash_one(t, hashed_families[f], &run, expected) && good;
    trial_destroy(&run);
    free(expected);
    sweep_destroy(&rows);
  }
  progress_clear();
  return good ? 0 : 1;
}

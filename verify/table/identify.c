/* Every reading of the columns is tried with the preset's own base and with the one its frequencies show. A ladder is
 * geometric, so that the same table is base b with one denominator and base c with another: the rounder base tells
 * which was meant.
 */
#include "identify.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"
#include "ladder.h"
#include "numbers.h"
#include "search.h"

typedef struct candidate {
  double base;
  int digits;
  bool usual, near; /* near what the frequencies show */
} candidate;

enum { MOST_CANDIDATES = 6 };

static void add(candidate *all, int *n, candidate c, const ladder *l)
{
  for (int i = 0; i < *n; i++)
    if (all[i].base == c.base)
      return;
  /* That some number of so few digits is near by chance must be unlikely. */
  if (!c.usual && 12 * l->doubt * pow(10, c.digits) > 0.05)
    c.digits = FINDING_ROUND + 1;
  all[(*n)++] = c;
}

static int candidates_of(const reading *r, const ladder *l, candidate all[MOST_CANDIDATES])
{
  static const double doubts[] = {6, 2, 0}; /* standard errors */
  const bool shown = l->known && r->n > 1;
  const double usual = r->spec.base;
  int n = 0;
  add(all, &n, (candidate){usual, 0, true, !shown || fabs(log(l->base / usual)) <= fmax(0.01, 12 * l->doubt)}, l);
  for (int digits = 1; digits <= 2 && shown; digits++) { /* rounded positions may show a base that is a little off */
    const double base = ladder_digits(l->base, digits);
    if (base > 1 && fabs(log(l->base / base)) < 0.03)
      add(all, &n, (candidate){base, digits, false, false}, l);
  }
  for (int i = 0; i < 3 && shown; i++) {
    candidate c = {.near = true};
    c.base = ladder_round(l, doubts[i], &c.digits);
    add(all, &n, c, l);
  }
  return n;
}

enum { NEAR = 1 << 17 };

typedef struct pass {
  care care;
  int64_t reach;
  bool near_only;
} pass;

static bool attempt(const table *t, const reading *r, const candidate *c, const pass *p, finding *found, near_miss *miss)
{
  int64_t first;
  fit f = fit_create(t, r, c->base, p->care);
  const bool good = search_first(&f, p->reach, &first, miss);
  fit_destroy(&f);
  if (good)
    *found = (finding){r, c->base, c->digits, c->usual, first, p->care, {{.how = NULL}}};
  return good;
}

static bool is_between(const table *t, const reading *r, const candidate *c, near_miss *miss)
{
  near_miss here = {.any = false};
  fit f = fit_create(t, r, c->base, CARE_BETWEEN);
  const bool is = search_between(&f, &here);
  fit_destroy(&f);
  if (is && (miss->between == 0 || c->usual))
    *miss = here;
  return is;
}

/* Far away, some whole number or other fits nearly as well as a fraction near 0: how many are expected to by chance. */
static double chance(const table *t, const finding *f)
{
  const double slowest = pow(f->base, -(double)(f->r->n_pairs - 1) / f->r->denominator);
  const double tolerance = 8 * ldexp(1.0, -number_kinds[t->dtype].precision) + fabs((double)f->first) * 0x1p-49;
  return fabs((double)f->first) * slowest * tolerance;
}

static bool find(const table *t, const reading *r, const ladder *l, finding *found, near_miss *miss)
{
  static const pass passes[] = {{CARE_FLOAT64, NEAR, false}, {CARE_FLOAT32, NEAR, false}, {CARE_BF16_POSITIONS, NEAR, false},
                                {CARE_BF16, NEAR, false}, {CARE_FLOAT64, POSENC_MAX_POSITION, true},
                                {CARE_FLOAT32, 1 << 24, false}};
  static const pass last = {CARE_LITTLE, NEAR / 32, false};
  candidate all[MOST_CANDIDATES];
  const int n = candidates_of(r, l, all);
  /* Round bases first: over few frequencies, some other base may look like a recipe's errors at a round one. */
  for (int round = 1; round >= 0; round--)
    for (size_t p = 0; p < sizeof passes / sizeof *passes; p++)
      for (int i = 0; i < n; i++) {
        near_miss unused = {.any = true};
        if ((all[i].digits <= FINDING_ROUND) == round && (all[i].near || !passes[p].near_only) &&
            attempt(t, r, &all[i], &passes[p], found, &unused) &&
            (passes[p].reach <= NEAR || chance(t, found) < 0.01 || !is_between(t, r, &all[i], miss)))
          return true;
      }
  for (int i = 0; i < n; i++)
    if (!is_between(t, r, &all[i], miss) && attempt(t, r, &all[i], &last, found, miss))
      return true;
  return false;
}

/* Bases below a preset's own are in hardly anybody's use. */
static bool is_small(const finding *f)
{
  return f->base < f->r->spec.base;
}

static int rank_of(const finding *f)
{
  return (f->care == CARE_LITTLE ? 1000 : 0) + (f->usual || f->r->n <= 1 ? 0 : f->digits) + (is_small(f) ? 2 : 0);
}

static int by_rank(const void *a, const void *b)
{
  return rank_of(a) - rank_of(b);
}

static int64_t best_equal(const finding *f)
{
  int64_t most = 0;
  for (int a = 0; a < ARITHMETICS; a++)
    if (f->distances[a].how && f->distances[a].equal > most)
      most = f->distances[a].equal;
  return most;
}

static bool is_other(const finding *f, const finding *best)
{
  return !is_small(f) && f->care != CARE_LITTLE && f->digits <= 4 && best->care != CARE_LITTLE;
}

/* Those of the lowest rank; of these, those with the most equal bits. The others may be other ways to say it. */
static void choose(const table *t, finding *all, size_t n, verdict *v)
{
  qsort(all, n, sizeof *all, by_rank);
  size_t tied = 0, kept = 0, others = 0;
  int64_t most = 0;
  while (tied < n && rank_of(&all[tied]) == rank_of(&all[0]))
    tied++;
  for (size_t i = 0; i < tied; i++) {
    distances(t, all[i].r, all[i].base, all[i].first, all[i].distances);
    most = best_equal(&all[i]) > most ? best_equal(&all[i]) : most;
  }
  for (size_t i = 0; i < tied; i++)
    if (best_equal(&all[i]) == most)
      all[kept++] = all[i];
  for (size_t i = tied; i < n; i++)
    if (is_other(&all[i], &all[0]))
      all[kept + others++] = all[i];
  v->findings = all;
  v->n_findings = kept;
  v->others = all + kept;
  v->n_others = others;
}

static void say_why(verdict *v, const near_miss *miss, bool any_pairs)
{
  if (miss->any && miss->between != 0)
    snprintf(v->reason, sizeof v->reason, "it is %s, base %g, but from position %.9g on, which is no whole number",
             miss->r->presets[0], miss->base, miss->between);
  else if (miss->any)
    snprintf(v->reason, sizeof v->reason,
             "nearest is %s, base %g, first position %" PRId64 ", but row %" PRId64 ", column %" PRId64
             " is %.9g instead of %.9g",
             miss->r->presets[0], miss->base, miss->first, miss->row, miss->column, miss->is, miss->should_be);
  else if (!any_pairs)
    snprintf(v->reason, sizeof v->reason, "its columns are no pairs of a sine and a cosine as any preset has them");
  else
    snprintf(v->reason, sizeof v->reason,
             "its columns are sines and cosines, but of no preset's frequencies at consecutive positions (scales are not known)");
}

int identify(const char *path, bool json)
{
  npy_array array;
  char message[256];
  const bool read = npy_read(path, &array, message, sizeof message);
  if (!read || !npy_finite(&array, message, sizeof message)) {
    npy_free(&array);
    fprintf(stderr, "posenc-table: %s: %s\n", strcmp(path, "-") == 0 ? "standard input" : path, message);
    return 2;
  }
  table t = table_of(array);
  verdict v = {.path = path, .t = &t};
  size_t n, found = 0;
  reading *readings = readings_of(t.columns, &n);
  finding *all = must_calloc((int64_t)n, sizeof *all);
  near_miss miss = {.any = false};
  bool any_pairs = false;
  for (size_t i = 0; i < n; i++) {
    ladder l;
    if (!ladder_read(&t, &readings[i], &l))
      continue;
    any_pairs = true;
    found += find(&t, &readings[i], &l, &all[found], &miss);
  }
  if (found > 0)
    choose(&t, all, found, &v);
  else
    say_why(&v, &miss, any_pairs);
  (json ? report_json : report_text)(&v);
  free(all);
  free(readings);
  npy_free(&t.array);
  return found > 0 ? 0 : 1;
}

#include "pick.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../verify/cli/machine.h"

/* So many outputs are compared: all of a table that has no more, else rows spread over the ranges of positions that
 * reports go by. MPFR and the integers of exact's float64 take their time. */
enum { COMPARED = 2600000, COMPARED_F64 = 250000 };

/* A table beyond every cache says all there is to say about a larger one. */
static const int64_t MOST_BYTES = INT64_C(1) << 30;

static void judge_row(const pick *p, pick_row *row) {
  const impl_result *r = row->verified;
  const pick_options *o = p->o;
  row->ulp = row->max_abs = NAN;
  for (int64_t i = 0; i < p->verified.sweep.count; i++)
    if (r->verdicts[i].judged) {
      row->ulp = fmax(row->ulp, r->verdicts[i].ulp_max); /* fmax passes over NAN */
      row->max_abs = fmax(row->max_abs, r->verdicts[i].max_abs);
    }
  if (!r->supported)
    snprintf(row->reason, sizeof row->reason, "not run: this CPU lacks its instructions (%s)", r->impl->isa);
  else if (r->not_judged)
    snprintf(row->reason, sizeof row->reason, "does not offer this table");
  else if (!impl_verified(r))
    snprintf(row->reason, sizeof row->reason, "failed verification: %s", r->failure);
  else if (o->recipe && !(p->recipe && strcmp(p->recipe, r->impl->name) == 0))
    snprintf(row->reason, sizeof row->reason, "other roundings");
  else if (!o->recipe && !(row->ulp <= o->max_ulp && row->max_abs <= o->max_abs))
    snprintf(row->reason, sizeof row->reason, "beyond the budget");
  else
    row->within = true;
}

/* The most rows of each range that come to no more outputs than are to be compared. */
static int64_t rows_per_range(const pick *p) {
  const spec_options *table = &p->o->table;
  const int64_t all = (p->spec.dtype == POSENC_F64 ? COMPARED_F64 : COMPARED) / p->spec.d_model;
  sweep s = sweep_of(&p->spec, NULL, table->from, table->to, SWEEP_MIN_ROWS, 1);
  int64_t low = SWEEP_MIN_ROWS, high = SWEEP_MAX_ROWS;
  while (low < high) {
    const int64_t middle = (low + high + 1) / 2;
    int64_t sum = 0;
    for (int64_t i = 0; i < s.count; i++) {
      const int64_t width = s.segments[i].to - s.segments[i].from;
      sum += width < middle ? width : middle;
    }
    if (sum <= all)
      low = middle;
    else
      high = middle - 1;
  }
  sweep_destroy(&s);
  return low;
}

static void verify(pick *p) {
  const spec_options *table = &p->o->table;
  const int64_t rows = rows_per_range(p);
  const sweep s = sweep_of(&p->spec, table->preset, table->from, table->to, rows, 1);
  const campaign_listener nobody = {0};
  p->verified = campaign_prepare(s, &p->spec, NULL, 0, REFERENCE_MPFR, 1);
  campaign_run(&p->verified, 0, false, &nobody);

  for (int64_t i = 0; i < s.count; i++)
    p->rows_compared += s.segments[i].n_rows;
  p->n = p->verified.n_impls;
  p->rows = must_calloc((int64_t)p->n + PICK_LIMITS, sizeof *p->rows);
  for (size_t i = 0; i < p->n; i++) {
    p->rows[i].impl = p->verified.impls[i].impl;
    p->rows[i].verified = &p->verified.impls[i];
    judge_row(p, &p->rows[i]);
  }
}

int pick_run(const pick_options *o) {
  pick p = {.o = o, .spec = o->table.spec};
  const int64_t row_bytes = p.spec.d_model * (int64_t)posenc_dtype_size((posenc_dtype)p.spec.dtype);
  const int64_t available = machine_available_memory() / 2;
  const int64_t fit = (available > 0 && available < MOST_BYTES ? available : MOST_BYTES) / row_bytes,
                count = o->table.to - o->table.from;
  p.shape = (bench_shape){
      "picked", count < fit || fit < 1 ? count : fit, p.spec.d_model, p.spec.base, "the table asked for", false};
  if (o->recipe)
    p.recipe = pick_recipe_of(o->table.preset, &p.recipe_why);
  verify(&p);
  pick_measure(&p);
  pick_choose(&p);
  const bool said =
      (o->format_json ? pick_print_json : pick_print_text)(&p, stdout) && fflush(stdout) == 0 && !ferror(stdout);
  if (!said)
    fputs("posenc-bench: the answer could not be written\n", stderr);
  machine_warnings(stderr);
  const int status = !said || p.error ? 2 : p.chosen ? 0 : 1;
  campaign_destroy(&p.verified);
  free(p.rows);
  return status;
}

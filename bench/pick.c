#include "pick.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../verify/formats.h"
#include "../verify/memory.h"

/* Every row of a table with so few outputs is compared; of a larger one as many, spread over its ranges of positions. MPFR and the
 * integers of exact's float64 take their time. */
enum { COMPARED = 2600000, COMPARED_F64 = 100000 };

/* A table beyond every cache says all there is to say about a larger one. */
static const int64_t MOST_BYTES = INT64_C(1) << 30;

static bool budget_of_error(const bench_options *o, pick_row *row)
{
  if (o->recipe)
    return true;
  if (row->ulp <= o->max_ulp && row->max_abs <= o->max_abs)
    return true;
  snprintf(row->reason, sizeof row->reason, "beyond the budget");
  return false;
}

static void judge_row(const pick *p, pick_row *row)
{
  const impl_result *r = row->verified;
  row->ulp = row->max_abs = NAN;
  for (int64_t i = 0; i < p->verified.sweep.count; i++)
    if (r->verdicts[i].judged) {
      row->ulp = fmax(row->ulp, r->verdicts[i].ulp_max); /* fmax passes over NAN */
      row->max_abs = fmax(row->max_abs, r->verdicts[i].max_abs);
    }
  if (!r->supported)
    snprintf(row->reason, sizeof row->reason, "not run: this CPU lacks its instructions (%s)", r->impl->isa);
  else if (r->not_offered || (isnan(row->ulp) && strncmp(r->failure, "not judged", 10) == 0))
    snprintf(row->reason, sizeof row->reason, "does not offer this table");
  else if (!impl_verified(r))
    snprintf(row->reason, sizeof row->reason, "failed verification: %s", r->failure);
  else if (p->o->recipe && !(p->recipe && strcmp(p->recipe, r->impl->name) == 0))
    snprintf(row->reason, sizeof row->reason, "other roundings");
  else
    row->within = budget_of_error(p->o, row);
}

static void verify(pick *p)
{
  const spec_options *table = &p->o->shape;
  const int64_t count = table->to - table->from, outputs = p->spec.dtype == POSENC_F64 ? COMPARED_F64 : COMPARED;
  int64_t rows = outputs / p->spec.d_model;
  if (rows < count) { /* they are counted per range, of which there may be several */
    sweep s = sweep_of(&p->spec, NULL, table->from, table->to, SWEEP_MIN_ROWS, 1);
    rows /= s.count;
    sweep_destroy(&s);
  }
  rows = rows < SWEEP_MIN_ROWS ? SWEEP_MIN_ROWS : rows > SWEEP_MAX_ROWS ? SWEEP_MAX_ROWS : rows;
  const sweep s = sweep_of(&p->spec, table->preset, table->from, table->to, rows, 1);
  const campaign_listener nobody = {0};
  p->verified = campaign_prepare(s, &p->spec, NULL, 0, REFERENCE_MPFR, 1);
  campaign_run(&p->verified, 0, false, &nobody);

  for (int64_t i = 0; i < s.count; i++)
    p->rows_compared += s.segments[i].n_rows;
  p->n = p->verified.n_impls;
  p->rows = must_calloc((int64_t)p->n, sizeof *p->rows);
  for (size_t i = 0; i < p->n; i++) {
    p->rows[i].impl = p->verified.impls[i].impl;
    p->rows[i].verified = &p->verified.impls[i];
    judge_row(p, &p->rows[i]);
  }
}

int pick_run(const bench_options *o)
{
  pick p = {.o = o, .spec = o->shape.spec, .limit_gb_s = NAN};
  const int64_t row_bytes = p.spec.d_model * (int64_t)posenc_dtype_size((posenc_dtype)p.spec.dtype);
  const int64_t fit = MOST_BYTES / row_bytes, count = o->shape.to - o->shape.from;
  p.shape = (bench_shape){"picked", count < fit ? count : fit, p.spec.d_model, p.spec.base, "the table asked for", false};
  if (o->recipe)
    p.recipe = pick_recipe_of(o->shape.preset, &p.recipe_why);
  verify(&p);
  pick_measure(&p);
  pick_choose(&p);
  (o->format_json ? pick_print_json : pick_print_text)(&p, stdout);
  const int status = fflush(stdout) != 0 || ferror(stdout) ? 2 : p.chosen ? 0 : 1;
  if (status == 2)
    fputs("posenc-bench: the answer could not be written\n", stderr);
  campaign_destroy(&p.verified);
  free(p.rows);
  return status;
}

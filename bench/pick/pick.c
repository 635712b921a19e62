#include "../limits/limits.h"
#include "pick.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../verify/cli/machine.h"

/* So many outputs are compared: all of a table that has no more, else rows spread over the ranges of positions that
 * reports go by. MPFR takes its time. */
enum { COMPARED = 2600000 };

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

/* All rows, or as many of each range as come to no more outputs than are to be compared. */
static int64_t rows_per_range(const pick *p) {
  const spec_options *table = &p->o->table;
  const int64_t all = COMPARED / p->spec.d_model;
  sweep s = sweep_of(&p->spec, NULL, table->from, table->to, SWEEP_MIN_ROWS, 1);
  const int64_t rows = table->to - table->from <= all ? SWEEP_MAX_ROWS : all / s.count;
  sweep_destroy(&s);
  return rows < SWEEP_MIN_ROWS ? SWEEP_MIN_ROWS : rows > SWEEP_MAX_ROWS ? SWEEP_MAX_ROWS : rows;
}

static void verify(pick *p) {
  const spec_options *table = &p->o->table;
  const int64_t rows = rows_per_range(p);
  const sweep s = sweep_of(&p->spec, table->preset, table->from, table->to, rows, 1);
  p->verified = campaign_prepare(s, &p->spec, NULL, 0, REFERENCE_MPFR, 1);
  campaign_run(&p->verified, 0, false, NULL, NULL);

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

/* Of an implementation, or else of a limit; there is no other in the memory that conversions need. */
static void take(void *data, const char *name, const char *who, compare_times seconds, const char *error) {
  pick *p = data;
  pick_row *row = p->rows;
  if (!who && (p->n_limits == PICK_LIMITS || strstr(name, "/convert/")))
    return;
  if (error)
    snprintf(p->error, sizeof p->error, "%s", error);
  if (who)
    while (strcmp(row->impl->name, who) != 0)
      row++;
  else
    row = &p->rows[p->n + p->n_limits++];
  for (; row->n < seconds.n; row->n++)
    row->turns[row->n] = 1e9 * seconds.values[row->n] / (double)p->shape.d_model;
}

static void measure(pick *p) {
  const bench_table table = {
      .function = "fill", .kind = "", .shape = &p->shape, .spec = p->spec, .origin = p->o->table.from};
  bool any = false;
  for (size_t i = 0; i < p->n; i++)
    if (p->rows[i].within) {
      bench_register_table(&table, p->rows[i].impl, NULL, NULL, p->o->at);
      any = true;
    }
  bench_buffer_room(bench_shape_bytes(&p->shape, (posenc_dtype)p->spec.dtype));
  bench_register_limits(&p->shape, (posenc_dtype)p->spec.dtype, p->o->at);
  if (any)
    shim_measure(PICK_TURNS, bench_buffer_release, take, p); /* memory is mapped anew for each turn */
  for (size_t i = 0; i < p->n + p->n_limits && p->error[0]; i++) {
    p->rows[i].n = 0; /* there is no result after an error */
    if (p->rows[i].within)
      snprintf(p->rows[i].reason, sizeof p->rows[i].reason, "within the budget, not measured: %s", p->error);
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
  measure(&p);
  pick_choose(&p);
  cJSON *answer = pick_answer(&p);
  char *json = cJSON_Print(answer);
  if (o->format_json && json)
    puts(json);
  else if (!o->format_json)
    pick_print_text(answer, stdout);
  const bool said = json && fflush(stdout) == 0 && !ferror(stdout);
  if (!said)
    fputs("posenc-bench: the answer could not be written\n", stderr);
  machine_warnings(stderr);
  const int status = !said || p.error[0] ? 2 : p.chosen ? 0 : 1;
  free(json);
  cJSON_Delete(answer);
  campaign_destroy(&p.verified);
  free(p.rows);
  return status;
}

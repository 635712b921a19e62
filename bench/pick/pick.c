#include "pick.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../verify/tools/machine.h"

/* The largest number of outputs that are compared, since MPFR is slow. A table with no more outputs is compared as a
 * whole; of a larger table, rows are compared that are spread over the ranges of positions that reports use. */
enum { COMPARED = 2600000 };

/* A table larger than every cache represents all larger tables. */
static const int64_t MOST_BYTES = INT64_C(1) << 30;

static void judge_row(const results *all, const impl_result *r, bench_errors most, pick_row *row) {
  row->impl = r->impl;
  row->found = (bench_errors){NAN, NAN};
  for (int64_t i = 0; i < all->sweep.count; i++)
    if (r->verdicts[i].judged) {
      row->found.ulp = fmax(row->found.ulp, r->verdicts[i].ulp_max); /* fmax ignores NAN */
      row->found.abs = fmax(row->found.abs, r->verdicts[i].max_abs);
    }
  if (!r->supported)
    snprintf(row->reason, sizeof row->reason, "not run: this CPU lacks its instructions (%s)", r->impl->isa);
  else if (r->not_judged)
    snprintf(row->reason, sizeof row->reason, "does not offer this table");
  else if (!impl_verified(r))
    snprintf(row->reason, sizeof row->reason, "failed verification: %s", r->failure);
  else if (!bench_within(row->found, most))
    snprintf(row->reason, sizeof row->reason, "beyond the budget");
}

/* The number of rows to compare in each range, so that at most COMPARED outputs are compared in total; SWEEP_MAX_ROWS
 * where all rows are. */
static int64_t rows_per_range(const spec_options *table) {
  const int64_t all = COMPARED / table->spec.d_model;
  sweep s = sweep_of(&table->spec, NULL, table->from, table->to, SWEEP_MIN_ROWS, 1);
  const int64_t rows = table->to - table->from <= all ? SWEEP_MAX_ROWS : all / s.count;
  sweep_destroy(&s);
  return rows < SWEEP_MIN_ROWS ? SWEEP_MIN_ROWS : rows > SWEEP_MAX_ROWS ? SWEEP_MAX_ROWS : rows;
}

static void verify(pick *p) {
  const spec_options *table = &p->o->table;
  const sweep s = sweep_of(&table->spec, table->preset, table->from, table->to, rows_per_range(table), 1);
  results found = campaign_prepare(s, &table->spec, NULL, 0, REFERENCE_MPFR, 1);
  campaign_run(&found, 0, false, NULL, NULL);
  for (int64_t i = 0; i < s.count; i++)
    p->rows_compared += s.segments[i].n_rows;
  p->n = found.n_impls;
  p->rows = must_calloc((int64_t)p->n, sizeof *p->rows);
  p->candidates = must_calloc((int64_t)p->n, sizeof *p->candidates);
  for (size_t i = 0; i < p->n; i++) {
    pick_row *row = &p->rows[i];
    judge_row(&found, &found.impls[i], p->o->most, row);
    p->candidates[i] = (candidate){.name = row->impl->name,
        .times.values = row->turns,
        .within = !row->reason[0],
        .is_default = row->impl == posenc_impl_find(NULL)};
  }
  campaign_destroy(&found);
}

static void take(void *data, const shim_measured *m) {
  pick *p = data;
  size_t i = 0;
  while (strcmp(p->candidates[i].name, m->c->who) != 0)
    i++;
  if (m->error)
    snprintf(p->error, sizeof p->error, "%s", m->error);
  p->candidates[i].times.n = m->times.n;
  for (int turn = 0; turn < m->times.n; turn++)
    p->rows[i].turns[turn] = 1e9 * m->times.values[turn] / (double)p->shape.d_model;
}

static void measure(pick *p) {
  const bench_table table = {
      .function = "fill", .kind = "", .shape = &p->shape, .spec = p->o->table.spec, .origin = p->o->table.from};
  bench_buffer_room(bench_shape_bytes(&p->shape, (posenc_dtype)table.spec.dtype));
  for (size_t i = 0; i < p->n; i++)
    if (p->candidates[i].within)
      bench_register_table(&table, p->rows[i].impl, NULL, NULL, p->o->at);
  shim_measure(PICK_TURNS, bench_buffer_release, take, p); /* maps the memory anew for each turn */
}

int pick_run(const pick_options *o) {
  const spec_options *table = &o->table;
  const int64_t row_bytes = table->spec.d_model * (int64_t)posenc_dtype_size((posenc_dtype)table->spec.dtype);
  const int64_t available = machine_available_memory() / 2;
  const int64_t fit = (available > 0 && available < MOST_BYTES ? available : MOST_BYTES) / row_bytes,
                count = table->to - table->from;
  pick p = {.o = o,
      .shape = {"picked", count < fit || fit < 1 ? count : fit, table->spec.d_model, table->spec.base,
          "the requested table", false}};
  verify(&p);
  measure(&p);
  if (!p.error[0])
    p.choice = compare_pick(p.candidates, p.n);
  pick_print(&p, stdout);
  fflush(stdout);
  machine_warnings(stderr);
  free(p.rows);
  free(p.candidates);
  return p.error[0] ? 2 : p.choice.pick ? 0 : 1;
}

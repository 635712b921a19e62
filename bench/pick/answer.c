/* Prints the answer of --pick. */
#include "pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../verify/tools/machine.h"

/* Prints the table, how many of its rows were compared and measured, the processor and the budget. */
static void print_head(const pick *p, FILE *out) {
  const spec_options *t = &p->o->table;
  const int64_t rows = t->to - t->from;
  fprintf(out, "table: preset %s, d_model %" PRId64 ", base %g", t->preset ? t->preset : "paper", t->spec.d_model,
      t->spec.base);
  spec_print_changes(out, &t->spec);
  fprintf(out, ", %s, positions %" PRId64 " to %" PRId64 "\n", dtype_name(t->spec.dtype), t->from, t->to - 1);
  fprintf(out,
      "compared with MPFR: %s%" PRId64 " of %" PRId64 " row%s; measured: %" PRId64 " row%s, output at %d modulo 64\n",
      p->rows_compared < rows ? "a sample, " : "", p->rows_compared, rows, rows == 1 ? "" : "s", p->shape.positions,
      p->shape.positions == 1 ? "" : "s", (int)p->o->at->bytes);
  fprintf(out, "processor: %s\nbudget:", machine_here()->line);
  if (isfinite(p->o->most.ulp))
    fprintf(out, " at most %g ULP%s", p->o->most.ulp, isfinite(p->o->most.abs) ? "," : "");
  if (isfinite(p->o->most.abs))
    fprintf(out, " at most %g absolute", p->o->most.abs);
  fprintf(out, "\n\n");
}

/* Prints the speed in GB/s, half its interquartile range, and the comparison with the fastest. */
static void print_speed(const pick *p, const candidate *c, FILE *out) {
  double sorted[PICK_TURNS], range;
  memcpy(sorted, c->times.values, sizeof sorted);
  const double ns = compare_median(sorted, c->times.n, &range);
  const double speed = (double)posenc_dtype_size((posenc_dtype)p->o->table.spec.dtype) / ns;
  fprintf(out, " %8.2f %6.2f", speed, speed * range / 2 / ns);
  if (c == p->choice.fastest)
    fprintf(out, "  the fastest");
  else
    fprintf(out, "  %.1f +- %.1f %%, %s", 100 * c->against.behind, 100 * c->against.unsure, compare_word(c->against));
}

static void print_rows(const pick *p, FILE *out) {
  fprintf(out, "%-18s %12s %9s %8s %6s  %s\n", "implementation", "max ULP", "max error", "GB/s", "+-",
      "took longer than the fastest");
  for (size_t i = 0; i < p->n; i++) {
    const pick_row *row = &p->rows[i];
    fprintf(out, "%-18s", row->impl->name);
    if (!isnan(row->found.abs))
      fprintf(out, " %12.7g %9.2e", row->found.ulp, row->found.abs);
    if (p->choice.pick && compare_competes(&p->candidates[i]))
      print_speed(p, &p->candidates[i], out);
    fprintf(out, "%s%s\n", row->reason[0] ? "  " : "", row->reason);
  }
}

/* The name for a program: the family, if the library then selects the same implementation here. */
static const char *portable_name(const posenc_impl *impl) {
  return posenc_impl_find(impl->family) == impl ? impl->family : impl->name;
}

static void print_pick(const pick *p, FILE *out) {
  const candidate *picked = p->choice.pick, *fastest = p->choice.fastest;
  if (!picked) {
    fprintf(out, p->error[0] ? "\nPick: none, the measurement failed: %s\n" : "\nPick: none is within the budget\n",
        p->error);
    return;
  }
  const char *name = portable_name(p->rows[picked - p->candidates].impl);
  fprintf(out, "\nPick: %s", name);
  if (strcmp(name, picked->name) != 0)
    fprintf(out, ", here %s", picked->name);
  const bool undecided = picked->against.verdict == COMPARE_UNDECIDED;
  if (undecided)
    fprintf(out, ", undecided against %s", fastest->name);
  for (const candidate *c = p->candidates; c < p->candidates + p->n; c++)
    if (!undecided && c != picked && compare_competes(c) && c->against.verdict == COMPARE_TIE)
      fprintf(out, ", ties with %s", c->name);
  if (picked->is_default)
    fprintf(out, "\n  C:      posenc_plan_create(&plan, &spec, NULL)\n  Python: posenc.table(...)\n");
  else
    fprintf(out, "\n  C:      posenc_plan_create(&plan, &spec, \"%s\")\n  Python: posenc.table(..., impl=\"%s\")\n",
        name, name);
}

void pick_print(const pick *p, FILE *out) {
  print_head(p, out);
  print_rows(p, out);
  print_pick(p, out);
}

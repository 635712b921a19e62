#include "pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../verify/reference/columns.h"
#include "../../verify/campaign/family.h"
#include "../../verify/reference/formats.h"
#include "../../verify/cli/machine.h"

static void print_question(const pick *p, FILE *out) {
  const posenc_spec *s = &p->spec;
  const spec_options *t = &p->o->table;
  char cpu[256];
  fprintf(out, "%s, d_model %lld, positions %lld to %lld, %s", t->preset ? t->preset : "paper", (long long)s->d_model,
      (long long)t->from, (long long)(t->to - 1), format_of(s->dtype)->long_name);
  fprintf(out, ", base %g, %s, %s", s->base, layout_name(s->layout), order_name(s->order));
  if (s->denominator > 0)
    fprintf(out, ", denominator %g", s->denominator);
  if (spec_scale(s) != 1)
    fprintf(out, ", position scale %g", spec_scale(s));
  fprintf(out, "\nbudget: ");
  if (p->o->recipe)
    fprintf(out, "the framework's own roundings; %s\n", p->recipe_why);
  else if (isfinite(p->o->max_ulp) && isfinite(p->o->max_abs))
    fprintf(out, "at most %g ULP and %g absolute\n", p->o->max_ulp, p->o->max_abs);
  else
    fprintf(out, isfinite(p->o->max_ulp) ? "at most %g ULP\n" : "at most %g absolute\n",
        isfinite(p->o->max_ulp) ? p->o->max_ulp : p->o->max_abs);
  const int64_t count = t->to - t->from;
  if (p->rows_compared == count)
    fprintf(out, "verified against MPFR: all %lld rows\n", (long long)count);
  else
    fprintf(out,
        "verified against MPFR: %lld of %lld rows, spread over the table; errors of other rows may be larger\n",
        (long long)p->rows_compared, (long long)count);
  machine_cpu(cpu, sizeof cpu);
  fprintf(out, "measured on %s, %s, %s build; one core; output at %d modulo 64", cpu, machine_compiler(),
      machine_build_type(), (int)p->o->at->bytes);
  if (p->shape.positions < count)
    fprintf(out, "; only the first %lld rows were written", (long long)p->shape.positions);
  fprintf(out, "\n\n");
}

static int faster_first(const void *a, const void *b) {
  const pick_row *x = *(const pick_row *const *)a, *y = *(const pick_row *const *)b;
  if (x->time.n > 0 && y->time.n > 0)
    return (x->time.ns > y->time.ns) - (x->time.ns < y->time.ns);
  return (x->time.n == 0) - (y->time.n == 0);
}

/* "2.1 +- 0.4 %", or "80 %" of what was dropped early. */
static const char *percent(const pick_row *r, char text[48]) {
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): pick_choose() sets `next` where more than one is within the
   * budget */
  if (isnan(r->against.unsure))
    snprintf(text, 48, "%.0f %%", 100 * r->against.behind);
  else
    snprintf(text, 48, "%.1f +- %.1f %%", 100 * r->against.behind, 100 * r->against.unsure);
  return text;
}

static void print_row(const pick *p, const pick_row *r, FILE *out) {
  const double size = (double)posenc_dtype_size((posenc_dtype)p->spec.dtype);
  char behind[48];
  fprintf(out, "%-18s", r->impl->name);
  if (isnan(r->ulp))
    fprintf(out, " %9s %9s", "-", "-");
  else
    fprintf(out, r->ulp < 10000 ? " %9.7g %9.2e" : " %9.2e %9.2e", r->ulp, r->max_abs);
  if (r->time.n == 0) {
    fprintf(out, "  %s\n", r->reason);
    return;
  }
  const double gb_s = size / r->time.ns, spread = gb_s * r->time.spread / r->time.ns;
  fprintf(out, gb_s < 1 ? " %11.3f %8.4f %6.4f" : " %11.3f %8.2f %6.2f", r->time.ns, gb_s, spread);
  if (isnan(r->of_limit))
    fprintf(out, " %9s", "-");
  else
    fprintf(out, " %7.1f %%", 100 * r->of_limit);
  if (r == p->fastest)
    fprintf(out, "  fastest\n");
  else
    fprintf(out, "  %s longer%s\n", percent(r, behind), r->against.tie ? ": a tie" : "");
}

static void print_rows(const pick *p, FILE *out) {
  const pick_row **sorted = must_calloc((int64_t)p->n, sizeof *sorted);
  for (size_t i = 0; i < p->n; i++)
    sorted[i] = &p->rows[i];
  qsort(sorted, p->n, sizeof *sorted, faster_first);
  fprintf(out, "%-18s %9s %9s %11s %8s %6s %9s  %s\n", "implementation", "max ULP", "max error", "ns/element", "GB/s",
      "+-", "of limit", "against the fastest");
  for (size_t i = 0; i < p->n; i++)
    print_row(p, sorted[i], out);
  free(sorted);
}

static void print_import(const pick *p, FILE *out) {
  for (int i = 0; i < PICK_LANGUAGES; i++) {
    char *text = pick_import(p, i);
    fprintf(out, "\n%s:\n", pick_languages[i].title);
    for (char *line = text, *end; *line; line = end + 1) {
      end = strchr(line, '\n');
      fprintf(out, "    %.*s\n", (int)(end - line), line);
    }
    free(text);
  }
}

static const pick_row *most_accurate(const pick *p) {
  const bool by_ulp = isfinite(p->o->max_ulp);
  const pick_row *best = NULL;
  for (size_t i = 0; i < p->n; i++) {
    const pick_row *r = &p->rows[i];
    if (impl_verified(r->verified) && (!best || (by_ulp ? r->ulp < best->ulp : r->max_abs < best->max_abs)))
      best = r;
  }
  return best;
}

void pick_print_why(const pick *p, FILE *out) {
  const char *noisy = "; the machine is too noisy to tell them apart";
  const char *compared = p->rows_compared < p->o->table.to - p->o->table.from ? " on the rows that were compared" : "";
  char behind[48];
  size_t within = 0;
  for (size_t i = 0; i < p->n; i++)
    within += p->rows[i].within;
  if (p->o->recipe && !p->recipe)
    fprintf(out, "none: %s", p->recipe_why);
  else if (p->error)
    fprintf(out, "none: nothing could be measured: %s", p->error);
  else if (within == 0) {
    const pick_row *best = most_accurate(p);
    fprintf(out, "none is within the budget");
    if (best)
      fprintf(out, "; the most accurate is %s, with %.7g ULP and %.2e absolute", best->impl->name, best->ulp,
          best->max_abs);
  } else if (p->o->recipe)
    fprintf(out, "the one that rounds so: %s", p->recipe_why);
  else if (within == 1)
    fprintf(out, "the only one within the budget%s", compared);
  else if (p->chosen != p->fastest)
    fprintf(out,
        "%s behind %s, the fastest of the %zu within the budget%s: a tie, which goes to the one listed first, the "
        "simpler%s",
        percent(p->chosen, behind), p->fastest->impl->name, within, compared,
        p->chosen->against.unsure > 0.1 ? noisy : "");
  else if (p->next->against.tie)
    fprintf(out,
        "the fastest of the %zu within the budget%s; %s is %s behind: a tie, which goes to the one listed first, "
        "the simpler%s",
        within, compared, p->next->impl->name, percent(p->next, behind), p->next->against.unsure > 0.1 ? noisy : "");
  else
    fprintf(out, "the fastest of the %zu within the budget%s; %s takes %s longer", within, compared,
        p->next->impl->name, percent(p->next, behind));
}

/* The name for programs; and where that is not the family's, what the family's would cost here. */
static void print_name(const pick *p, FILE *out) {
  char name[96], family[FAMILY_SIZE];
  pick_portable_name(p->chosen->impl, name, sizeof name);
  family_of(p->chosen->impl, family);
  if (strcmp(name, family) == 0 && strcmp(name, p->chosen->impl->name) != 0)
    fprintf(out, "Ask for it as \"%s\": on another CPU that is the member of its family that runs best there.\n", name);
  for (size_t i = 0; i < p->n && strcmp(name, family) != 0; i++)
    if (p->rows[i].impl == posenc_impl_find(family) && p->rows[i].time.n > 0) {
      char behind[48];
      fprintf(out, "It needs %s. \"%s\", which is %s here, would take %s longer, and runs elsewhere too.\n",
          p->chosen->impl->isa, family, p->rows[i].impl->name, percent(&p->rows[i], behind));
    }
}

bool pick_print_text(const pick *p, FILE *out) {
  print_question(p, out);
  print_rows(p, out);
  fprintf(out, "\nPick: %s%s", p->chosen ? p->chosen->impl->name : "", p->chosen ? ", " : "");
  pick_print_why(p, out);
  fputc('\n', out);
  if (p->chosen) {
    print_name(p, out);
    print_import(p, out);
  }
  return true;
}

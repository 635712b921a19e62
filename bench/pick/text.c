#include "pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../verify/campaign/family.h"
#include "../../verify/cli/machine.h"
#include "../../verify/reference/columns.h"
#include "../../verify/reference/formats.h"

static void print_question(const pick *p, FILE *out) {
  const posenc_spec *s = &p->spec;
  const spec_options *t = &p->o->table;
  const int64_t count = t->to - t->from;
  char cpu[256];
  fprintf(out, "%s, d_model %" PRId64 ", positions %" PRId64 " to %" PRId64 ", %s, base %g",
      t->preset ? t->preset : "paper", s->d_model, t->from, t->to - 1, format_of(s->dtype)->long_name, s->base);
  spec_print_changes(out, s);
  fputs("\nbudget: ", out);
  if (p->o->recipe)
    fprintf(out, "the framework's own roundings; %s", p->recipe_why);
  if (isfinite(p->o->max_ulp))
    fprintf(out, "at most %g ULP%s", p->o->max_ulp, isfinite(p->o->max_abs) ? ", " : "");
  if (isfinite(p->o->max_abs))
    fprintf(out, "at most %g absolute", p->o->max_abs);
  if (p->rows_compared == count)
    fprintf(out, "\nverified against MPFR: all %" PRId64 " rows\n", count);
  else
    fprintf(out,
        "\nverified against MPFR: %" PRId64 " of %" PRId64
        " rows, spread over the table; errors of other rows may be larger\n",
        p->rows_compared, count);
  machine_cpu(cpu, sizeof cpu);
  fprintf(out, "measured on %s, %s, %s build; one core; output at %d modulo 64", cpu, machine_compiler(),
      machine_build_type(), (int)p->o->at->bytes);
  if (p->shape.positions < count)
    fprintf(out, "; only the first %" PRId64 " rows were written", p->shape.positions);
  fputs("\n\n", out);
}

static int faster_first(const void *a, const void *b) {
  const pick_row *x = *(const pick_row *const *)a, *y = *(const pick_row *const *)b;
  if (x->n > 0 && y->n > 0)
    return (x->ns > y->ns) - (x->ns < y->ns);
  return (x->n == 0) - (y->n == 0);
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
  fprintf(out,
      isnan(r->ulp)    ? "         -         -"
      : r->ulp < 10000 ? " %9.7g %9.2e"
                       : " %9.2e %9.2e",
      r->ulp, r->max_abs);
  if (r->n == 0) {
    fprintf(out, "  %s\n", r->reason);
    return;
  }
  fprintf(out, " %11.3f %8.3g", r->ns, size / r->ns);
  fprintf(out, isnan(r->spread) ? "      -" : " %6.2g", size / r->ns * r->spread / r->ns);
  fprintf(out, isnan(r->of_limit) ? "         -" : " %7.1f %%", 100 * r->of_limit);
  if (r == p->fastest)
    fputs("  fastest\n", out);
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

static void print_why_fastest(const pick *p, FILE *out) {
  const char *compared = p->rows_compared < p->o->table.to - p->o->table.from ? " on the rows that were compared" : "";
  const pick_row *other = p->chosen == p->fastest ? p->next : p->chosen;
  char behind[48];
  size_t within = 0;
  for (size_t i = 0; i < p->n; i++)
    within += p->rows[i].within;
  if (within == 1) {
    fprintf(out, "the only one within the budget%s", compared);
    return;
  }
  if (p->chosen == p->fastest)
    fprintf(out, "the fastest of the %zu within the budget%s; %s takes", within, compared, other->impl->name);
  else
    fprintf(out, "one of the %zu within the budget%s; it takes", within, compared);
  fprintf(out, " %s longer", percent(other, behind));
  if (p->chosen != p->fastest)
    fprintf(out, " than %s, the fastest", p->fastest->impl->name);
  if (other->against.tie)
    fputs(": a tie, which goes to the one listed first, the simpler", out);
}

void pick_print_why(const pick *p, FILE *out) {
  const pick_row *best = most_accurate(p);
  if (p->o->recipe && !p->recipe)
    fprintf(out, "none: %s", p->recipe_why);
  else if (p->error)
    fprintf(out, "none: nothing could be measured: %s", p->error);
  else if (p->chosen && p->o->recipe)
    fprintf(out, "the one that rounds so: %s", p->recipe_why);
  else if (p->chosen)
    print_why_fastest(p, out);
  else if (best)
    fprintf(out, "none is within the budget; the most accurate is %s, with %.7g ULP and %.2e absolute",
        best->impl->name, best->ulp, best->max_abs);
  else
    fputs("none is within the budget", out);
}

/* The name for programs; and where that is not the family's, what the family's would cost here. */
static void print_name(const pick *p, FILE *out) {
  char name[96], family[FAMILY_SIZE], behind[48];
  pick_portable_name(p->chosen->impl, name, sizeof name);
  family_of(p->chosen->impl, family);
  if (strcmp(name, family) == 0 && strcmp(name, p->chosen->impl->name) != 0)
    fprintf(out, "Ask for it as \"%s\": on another CPU that is the member of its family that runs best there.\n", name);
  for (size_t i = 0; i < p->n && strcmp(name, family) != 0; i++)
    if (p->rows[i].impl == posenc_impl_find(family) && p->rows[i].n > 0)
      fprintf(out, "It needs %s. \"%s\", which is %s here, would take %s longer, and runs elsewhere too.\n",
          p->chosen->impl->isa, family, p->rows[i].impl->name, percent(&p->rows[i], behind));
}

static void print_use(const pick *p, FILE *out) {
  static const char *const titles[] = {"C", "CMake", "pkg-config", "Python"};
  cJSON *use = pick_use(p);
  int i = 0;
  for (const cJSON *text = use->child; text; text = text->next) {
    fprintf(out, "\n%s:\n", titles[i++]);
    for (char *line = strtok(text->valuestring, "\n"); line; line = strtok(NULL, "\n"))
      fprintf(out, "    %s\n", line);
  }
  cJSON_Delete(use);
}

bool pick_print_text(const pick *p, FILE *out) {
  print_question(p, out);
  print_rows(p, out);
  fprintf(out, "\nPick: %s%s", p->chosen ? p->chosen->impl->name : "", p->chosen ? ", " : "");
  pick_print_why(p, out);
  fputc('\n', out);
  if (p->chosen) {
    print_name(p, out);
    print_use(p, out);
  }
  return true;
}

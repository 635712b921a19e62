#include "pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../verify/columns.h"
#include "../verify/formats.h"
#include "../verify/machine.h"

static void print_question(const pick *p, FILE *out)
{
  const posenc_spec *s = &p->spec;
  const spec_options *t = &p->o->shape;
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
  fprintf(out, "verified against MPFR: %s%lld of %lld rows\n", p->rows_compared == count ? "all " : "", (long long)p->rows_compared,
          (long long)count);
  machine_cpu(cpu, sizeof cpu);
  fprintf(out, "measured on %s, %s, %s build; one core; output at %d modulo 64", cpu, machine_compiler(), machine_build_type(),
          (int)p->o->places[0].offset);
  if (p->shape.positions < count)
    fprintf(out, "; the first %lld rows, a GiB", (long long)p->shape.positions);
  fprintf(out, "\n\n");
}

static int faster_first(const void *a, const void *b)
{
  const pick_row *x = *(const pick_row *const *)a, *y = *(const pick_row *const *)b;
  if (x->time.n > 0 && y->time.n > 0)
    return (x->time.ns > y->time.ns) - (x->time.ns < y->time.ns);
  return (x->time.n == 0) - (y->time.n == 0);
}

static void print_row(const pick *p, const pick_row *r, FILE *out)
{
  const double size = (double)posenc_dtype_size((posenc_dtype)p->spec.dtype);
  fprintf(out, "%-18s", r->impl->name);
  if (isnan(r->ulp))
    fprintf(out, " %9s %9s", "-", "-");
  else
    fprintf(out, r->ulp < 10000 ? " %9.4g %9.1e" : " %9.1e %9.1e", r->ulp, r->max_abs);
  if (r->time.n == 0) {
    fprintf(out, "  %s\n", r->reason);
    return;
  }
  const double gb_s = size / r->time.ns;
  fprintf(out, " %11.3f %8.2f %6.2f", r->time.ns, gb_s, gb_s * r->time.spread / r->time.ns);
  if (isnan(p->limit_gb_s))
    fprintf(out, " %9s", "-");
  else
    fprintf(out, " %7.1f %%", 100 * gb_s / p->limit_gb_s);
  if (r == p->fastest)
    fprintf(out, "  fastest\n");
  else if (isnan(r->unsure))
    fprintf(out, "  %.0f %% longer\n", 100 * r->behind);
  else
    fprintf(out, "  %.1f +- %.1f %% longer%s\n", 100 * r->behind, 100 * r->unsure, pick_ties(p, r) ? ": a tie" : "");
}

static void print_rows(const pick *p, FILE *out)
{
  const pick_row **sorted = bench_alloc(p->n * sizeof *sorted);
  for (size_t i = 0; i < p->n; i++)
    sorted[i] = &p->rows[i];
  qsort(sorted, p->n, sizeof *sorted, faster_first);
  fprintf(out, "%-18s %9s %9s %11s %8s %6s %9s  %s\n", "implementation", "max ULP", "max error", "ns/element", "GB/s", "+-", "of limit",
          "against the fastest");
  for (size_t i = 0; i < p->n; i++)
    print_row(p, sorted[i], out);
  free(sorted);
}

static void print_import(const pick *p, FILE *out)
{
  static const char *const titles[] = {"C", "CMake", "pkg-config", "Python"};
  static const char *const languages[] = {"c", "cmake", "pkg_config", "python"};
  for (size_t i = 0; i < 4; i++) {
    char *text = pick_import(p, languages[i]);
    fprintf(out, "\n%s:\n", titles[i]);
    for (char *line = text, *end; *line; line = end + 1) {
      end = strchr(line, '\n');
      fprintf(out, "    %.*s\n", (int)(end - line), line);
    }
    free(text);
  }
}

void pick_print_why(const pick *p, FILE *out)
{
  size_t within = 0, measured = 0;
  for (size_t i = 0; i < p->n; i++) {
    within += p->rows[i].within;
    measured += p->rows[i].time.n > 0;
  }
  if (p->o->recipe && !p->recipe)
    fprintf(out, "none: %s", p->recipe_why);
  else if (within == 0) {
    const pick_row *best = NULL;
    for (size_t i = 0; i < p->n; i++)
      if (impl_verified(p->rows[i].verified) && (!best || p->rows[i].max_abs < best->max_abs))
        best = &p->rows[i];
    fprintf(out, "none is within the budget");
    if (best)
      fprintf(out, "; the most accurate is %s, with %.4g ULP and %.1e absolute", best->impl->name, best->ulp, best->max_abs);
  } else if (!p->chosen)
    fprintf(out, "none: nobody could be measured (see above)");
  else if (p->o->recipe)
    fprintf(out, "the one that rounds so: %s", p->recipe_why);
  else if (measured == 1)
    fprintf(out, "the only one within the budget");
  else if (p->chosen != p->fastest)
    fprintf(out, "%.1f +- %.1f %% behind %s, the fastest of the %zu within the budget: a tie, which the simpler one wins",
            100 * p->chosen->behind, 100 * p->chosen->unsure, p->fastest->impl->name, within);
  else if (pick_ties(p, p->next))
    fprintf(out, "the fastest of the %zu within the budget; %s ties with it (%.1f +- %.1f %% behind), and is not simpler", within,
            p->next->impl->name, 100 * p->next->behind, 100 * p->next->unsure);
  else
    fprintf(out, "the fastest of the %zu within the budget; %s takes %.1f +- %.1f %% longer", within, p->next->impl->name,
            100 * p->next->behind, 100 * p->next->unsure);
}

void pick_print_text(const pick *p, FILE *out)
{
  char name[96];
  print_question(p, out);
  print_rows(p, out);
  fprintf(out, "\nPick: %s%s", p->chosen ? p->chosen->impl->name : "", p->chosen ? ", " : "");
  pick_print_why(p, out);
  fputc('\n', out);
  if (!p->chosen)
    return;
  pick_portable_name(p->chosen->impl, name, sizeof name);
  if (strcmp(name, p->chosen->impl->name) != 0)
    fprintf(out, "Ask for it as \"%s\": that is the best one of its kind on every machine.\n", name);
  print_import(p, out);
}

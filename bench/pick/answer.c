#define _GNU_SOURCE /* open_memstream */
#include "pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../verify/cli/machine_json.h"
#include "../../verify/reference/columns.h"
#include "../../verify/reference/formats.h"

/* JSON has no NAN and no infinity; cJSON writes null for both. */
static void add_table(cJSON *root, const pick *p) {
  const spec_options *t = &p->o->table;
  cJSON *o = cJSON_AddObjectToObject(root, "table");
  cJSON_AddStringToObject(o, "preset", t->preset ? t->preset : "paper");
  cJSON_AddNumberToObject(o, "d_model", (double)p->spec.d_model);
  cJSON_AddNumberToObject(o, "from", (double)t->from);
  cJSON_AddNumberToObject(o, "to", (double)t->to);
  cJSON_AddStringToObject(o, "dtype", dtype_name(p->spec.dtype));
  cJSON_AddNumberToObject(o, "base", p->spec.base);
  cJSON_AddNumberToObject(o, "denominator", spec_denominator(&p->spec));
  cJSON_AddNumberToObject(o, "position_scale", spec_scale(&p->spec));
  cJSON_AddStringToObject(o, "layout", layout_name(p->spec.layout));
  cJSON_AddStringToObject(o, "order", order_name(p->spec.order));
  cJSON_AddStringToObject(o, "odd", odd_name(p->spec.odd));
  cJSON_AddNumberToObject(o, "rows_compared", (double)p->rows_compared);
  cJSON_AddBoolToObject(o, "sampled", p->rows_compared < t->to - t->from);
  cJSON_AddNumberToObject(o, "rows_measured", (double)p->shape.positions);
}

static void add_candidate(cJSON *list, const pick *p, const pick_row *r) {
  cJSON *o = cJSON_CreateObject();
  cJSON_AddItemToArray(list, o);
  cJSON_AddStringToObject(o, "name", r->impl->name);
  cJSON_AddBoolToObject(o, "verified", impl_verified(r->verified));
  cJSON_AddNumberToObject(o, "ulp_max", r->ulp);
  cJSON_AddNumberToObject(o, "max_abs", r->max_abs);
  cJSON_AddBoolToObject(o, "within", r->within);
  if (r->reason[0])
    cJSON_AddStringToObject(o, "reason", r->reason);
  if (r->n == 0)
    return;
  cJSON_AddNumberToObject(o, "turns", r->n);
  cJSON_AddNumberToObject(o, "ns_per_element", r->ns);
  cJSON_AddNumberToObject(o, "spread", r->spread);
  cJSON_AddNumberToObject(o, "gb_s", (double)posenc_dtype_size((posenc_dtype)p->spec.dtype) / r->ns);
  cJSON_AddNumberToObject(o, "of_limit", r->of_limit);
  cJSON_AddNumberToObject(o, "behind", r->against.behind);
  cJSON_AddNumberToObject(o, "unsure", r->against.unsure);
  cJSON_AddBoolToObject(o, "ties", r->against.tie);
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
  size_t within = 0;
  for (size_t i = 0; i < p->n; i++)
    within += p->rows[i].within;
  if (p->chosen != p->fastest)
    fprintf(out, "simpler than %s, the fastest of the %zu within the budget%s, and a tie with it",
        p->fastest->impl->name, within, compared);
  else if (p->next)
    fprintf(out, "the fastest of the %zu within the budget%s; %s takes %.1f +- %.1f %% longer%s", within, compared,
        p->next->impl->name, 100 * p->next->against.behind, 100 * p->next->against.unsure,
        p->next->against.tie                                     ? ", a tie, and is not simpler"
        : strcmp(compare_word(p->next->against), "unclear") == 0 ? ": not told apart"
                                                                 : "");
  else
    fprintf(out, "the only one within the budget%s", compared);
}

/* A sentence without an end. */
static void print_why(const pick *p, FILE *out) {
  const pick_row *best = most_accurate(p);
  if (p->o->recipe && !p->recipe)
    fprintf(out, "none: %s", p->recipe_why);
  else if (p->error[0])
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

static void add_choice(cJSON *root, const pick *p) {
  char name[96], *why = NULL;
  size_t size;
  FILE *f = open_memstream(&why, &size);
  if (!f)
    out_of_memory("for a text");
  print_why(p, f);
  fclose(f);
  cJSON_AddStringToObject(root, "why", why);
  free(why);
  if (p->error[0])
    cJSON_AddStringToObject(root, "error", p->error);
  if (!p->chosen) {
    cJSON_AddNullToObject(root, "pick");
    return;
  }
  cJSON_AddStringToObject(root, "pick", p->chosen->impl->name);
  cJSON_AddStringToObject(root, "ask_for", pick_portable_name(p->chosen->impl, name, sizeof name));
  cJSON_AddBoolToObject(root, "tie", p->chosen != p->fastest || (p->next && p->next->against.tie));
  cJSON_AddItemToObject(root, "use", pick_use(p));
}

cJSON *pick_answer(const pick *p) {
  cJSON *root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "schema", 1);
  cJSON_AddStringToObject(root, "tool", "posenc-bench --pick");
  cJSON_AddStringToObject(root, "version", posenc_version());
  add_table(root, p);
  cJSON *budget = cJSON_AddObjectToObject(root, "budget");
  cJSON_AddBoolToObject(budget, "recipe", p->o->recipe);
  cJSON_AddNumberToObject(budget, "max_ulp", p->o->max_ulp);
  cJSON_AddNumberToObject(budget, "max_abs", p->o->max_abs);
  cJSON_AddNumberToObject(machine_add(root), "offset", (double)p->o->at->bytes);
  cJSON *list = cJSON_AddArrayToObject(root, "implementations");
  for (size_t i = 0; i < p->n; i++)
    add_candidate(list, p, &p->rows[i]);
  add_choice(root, p);
  return root;
}

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "identify.h"
#include "numbers.h"

static const char *stored(const table *t)
{
  return number_kinds[t->array.layout.dtype].name;
}

static void print_presets(const reading *r)
{
  for (size_t i = 0; i < r->n_presets; i++)
    printf("%s%s", i ? ", " : "", r->presets[i]);
  if (r->n_presets > 1)
    printf(" (here all the same)");
}

static void print_finding(const finding *f)
{
  printf("preset      ");
  print_presets(f->r);
  if (f->r->n > 1)
    printf("\nbase        %.17g%s\n", f->base, f->digits > FINDING_ROUND ? " (about: no round number)" : "");
  else
    printf("\nbase        any: the only frequency is 1\n");
  printf("first       %" PRId64 "\narithmetic  ", f->first);
  const char *separator = "";
  for (int a = 0; a < ARITHMETICS; a++)
    if (distance_is_named(f->distances, (arithmetic)a)) {
      printf("%s%s", separator, arithmetic_names[a]);
      separator = ", or ";
    }
  printf("%s\n\n", distance_is_none(f->distances) ? ": all bits are equal" : ": the nearest; not all bits are equal");
  printf("distance to            max |difference|   equal bits   formed as\n");
  for (int a = 0; a < ARITHMETICS; a++) {
    const distance *d = &f->distances[a];
    if (d->how)
      printf("%-22s %16.3e %10.4f %%   %s\n", arithmetic_names[a], d->most, 100.0 * (double)d->equal / (double)d->among,
             d->how->text);
    else
      printf("%-22s %16s %12s   has no such base\n", arithmetic_names[a], "-", "-");
  }
}

void report_text(const verdict *v)
{
  const table *t = v->t;
  printf("%s: %" PRId64 " rows of %" PRId64 " columns, %s", strcmp(v->path, "-") == 0 ? "standard input" : v->path, t->rows,
         t->columns, stored(t));
  if (t->dtype != t->array.layout.dtype)
    printf(" with %s values", number_kinds[t->dtype].name);
  printf("\n");
  if (t->blank >= 0)
    printf("row %" PRId64 " is all zeros, as fairseq's row of padding_idx, and was left out\n", t->blank);
  if (v->n_findings == 0)
    printf("\nnot identified: %s\n", v->reason);
  for (size_t i = 0; i < v->n_findings; i++) {
    printf("\n");
    print_finding(&v->findings[i]);
  }
  for (size_t i = 0; i < v->n_others; i++) {
    printf("%sthe same table  ", i == 0 ? "\n" : "");
    print_presets(v->others[i].r);
    printf(", base %.17g, first %" PRId64 "\n", v->others[i].base, v->others[i].first);
  }
}

/* ---- JSON -------------------------------------------------------------------------------------------------- */

static void json_string(const char *text)
{
  putchar('"');
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    if (*c == '"' || *c == '\\')
      printf("\\%c", *c);
    else if (*c < ' ')
      printf("\\u%04x", *c);
    else
      putchar(*c);
  putchar('"');
}

static void json_place(const finding *f)
{
  printf("\"presets\": [");
  for (size_t i = 0; i < f->r->n_presets; i++) {
    printf("%s", i ? ", " : "");
    json_string(f->r->presets[i]);
  }
  printf("], \"base\": ");
  if (f->r->n > 1)
    printf("%.17g, \"base_is_round\": %s", f->base, f->digits > FINDING_ROUND ? "false" : "true");
  else
    printf("null");
  printf(", \"first\": %" PRId64, f->first);
}

static void json_finding(const finding *f)
{
  printf("    {");
  json_place(f);
  printf(",\n     \"arithmetic\": [");
  const char *separator = "";
  for (int a = 0; a < ARITHMETICS; a++)
    if (distance_is_named(f->distances, (arithmetic)a)) {
      printf("%s\"%s\"", separator, arithmetic_names[a]);
      separator = ", ";
    }
  printf("], \"all_bits_equal\": %s,\n     \"distances\": [", distance_is_none(f->distances) ? "true" : "false");
  separator = "\n";
  for (int a = 0; a < ARITHMETICS; a++) {
    const distance *d = &f->distances[a];
    if (!d->how)
      continue;
    printf("%s       {\"arithmetic\": \"%s\", \"form\": \"%s\", \"max_difference\": %.17g, \"equal_bits\": %.17g}", separator,
           arithmetic_names[a], d->how->text, d->most, (double)d->equal / (double)d->among);
    separator = ",\n";
  }
  printf("]}");
}

void report_json(const verdict *v)
{
  const table *t = v->t;
  printf("{\n  \"schema\": 1,\n  \"tool\": \"posenc-table\",\n  \"file\": ");
  json_string(v->path);
  printf(",\n  \"rows\": %" PRId64 ",\n  \"columns\": %" PRId64 ",\n  \"stored\": \"%s\",\n  \"dtype\": \"%s\",\n", t->rows,
         t->columns, stored(t), number_kinds[t->dtype].name);
  if (t->blank >= 0)
    printf("  \"padding_row\": %" PRId64 ",\n", t->blank);
  printf("  \"identified\": %s,\n", v->n_findings > 0 ? "true" : "false");
  if (v->n_findings == 0) {
    printf("  \"reason\": ");
    json_string(v->reason);
    printf("\n}\n");
    return;
  }
  printf("  \"candidates\": [\n");
  for (size_t i = 0; i < v->n_findings; i++) {
    printf("%s", i ? ",\n" : "");
    json_finding(&v->findings[i]);
  }
  printf("],\n  \"other_names\": [");
  for (size_t i = 0; i < v->n_others; i++) {
    printf("%s\n    {", i ? "," : "");
    json_place(&v->others[i]);
    printf("}");
  }
  printf("]\n}\n");
}

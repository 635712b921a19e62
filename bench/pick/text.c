/* The answer as text. */
#include "pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cJSON *of(const cJSON *object, const char *key) { return cJSON_GetObjectItemCaseSensitive(object, key); }

/* NAN for null, and for what is not there. */
static double number(const cJSON *object, const char *key) {
  const cJSON *n = of(object, key);
  return cJSON_IsNumber(n) ? n->valuedouble : (double)NAN;
}

/* "table: preset paper, d_model 512"; without what is null, infinite or false. */
static void print_facts(const cJSON *object, FILE *out) {
  const char *separator = ":";
  fputs(object->string, out);
  for (const cJSON *fact = object->child; fact; fact = fact->next) {
    if (cJSON_IsNull(fact) || cJSON_IsFalse(fact) || isinf(fact->valuedouble))
      continue;
    fprintf(out, "%s %s", separator, fact->string);
    if (cJSON_IsNumber(fact))
      fprintf(out, " %.15g", fact->valuedouble);
    else if (cJSON_IsString(fact))
      fprintf(out, " %s", fact->valuestring);
    separator = ",";
  }
  fputc('\n', out);
}

static void print_row(const cJSON *row, FILE *out) {
  static const struct {
    const char *key, *format;
    double factor;
  } columns[] = {
      {"ulp_max", " %12.7g", 1},
      {"max_abs", " %9.2e", 1},
      {"ns_per_element", " %11.3f", 1},
      {"spread", " %6.3f", 1},
      {"gb_s", " %8.3g", 1},
      {"of_limit", " %7.1f %%", 100},
      {"behind", " %8.1f", 100},
      {"unsure", " +- %.1f %%", 100},
  };
  fprintf(out, "%-18s", of(row, "name")->valuestring);
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    if (!isnan(number(row, columns[i].key)))
      fprintf(out, columns[i].format, columns[i].factor * number(row, columns[i].key));
  const char *reason = cJSON_GetStringValue(of(row, "reason"));
  if (reason)
    fprintf(out, "  %s", reason);
  else if (cJSON_IsTrue(of(row, "ties")))
    fputs(number(row, "behind") == 0 ? ": fastest" : ": a tie", out);
  fputc('\n', out);
}

static int faster_first(const void *a, const void *b) {
  const double x = number(*(const cJSON *const *)a, "ns_per_element"),
               y = number(*(const cJSON *const *)b, "ns_per_element");
  return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x > y) - (x < y);
}

static void print_rows(const cJSON *list, FILE *out) {
  const int n = cJSON_GetArraySize(list);
  const cJSON **sorted = must_calloc(n, sizeof *sorted), *row;
  int i = 0;
  cJSON_ArrayForEach (row, list)
    sorted[i++] = row;
  qsort(sorted, (size_t)n, sizeof *sorted, faster_first);
  fprintf(out, "\n%-18s %12s %9s %11s %6s %8s %9s %s\n", "implementation", "max ULP", "max error", "ns/element", "+-",
      "GB/s", "of limit", "longer than the fastest");
  for (i = 0; i < n; i++)
    print_row(sorted[i], out);
  free(sorted);
}

void pick_print_text(const cJSON *answer, FILE *out) {
  const char *picked = cJSON_GetStringValue(of(answer, "pick")), *name = cJSON_GetStringValue(of(answer, "ask_for"));
  print_facts(of(answer, "table"), out);
  print_facts(of(answer, "budget"), out);
  print_facts(of(answer, "machine"), out);
  print_rows(of(answer, "implementations"), out);
  fprintf(out, "\nPick: %s%s%s\n", picked ? picked : "", picked ? ", " : "", of(answer, "why")->valuestring);
  if (picked && strcmp(picked, name) != 0)
    fprintf(out, "Ask for it as \"%s\": on another CPU that is the member of its family that runs best there.\n", name);
  const cJSON *text;
  cJSON_ArrayForEach (text, of(answer, "use"))
    fprintf(out, "\n%s:\n%s", text->string, text->valuestring);
}

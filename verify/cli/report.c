#include "report.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "../reference/columns.h"
#include "../tools/machine.h"
#include "../tools/spec.h"

/* When cJSON runs out of memory it returns NULL, and its later calls accept that. */
static cJSON *append(cJSON *array) {
  cJSON *o = cJSON_CreateObject();
  cJSON_AddItemToArray(array, o);
  return o;
}

static void add_text(void *object, const char *key, const char *text_or_null) {
  cJSON_AddItemToObject(object, key, text_or_null ? cJSON_CreateString(text_or_null) : cJSON_CreateNull());
}

static void add_hex(cJSON *object, const char *key, double value) {
  char text[40];
  snprintf(text, sizeof text, "%a", value);
  cJSON_AddStringToObject(object, key, text);
}

static void add_witness(cJSON *range, const char *key, const witness *w) {
  cJSON *o = cJSON_AddObjectToObject(range, key);
  cJSON_AddNumberToObject(o, "position", w->position);
  cJSON_AddNumberToObject(o, "column", (double)w->column);
  add_hex(o, "got", w->got);
  add_hex(o, "want", w->want);
  cJSON_AddNumberToObject(o, "error", w->error);
  cJSON_AddNumberToObject(o, "bound", w->bound);
}

static void add_range(cJSON *o, const segment *s, const verdict *v) {
  const posenc_spec *spec = &s->spec;
  cJSON_AddStringToObject(o, "shape", s->shape);
  cJSON_AddNumberToObject(o, "d_model", (double)spec->d_model);
  if (spec->freqs) {
    cJSON_AddBoolToObject(o, "explicit_frequencies", 1);
  } else {
    cJSON_AddNumberToObject(o, "base", spec->base);
    cJSON_AddNumberToObject(o, "denominator", spec_denominator(spec));
  }
  add_text(o, "preset", s->preset);
  cJSON_AddNumberToObject(o, "position_scale", spec_scale(spec));
  cJSON_AddStringToObject(o, "layout", layout_name(spec->layout));
  cJSON_AddStringToObject(o, "order", order_name(spec->order));
  cJSON_AddStringToObject(o, "odd", odd_name(spec->odd));
  cJSON_AddStringToObject(o, "dtype", dtype_name(spec->dtype));
  cJSON_AddNumberToObject(o, "from", (double)s->from);
  cJSON_AddNumberToObject(o, "to", (double)s->to);
  cJSON_AddNumberToObject(o, "rows", (double)s->n_rows);
  cJSON_AddNumberToObject(o, "outputs", (double)v->outputs);
  cJSON_AddNumberToObject(o, "max_abs", v->worst.error);
  cJSON_AddNumberToObject(o, "ulp_max", v->ulp_max);
  cJSON_AddNumberToObject(o, "correctly_rounded", correct_share(v));
  cJSON_AddBoolToObject(o, "bound_ok", v->beyond_bound == 0);
  add_witness(o, "worst", &v->worst);
}

static void add_impl(cJSON *o, const impl_result *r, const sweep *s) {
  cJSON_AddStringToObject(o, "name", r->impl->name);
  cJSON_AddStringToObject(o, "family", r->impl->family);
  cJSON_AddStringToObject(o, "isa", r->impl->isa);
  cJSON_AddStringToObject(o, "arithmetic", r->impl->arithmetic);
  cJSON_AddStringToObject(o, "summary", r->impl->summary);
  cJSON_AddStringToObject(o, "dtypes", r->impl->dtypes);
  cJSON_AddBoolToObject(o, "supported", r->supported);
  cJSON_AddBoolToObject(o, "verified", impl_verified(r));
  add_text(o, "failure", r->failure[0] ? r->failure : NULL);
  cJSON *bound = cJSON_AddObjectToObject(o, "bound");
  cJSON_AddStringToObject(bound, "law", r->impl->bound);
  cJSON_AddStringToObject(bound, "evidence", r->impl->evidence);
  cJSON *ranges = cJSON_AddArrayToObject(o, "ranges");
  for (int64_t i = 0; i < s->count; i++)
    if (r->verdicts[i].judged)
      add_range(append(ranges), &s->segments[i], &r->verdicts[i]);
}

char *json_of(const options *o, const results *r) {
  char text[32];
  const time_t now = time(NULL);
  struct tm utc;
  cJSON *root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "schema", 1);
  cJSON_AddStringToObject(root, "tool", "posenc-verify");
  cJSON_AddStringToObject(root, "version", posenc_version());
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", gmtime_r(&now, &utc));
  cJSON_AddStringToObject(root, "date", text);
  cJSON *machine = cJSON_AddObjectToObject(root, "machine");
  machine_describe(add_text, machine);
  cJSON_AddBoolToObject(machine, "emulated", machine_emulated());
  snprintf(text, sizeof text, "%llu", (unsigned long long)o->seed); /* all its digits, which a double may not hold */
  cJSON_AddRawToObject(root, "seed", text);
  cJSON_AddStringToObject(root, "reference", "mpfr");
  cJSON *float64 = cJSON_AddObjectToObject(root, "float64_reference");
  cJSON_AddNumberToObject(float64, "max_abs", r->float64_error);
  cJSON_AddBoolToObject(float64, "law_holds", !isinf(r->float64_error));
  cJSON *impls = cJSON_AddArrayToObject(root, "implementations");
  for (size_t i = 0; i < r->n_impls; i++)
    add_impl(append(impls), &r->impls[i], &r->sweep);
  char *json = cJSON_Print(root);
  cJSON_Delete(root);
  return json;
}

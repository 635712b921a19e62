#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "../../reference/columns.h"
#include "../../reference/float64_reference.h"
#include "../../reference/formats.h"
#include "../machine_json.h"
#include "json.h"
#include "report.h"
#include "report_profile.h"

void json_add_hex(cJSON *object, const char *key, double value) {
  char text[40];
  snprintf(text, sizeof text, "%a", value);
  cJSON_AddStringToObject(object, key, text);
}

static void add_number(cJSON *array, double value) { cJSON_AddItemToArray(array, cJSON_CreateNumber(value)); }

static void add_witness(cJSON *object, const char *key, const witness *w) {
  cJSON *o = cJSON_AddObjectToObject(object, key);
  cJSON_AddNumberToObject(o, "position", (double)w->position);
  cJSON_AddNumberToObject(o, "column", (double)w->column);
  json_add_hex(o, "got", w->got);
  json_add_hex(o, "want", w->want);
  cJSON_AddNumberToObject(o, "error", w->error);
  cJSON_AddNumberToObject(o, "bound", w->bound);
}

static void add_shape(cJSON *o, const segment *s) {
  cJSON_AddStringToObject(o, "shape", s->shape);
  cJSON_AddNumberToObject(o, "d_model", (double)s->spec.d_model);
  if (s->spec.freqs) {
    cJSON_AddBoolToObject(o, "explicit_frequencies", 1);
  } else {
    cJSON_AddNumberToObject(o, "base", s->spec.base);
    cJSON_AddNumberToObject(o, "denominator", spec_denominator(&s->spec));
  }
  if (s->preset)
    cJSON_AddStringToObject(o, "preset", s->preset);
  else
    cJSON_AddNullToObject(o, "preset");
  cJSON_AddNumberToObject(o, "position_scale", spec_scale(&s->spec));
  cJSON_AddStringToObject(o, "layout", layout_name(s->spec.layout));
  cJSON_AddStringToObject(o, "order", order_name(s->spec.order));
  cJSON_AddStringToObject(o, "odd", odd_name(s->spec.odd));
  cJSON_AddStringToObject(o, "dtype", dtype_name(s->spec.dtype));
  cJSON_AddNumberToObject(o, "from", (double)s->from);
  cJSON_AddNumberToObject(o, "to", (double)s->to);
  cJSON_AddNumberToObject(o, "rows", (double)s->n_rows);
}

static void add_range(cJSON *ranges, const segment *s, const verdict *v) {
  cJSON *o = cJSON_CreateObject();
  cJSON_AddItemToArray(ranges, o);
  add_shape(o, s);
  cJSON_AddNumberToObject(o, "outputs", (double)v->outputs);
  cJSON_AddNumberToObject(o, "max_abs", v->max_abs);
  cJSON_AddNumberToObject(o, "ulp_p50", v->ulp_p50);
  cJSON_AddNumberToObject(o, "ulp_p99", v->ulp_p99);
  cJSON_AddNumberToObject(o, "ulp_max", v->ulp_max);
  cJSON *bands = cJSON_AddArrayToObject(o, "ulp_bands");
  for (int i = 0; i < VERDICT_BANDS; i++)
    add_number(bands, (double)v->ulp_bands[i]);
  cJSON_AddNumberToObject(o, "correctly_rounded", v->correctly_rounded);
  cJSON_AddBoolToObject(o, "bound_ok", v->bound_ok);
  add_witness(o, "worst", &v->worst);
  add_witness(o, "closest_to_bound", &v->closest);
}

static void add_impl(cJSON *impls, const impl_result *r, const sweep *s) {
  cJSON *o = cJSON_CreateObject();
  cJSON_AddItemToArray(impls, o);
  cJSON_AddStringToObject(o, "name", r->impl->name);
  cJSON_AddStringToObject(o, "isa", r->impl->isa);
  cJSON_AddStringToObject(o, "arithmetic", r->impl->arithmetic);
  cJSON_AddStringToObject(o, "summary", r->impl->summary);
  cJSON_AddStringToObject(o, "dtypes", r->impl->dtypes);
  cJSON_AddBoolToObject(o, "supported", r->supported);
  cJSON_AddBoolToObject(o, "offered", !r->not_offered);
  cJSON_AddBoolToObject(o, "verified", impl_verified(r));
  if (r->failure[0])
    cJSON_AddStringToObject(o, "failure", r->failure);
  else
    cJSON_AddNullToObject(o, "failure");
  cJSON *bound = cJSON_AddObjectToObject(o, "bound");
  cJSON_AddStringToObject(bound, "law", r->impl->bound);
  cJSON_AddStringToObject(bound, "evidence", r->impl->evidence);
  cJSON *ranges = cJSON_AddArrayToObject(o, "ranges");
  for (int64_t i = 0; i < s->count; i++)
    if (r->verdicts[i].judged)
      add_range(ranges, &s->segments[i], &r->verdicts[i]);
  profile_add_matrix(o, r, s);
}

static void add_origin(cJSON *root) {
  char text[32];
  const time_t now = time(NULL);
  struct tm utc;
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", gmtime_r(&now, &utc));
  cJSON_AddStringToObject(root, "date", text);
  machine_add(root);
}

static void add_float64_reference(cJSON *root, const results *r) {
  cJSON *o = cJSON_AddObjectToObject(root, "float64_reference");
  cJSON_AddNumberToObject(o, "good_to", (double)r->float64_good_to);
  cJSON_AddNumberToObject(o, "goal", FLOAT64_REFERENCE_GOAL);
  cJSON_AddNumberToObject(o, "d_model", (double)r->audited.d_model);
  cJSON_AddNumberToObject(o, "base", r->audited.base);
  cJSON_AddBoolToObject(o, "law_holds", audits_hold(r));
  cJSON *ranges = cJSON_AddArrayToObject(o, "ranges");
  for (int64_t i = 0; i < r->n_audits; i++) {
    cJSON *range = cJSON_CreateObject();
    cJSON_AddItemToArray(ranges, range);
    cJSON_AddNumberToObject(range, "from", (double)r->audits[i].from);
    cJSON_AddNumberToObject(range, "to", (double)r->audits[i].to);
    cJSON_AddNumberToObject(range, "max_abs", r->audits[i].max_abs);
  }
}

cJSON *json_begin(uint64_t seed, reference by) {
  cJSON *root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "schema", 1);
  cJSON_AddStringToObject(root, "tool", "posenc-verify");
  cJSON_AddStringToObject(root, "version", posenc_version());
  add_origin(root);
  /* As text where a double could not hold it: a seed is there to be typed in again. */
  if (seed <= UINT64_C(1) << 53) {
    cJSON_AddNumberToObject(root, "seed", (double)seed);
  } else {
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    cJSON_AddStringToObject(root, "seed", text);
  }
  cJSON_AddStringToObject(root, "reference", by == REFERENCE_MPFR ? "mpfr" : "float64");
  return root;
}

bool json_end(cJSON *root, FILE *out) {
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  const bool written = text && fputs(text, out) >= 0 && fputc('\n', out) != EOF && fflush(out) == 0;
  free(text);
  return written;
}

bool json_write(FILE *out, const results *r) {
  cJSON *root = json_begin(r->seed, r->by);
  add_float64_reference(root, r);
  static const double edges[VERDICT_BANDS - 1] = VERDICT_BAND_EDGES;
  cJSON_AddItemToObject(root, "ulp_band_edges", cJSON_CreateDoubleArray(edges, VERDICT_BANDS - 1));
  profile_add_edges(root, &r->sweep);
  cJSON *impls = cJSON_AddArrayToObject(root, "implementations");
  for (size_t i = 0; i < r->n_impls; i++)
    add_impl(impls, &r->impls[i], &r->sweep);
  return json_end(root, out);
}

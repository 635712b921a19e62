#include "report.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../reference/columns.h"
#include "../tools/machine.h"
#include "../tools/spec.h"

reports reports_open(const options *o) {
  reports r = {.text = stdout};
  if (o->json)
    r.json = output_open(o->json);
  if (r.json.direct == STDOUT_FILENO)
    r.text = stderr;
  return r;
}

int reports_close(const reports *r, const options *o, cJSON *root, int status) {
  char *text = o->json ? cJSON_Print(root) : NULL;
  if (ferror(r->text) || (o->json && !output_write(&r->json, text)))
    status = 2;
  free(text);
  cJSON_Delete(root);
  return status;
}

static void add_text(void *object, const char *key, const char *value) { cJSON_AddStringToObject(object, key, value); }

cJSON *json_begin(const options *o) {
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
  cJSON_AddStringToObject(root, "reference", o->by == REFERENCE_MPFR ? "mpfr" : "float64");
  return root;
}

cJSON *json_append(cJSON *array) {
  cJSON *o = cJSON_CreateObject();
  cJSON_AddItemToArray(array, o);
  return o;
}

void json_add_text(cJSON *object, const char *key, const char *text_or_null) {
  cJSON_AddItemToObject(object, key, text_or_null ? cJSON_CreateString(text_or_null) : cJSON_CreateNull());
}

void json_add_spec(cJSON *object, const posenc_spec *spec, const char *preset) {
  cJSON_AddNumberToObject(object, "d_model", (double)spec->d_model);
  if (spec->freqs) {
    cJSON_AddBoolToObject(object, "explicit_frequencies", 1);
  } else {
    cJSON_AddNumberToObject(object, "base", spec->base);
    cJSON_AddNumberToObject(object, "denominator", spec_denominator(spec));
  }
  json_add_text(object, "preset", preset);
  cJSON_AddNumberToObject(object, "position_scale", spec_scale(spec));
  cJSON_AddStringToObject(object, "layout", layout_name(spec->layout));
  cJSON_AddStringToObject(object, "order", order_name(spec->order));
  cJSON_AddStringToObject(object, "odd", odd_name(spec->odd));
}

static void add_hex(cJSON *object, const char *key, double value) {
  char text[40];
  snprintf(text, sizeof text, "%a", value);
  cJSON_AddStringToObject(object, key, text);
}

void json_add_witness(cJSON *object, const char *key, const witness *w) {
  cJSON *o = cJSON_AddObjectToObject(object, key);
  cJSON_AddNumberToObject(o, "position", (double)w->position);
  cJSON_AddNumberToObject(o, "column", (double)w->column);
  add_hex(o, "got", w->got);
  add_hex(o, "want", w->want);
  cJSON_AddNumberToObject(o, "error", w->error);
  cJSON_AddNumberToObject(o, "bound", w->bound);
}

void json_add_verdict(cJSON *object, const segment *s, const verdict *v) {
  cJSON_AddNumberToObject(object, "from", (double)s->from);
  cJSON_AddNumberToObject(object, "to", (double)s->to);
  cJSON_AddNumberToObject(object, "rows", (double)s->n_rows);
  cJSON_AddNumberToObject(object, "outputs", (double)v->outputs);
  cJSON_AddNumberToObject(object, "max_abs", v->max_abs);
  cJSON_AddNumberToObject(object, "ulp_max", v->ulp_max);
  cJSON_AddNumberToObject(object, "correctly_rounded", correct_share(v));
  json_add_witness(object, "worst", &v->worst);
}

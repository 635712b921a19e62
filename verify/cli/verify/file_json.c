/* The judgements as JSON. It has no infinity: max_abs and ulp_max are null where they are infinite. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

#include "../../reference/columns.h"
#include "../../reference/formats.h"
#include "file.h"
#include "json.h"

static void add_range(cJSON *ranges, const range_error *r) {
  cJSON *o = cJSON_CreateObject();
  cJSON_AddItemToArray(ranges, o);
  cJSON_AddNumberToObject(o, "from", (double)r->from);
  cJSON_AddNumberToObject(o, "to", (double)r->to);
  cJSON_AddNumberToObject(o, "rows", (double)r->rows);
  cJSON_AddNumberToObject(o, "outputs", (double)r->outputs);
  cJSON_AddNumberToObject(o, "max_abs", r->max_abs);
  cJSON_AddNumberToObject(o, "ulp_max", r->ulp_max);
  cJSON_AddNumberToObject(o, "correctly_rounded", (double)r->correct / (double)r->outputs);
  cJSON_AddStringToObject(o, "word", r->word);
  cJSON *worst = cJSON_AddObjectToObject(o, "worst");
  cJSON_AddNumberToObject(worst, "position", (double)r->position);
  cJSON_AddNumberToObject(worst, "column", (double)r->column);
  json_add_hex(worst, "got", r->got);
  json_add_hex(worst, "want", r->want);
}

static void add_table(cJSON *tables, const judgement *j, const char *preset) {
  cJSON *o = cJSON_CreateObject();
  cJSON_AddItemToArray(tables, o);
  cJSON_AddStringToObject(o, "name", j->name);
  cJSON_AddStringToObject(o, "file", j->path);
  cJSON_AddStringToObject(o, "preset", preset);
  cJSON_AddNumberToObject(o, "d_model", (double)j->spec.d_model);
  cJSON_AddStringToObject(o, "dtype", dtype_name(j->spec.dtype));
  cJSON *ranges = cJSON_AddArrayToObject(o, "ranges");
  for (int64_t i = 0; i < j->n_ranges; i++)
    add_range(ranges, &j->ranges[i]);
  cJSON_AddBoolToObject(o, "right", j->right);
  if (j->wrong)
    cJSON_AddNumberToObject(o, "wrong_from", (double)j->wrong->from);
  else
    cJSON_AddNullToObject(o, "wrong_from");
}

static void add_spec(cJSON *root, const posenc_spec *spec) {
  cJSON *o = cJSON_AddObjectToObject(root, "spec");
  cJSON_AddNumberToObject(o, "d_model", (double)spec->d_model);
  cJSON_AddNumberToObject(o, "base", spec->base);
  cJSON_AddNumberToObject(o, "denominator", spec_denominator(spec));
  cJSON_AddNumberToObject(o, "position_scale", spec_scale(spec));
  cJSON_AddStringToObject(o, "layout", layout_name(spec->layout));
  cJSON_AddStringToObject(o, "order", order_name(spec->order));
  cJSON_AddStringToObject(o, "odd", odd_name(spec->odd));
}

bool files_json(FILE *out, const options *o, const judgement *all) {
  cJSON *root = json_begin(o->seed, o->by);
  cJSON_AddNumberToObject(root, "rows", (double)o->rows);
  add_spec(root, &o->shape.spec);
  cJSON *tables = cJSON_AddArrayToObject(root, "tables");
  for (size_t i = 0; i < o->n_files; i++)
    add_table(tables, &all[i], o->shape.preset ? o->shape.preset : "paper");
  return json_end(root, out);
}

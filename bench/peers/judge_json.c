/* The judgements as JSON. It has no infinity: max_abs and ulp_max are null where they are infinite. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "../../verify/columns.h"
#include "../../verify/formats.h"
#include "../../verify/machine_json.h"
#include "judge.h"

/* cJSON writes null for an infinity. Running out of memory, it returns NULL and carries it along: only the last call can tell. */

static void add_hex(cJSON *object, const char *key, double value)
{
  char text[40];
  snprintf(text, sizeof text, "%a", value);
  cJSON_AddStringToObject(object, key, text);
}

static void add_text(cJSON *object, const char *key, const char *text)
{
  if (text)
    cJSON_AddStringToObject(object, key, text);
  else
    cJSON_AddNullToObject(object, key);
}

static void add_range(cJSON *ranges, const range_error *r)
{
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
  add_hex(worst, "got", r->got);
  add_hex(worst, "want", r->want);
}

static void add_table(cJSON *tables, const judgement *j, const char *preset)
{
  const subject *s = j->of;
  cJSON *o = cJSON_CreateObject();
  cJSON_AddItemToArray(tables, o);
  cJSON_AddStringToObject(o, "name", s->name);
  add_text(o, "file", s->file);
  add_text(o, "implementation", s->impl ? s->impl->name : NULL);
  add_text(o, "preset", preset);
  cJSON_AddNumberToObject(o, "d_model", (double)s->spec.d_model);
  cJSON_AddStringToObject(o, "dtype", dtype_name(s->spec.dtype));
  cJSON *ranges = cJSON_AddArrayToObject(o, "ranges");
  for (int64_t i = 0; i < j->n_ranges; i++)
    add_range(ranges, &j->ranges[i]);
  cJSON_AddBoolToObject(o, "right", j->right);
  if (j->wrong)
    cJSON_AddNumberToObject(o, "wrong_from", (double)j->wrong->from);
  else
    cJSON_AddNullToObject(o, "wrong_from");
}

static void add_spec(cJSON *root, const posenc_spec *spec)
{
  cJSON *o = cJSON_AddObjectToObject(root, "spec");
  cJSON_AddNumberToObject(o, "d_model", (double)spec->d_model);
  cJSON_AddNumberToObject(o, "base", spec->base);
  cJSON_AddNumberToObject(o, "denominator", spec_denominator(spec));
  cJSON_AddNumberToObject(o, "position_scale", spec_scale(spec));
  cJSON_AddStringToObject(o, "layout", layout_name(spec->layout));
  cJSON_AddStringToObject(o, "order", order_name(spec->order));
  cJSON_AddStringToObject(o, "odd", odd_name(spec->odd));
}

bool judge_json(FILE *out, const judge_options *o, const judgement *all)
{
  char date[32];
  const time_t now = time(NULL);
  struct tm utc;
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S+00:00", gmtime_r(&now, &utc));
  cJSON *root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "schema", 1);
  cJSON_AddStringToObject(root, "tool", "posenc-judge");
  cJSON_AddStringToObject(root, "version", posenc_version());
  cJSON_AddStringToObject(root, "date", date);
  machine_add(root);
  cJSON_AddNumberToObject(root, "rows", (double)o->rows);
  add_spec(root, &o->shape.spec);
  cJSON *not_run = cJSON_AddArrayToObject(root, "not_run");
  for (size_t i = 0; i < o->n_absences; i++) {
    cJSON *absent = cJSON_CreateObject();
    cJSON_AddItemToArray(not_run, absent);
    cJSON_AddStringToObject(absent, "name", o->absences[i].name);
    cJSON_AddStringToObject(absent, "reason", o->absences[i].reason);
  }
  cJSON *tables = cJSON_AddArrayToObject(root, "tables");
  for (size_t i = 0; i < o->n_subjects; i++)
    add_table(tables, &all[i], o->shape.preset ? o->shape.preset : "paper");

  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  const bool written = text && fputs(text, out) >= 0 && fputc('\n', out) != EOF && fflush(out) == 0;
  free(text);
  return written;
}

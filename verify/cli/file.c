#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../reference/columns.h"
#include "../reference/formats.h"
#include "../tools/memory.h"
#include "../tools/spec.h"
#include "report.h"
#include "work.h"

/* A table and its verdicts, one for each range of positions, which is a segment of the sweep. */
typedef struct judgement {
  const char *path;
  posenc_spec spec;
  sweep ranges;
  verdict *verdicts;
  bool right;    /* in its first range it is neither drifting nor wrong */
  int64_t wrong; /* the first range that is called wrong, or -1 */
} judgement;

/* The reference values of a range. They are kept for the next table: all tables start at the same position, so most
 * have the same rows. */
static const reference_value *reference_of(const segment *s, int64_t range, const options *o) {
  static struct {
    int32_t dtype;
    int64_t from, to;
    reference_value *values;
  } kept[SWEEP_MOST_RANGES], *k;
  k = &kept[range];
  if (!k->values || k->dtype != s->spec.dtype || k->from != s->from || k->to != s->to) {
    free(k->values);
    k->dtype = s->spec.dtype;
    k->from = s->from;
    k->to = s->to;
    k->values = expected_rows(s, o->by, o->threads);
  }
  return k->values;
}

/* The error that an angle in float32 explains. The angle itself is off by
 *
 * - half a unit in its last place, at most 2^-24 of it;
 * - some units for its frequency exp(ln w);
 * - two roundings of ln w: its own, and that of the step of which it is a multiple.
 *
 * Every angle may have 2^-17 more: 128 roundings of a value near 1, as in a recurrence from row to row between its
 * anchors. Beyond angles of 2^21 the sine could be anything, which is wrong and not rounded; hence the limit of 0.5. */
static double *float32_bounds(const segment *s) {
  const posenc_spec *spec = &s->spec;
  double *bounds = must_calloc(s->n_rows * spec->d_model, sizeof *bounds);
  for (int64_t c = 0; c < spec->d_model; c++) {
    const int64_t k = place_of(spec, c).k;
    const double w = k < 0 ? 0 : pow(spec->base, -(double)k / spec_denominator(spec));
    const double cost = w > 0 ? fabs(spec_scale(spec)) * w * (4 + 2 * fabs(log(w))) * 0x1p-24 : 0;
    for (int64_t row = 0; row < s->n_rows; row++)
      bounds[row * spec->d_model + c] = fmin(0x1p-17 + fabs((double)s->positions[row]) * cost, 0.5);
  }
  return bounds;
}

static const char *word_of(const verdict *v) {
  if (v->correct == v->outputs)
    return "exact";
  /* 2^-24 is half a unit in the last place of 1; near 0 it is many of the value's own. */
  if (v->ulp_max <= 4 || v->max_abs <= 0x1p-24)
    return "ulp";
  if (v->bound_ok)
    return "float32";
  return v->max_abs <= 0.1 ? "drifting" : "wrong";
}

/* NumPy turns much into float64. A float64 file whose values are all float32 is judged as a float32 table. */
static bool holds_float32(const npy *file) {
  for (int64_t row = 0; row < file->rows; row++)
    for (int64_t column = 0; column < file->columns; column++) {
      const double x = npy_at(file, row, column);
      if (x == x && x != (double)(float)x)
        return false;
    }
  return true;
}

static judgement judge_file(const table_file *f, const options *o) {
  const npy *file = &f->table;
  const int64_t from = o->shape.from, d = file->columns;
  judgement j = {.path = f->path, .spec = o->shape.spec, .wrong = -1};
  if (!o->shape.has_dtype)
    j.spec.dtype = file->dtype == POSENC_DTYPE_F64 && holds_float32(file) ? POSENC_DTYPE_F32 : file->dtype;
  j.ranges = sweep_of(&j.spec, NULL, from, from + file->rows, o->rows, o->seed);
  j.verdicts = must_calloc(j.ranges.count, sizeof *j.verdicts);
  for (int64_t i = j.ranges.count - 1; i >= 0; i--) {
    const segment *s = &j.ranges.segments[i];
    double *got = must_calloc(s->n_rows * d, sizeof *got), *bounds = float32_bounds(s);
    for (int64_t k = 0; k < s->n_rows * d; k++)
      got[k] = npy_at(file, s->positions[k / d] - from, k % d);
    verdict_fill(s, reference_of(s, i, o), got, bounds, &j.verdicts[i]);
    free(got);
    free(bounds);
    if (strcmp(word_of(&j.verdicts[i]), "wrong") == 0)
      j.wrong = i;
  }
  j.right = j.wrong != 0 && strcmp(word_of(&j.verdicts[0]), "drifting") != 0;
  return j;
}

/* Prints the worst output: in the first range if the table is not right, else in the first range where it is wrong. */
static void print_fault(FILE *out, const judgement *j) {
  const witness *w = &j->verdicts[j->right ? j->wrong : 0].worst;
  fprintf(out, "%s %s: position %lld, column %lld is %.9g instead of %.9g\n",
      j->right ? "wrong further on:" : "NOT RIGHT:", j->path, (long long)w->position, (long long)w->column, w->got,
      w->want);
}

static void print_text(FILE *out, const options *o, const judgement *all) {
  const posenc_spec *spec = &o->shape.spec;
  size_t right = 0;
  fprintf(out, "posenc-verify %s, tables in files against %s: d_model %lld, base %g", posenc_version(),
      o->by == REFERENCE_MPFR ? "MPFR" : "the float64 reference", (long long)spec->d_model, spec->base);
  if (o->shape.preset)
    fprintf(out, ", preset %s", o->shape.preset);
  spec_print_changes(out, spec);
  fprintf(out, "\nmax |error| by position, from at most %lld rows in each range\n", (long long)o->rows);
  for (size_t i = 0; i < o->n_files; i++) {
    fprintf(out, "\n%s\n", all[i].path);
    for (int64_t r = 0; r < all[i].ranges.count; r++) {
      const segment *s = &all[i].ranges.segments[r];
      const verdict *v = &all[i].verdicts[r];
      const int at = fprintf(out, "  %lld to %lld", (long long)s->from, (long long)(s->to - 1));
      fprintf(out, "%*s  %-7.1e %s\n", at < 20 ? 20 - at : 0, "", v->max_abs, word_of(v));
    }
  }
  fputc('\n', out);
  for (size_t i = 0; i < o->n_files; i++) {
    if (!all[i].right || all[i].wrong >= 0)
      print_fault(out, &all[i]);
    right += all[i].right;
  }
  fprintf(out, "%zu of %zu tables right\n\n", right, o->n_files);
  fputs(
      "A range is called by the first word that holds for all outputs compared:\n"
      "  exact     each is the nearest number of the table's dtype\n"
      "  ulp       all are within 4 units in the last place, or all within half a unit in the last place of 1\n"
      "  float32   each is within the error of a float32 angle, w its frequency: 2^-17 + (4 + 2 |ln w|) 2^-24 |angle|\n"
      "  drifting  all are within 0.1\n"
      "  wrong     anything else\n"
      "A table is right if its first range is neither drifting nor wrong.\n",
      out);
}

/* If an output is not finite, max_abs and ulp_max are infinite, which is null in JSON. ulp_max is also null if the
 * reference is 0 and the output is not. */
static cJSON *json_of_files(const options *o, const judgement *all) {
  cJSON *root = json_begin(o);
  const char *preset = o->shape.preset ? o->shape.preset : "paper";
  cJSON_AddNumberToObject(root, "rows", (double)o->rows);
  json_add_spec(cJSON_AddObjectToObject(root, "spec"), &o->shape.spec, preset);
  cJSON *tables = cJSON_AddArrayToObject(root, "tables");
  for (size_t i = 0; i < o->n_files; i++) {
    const judgement *j = &all[i];
    const char *slash = strrchr(j->path, '/');
    char name[256]; /* the last part of the path, without .npy */
    const int length = snprintf(name, sizeof name, "%s", slash ? slash + 1 : j->path);
    if (length > 4 && length < (int)sizeof name && strcmp(name + length - 4, ".npy") == 0)
      name[length - 4] = '\0';
    cJSON *table = json_append(tables);
    cJSON_AddStringToObject(table, "name", name);
    cJSON_AddStringToObject(table, "file", j->path);
    cJSON_AddStringToObject(table, "preset", preset);
    cJSON_AddNumberToObject(table, "d_model", (double)j->spec.d_model);
    cJSON_AddStringToObject(table, "dtype", dtype_name(j->spec.dtype));
    cJSON *ranges = cJSON_AddArrayToObject(table, "ranges");
    for (int64_t r = 0; r < j->ranges.count; r++) {
      cJSON *range = json_append(ranges);
      json_add_verdict(range, &j->ranges.segments[r], &j->verdicts[r]);
      cJSON_AddStringToObject(range, "word", word_of(&j->verdicts[r]));
    }
    cJSON_AddBoolToObject(table, "right", j->right);
    cJSON_AddItemToObject(table, "wrong_from",
        j->wrong < 0 ? cJSON_CreateNull() : cJSON_CreateNumber((double)j->ranges.segments[j->wrong].from));
  }
  return root;
}

int verify_files(const options *o) {
  const reports out = reports_open(o);
  judgement *all = must_calloc((int64_t)o->n_files, sizeof *all);
  int status = 0;
  for (size_t i = 0; i < o->n_files; i++) {
    fprintf(stderr, "[%zu/%zu] %s\n", i + 1, o->n_files, o->files[i].path);
    all[i] = judge_file(&o->files[i], o);
    status = all[i].right ? status : 1;
  }
  print_text(out.text, o, all);
  status = reports_close(&out, o, json_of_files(o, all), status);
  for (size_t i = 0; i < o->n_files; i++) {
    sweep_destroy(&all[i].ranges);
    free(all[i].verdicts);
  }
  free(all);
  return status;
}

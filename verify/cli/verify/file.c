#include "file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../reference/memory.h"

/* NumPy makes float64 of much: a table of float32 that is kept so is meant as one of float32. */
static bool holds_float32(const npy *file) {
  for (int64_t row = 0; row < file->rows; row++)
    for (int64_t column = 0; column < file->columns; column++) {
      const double x = npy_at(file, row, column);
      if (x == x && x != (double)(float)x)
        return false;
    }
  return true;
}

static char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  char *name = strdup(slash ? slash + 1 : path);
  if (!name)
    out_of_memory("for names");
  const size_t length = strlen(name);
  if (length > 4 && strcmp(name + length - 4, ".npy") == 0)
    name[length - 4] = '\0';
  return name;
}

static judgement judgement_of(const char *path, const npy *file, const options *o, references *all) {
  judgement j = {.path = path, .name = name_of(path), .spec = o->shape.spec};
  const int64_t from = o->shape.from;
  if (!o->shape.has_dtype)
    j.spec.dtype = file->dtype == POSENC_F64 && holds_float32(file) ? POSENC_F32 : file->dtype;
  sweep rows = sweep_of(&j.spec, NULL, from, from + file->rows, o->rows, o->seed);
  j.n_ranges = rows.count;
  j.ranges = must_calloc(rows.count, sizeof *j.ranges);
  for (int64_t i = 0; i < rows.count; i++) {
    const segment *s = &rows.segments[i];
    double *got = must_calloc(s->n_rows * file->columns, sizeof *got);
    for (int64_t k = 0; k < s->n_rows * file->columns; k++)
      got[k] = npy_at(file, s->positions[k / file->columns] - from, k % file->columns);
    j.ranges[i] = range_compare(s, references_of(all, s, o), got);
    free(got);
    if (!j.wrong && strcmp(j.ranges[i].word, "wrong") == 0)
      j.wrong = &j.ranges[i];
  }
  j.right = j.wrong != &j.ranges[0] && strcmp(j.ranges[0].word, "drifting") != 0;
  sweep_destroy(&rows);
  return j;
}

static int write_reports(const options *o, const judgement *all, FILE *json) {
  int status = 0;
  for (size_t i = 0; i < o->n_files; i++)
    if (!all[i].right)
      status = 1;
  if (!files_text(json == stdout ? stderr : stdout, o, all)) {
    fputs("posenc-verify: the report could not be written\n", stderr);
    status = 2;
  }
  if (json) {
    bool written = files_json(json, o, all);
    if (json != stdout)
      written = fclose(json) == 0 && written;
    if (!written) {
      fprintf(stderr, "posenc-verify: --json %s: could not be written\n", o->json);
      status = 2;
    }
  }
  return status;
}

int verify_files(const options *o) {
  FILE *json = open_json(o);
  judgement *all = must_calloc((int64_t)o->n_files, sizeof *all);
  references *shared = references_create();
  for (size_t i = 0; i < o->n_files; i++) {
    fprintf(stderr, "[%zu/%zu] %s\n", i + 1, o->n_files, o->files[i].path);
    all[i] = judgement_of(o->files[i].path, &o->files[i].table, o, shared);
  }
  references_destroy(shared);
  const int status = write_reports(o, all, json);
  for (size_t i = 0; i < o->n_files; i++) {
    free(all[i].ranges);
    free(all[i].name);
  }
  free(all);
  return status;
}

/* Every implementation reproduces what the founding notebooks print (golden.json): within half a unit of the last
 * printed digit, the float32 recipes within that plus what they state of their own error.
 */
#include "testing.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

static cJSON *golden;

static int load(void **state) {
  (void)state;
  FILE *file = fopen(POSENC_GOLDEN, "rb");
  if (!file)
    return -1;
  static char text[1 << 16];
  const size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  golden = cJSON_Parse(text);
  return golden ? 0 : -1;
}

static int unload(void **state) {
  (void)state;
  cJSON_Delete(golden);
  return 0;
}

static double number(const cJSON *object, const char *name) {
  const cJSON *item = cJSON_GetObjectItem(object, name);
  assert_true(cJSON_IsNumber(item));
  return item->valuedouble;
}

static double half_unit(const char *digits, double printed) {
  if (strcmp(digits, "4 decimals") == 0)
    return 0.5e-4;
  assert_string_equal(digits, "5 significant");
  return printed == 0.0 ? 0.0 : 0.5 * pow(10.0, floor(log10(fabs(printed))) - 4.0);
}

static void check_system(const cJSON *system, const posenc_impl *impl) {
  posenc_spec spec = posenc_spec_default((int64_t)number(system, "d_model"));
  const char *id = cJSON_GetObjectItem(system, "id")->valuestring;
  const char *digits = cJSON_GetObjectItem(system, "digits")->valuestring;
  double slip[6]; /* 000-class: 10000^-(j - 1/6) */
  if (strcmp(id, "000-class") == 0) {
    for (int j = 0; j < 6; j++)
      slip[j] = pow(10000.0, 1.0 / 6.0 - j);
    spec.freqs = slip;
    spec.n_freqs = 6;
  } else {
    spec.base = number(system, "base");
  }
  posenc_plan *plan = plan_of(&spec, impl->name);
  const cJSON *row;
  cJSON_ArrayForEach(row, cJSON_GetObjectItem(system, "rows")) {
    const int64_t position = (int64_t)number(row, "position");
    float out[16];
    assert_int_equal(posenc_fill(plan, position, 1, out, spec.d_model), POSENC_OK);
    const cJSON *columns = cJSON_GetObjectItem(row, "columns"), *values = cJSON_GetObjectItem(row, "values");
    assert_int_equal(cJSON_GetArraySize(columns), cJSON_GetArraySize(values));
    for (int i = 0; i < cJSON_GetArraySize(columns); i++) {
      const int64_t column = (int64_t)cJSON_GetArrayItem(columns, i)->valuedouble;
      const double printed = cJSON_GetArrayItem(values, i)->valuedouble;
      /* A float64 result has been rounded to float32 once, at most half a unit of 2^-23 of itself. */
      const double own = strncmp(impl->arithmetic, "float64", 7) == 0
                             ? fabs(printed) * 0x1p-24
                             : posenc_impl_error_bound(impl, &spec, (double)position, column);
      const double allowed = half_unit(digits, printed) + own;
      if (!(fabs((double)out[column] - printed) <= allowed))
        fail_msg("%s, notebook %s: position %lld, column %lld: %.9g, printed %.9g", impl->name, id, (long long)position,
            (long long)column, (double)out[column], printed);
    }
  }
  posenc_plan_destroy(plan);
}

static double similarity(const double *a, const double *b, int64_t n) {
  double product = 0, a_square = 0, b_square = 0;
  for (int64_t i = 0; i < n; i++) {
    product += a[i] * b[i];
    a_square += a[i] * a[i];
    b_square += b[i] * b[i];
  }
  return product / sqrt(a_square * b_square);
}

enum { MOST_COLUMNS = 512 };

/* Row r of the table and the largest error that is stated for any of its columns. */
static double stated_row(const posenc_impl *impl, const posenc_spec *spec, int64_t position, double *row) {
  float out[MOST_COLUMNS];
  double most = 0;
  posenc_plan *plan = plan_of(spec, impl->name);
  assert_int_equal(posenc_fill(plan, position, 1, out, spec->d_model), POSENC_OK);
  for (int64_t c = 0; c < spec->d_model; c++) {
    row[c] = (double)out[c];
    most = fmax(most, posenc_impl_error_bound(impl, spec, (double)position, c));
  }
  posenc_plan_destroy(plan);
  return most;
}

/* Notebook 004: two rows and the cosine of the angle between them, in both layouts. That has a gradient of at most one
 * over the row's length, sqrt(d/2), so an error e of every column, together sqrt(d) e, changes it by sqrt(2) e for each
 * row. */
static void check_similarity(const cJSON *system, const cJSON *wanted, const posenc_impl *impl) {
  double rows[2][2][MOST_COLUMNS];
  posenc_spec spec = posenc_spec_default((int64_t)number(system, "d_model"));
  spec.base = number(system, "base");
  spec.denominator = number(wanted, "denominator");
  assert_int_equal(spec.d_model, MOST_COLUMNS);
  const cJSON *layouts = cJSON_GetObjectItem(system, "layouts"), *positions = cJSON_GetObjectItem(system, "positions");
  assert_int_equal(cJSON_GetArraySize(layouts), 2);
  for (int l = 0; l < 2; l++) {
    double allowed = number(wanted, "half_unit");
    const char *layout = cJSON_GetArrayItem(layouts, l)->valuestring;
    spec.layout = strcmp(layout, "split") == 0 ? POSENC_SPLIT : POSENC_INTERLEAVED;
    assert_int_equal(spec.layout, l);
    for (int r = 0; r < 2; r++)
      allowed += 1.42 * stated_row(impl, &spec, (int64_t)cJSON_GetArrayItem(positions, r)->valuedouble, rows[l][r]);
    const double got = similarity(rows[l][0], rows[l][1], spec.d_model), want = number(wanted, "cosine");
    if (!(fabs(got - want) <= allowed))
      fail_msg("%s, notebook 004, %s, denominator %g: similarity %.9g, not %.9g", impl->name, layout, spec.denominator,
          got, want);
  }
  for (int r = 0; r < 2; r++) /* the halves are the columns of even and odd number */
    for (int64_t c = 0; c < spec.d_model; c++)
      assert_true(rows[1][r][c % 2 * spec.d_model / 2 + c / 2] == rows[0][r][c]);
}

static void notebooks(void **state) {
  (void)state;
  int systems = 0, similarities = 0;
  const cJSON *system, *wanted;
  cJSON_ArrayForEach(system, cJSON_GetObjectItem(golden, "systems")) {
    const cJSON *all = cJSON_GetObjectItem(system, "similarities");
    for (size_t i = 0; runnable(i) && !all; i++)
      check_system(system, runnable(i));
    cJSON_ArrayForEach(wanted, all) {
      for (size_t i = 0; runnable(i); i++)
        check_similarity(system, wanted, runnable(i));
      similarities++;
    }
    systems++;
  }
  assert_int_equal(systems, 5);
  assert_int_equal(similarities, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(notebooks)};
  return cmocka_run_group_tests_name("golden", tests, load, unload);
}

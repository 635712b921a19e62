/* Every implementation reproduces what the founding notebooks print (golden.json): within half a unit of the last printed
 * digit, the float32 recipes within that plus what they state of their own error.
 */
#include "testing.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

static cJSON *golden;

static int load(void **state)
{
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

static int unload(void **state)
{
  (void)state;
  cJSON_Delete(golden);
  return 0;
}

static double number(const cJSON *object, const char *name)
{
  const cJSON *item = cJSON_GetObjectItem(object, name);
  assert_true(cJSON_IsNumber(item));
  return item->valuedouble;
}

static double half_unit(const char *digits, double printed)
{
  if (strcmp(digits, "4 decimals") == 0)
    return 0.5e-4;
  assert_string_equal(digits, "5 significant");
  return printed == 0.0 ? 0.0 : 0.5 * pow(10.0, floor(log10(fabs(printed))) - 4.0);
}

static void check_system(const cJSON *system, const posenc_impl *impl)
{
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

static void notebooks(void **state)
{
  (void)state;
  const cJSON *system, *systems = cJSON_GetObjectItem(golden, "systems");
  assert_int_equal(cJSON_GetArraySize(systems), 4);
  cJSON_ArrayForEach(system, systems) for (size_t i = 0; runnable(i); i++) check_system(system, runnable(i));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(notebooks)};
  return cmocka_run_group_tests_name("golden", tests, load, unload);
}

/* posenc-table --identify names what it is given: tables of every preset in four arithmetics, transcribed once more in
 * test_identify_tables.h and written as .npy files, and some of other kinds.
 */
#include "testing.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_identify_tables.h"

/* ---- Files, and what the tool says ------------------------------------------------------------------------------ */

enum kind { F32, F64, BF16, F16 };

static double nearest(double x, int bits, int least)
{
  if (x == 0.0)
    return x;
  const int e = ilogb(x), unit = (e > least ? e : least) - bits + 1;
  return ldexp(rint(ldexp(x, -unit)), unit);
}

/* A value as the file will have it; through float32 where that is what the arithmetic gives. */
static double kept(double x, enum kind kind)
{
  return kind == F64 ? x : kind == F32 ? (double)(float)x : kind == BF16 ? nearest(x, 8, -126) : nearest(x, 11, -14);
}

static char path[] = "/tmp/test_identify.XXXXXX";

static void write_npy(const double *values, const shape *t, enum kind kind)
{
  static const char *const descr[] = {"<f4", "<f8", "<u2", "<f2"};
  char header[128];
  memset(header, ' ', sizeof header);
  memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10); /* NOLINT(bugprone-not-null-terminated-result): bytes, no string */
  const int used = snprintf(header + 10, sizeof header - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }",
                            descr[kind], t->rows, t->d);
  header[10 + used] = ' ';
  header[127] = '\n';
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(header, 1, sizeof header, file), sizeof header);
  for (int i = 0; i < t->rows * t->d; i++) {
    const double x = values[i];
    const float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    uint16_t half = (uint16_t)(bits >> 16);
    if (kind == F16) { /* x is one already: its bits are its size in units, and its exponent */
      const int e = x == 0.0 || ilogb(x) < -14 ? -15 : ilogb(x);
      const double units = e == -15 ? ldexp(fabs(x), 24) : ldexp(fabs(x), 10 - e) - 1024;
      half = (uint16_t)((signbit(x) ? 0x8000 : 0) | (e + 15) << 10 | (int)units);
    }
    if (kind == F64)
      assert_int_equal(fwrite(&x, sizeof x, 1, file), 1);
    else if (kind == F32)
      assert_int_equal(fwrite(&f, sizeof f, 1, file), 1);
    else
      assert_int_equal(fwrite(&half, sizeof half, 1, file), 1);
  }
  assert_int_equal(fclose(file), 0);
}

static cJSON *said(int *code)
{
  static char command[512], text[1 << 16];
  snprintf(command, sizeof command, "'%s' --identify %s --format=json", POSENC_TABLE_TOOL, path);
  FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c): the command is this test's own */
  assert_non_null(pipe);
  const size_t length = fread(text, 1, sizeof text - 1, pipe);
  text[length] = '\0';
  const int status = pclose(pipe);
  assert_true(WIFEXITED(status));
  *code = WEXITSTATUS(status);
  return cJSON_Parse(text);
}

static bool has(const cJSON *array, const char *word)
{
  const cJSON *item;
  cJSON_ArrayForEach(item, array) if (strcmp(item->valuestring, word) == 0) return true;
  return false;
}

/* A ladder is geometric: base b with one denominator is base c with another. Then the table has two names. */
static bool another_name(const char *preset, double base, const system_t *s, const shape *t)
{
  for (int i = 0; i < SYSTEMS; i++)
    if (strcmp(systems[i].name, preset) == 0)
      return systems[i].layout == s->layout &&
             fabs(log(base) / denominator(&systems[i], t->d) - log(t->base) / denominator(s, t->d)) < 1e-12;
  return false;
}

/* The candidate that says so; NULL if none does, or if there is one that says something wrong, or that nobody would mean. */
static const cJSON *place(const cJSON *answer, const char *presets, const system_t *s, const shape *t)
{
  const cJSON *one, *found = NULL;
  cJSON_ArrayForEach(one, cJSON_GetObjectItem(answer, "candidates"))
  {
    char names[128] = "";
    const cJSON *name, *list = cJSON_GetObjectItem(one, "presets");
    const double base = cJSON_GetObjectItem(one, "base")->valuedouble;
    cJSON_ArrayForEach(name, list)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] ? " " : "", name->valuestring);
    if ((int64_t)cJSON_GetObjectItem(one, "first")->valuedouble != t->first)
      return NULL;
    if (strcmp(names, presets) == 0 && base == t->base)
      found = one;
    else if (base <= 10000 || t->base == 10000 || !another_name(cJSON_GetArrayItem(list, 0)->valuestring, base, s, t))
      return NULL;
  }
  return found;
}

static double *room(const shape *t)
{
  double *values = malloc((size_t)t->rows * (size_t)t->d * sizeof *values);
  assert_non_null(values);
  return values;
}

/* The table in that kind of file is identified, and by nothing else; every arithmetic of ours that has the same bits is named,
 * and where `sharp`, no other one is. */
static void names(const system_t *s, enum arithmetic a, const shape *t, enum kind kind, bool sharp)
{
  const char *presets = t->d % 2 ? s->odd : s->even;
  const size_t n = (size_t)t->rows * (size_t)t->d;
  double *values = room(t), *other = room(t);
  char what[160];
  snprintf(what, sizeof what, "%s, %s, %d x %d from %lld, base %g, kind %d", s->name, arithmetic_names[a], t->rows, t->d,
           (long long)t->first, t->base, kind);
  fill(s, a, t, values);
  for (size_t i = 0; i < n; i++)
    values[i] = kept(values[i], kind);
  write_npy(values, t, kind);
  int code;
  cJSON *answer = said(&code);
  char *text = cJSON_Print(answer);
  const cJSON *one = answer ? place(answer, presets, s, t) : NULL;
  if (code != 0 || !one)
    fail_msg("%s: exit %d, %s", what, code, text);
  const cJSON *named = cJSON_GetObjectItem(one, "arithmetic");
  if (!has(named, arithmetic_names[a]) || !cJSON_IsTrue(cJSON_GetObjectItem(one, "all_bits_equal")))
    fail_msg("%s: all bits should be equal to that arithmetic's: %s", what, text);
  for (int b = EXACT; b <= POW; b++) {
    fill(s, (enum arithmetic)b, t, other);
    bool same = true;
    for (size_t i = 0; i < n && same; i++)
      same = kept(other[i], kind) == values[i];
    if (same ? !has(named, arithmetic_names[b]) : sharp && has(named, arithmetic_names[b]))
      fail_msg("%s: the table of %s %s: %s", what, arithmetic_names[b], same ? "is the same" : "is another", text);
  }
  cJSON_free(text);
  cJSON_Delete(answer);
  free(values);
  free(other);
}

/* ---- Tests --------------------------------------------------------------------------------------------------- */

static void every_preset(void **state)
{
  (void)state;
  static const int widths[] = {7, 8, 33, 64, 96, 512};
  static const int64_t firsts[] = {0, 2};
  int done = 0;
  for (int s = 0; s < SYSTEMS; s++)
    for (int w = 0; w < 6; w++)
      for (int i = 0; i < 4; i++)
        for (int a = EXACT; a <= POW; a++) {
          const shape t = {widths[w], i < 2 ? 16 : 300, firsts[i % 2], 10000};
          if (!(t.d % 2 ? systems[s].odd : systems[s].even) || (t.d == 512 && i == 3))
            continue;
          /* With few elements another form of an arithmetic may have their bits too. */
          names(&systems[s], (enum arithmetic)a, &t, F32, t.d >= 33 && t.rows >= 300);
          done++;
        }
  printf("%d tables named\n", done);
  assert_int_equal(done, 10 * 3 * 16 + 10 * 12 + 7 * 2 * 16);
}

/* Those with a table or an arithmetic of their own: ddpm and the like are t2t once more. */
static bool is_own(const system_t *s)
{
  return strcmp(s->even, T_EVEN) != 0 || strcmp(s->name, "t2t") == 0;
}

static void long_tables(void **state)
{
  (void)state;
  for (int s = 0; s < SYSTEMS; s++)
    for (int a = EXACT; a <= POW && is_own(&systems[s]); a++) {
      const shape t = {64, 5000, 0, 10000};
      names(&systems[s], (enum arithmetic)a, &t, F32, true);
    }
}

static void other_places(void **state)
{
  (void)state;
  static const shape shapes[] = {{64, 200, -100, 10000}, {64, 200, 1000, 500000}, {128, 100, 131072, 1000000},
                                 {8, 500, 0, 1000000},   {33, 300, 2, 500000},    {64, 300, 5, 150000}};
  for (int s = 0; s < SYSTEMS; s++)
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
      for (int a = EXACT; a <= POW; a++)
        if (is_own(&systems[s]) && (shapes[i].d % 2 ? systems[s].odd : systems[s].even))
          names(&systems[s], (enum arithmetic)a, &shapes[i], F32, false);
}

static void other_kinds(void **state)
{
  (void)state;
  static const shape shapes[] = {{64, 300, 0, 10000}, {8, 100, 2, 10000}, {512, 40, 0, 10000}};
  for (int s = 0; s < SYSTEMS; s++)
    for (int i = 0; i < 3 && is_own(&systems[s]); i++)
      for (int a = EXACT; a <= POW; a++) {
        names(&systems[s], (enum arithmetic)a, &shapes[i], BF16, false);
        names(&systems[s], (enum arithmetic)a, &shapes[i], F16, false);
        if (a != EXACT) /* which long double does not round well enough to float64; float32 values stay what they are */
          names(&systems[s], (enum arithmetic)a, &shapes[i], F64, true);
      }
}

static void rounded_positions(void **state)
{
  (void)state;
  static const shape shapes[] = {{64, 600, 0, 10000}, {64, 600, 2, 500000}, {128, 300, 1000, 10000}};
  for (int s = 0; s < SYSTEMS; s++)
    for (int i = 0; i < 3 && is_own(&systems[s]); i++) {
      names(&systems[s], ROUNDED_POSITIONS, &shapes[i], F32, true);
      names(&systems[s], ROUNDED_POSITIONS, &shapes[i], BF16, true);
    }
}

static int open_file(void **state)
{
  (void)state;
  const int fd = mkstemp(path);
  return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
  (void)state;
  return unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_preset), cmocka_unit_test(long_tables), cmocka_unit_test(other_places),
                                     cmocka_unit_test(other_kinds), cmocka_unit_test(rounded_positions)};
  return cmocka_run_group_tests_name("identify", tests, open_file, remove_file);
}

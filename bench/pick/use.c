/* What a choice means for a program: the name to ask for, and the lines that use it. */
#define _GNU_SOURCE /* open_memstream */
#include "pick.h"

#include <ctype.h>
#include <stdlib.h>

#include "../../verify/campaign/family.h"
#include "../../verify/reference/columns.h"
#include "../../verify/reference/formats.h"

const char *pick_portable_name(const posenc_impl *impl, char *name, size_t size) {
  char family[FAMILY_SIZE];
  family_of(impl, family);
  snprintf(name, size, "%s", posenc_impl_find(family) == impl ? family : impl->name);
  return name;
}

static void print_capitals(const char *name, FILE *f) {
  for (; *name; name++)
    fputc(toupper((unsigned char)*name), f);
}

/* A field that is no number: POSENC_, the field and its value in capitals. */
static void print_name(bool c, const char *field, const char *value, FILE *f) {
  if (!c) {
    fprintf(f, ", %s=\"%s\"", field, value);
    return;
  }
  fprintf(f, "spec.%s = POSENC_", field);
  print_capitals(field, f);
  fputc('_', f);
  print_capitals(value, f);
  fputs(";\n", f);
}

/* The fields that differ from the preset's spec, or the paper's: statements in C, arguments in Python. */
static void print_changes(const pick *p, bool c, FILE *f) {
  const posenc_spec *s = &p->spec;
  posenc_spec start;
  posenc_spec_init(&start, s->d_model, p->o->table.preset);
  const char *number = c ? "spec.%s = %.17g;\n" : ", %s=%.17g";
  if (s->base != start.base)
    fprintf(f, number, "base", s->base);
  if (s->denominator != start.denominator)
    fprintf(f, number, "denominator", s->denominator);
  if (s->position_scale != start.position_scale)
    fprintf(f, number, "position_scale", s->position_scale);
  if (s->layout != start.layout)
    print_name(c, "layout", layout_name(s->layout), f);
  if (s->order != start.order)
    print_name(c, "order", order_name(s->order), f);
  if (s->odd != start.odd)
    print_name(c, "odd", odd_name(s->odd), f);
  if (s->dtype != start.dtype)
    print_name(c, "dtype", c ? dtype_name(s->dtype) : format_of(s->dtype)->long_name, f);
}

static void print_c(const pick *p, const char *impl, FILE *f) {
  static const char *const elements[] = {"float", "double", "uint16_t", "uint16_t"};
  const spec_options *table = &p->o->table;
  const int64_t rows = table->to - table->from, d = p->spec.d_model;
  fprintf(f, "posenc_spec spec;\nposenc_spec_init(&spec, %" PRId64 ", \"%s\");\n", d,
      table->preset ? table->preset : "paper");
  print_changes(p, true, f);
  fprintf(f,
      "posenc_plan *plan;\nif (posenc_plan_create(&plan, &spec, \"%s\") == POSENC_OK) {\n"
      "  posenc_fill(plan, %" PRId64 ", %" PRId64 ", table, %" PRId64 "); /* %s table[%" PRId64 " * %" PRId64 "] */\n"
      "  posenc_plan_destroy(plan);\n}\n",
      impl, table->from, rows, d, elements[p->spec.dtype], rows, d);
}

static void print_python(const pick *p, const char *impl, FILE *f) {
  const spec_options *table = &p->o->table;
  fprintf(f, "import posenc\ntable = posenc.table(%" PRId64 ", %" PRId64, table->to - table->from, p->spec.d_model);
  if (table->from != 0)
    fprintf(f, ", first=%" PRId64, table->from);
  if (table->preset)
    fprintf(f, ", preset=\"%s\"", table->preset);
  print_changes(p, false, f);
  fprintf(f, ", impl=\"%s\")\n", impl);
}

static void add(cJSON *use, const char *key, const pick *p, void (*print)(const pick *, const char *, FILE *)) {
  char *text = NULL, impl[96];
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    out_of_memory("for a text");
  print(p, pick_portable_name(p->chosen->impl, impl, sizeof impl), f);
  fclose(f);
  cJSON_AddStringToObject(use, key, text);
  free(text);
}

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define VERSION TEXT(POSENC_VERSION_MAJOR) "." TEXT(POSENC_VERSION_MINOR)

cJSON *pick_use(const pick *p) {
  cJSON *use = cJSON_CreateObject();
  add(use, "c", p, print_c);
  cJSON_AddStringToObject(use, "cmake",
      "find_package(posenc " VERSION " REQUIRED)\n"
      "target_link_libraries(app PRIVATE posenc::posenc)\n");
  cJSON_AddStringToObject(use, "pkg_config", "cc app.c $(pkg-config --cflags --libs posenc)\n");
  add(use, "python", p, print_python);
  return use;
}

/* What a choice means for a program: the name to ask for, and the lines that use it. */
#define _GNU_SOURCE /* open_memstream */
#include "pick.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../verify/reference/columns.h"
#include "../../verify/campaign/family.h"
#include "../../verify/reference/formats.h"

const char *pick_portable_name(const posenc_impl *impl, char *name, size_t size) {
  char family[FAMILY_SIZE];
  family_of(impl, family);
  snprintf(name, size, "%s", posenc_impl_find(family) == impl ? family : impl->name);
  return name;
}

/* The preset's spec, or the paper's: what the program starts from, and changes where the table asked for differs. */
static posenc_spec start_of(const pick *p) {
  posenc_spec start = posenc_spec_default(p->spec.d_model);
  if (p->o->table.preset)
    posenc_spec_preset(p->o->table.preset, p->spec.d_model, &start);
  return start;
}

/* The fields that differ from the start: statements in C, arguments in Python. */
static void print_changes(const pick *p, bool c, FILE *f) {
  static const char *const dtypes[] = {"POSENC_F32", "POSENC_F64", "POSENC_BF16", "POSENC_F16"};
  const posenc_spec start = start_of(p), *s = &p->spec;
  const struct {
    const char *field;
    double value, start;
  } numbers[] = {
      {"base", s->base, start.base},
      {"denominator", s->denominator, start.denominator},
      {"position_scale", s->position_scale, start.position_scale},
  };
  const struct {
    const char *field, *in_c, *in_python;
    bool changed;
  } names[] = {
      {"layout", s->layout == POSENC_SPLIT ? "POSENC_SPLIT" : "POSENC_INTERLEAVED", layout_name(s->layout),
          s->layout != start.layout},
      {"order", s->order == POSENC_COS_FIRST ? "POSENC_COS_FIRST" : "POSENC_SIN_FIRST", order_name(s->order),
          s->order != start.order},
      {"odd", s->odd == POSENC_ODD_ZERO ? "POSENC_ODD_ZERO" : "POSENC_ODD_HALF_PAIR", odd_name(s->odd),
          s->odd != start.odd},
      {"dtype", dtypes[s->dtype], format_of(s->dtype)->long_name, s->dtype != start.dtype},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (numbers[i].value != numbers[i].start)
      fprintf(f, c ? "spec.%s = %.17g;\n" : ", %s=%.17g", numbers[i].field, numbers[i].value);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].changed)
      fprintf(f, c ? "spec.%s = %s;\n" : ", %s=\"%s\"", names[i].field, c ? names[i].in_c : names[i].in_python);
}

static void print_c(const pick *p, const char *impl, FILE *f) {
  static const char *const elements[] = {"float", "double", "uint16_t", "uint16_t"};
  const spec_options *table = &p->o->table;
  const int64_t rows = table->to - table->from, d = p->spec.d_model;
  if (table->preset)
    fprintf(f, "posenc_spec spec;\nposenc_spec_preset(\"%s\", %" PRId64 ", &spec);\n", table->preset, d);
  else
    fprintf(f, "posenc_spec spec = posenc_spec_default(%" PRId64 ");\n", d);
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

static void print_cmake(const pick *p, const char *impl, FILE *f) {
  (void)p, (void)impl;
  fprintf(f, "find_package(posenc %d.%d REQUIRED)\ntarget_link_libraries(app PRIVATE posenc::posenc)\n",
      POSENC_VERSION_MAJOR, POSENC_VERSION_MINOR);
}

static void print_pkg_config(const pick *p, const char *impl, FILE *f) {
  (void)p, (void)impl;
  fputs("cc app.c $(pkg-config --cflags --libs posenc)\n", f);
}

const pick_language pick_languages[PICK_LANGUAGES] = {{"c", "C", print_c}, {"cmake", "CMake", print_cmake},
    {"pkg_config", "pkg-config", print_pkg_config}, {"python", "Python", print_python}};

char *pick_import(const pick *p, int language) {
  char *text = NULL, impl[96];
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f) {
    fputs("posenc-bench: out of memory\n", stderr);
    exit(2);
  }
  pick_languages[language].print(p, pick_portable_name(p->chosen->impl, impl, sizeof impl), f);
  fclose(f);
  return text;
}

/* What a choice means for a program: the name to ask for, and the lines that use it. */
#define _GNU_SOURCE /* open_memstream */
#include "pick.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../verify/reference/columns.h"
#include "../verify/campaign/family.h"
#include "../verify/reference/formats.h"

const char *pick_portable_name(const posenc_impl *impl, char *name, size_t size)
{
  char family[FAMILY_SIZE];
  family_of(impl, family);
  snprintf(name, size, "%s", posenc_impl_find(family) == impl ? family : impl->name);
  return name;
}

/* The preset's spec, or the paper's: what the program starts from, and changes where the table asked for differs. */
static posenc_spec start_of(const pick *p)
{
  posenc_spec start = posenc_spec_default(p->spec.d_model);
  if (p->o->table.preset)
    posenc_spec_preset(p->o->table.preset, p->spec.d_model, &start);
  return start;
}

static void print_c(const pick *p, const char *impl, FILE *f)
{
  static const char *const dtypes[] = {"POSENC_F32", "POSENC_F64", "POSENC_BF16", "POSENC_F16"};
  static const char *const elements[] = {"float", "double", "uint16_t", "uint16_t"};
  const posenc_spec start = start_of(p), *s = &p->spec;
  const spec_options *table = &p->o->table;
  if (table->preset)
    fprintf(f, "posenc_spec spec;\nposenc_spec_preset(\"%s\", %" PRId64 ", &spec);\n", table->preset, s->d_model);
  else
    fprintf(f, "posenc_spec spec = posenc_spec_default(%" PRId64 ");\n", s->d_model);
  if (s->base != start.base)
    fprintf(f, "spec.base = %.17g;\n", s->base);
  if (s->denominator != start.denominator)
    fprintf(f, "spec.denominator = %.17g;\n", s->denominator);
  if (s->position_scale != start.position_scale)
    fprintf(f, "spec.position_scale = %.17g;\n", s->position_scale);
  if (s->layout != start.layout)
    fprintf(f, "spec.layout = %s;\n", s->layout == POSENC_SPLIT ? "POSENC_SPLIT" : "POSENC_INTERLEAVED");
  if (s->order != start.order)
    fprintf(f, "spec.order = %s;\n", s->order == POSENC_COS_FIRST ? "POSENC_COS_FIRST" : "POSENC_SIN_FIRST");
  if (s->odd != start.odd)
    fprintf(f, "spec.odd = %s;\n", s->odd == POSENC_ODD_ZERO ? "POSENC_ODD_ZERO" : "POSENC_ODD_HALF_PAIR");
  if (s->dtype != start.dtype)
    fprintf(f, "spec.dtype = %s;\n", dtypes[s->dtype]);
  fprintf(f,
          "posenc_plan *plan;\nif (posenc_plan_create(&plan, &spec, \"%s\") == POSENC_OK) {\n"
          "  posenc_fill(plan, %" PRId64 ", %" PRId64 ", table, %" PRId64 "); /* %s table[%" PRId64 " * %" PRId64 "] */\n"
          "  posenc_plan_destroy(plan);\n}\n",
          impl, table->from, table->to - table->from, s->d_model, elements[s->dtype], table->to - table->from, s->d_model);
}

static void print_python(const pick *p, const char *impl, FILE *f)
{
  const posenc_spec start = start_of(p), *s = &p->spec;
  const spec_options *table = &p->o->table;
  fprintf(f, "import posenc\ntable = posenc.table(%" PRId64 ", %" PRId64, table->to - table->from, s->d_model);
  if (table->from != 0)
    fprintf(f, ", first=%" PRId64, table->from);
  if (table->preset)
    fprintf(f, ", preset=\"%s\"", table->preset);
  if (s->base != start.base)
    fprintf(f, ", base=%.17g", s->base);
  if (s->denominator != start.denominator)
    fprintf(f, ", denominator=%.17g", s->denominator);
  if (s->position_scale != start.position_scale)
    fprintf(f, ", position_scale=%.17g", s->position_scale);
  if (s->layout != start.layout)
    fprintf(f, ", layout=\"%s\"", layout_name(s->layout));
  if (s->order != start.order)
    fprintf(f, ", order=\"%s\"", order_name(s->order));
  if (s->odd != start.odd)
    fprintf(f, ", odd=\"%s\"", odd_name(s->odd));
  if (s->dtype != start.dtype)
    fprintf(f, ", dtype=\"%s\"", format_of(s->dtype)->long_name);
  fprintf(f, ", impl=\"%s\")\n", impl);
}

static void print_cmake(const pick *p, const char *impl, FILE *f)
{
  (void)p, (void)impl;
  fprintf(f, "find_package(posenc %d.%d REQUIRED)\ntarget_link_libraries(app PRIVATE posenc::posenc)\n", POSENC_VERSION_MAJOR,
          POSENC_VERSION_MINOR);
}

static void print_pkg_config(const pick *p, const char *impl, FILE *f)
{
  (void)p, (void)impl;
  fputs("cc app.c $(pkg-config --cflags --libs posenc)\n", f);
}

const pick_language pick_languages[PICK_LANGUAGES] = {
    {"c", "C", print_c}, {"cmake", "CMake", print_cmake}, {"pkg_config", "pkg-config", print_pkg_config}, {"python", "Python", print_python}};

char *pick_import(const pick *p, int language)
{
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

/* The judgements as text: a line per table, a column per range of positions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../reference/columns.h"
#include "../../reference/formats.h"
#include "../../reference/memory.h"
#include "file.h"

typedef struct column {
  int64_t from, to;
  char title[48];
  int width;
} column;

static int by_position(const void *a, const void *b) {
  const column *x = a, *y = b;
  return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

/* The ranges of all tables, in order. A table that ends inside one has a range of its own there. */
static column *columns_of(const options *o, const judgement *all, int64_t *n) {
  enum { CELL = sizeof "3.0e-08 drifting" - 1 };
  int64_t most = 0;
  for (size_t i = 0; i < o->n_files; i++)
    most += all[i].n_ranges;
  column *columns = must_calloc(most, sizeof *columns);
  *n = 0;
  for (size_t i = 0; i < o->n_files; i++)
    for (int64_t r = 0; r < all[i].n_ranges; r++) {
      const range_error *range = &all[i].ranges[r];
      int64_t c = 0;
      while (c < *n && (columns[c].from != range->from || columns[c].to != range->to))
        c++;
      if (c < *n)
        continue;
      columns[c] = (column){.from = range->from, .to = range->to};
      const int length = snprintf(columns[c].title, sizeof columns[c].title, "%lld to %lld", (long long)range->from,
          (long long)(range->to - 1));
      columns[c].width = length > CELL ? length : CELL;
      ++*n;
    }
  qsort(columns, (size_t)*n, sizeof *columns, by_position);
  return columns;
}

static void print_head(FILE *out, const options *o) {
  const posenc_spec *spec = &o->shape.spec;
  fprintf(out, "posenc-verify %s, tables in files against %s: d_model %lld, base %g", posenc_version(),
      o->by == REFERENCE_MPFR ? "MPFR" : "the float64 reference", (long long)spec->d_model, spec->base);
  if (o->shape.preset)
    fprintf(out, ", preset %s", o->shape.preset);
  spec_print_changes(out, spec);
  fprintf(out, "\nmax |error| by position, of at most %lld rows in each range\n\n", (long long)o->rows);
}

static void print_line(FILE *out, const judgement *j, int name_width, const column *columns, int64_t n) {
  fprintf(out, "%-*s", name_width, j->path);
  int due = 0; /* blanks that come before the next word, none of which end a line */
  for (int64_t c = 0, r = 0; c < n; c++) {
    char cell[32] = "";
    for (r = 0; r < j->n_ranges; r++)
      if (j->ranges[r].from == columns[c].from && j->ranges[r].to == columns[c].to)
        snprintf(cell, sizeof cell, "%-7.1e %s", j->ranges[r].max_abs, j->ranges[r].word);
    if (cell[0])
      fprintf(out, "%*s%s", due + 2, "", cell);
    due = cell[0] ? columns[c].width - (int)strlen(cell) : due + 2 + columns[c].width;
  }
  fputc('\n', out);
}

/* What a table that is not right has in its first range, and another where it is wrong first. */
static void print_fault(FILE *out, const judgement *j) {
  const range_error *r = j->right ? j->wrong : &j->ranges[0];
  if (r)
    fprintf(out, "%s %s: position %lld, column %lld is %.9g instead of %.9g\n",
        j->right ? "wrong further on:" : "NOT RIGHT:", j->path, (long long)r->position, (long long)r->column, r->got,
        r->want);
}

static const char words[] = "exact: every output compared is the nearest number of the table's type; ulp: none is "
                            "further off than 4 units in the last\n"
                            "place, or half a unit of 1; float32: each within what its angle in float32 costs, 2^-17 + "
                            "(4 + 2 |ln w|) 2^-24 of the angle, w the\n"
                            "frequency; drifting: all within 0.1; else wrong.\n"
                            "A table is right if in its first range it is neither drifting nor wrong.\n";

bool files_text(FILE *out, const options *o, const judgement *all) {
  int64_t n;
  int name_width = (int)strlen("table");
  column *columns = columns_of(o, all, &n);
  for (size_t i = 0; i < o->n_files; i++)
    if ((int)strlen(all[i].path) > name_width)
      name_width = (int)strlen(all[i].path);

  print_head(out, o);
  fprintf(out, "%-*s", name_width, "table");
  for (int64_t c = 0; c < n; c++)
    fprintf(out, "  %-*s", c < n - 1 ? columns[c].width : 0, columns[c].title);
  fputc('\n', out);
  for (size_t i = 0; i < o->n_files; i++)
    print_line(out, &all[i], name_width, columns, n);
  fputc('\n', out);
  size_t right = 0;
  for (size_t i = 0; i < o->n_files; i++) {
    print_fault(out, &all[i]);
    right += all[i].right;
  }
  fprintf(out, "%zu of %zu tables right\n\n%s", right, o->n_files, words);
  free(columns);
  return fflush(out) == 0 && !ferror(out);
}

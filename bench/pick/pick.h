/* posenc-bench --pick: one table and one budget of error, one implementation.
 *
 *     verify that very table -> measure who is within the budget, interleaved -> choose -> say why and how to use it
 */
#ifndef POSENC_BENCH_PICK_H
#define POSENC_BENCH_PICK_H

#include "../../verify/campaign/campaign.h"
#include "../../verify/cli/spec_options.h"
#include "../cases/cases.h"
#include "../shim/compare.h"

#include <cjson/cJSON.h>

/* Repetitions; more would tell smaller differences apart. */
enum { PICK_TURNS = 15 };

typedef struct pick_options {
  spec_options table;
  double max_ulp, max_abs; /* the budget of error; infinite where not asked for */
  bool recipe;             /* instead: the framework's own roundings */
  bool format_json;
  const bench_offset *at;
} pick_options;

typedef struct pick_row {
  const posenc_impl *impl; /* NULL: a limit of stores */
  const impl_result *verified;
  double ulp, max_abs; /* the largest of all outputs compared; NAN: none was */
  bool within;         /* the budget */
  char reason[400];    /* why it is not, or was not measured; empty otherwise */

  double turns[PICK_TURNS]; /* nanoseconds an element */
  int n;                    /* their number: 0 where it was not measured */
  double ns, spread;        /* their median, and half their interquartile range */
  comparison against;       /* the fastest; it ties with itself */
  double of_limit;          /* its speed as a share of that of plain stores; NAN */
} pick_row;

enum { PICK_LIMITS = 16 };

typedef struct pick {
  const pick_options *o;
  posenc_spec spec;
  bench_shape shape; /* what is measured: of a huge table its first rows */
  results verified;
  int64_t rows_compared; /* fewer than the table has: a sample, which may miss the largest errors */
  char error[128];       /* why nothing could be measured, or empty */
  pick_row *rows;        /* one per implementation, simplest first, as the list has them; then limits */
  size_t n, n_limits;
  const char *recipe; /* of --recipe: the implementation with the framework's roundings, or NULL where none has them */
  const char *recipe_why;
  pick_row *fastest, *chosen; /* NULL: none is within the budget. chosen != fastest: a tie */
  pick_row *next;             /* the next fastest, or NULL */
} pick;

/* Returns its exit status: 0 an implementation was picked, 1 none is within the budget, 2 nothing could be measured or
 * said. */
int pick_run(const pick_options *o);

/* Of the fastest and those that tie with it, the simplest: sets fastest, next, chosen, and of each row that was
 * measured ns, spread, against and of_limit. */
void pick_choose(pick *p);

/* What has the roundings of a preset's framework (NULL: the paper's), and why; NULL where nothing here has them. */
const char *pick_recipe_of(const char *preset, const char **why);

/* The name to ask for in a program: without the instruction set where that means the same one here. */
const char *pick_portable_name(const posenc_impl *impl, char *name, size_t size);

/* What a program needs to use the choice: "c", "cmake", "pkg_config", "python". */
cJSON *pick_use(const pick *p);

/* The whole answer, and the same as text. */
cJSON *pick_answer(const pick *p);
void pick_print_text(const cJSON *answer, FILE *out);

#endif

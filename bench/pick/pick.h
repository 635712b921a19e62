/* posenc-bench --pick: one table and one budget of error, one implementation.
 *
 *     verify that very table -> measure who is within the budget, in turn -> choose -> say why and how to use it
 */
#ifndef POSENC_BENCH_PICK_H
#define POSENC_BENCH_PICK_H

#include "../../verify/campaign/campaign.h"
#include "../../verify/cli/spec_options.h"
#include "../cases/cases.h"
#include "../shim/compare.h"

#include <stdio.h>

/* More turns would tell smaller differences apart. */
enum { PICK_TURNS = 15 };

typedef struct pick_options {
  spec_options table;
  double max_ulp, max_abs; /* the budget of error; infinite where not asked for */
  bool recipe;             /* instead: the framework's own roundings */
  bool format_json;
  const bench_offset *at;
} pick_options;

/* What was measured of one case: nanoseconds an element. */
typedef struct pick_timing {
  double turns[PICK_TURNS]; /* the median of each of its turns */
  int n;                    /* their number: fewer where it was dropped, 0 where it was not measured */
  double ns, spread;        /* their median, and half their interquartile range; of a single turn, that of its rounds */
  double within_turn;       /* half the interquartile range of the last turn's rounds */
  int64_t rows;             /* of the table, that a pass wrote */
} pick_timing;

typedef struct pick_row {
  const posenc_impl *impl;
  const impl_result *verified;
  double ulp, max_abs; /* the largest of all outputs compared; NAN: none was */
  bool within;         /* the budget */
  char reason[400];    /* why it is not, or was not measured; empty otherwise */
  pick_timing time;
  comparison against; /* the fastest; it ties with itself */
  double of_limit;    /* its speed as a share of that of plain stores: median over the turns of both; NAN */
} pick_row;

typedef struct pick {
  const pick_options *o;
  posenc_spec spec;
  bench_shape shape; /* what is measured: of a huge table its first rows */
  results verified;
  int64_t rows_compared; /* fewer than the table has: a sample, which may miss the largest errors */
  const char *error;     /* why nothing could be measured, or NULL */
  pick_row *rows;        /* one per implementation, simplest first, as the list has them */
  size_t n;
  const char *recipe; /* of --recipe: the implementation with the framework's roundings, or NULL where none has them */
  const char *recipe_why;
  pick_row *fastest, *chosen; /* NULL: none is within the budget. chosen != fastest: a tie */
  pick_row *next;             /* the next fastest, or NULL */
} pick;

/* Returns its exit status: 0 an implementation was picked, 1 none is within the budget, 2 nothing could be measured or
 * said. */
int pick_run(const pick_options *o);

/* Sets time and of_limit of the rows within the budget; or error. */
void pick_measure(pick *p);

/* Sets ns and spread of what had a turn. */
void pick_conclude(pick_timing *t);

/* Of the fastest and those that tie with it, the simplest: sets fastest, next, chosen, and the verdict on each row that
 * was measured. */
void pick_choose(pick *p);

/* What has the roundings of a preset's framework (NULL: the paper's), and why; NULL where nothing here has them. */
const char *pick_recipe_of(const char *preset, const char **why);

/* The name to ask for in a program: without the instruction set where that means the same one here. */
const char *pick_portable_name(const posenc_impl *impl, char *name, size_t size);

/* What a program needs to use the choice, in each of these; to be freed. */
enum { PICK_LANGUAGES = 4 };
typedef struct pick_language {
  const char *key, *title; /* in the JSON, and in the text */
  void (*print)(const pick *p, const char *impl, FILE *f);
} pick_language;
extern const pick_language pick_languages[PICK_LANGUAGES];
char *pick_import(const pick *p, int language);

void pick_print_why(const pick *p, FILE *out); /* a sentence without an end */

/* Return false where there was no memory. */
bool pick_print_text(const pick *p, FILE *out);
bool pick_print_json(const pick *p, FILE *out);

#endif

/* posenc-bench --pick: one table and one budget of error, one implementation.
 *
 *     verify that very table -> measure who is within the budget, in turn -> choose -> say why and how to use it
 */
#ifndef POSENC_BENCH_PICK_H
#define POSENC_BENCH_PICK_H

#include "../verify/campaign/campaign.h"
#include "bench.h"

#include <stdio.h>

/* More turns would tell smaller differences apart. */
enum { PICK_TURNS = 15 };

/* What was measured of one case: nanoseconds an element. */
typedef struct pick_timing {
  double turns[PICK_TURNS]; /* the median of each of its turns */
  int n;                    /* how many it had: who is far behind has fewer, and 0: not measured */
  double ns, spread;        /* their median, and half their interquartile range; of a single turn, that of its rounds */
  double within_turn;       /* half the interquartile range of the last turn's rounds */
  int64_t rows;             /* of the table, that a pass wrote */
} pick_timing;

typedef struct pick_row {
  const posenc_impl *impl;
  const impl_result *verified;
  double ulp, max_abs;   /* the largest of all outputs compared; NAN: none was */
  bool within;           /* the budget */
  char reason[400];      /* why it is not, or was not measured; empty otherwise */
  pick_timing time;
  double behind, unsure; /* how much longer than the fastest, as a share of its time; and how sure that is, NAN of few turns */
  double of_limit;       /* its speed as a share of that of plain stores: median over the turns of both; NAN */
} pick_row;

typedef struct pick {
  const bench_options *o;
  posenc_spec spec;
  bench_shape shape; /* what is measured: of a huge table its first rows */
  results verified;
  int64_t rows_compared; /* fewer than the table has: a sample, which errors may hide from */
  const char *error;     /* why nobody could be measured, or NULL */
  pick_row *rows; /* one per implementation, simplest first, as the list has them */
  size_t n;
  const char *recipe; /* of --recipe: the implementation with the framework's roundings, or NULL where none has them */
  const char *recipe_why;
  pick_row *fastest, *chosen; /* NULL: nobody is within the budget. chosen != fastest: a tie */
  pick_row *next;             /* the next fastest, or NULL */
} pick;

/* Returns its exit status: 0 an implementation was picked, 1 none is within the budget, 2 nothing could be measured or said. */
int pick_run(const bench_options *o);

/* Sets time and of_limit of the rows within the budget; or error. */
void pick_measure(pick *p);

/* Median and interquartile range; sorts the values. */
double pick_median(double *values, int n, double *range);

/* Sets ns and spread of what had a turn. */
void pick_conclude(pick_timing *t);

/* Of the fastest and those that cannot be told from it, the simplest: sets fastest, next, chosen, and behind and unsure of all that
 * were measured. */
void pick_choose(pick *p);
bool pick_ties(const pick *p, const pick_row *row); /* with the fastest, which ties with itself */

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

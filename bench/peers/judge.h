/* posenc-judge: how wrong tables are, whoever made them: peers, implementations of posenc, and .npy files. */
#ifndef POSENC_BENCH_PEERS_JUDGE_H
#define POSENC_BENCH_PEERS_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../../verify/expected.h"
#include "../../verify/spec_options.h"
#include "../../verify/sweep.h"
#include "peer.h"

/* A table to be judged: one of peer, impl and file is not NULL. */
typedef struct subject {
  char *name;
  const peer *peer;
  const posenc_impl *impl;
  const char *file;
  posenc_spec spec; /* the dtype of a file is settled by take() */
  bool dtype_is_given;
  int64_t from, to; /* positions from .. to-1 */
} subject;

/* What was asked for by no name and is not judged. */
typedef struct absence {
  const char *name;
  char *reason;
} absence;

typedef struct judge_options {
  const char *json; /* "-" is standard output; NULL: none */
  int64_t rows;
  spec_options shape;
  subject *subjects;
  size_t n_subjects;
  absence *absences;
  size_t n_absences;
} judge_options;

/* --help, --version, --list and what is wrong end the process. */
judge_options judge_options_parse(int argc, char **argv);
void judge_options_destroy(judge_options *o);

/* The tables of those names, or of all that runs here; what is wrong with one ends the process. The spec is complete, and from >=
 * to means that no positions were given. */
void judge_subjects(judge_options *o, const char *const *names, size_t n_names);
bool names_file(const char *name); /* NAME.npy */

/* Whether the spec is all that a peer can write: the paper's table in float32, of whatever base and even width. */
bool is_paper(const posenc_spec *spec);

/* The sampled rows of a table as its elements' numbers, segment by segment and row by row. */
typedef struct taken {
  sweep rows;
  double **values;
} taken;

/* Return false, with one line in message, where a table cannot be had. */
bool take(subject *s, int64_t rows, taken *t, char *message, size_t size);
void taken_destroy(taken *t);

/* The truth of segments, computed when first asked for and kept for all tables that have the same rows. */
typedef struct truths truths;
truths *truths_create(void);
void truths_destroy(truths *all);
const truth_value *truths_of(truths *all, const segment *s);

/* How wrong a table is in a range of positions. Where an output is not finite, max_abs and ulp_max are infinite; ulp_max is so
 * too where the truth is 0 and the output is not. */
typedef struct range_error {
  int64_t from, to, rows, outputs, correct; /* outputs that are correctly rounded, sign of zero included */
  double max_abs, ulp_max;
  int64_t position, column; /* of the largest error */
  double got, want;         /* there; want: the correctly rounded value */
  const char *word;
} range_error;

range_error range_compare(const segment *s, const truth_value *expected, const double *got);

typedef struct judgement {
  const subject *of;
  range_error *ranges;
  int64_t n_ranges;
  bool right;               /* in its first range it is neither drifting nor wrong */
  const range_error *wrong; /* the first range whose word is "wrong", or NULL */
} judgement;

judgement judgement_of(const subject *s, const taken *t, truths *all);

/* all: as many as there are subjects. Return whether all was written. */
bool judge_text(FILE *out, const judge_options *o, const judgement *all);
bool judge_json(FILE *out, const judge_options *o, const judgement *all);

#endif

/* posenc-verify FILE.npy ...: how wrong the tables in files are, range of positions by range of positions. */
#ifndef POSENC_CLI_FILE_H
#define POSENC_CLI_FILE_H

#include <stdio.h>

#include "npy.h"
#include "options.h"

/* How wrong a table is in a range of positions. Where an output is not finite, max_abs and ulp_max are infinite;
 * ulp_max is so too where the reference is 0 and the output is not. */
typedef struct range_error {
  int64_t from, to, rows, outputs, correct; /* correct: outputs that are correctly rounded, sign of zero included */
  double max_abs, ulp_max;
  int64_t position, column; /* of the largest error */
  double got, want;         /* there; want: the correctly rounded value */
  const char *word;
} range_error;

typedef struct judgement {
  const char *path;
  char *name; /* its own part of the path, without .npy */
  posenc_spec spec;
  range_error *ranges;
  int64_t n_ranges;
  bool right;               /* in its first range it is neither drifting nor wrong */
  const range_error *wrong; /* the first range whose word is "wrong", or NULL */
} judgement;

/* Reference values of segments, computed when first asked for and kept for all tables that have the same rows. */
typedef struct references references;
references *references_create(void);
void references_destroy(references *all);
const truth_value *references_of(references *all, const segment *s, const options *o);

/* got: the segment's values row by row. */
range_error range_compare(const segment *s, const truth_value *expected, const double *got);

/* The exit status: 0 all tables are right, 1 one is not, 2 the report could not be written. */
int verify_files(const options *o);

/* all: as many as there are files. Return whether all was written. */
bool files_text(FILE *out, const options *o, const judgement *all);
bool files_json(FILE *out, const options *o, const judgement *all);

#endif

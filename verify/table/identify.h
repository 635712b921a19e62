/* Which preset, base, first position and arithmetic a table is. */
#ifndef POSENC_TABLE_IDENTIFY_H
#define POSENC_TABLE_IDENTIFY_H

#include "distance.h"
#include "fit.h"

typedef struct finding {
  const reading *r;
  double base;
  int digits; /* of the base, in decimal; more than ROUND: it is no round number, or the table does not show whether it is */
  bool usual; /* it is the preset's own base */
  int64_t first;
  care care;
  distance distances[ARITHMETICS];
} finding;

enum { FINDING_ROUND = 17 };

typedef struct verdict {
  const char *path;
  const table *t;
  const finding *findings; /* those that fit best, all equally */
  size_t n_findings;
  const finding *others; /* the same table, said with another round base; no distances */
  size_t n_others;
  char reason[256]; /* when there are no findings */
} verdict;

/* The exit status: 0 identified, 1 nothing fits, 2 not a table that can be read. */
int identify(const char *path, bool json);

void report_text(const verdict *v);
void report_json(const verdict *v);

#endif

/* Where posenc-verify writes its reports, and the JSON that they share.
 *
 * JSON has no infinity, so cJSON writes null for an infinite ULP (a nonzero output where the exact value is 0). When
 * cJSON runs out of memory it returns NULL, and its later calls accept that; only reports_close() detects it. */
#ifndef POSENC_CLI_REPORT_H
#define POSENC_CLI_REPORT_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "../campaign/verdict.h"
#include "../tools/output.h"
#include "options.h"

typedef struct reports {
  FILE *text;  /* stdout, or stderr if the JSON goes to stdout */
  output json; /* if --json was given */
} reports;

/* Ends the process if the file of --json cannot be written. */
reports reports_open(const options *o);

/* Writes the JSON if --json was given, and frees it. Returns the exit status: `status`, or 2 if something could not be
 * written. */
int reports_close(const reports *r, const options *o, cJSON *root, int status);

cJSON *json_begin(const options *o);
cJSON *json_append(cJSON *array); /* appends an object, and returns it */
void json_add_text(cJSON *object, const char *key, const char *text_or_null);
void json_add_spec(cJSON *object, const posenc_spec *spec, const char *preset);

void json_add_witness(cJSON *object, const char *key, const witness *w);

/* Adds the part of a verdict that reports on implementations and on files share. */
void json_add_verdict(cJSON *object, const segment *s, const verdict *v);

#endif

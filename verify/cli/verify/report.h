/* Where the reports of posenc-verify go, and what their JSON has in common. JSON has no infinity, and cJSON writes null
 * for one: an infinite ULP (a nonzero output where 0 is exact). Running out of memory, cJSON returns NULL and carries
 * it along: only reports_close() can tell. */
#ifndef POSENC_CLI_REPORT_H
#define POSENC_CLI_REPORT_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "../../campaign/verdict.h"
#include "options.h"

typedef struct reports {
  FILE *text; /* stdout, or stderr where that has the JSON */
  FILE *json; /* or NULL */
} reports;

/* Ends the process where --json cannot be opened: now, not after the work. */
reports reports_open(const options *o);

/* Writes the JSON if there is to be one, and frees it. Returns the exit status: the given one, or 2 if something could
 * not be written. */
int reports_close(const reports *r, const options *o, cJSON *root, int status);

cJSON *json_begin(const options *o);
cJSON *json_append(cJSON *array); /* an object */
void json_add_text(cJSON *object, const char *key, const char *text_or_null);
void json_add_spec(cJSON *object, const posenc_spec *spec, const char *preset);

void json_add_witness(cJSON *object, const char *key, const witness *w);

/* What a verdict says of any table. */
void json_add_verdict(cJSON *object, const segment *s, const verdict *v);

#endif

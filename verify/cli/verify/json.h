/* What the JSON of all results of posenc-verify has in common. */
#ifndef POSENC_CLI_JSON_H
#define POSENC_CLI_JSON_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "../../campaign/expected.h"

/* JSON has no infinity, and cJSON writes null for one: an infinite ULP (a nonzero output where 0 is exact). Running out
 * of memory, cJSON returns NULL and carries it along: only json_end() can tell. */
cJSON *json_begin(uint64_t seed, reference by);
void json_add_hex(cJSON *object, const char *key, double value);

/* Writes and frees it. Returns whether all was written. */
bool json_end(cJSON *root, FILE *out);

#endif

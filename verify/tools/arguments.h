/* Parses the tools' options and their arguments. A bad one is reported, and ends the process with status 2. */
#ifndef POSENC_TOOLS_ARGUMENTS_H
#define POSENC_TOOLS_ARGUMENTS_H

#include <argp.h>
#include <stdint.h>

#include "posenc.h"

/* Calls argp_parse(). Ends the process with status 2 on bad usage, or if there is no memory; and later, when it exits,
 * if standard output could not be written. */
void arguments_parse(const struct argp *argp, int argc, char **argv, void *input);

int64_t argument_integer(struct argp_state *state, const char *option, const char *text, int64_t low, int64_t high);
double argument_number(struct argp_state *state, const char *option, const char *text);

/* The index of the name that `text` is. name(i) is NULL past the last. */
int32_t argument_choice(struct argp_state *state, const char *option, const char *text, const char *(*name)(int32_t));

#endif

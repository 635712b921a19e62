/* The tools' options that describe a table: a preset, changes to its fields, and the positions. */
#ifndef POSENC_TOOLS_SPEC_OPTIONS_H
#define POSENC_TOOLS_SPEC_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "posenc.h"

enum { SPEC_FIELDS = 7 };

typedef struct spec_options {
  bool given;                     /* at least one of these options was given */
  const char *preset;             /* its name, or NULL; it is applied to spec already */
  posenc_spec spec;               /* valid once argp_parse() has returned */
  int64_t from, to;               /* positions from .. to-1 */
  const char *texts[SPEC_FIELDS]; /* the arguments of options for fields, or NULL */
} spec_options;

/* The values without any option: the paper's table, d_model 512, positions 0 .. to-1. */
spec_options spec_options_default(int64_t to);

/* A child for a tool's argp. The tool's parser sets state->child_inputs[] to a spec_options. */
extern const struct argp spec_options_argp;

#endif

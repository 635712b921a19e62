/* The options of the tools that say what a table is: a preset or the paper's, changes to it, and its positions. */
#ifndef POSENC_VERIFY_SPEC_OPTIONS_H
#define POSENC_VERIFY_SPEC_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "posenc.h"

enum { SPEC_FIELDS = 7 };

typedef struct spec_options {
  bool given;                               /* any of these options was */
  bool has_width, has_positions, has_dtype; /* these were */
  const char *preset;                       /* its name, or NULL; spec has it already */
  posenc_spec spec;                         /* valid once argp_parse() has returned */
  int64_t from, to;                         /* positions from .. to-1 */
  const char *texts[SPEC_FIELDS];           /* of fields, as given, or NULL */
} spec_options;

/* d_model 512, positions 0 .. to-1 unless told. */
spec_options spec_options_default(int64_t to);

/* For the children of a tool's own argp, whose parser sets state->child_inputs[] to a spec_options. */
extern const struct argp spec_options_argp;

#endif

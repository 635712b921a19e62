/* posenc-table writes a table as an .npy file. */
#include <stdio.h>
#include <stdlib.h>

#include "../../tools/arguments.h"
#include "write.h"

const char *argp_program_version = "posenc-table " POSENC_VERSION_STRING;

static const struct argp_option argp_options[] = {
    {"output", 'o', "FILE", 0, "The .npy file; - is stdout", 0},
    {"impl", 'i', "NAME", 0, "The implementation (default exact)", 0},
    {"list", 'l', NULL, 0, "List the presets and stop", 0},
    {0},
};

static void list_presets(void) {
  for (size_t i = 0; i < posenc_preset_count(); i++) {
    const posenc_preset *p = posenc_preset_by_index(i);
    printf("%s\n  formula  %s\n  users    %s\n  starts   %s\n", p->name, p->formula, p->users, p->starts);
  }
  exit(0);
}

static void finish(struct argp_state *state, const table_options *o) {
  if (!o->output)
    argp_error(state, "-o FILE is needed");
  if (!o->table.has_positions)
    argp_error(state, "--positions N, the number of rows, is needed");
}

static error_t parse(int key, char *text, struct argp_state *state) {
  table_options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &o->table;
    return 0;
  case 'l':
    list_presets();
    return 0;
  case 'o':
    o->output = text;
    return 0;
  case 'i':
    o->impl = argument_impl(state, text)->name;
    return 0;
  case ARGP_KEY_ARG:
    argp_error(state, "%s: no arguments are taken, only options", text);
    return 0;
  case ARGP_KEY_END:
    finish(state, o);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

int main(int argc, char **argv) {
  static const struct argp_child children[] = {{&spec_options_argp, 0, "The table:", 1}, {0}};
  static const struct argp argp = {argp_options, parse, NULL,
      "Writes a sinusoidal position table as an .npy file."
      "\vNumPy has no bfloat16, so such a table is written as the same bits in unsigned 16-bit integers, '<u2'.\n\n"
      "Exit status: 0 the table is written; 2 bad usage, or a file that cannot be written.\n\n"
      "Examples:\n"
      "  $ posenc-table --preset whisper --d-model 1280 --positions 1500 -o pe.npy",
      children, NULL, NULL};
  table_options o = {.table = spec_options_default(1)};
  arguments_parse(&argp, argc, argv, &o);
  return write_table(&o);
}

/* The command line of posenc-judge. */
#include <stdlib.h>
#include <string.h>

#include "../../verify/arguments.h"
#include "../../verify/memory.h"
#include "../../verify/table/npy.h"
#include "judge.h"

enum { KEY_LIST = 'l', KEY_JSON = 'o', KEY_ROWS = 'r' };

static const struct argp_option known[] = {
    {"json", KEY_JSON, "FILE", 0, "Write the results as JSON; - is stdout, the text then goes to stderr", 0},
    {"rows", KEY_ROWS, "N", 0, "Rows that are compared in each range of positions (default 256)", 0},
    {"list", KEY_LIST, NULL, 0, "List the peers and the implementations and stop", 0},
    {0}};

typedef struct parsing {
  judge_options *to;
  const char **names;
  size_t n_names;
} parsing;

static void list_missing(const char *name, const char *reason, void *data)
{
  (void)data;
  printf("%-18s %-10s not built: %s\n", name, "peer", reason);
}

static _Noreturn void list_all(void)
{
  for (size_t i = 0; i < peer_count(); i++) {
    const peer *p = peer_at(i);
    const char *lack = p->lacks();
    printf("%-18s %-10s %s%s%s%s\n", p->name, "peer", p->what, p->library ? "; " : "", p->library ? p->library : "",
           lack ? "; not here" : "");
  }
  peer_each_missing(list_missing, NULL);
  list_impls();
}

/* Before the spec is put together: a file says how wide the table is, where --d-model does not. */
static void settle_width(struct argp_state *state, parsing *p)
{
  posenc_spec *spec = &p->to->shape.spec;
  for (size_t i = 0; i < p->n_names && spec->d_model == 0; i++) {
    npy_layout layout;
    char message[512];
    if (!names_file(p->names[i]))
      continue;
    if (!npy_read_layout(p->names[i], &layout, message, sizeof message))
      argp_failure(state, 2, 0, "%s: %s", p->names[i], message);
    spec->d_model = layout.columns;
  }
  *spec = posenc_spec_default(spec->d_model ? spec->d_model : 512);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  parsing *p = state->input;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &p->to->shape; return 0;
  case KEY_LIST: list_all();
  case KEY_JSON: p->to->json = text; return 0;
  case KEY_ROWS: p->to->rows = argument_integer(state, "--rows", text, SWEEP_MIN_ROWS, SWEEP_MAX_ROWS); return 0;
  case ARGP_KEY_NO_ARGS: settle_width(state, p); return 0;
  case ARGP_KEY_ARG:
    p->names[p->n_names++] = text;
    if (state->next == state->argc) /* the last one; options came before */
      settle_width(state, p);
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static void print_version(FILE *out, struct argp_state *state)
{
  (void)state;
  fprintf(out, "posenc-judge %s\n", posenc_version());
}

judge_options judge_options_parse(int argc, char **argv)
{
  static const struct argp_child children[] = {
      {&spec_options_argp, 0,
       "What the tables should be, by default the paper's to position 1048576. Of files, by default, from position 0 and in the "
       "columns and the dtype that they have; --positions must come to their rows:", 1}, {0}};
  static const struct argp argp = {
      known, parse, "[NAME...] [FILE.npy...]",
      "Says how wrong tables are, against MPFR: those of peers and implementations by NAME, and those of files. Without one: all "
      "peers that run here, exact and anchored."
      "\vA NAME that both a peer and an implementation have is the peer's.\n"
      "Output: text on stdout, progress on stderr.\n"
      "Exit status: 0 all tables are right, 1 one is not, 2 bad usage or a file that cannot be read.",
      children, NULL, NULL};
  judge_options o = {.rows = 256, .shape = spec_options_default(0)};
  parsing p = {.to = &o, .names = must_calloc(argc, sizeof *p.names)};
  o.shape.spec.d_model = 0; /* until somebody says it */
  argp_err_exit_status = 2;
  argp_program_version_hook = print_version;
  arguments_parse(&argp, argc, argv, &p);
  judge_subjects(&o, p.names, p.n_names);
  free(p.names);
  return o;
}

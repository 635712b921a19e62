/* Arguments of the tools' options. What is wrong with one is said through argp, which ends the process with
 * argp_err_exit_status: set that to 2 before argp_parse().
 */
#ifndef POSENC_VERIFY_ARGUMENTS_H
#define POSENC_VERIFY_ARGUMENTS_H

#include <argp.h>
#include <stdint.h>

#include "posenc.h"

/* argp_parse(), which ends with 2 where there is no memory for it too. */
void arguments_parse(const struct argp *argp, int argc, char **argv, void *input);

int64_t argument_integer(struct argp_state *state, const char *option, const char *text, int64_t low, int64_t high);
double argument_number(struct argp_state *state, const char *option, const char *text);

/* --positions [FROM:]TO, positions FROM to TO-1; *from keeps its value where none is given. */
void argument_positions(struct argp_state *state, const char *text, int64_t *from, int64_t *to);

/* --impl NAME: one that runs here. */
const posenc_impl *argument_impl(struct argp_state *state, const char *name);

/* --list: ends the process. */
_Noreturn void list_impls(void);

#endif

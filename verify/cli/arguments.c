#include "arguments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void arguments_parse(const struct argp *argp, int argc, char **argv, void *input) {
  const error_t error = argp_parse(argp, argc, argv, 0, NULL, input);
  if (error != 0) { /* of argp's own: what is wrong with an argument has been said, and has ended this */
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, strerror(error));
    exit(2);
  }
}

int64_t argument_integer(struct argp_state *state, const char *option, const char *text, int64_t low, int64_t high) {
  char *end;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || value < low || value > high)
    argp_error(state, "%s %s: an integer from %lld to %lld is needed", option, text, (long long)low, (long long)high);
  return value;
}

double argument_number(struct argp_state *state, const char *option, const char *text) {
  char *end;
  const double value = strtod(text, &end);
  if (end == text || *end != '\0')
    argp_error(state, "%s %s: a number is needed", option, text);
  return value;
}

void argument_positions(struct argp_state *state, const char *text, int64_t *from, int64_t *to) {
  const int64_t last = POSENC_MAX_POSITION;
  const char *colon = strchr(text, ':');
  if (colon) {
    char before[32];
    snprintf(before, sizeof before, "%.*s", (int)(colon - text), text);
    *from = argument_integer(state, "--positions: FROM", before, -last, last);
  }
  *to = argument_integer(state, "--positions: TO", colon ? colon + 1 : text, -last, last + 1);
  if (*from >= *to)
    argp_error(state, "--positions %s: FROM (%lld) must be below TO (%lld)", text, (long long)*from, (long long)*to);
}

const posenc_impl *argument_impl(struct argp_state *state, const char *name) {
  const posenc_impl *impl = posenc_impl_find(name);
  if (!impl) {
    fprintf(stderr, "%s: --impl %s: no such implementation; known:", state->name, name);
    for (size_t i = 0; i < posenc_impl_count(); i++)
      fprintf(stderr, " %s", posenc_impl_at(i)->name);
    fputc('\n', stderr);
    exit((int)argp_err_exit_status);
  }
  if (!posenc_impl_supported(impl))
    argp_error(state, "--impl %s: needs %s, which this machine lacks", name, impl->isa);
  return impl;
}

_Noreturn void list_impls(void) {
  for (size_t i = 0; i < posenc_impl_count(); i++) {
    const posenc_impl *impl = posenc_impl_at(i);
    printf("%-18s %-7s %-10s %s; %s\n", impl->name, impl->isa, posenc_impl_supported(impl) ? "runs here" : "not here",
        impl->summary, impl->arithmetic);
  }
  exit(0);
}

#include "arguments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void arguments_parse(const struct argp *argp, int argc, char **argv, void *input) {
  argp_err_exit_status = 2;
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

int32_t argument_choice(struct argp_state *state, const char *option, const char *text, const char *(*name)(int32_t)) {
  char all[1024] = "";
  for (int32_t i = 0; name(i); i++) {
    if (strcmp(text, name(i)) == 0)
      return i;
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", name(i));
  }
  argp_error(state, "%s %s: one of these is needed: %s", option, text, all);
  return -1;
}

static const char *impl_name(int32_t i) {
  const posenc_impl *impl = posenc_impl_by_index((size_t)i);
  return impl ? impl->name : NULL;
}

const posenc_impl *argument_impl(struct argp_state *state, const char *name) {
  const posenc_impl *impl = posenc_impl_find(name); /* a family too */
  if (!impl)
    impl = posenc_impl_by_index((size_t)argument_choice(state, "--impl", name, impl_name));
  if (!posenc_impl_supported(impl))
    argp_error(state, "--impl %s: needs %s, which this machine lacks", name, impl->isa);
  return impl;
}

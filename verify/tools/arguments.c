#include "arguments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

void arguments_parse(const struct argp *argp, int argc, char **argv, void *input) {
  static char help[] = "--help";
  argp_err_exit_status = 2;
  output_check_stdout();
  for (int i = 1; i < argc; i++) /* argp has no -h */
    argv[i] = strcmp(argv[i], "-h") == 0 ? help : argv[i];
  const error_t error = argp_parse(argp, argc, argv, 0, NULL, input);
  if (error != 0) { /* of argp itself, such as no memory; a bad argument has already ended the process */
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
  argp_error(state, "%s %s: unknown; allowed: %s", option, text, all);
  return -1;
}

/* Names to choose from: the two families that are recommended, then every implementation. */
static const char *impl_name(int32_t i) {
  static const char *const recommended[] = {"exact", "anchored"};
  const posenc_impl *impl = i < 2 ? NULL : posenc_impl_by_index((size_t)i - 2);
  return i < 2 ? recommended[i] : impl ? impl->name : NULL;
}

const posenc_impl *argument_impl(struct argp_state *state, const char *name) {
  const posenc_impl *impl = posenc_impl_find(name); /* a family too */
  if (!impl) {
    argument_choice(state, "--impl", name, impl_name); /* refuses the name, and ends the program */
    return NULL;
  }
  if (!posenc_impl_supported(impl))
    argp_error(state, "--impl %s: needs %s, which this machine lacks", name, impl->isa);
  return impl;
}

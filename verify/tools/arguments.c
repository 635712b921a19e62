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

#include "arguments.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

/* Appends the long options of a parser and of its children to `all`. Returns whether one of them begins with the first
 * `length` characters of `name`. */
static bool list_options(const struct argp *argp, const char *name, size_t length, char *all, size_t size) {
  bool found = false;
  for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++)
    if (o->name) {
      found = found || strncmp(o->name, name, length) == 0;
      snprintf(all + strlen(all), size - strlen(all), ", --%s", o->name);
    }
  for (const struct argp_child *c = argp->children; c && c->argp; c++)
    found = list_options(c->argp, name, length, all, size) || found;
  return found;
}

/* Makes -h mean --help, and refuses an unknown long option with a list of those that are allowed. argp does neither. */
static void check_options(const struct argp *argp, int argc, char **argv) {
  static const struct argp_option builtin[] = {{.name = "help"}, {.name = "usage"}, {.name = "version"}, {0}};
  static char help[] = "--help";
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    char all[1024] = "";
    const size_t length = strcspn(argv[i], "=");
    if (strcmp(argv[i], "-h") == 0)
      argv[i] = help;
    if (strncmp(argv[i], "--", 2) != 0)
      continue;
    const struct argp_child both[] = {{argp, 0, NULL, 0}, {&(struct argp){.options = builtin}, 0, NULL, 0}, {0}};
    if (!list_options(&(struct argp){.children = both}, argv[i] + 2, length - 2, all, sizeof all)) {
      fprintf(stderr, "%s: unknown option %.*s; allowed: %s\n", program_invocation_short_name, (int)length, argv[i],
          all + 2);
      exit(2);
    }
  }
}

void arguments_parse(const struct argp *argp, int argc, char **argv, void *input) {
  argp_err_exit_status = 2;
  output_check_stdout();
  check_options(argp, argc, argv);
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

#include "../verify/tools/machine.h"
#include "options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#if POSENC_WITH_SLEEF
#include <sleef.h>
#define SLEEF STRING(SLEEF_VERSION_MAJOR) "." STRING(SLEEF_VERSION_MINOR) "." STRING(SLEEF_VERSION_PATCHLEVEL)
#else
#define SLEEF "not built in"
#endif

#define STRING_(x) #x
#define STRING(x) STRING_(x)

/* "always [madvise] never" -> "madvise" */
static void huge_page_mode(char *mode, size_t size) {
  FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
  char line[128];
  const char *open = f && fgets(line, sizeof line, f) ? strchr(line, '[') : NULL;
  snprintf(mode, size, "%.*s", open ? (int)strcspn(open + 1, "]") : 7, open ? open + 1 : "unknown");
  if (f)
    fclose(f);
}

/* Adds a line to the JSON, and prints it unless *quiet. Keys with a dot are lists for programs that read the JSON. */
static void add_line(void *quiet, const char *key, const char *value) {
  shim_context(key, value);
  if (!*(bool *)quiet && !strchr(key, '.'))
    fprintf(stderr, "%s: %s\n", key, value);
}

/* Prints a warning for each reason not to trust the times. */
static void print_warnings(void) {
  if (strcmp(POSENC_BUILD_TYPE, "Release") != 0)
    fputs("warning: build type " POSENC_BUILD_TYPE ": these times are not those of a Release build\n", stderr);
  if (machine_emulated())
    fputs("warning: this CPU is emulated: times say nothing about a real one\n", stderr);
  if (shim_clock_scales())
    fputs("warning: CPU frequency scaling is enabled; expect more spread\n", stderr);
}

void bench_context(const bench_options *options) {
  char text[256], key[128];
  const char *name, *reason;
  bool quiet = options->quiet;
  add_line(&quiet, "schema", "1");
  add_line(&quiet, "tool", "posenc-bench");
  add_line(&quiet, "posenc", posenc_version());
  add_line(&quiet, "c_flags", POSENC_C_FLAGS " (each implementation adds those of its instruction set)");
  add_line(&quiet, "sleef", SLEEF);
  machine_describe(add_line, &quiet);
  add_line(&quiet, "default", posenc_impl_find(NULL)->name);
  add_line(&quiet, "emulated", machine_emulated() ? "yes" : "no");
  huge_page_mode(text, sizeof text);
  add_line(&quiet, "transparent_huge_pages", text);
  snprintf(text, sizeof text, "%" PRId64, options->offsets[0].bytes);
  add_line(&quiet, "offset", text);
  for (size_t i = 0; i < bench_shape_count(); i++) {
    const bench_shape *s = bench_shape_at(i);
    snprintf(key, sizeof key, "%s.%s", s->level ? "level" : "shape", s->name);
    snprintf(text, sizeof text, "n:%" PRId64 "/d:%" PRId64 " base %g, %s", s->positions, s->d_model, s->base, s->who);
    add_line(&quiet, key, text);
  }
  for (size_t i = 0; (name = bench_skipped_at(i, &reason)); i++) {
    snprintf(key, sizeof key, "not_run.%s", name);
    add_line(&quiet, key, reason);
    if (!quiet)
      fprintf(stderr, "not run: %s: %s\n", name, reason);
  }
  if (!quiet)
    print_warnings();
}

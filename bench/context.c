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

static void add_line(void *data, const char *key, const char *value) {
  (void)data;
  shim_context(key, value);
}

void bench_context(const bench_options *options) {
  char text[256], key[128];
  const char *name, *reason;
  shim_context("schema", "1");
  shim_context("tool", "posenc-bench");
  shim_context("posenc", posenc_version());
  shim_context("c_flags", POSENC_C_FLAGS " (each implementation adds those of its instruction set)");
  shim_context("sleef", SLEEF);
  machine_describe(add_line, NULL);
  shim_context("default", posenc_impl_find(NULL)->name);
  shim_context("emulated", machine_emulated() ? "yes" : "no");
  huge_page_mode(text, sizeof text);
  shim_context("transparent_huge_pages", text);
  snprintf(text, sizeof text, "%" PRId64, options->offsets[0].bytes);
  shim_context("offset", text);
  for (size_t i = 0; i < bench_shape_count(); i++) {
    const bench_shape *s = bench_shape_at(i);
    snprintf(key, sizeof key, "%s.%s", s->level ? "level" : "shape", s->name);
    snprintf(text, sizeof text, "n:%" PRId64 "/d:%" PRId64 " base %g, %s", s->positions, s->d_model, s->base, s->who);
    shim_context(key, text);
  }
  for (size_t i = 0; (name = bench_skipped_at(i, &reason)); i++) {
    snprintf(key, sizeof key, "not_run.%s", name);
    shim_context(key, reason);
    if (!options->quiet)
      fprintf(stderr, "not run: %s: %s\n", name, reason);
  }
  if (!options->quiet)
    machine_warnings(stderr);
}

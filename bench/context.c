#include "../verify/cli/machine.h"
#include "options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#if POSENC_WITH_SLEEF
#include <sleef.h>
#endif

/* Given by the build: what it was, not what this file can guess. */
#ifndef POSENC_C_FLAGS
#define POSENC_C_FLAGS "unknown"
#endif

#define STRING_(x) #x
#define STRING(x) STRING_(x)

/* "always [madvise] never" -> "madvise" */
static void huge_page_mode(const char *setting, char *mode, size_t size) {
  char path[96];
  snprintf(path, sizeof path, "/sys/kernel/mm/transparent_hugepage/%s", setting);
  FILE *f = fopen(path, "r");
  char line[128] = "";
  if (f && !fgets(line, sizeof line, f))
    line[0] = '\0';
  if (f)
    fclose(f);
  const char *open = strchr(line, '[');
  const size_t length = open ? strcspn(open + 1, "]") : 0;
  snprintf(mode, size, "%.*s", open ? (int)length : 7, open ? open + 1 : "unknown");
}

static void one_skipped(const char *name, const char *reason, void *data) {
  char key[128];
  (void)data;
  snprintf(key, sizeof key, "not_run.%s", name);
  shim_context(key, reason);
  fprintf(stderr, "not run: %s: %s\n", name, reason);
}

void bench_context(const bench_options *options) {
  char text[256];
  shim_context("schema", "1");
  shim_context("posenc", posenc_version());
  shim_context("build_type", machine_build_type());
  shim_context("c_flags", POSENC_C_FLAGS " (each implementation adds those of its instruction set)");
  shim_context("compiler", machine_compiler());
#if POSENC_WITH_SLEEF
  shim_context(
      "sleef", STRING(SLEEF_VERSION_MAJOR) "." STRING(SLEEF_VERSION_MINOR) "." STRING(SLEEF_VERSION_PATCHLEVEL));
#else
  shim_context("sleef", "not built in");
#endif
  machine_cpu(text, sizeof text);
  shim_context("cpu", text);
  shim_context("architecture", machine_architecture());
  shim_context("emulated", machine_emulated() ? "yes" : "no");
  huge_page_mode("enabled", text, sizeof text);
  shim_context("transparent_huge_pages", text);
  huge_page_mode("defrag", text, sizeof text);
  shim_context("transparent_huge_pages_defrag", text);
  shim_context("buffer", "huge pages advised; the counter huge_pages is the share that is huge");
  snprintf(text, sizeof text, "%" PRId64, options->offsets[0].bytes);
  shim_context("offset", text);
  shim_context("verified", options->verified ? options->verified : "no report given");
  for (size_t i = 0; i < bench_shape_count(); i++) {
    const bench_shape *s = bench_shape_at(i);
    char key[64];
    snprintf(key, sizeof key, "%s.%s", s->level ? "level" : "shape", s->name);
    snprintf(text, sizeof text, "n:%" PRId64 "/d:%" PRId64 " base %g, %s", s->positions, s->d_model, s->base, s->who);
    shim_context(key, text);
  }
  bench_each_skipped(one_skipped, NULL);
  machine_warnings(stderr);
}

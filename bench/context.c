#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#if POSENC_WITH_SLEEF
#include <sleef.h>
#endif

/* Given by the build: what it was, not what this file can guess. */
#ifndef POSENC_BUILD_TYPE
#define POSENC_BUILD_TYPE "unknown"
#endif
#ifndef POSENC_C_FLAGS
#define POSENC_C_FLAGS "unknown"
#endif

#if defined(__clang__)
#define COMPILER "Clang " __clang_version__
#else
#define COMPILER "GCC " __VERSION__
#endif

#define STRING_(x) #x
#define STRING(x) STRING_(x)

/* The value of the first line of /proc/cpuinfo with this key. */
static bool cpuinfo(const char *key, char *value, size_t size)
{
  FILE *f = fopen("/proc/cpuinfo", "r");
  char line[512];
  bool found = false;
  while (f && !found && fgets(line, sizeof line, f)) {
    const char *colon = strchr(line, ':');
    found = colon && strncmp(line, key, strlen(key)) == 0;
    if (found) {
      line[strcspn(line, "\n")] = '\0';
      snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
    }
  }
  if (f)
    fclose(f);
  return found;
}

static void cpu_model(char *text, size_t size)
{
  char implementer[64], part[64];
  if (cpuinfo("model name", text, size))
    return;
  /* Arm systems give numbers instead of a name. */
  if (cpuinfo("CPU implementer", implementer, sizeof implementer) && cpuinfo("CPU part", part, sizeof part))
    snprintf(text, size, "implementer %s, part %s", implementer, part);
  else
    snprintf(text, size, "unknown");
}

/* "always [madvise] never" -> "madvise" */
static void huge_page_mode(const char *setting, char *mode, size_t size)
{
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

static void one_left_out(const char *name, const char *reason, void *data)
{
  char key[128];
  (void)data;
  snprintf(key, sizeof key, "not_run.%s", name);
  shim_context(key, reason);
  fprintf(stderr, "not run: %s: %s\n", name, reason);
}

void bench_context(const bench_options *options)
{
  char text[256];
  shim_context("schema", "1");
  shim_context("posenc", posenc_version());
  shim_context("build_type", POSENC_BUILD_TYPE);
  shim_context("c_flags", POSENC_C_FLAGS " (each implementation adds those of its instruction set)");
  shim_context("compiler", COMPILER);
#if POSENC_WITH_SLEEF
  shim_context("sleef",
               STRING(SLEEF_VERSION_MAJOR) "." STRING(SLEEF_VERSION_MINOR) "." STRING(SLEEF_VERSION_PATCHLEVEL));
#else
  shim_context("sleef", "not built in");
#endif
  cpu_model(text, sizeof text);
  shim_context("cpu", text);
  huge_page_mode("enabled", text, sizeof text);
  shim_context("transparent_huge_pages", text);
  huge_page_mode("defrag", text, sizeof text);
  shim_context("transparent_huge_pages_defrag", text);
  shim_context("buffer", "huge pages advised; the counter huge_pages is the share that is huge");
  snprintf(text, sizeof text, "%" PRId64, options->places[0].offset);
  shim_context("offset", text);
  shim_context("verified", options->verified ? options->verified : "no report given");
  for (size_t i = 0; i < bench_shape_count(); i++) {
    const bench_shape *s = bench_shape_at(i);
    char key[64];
    snprintf(key, sizeof key, "%s.%s", s->level ? "level" : "shape", s->name);
    snprintf(text, sizeof text, "n:%" PRId64 "/d:%" PRId64 " base %g, %s", s->positions, s->d_model, s->base, s->who);
    shim_context(key, text);
  }
  bench_each_left_out(one_left_out, NULL);
  if (strcmp(POSENC_BUILD_TYPE, "Release") != 0)
    fprintf(stderr, "warning: build type %s: these times are not those of a Release build\n", POSENC_BUILD_TYPE);
}

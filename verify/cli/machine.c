#include "machine.h"

#include <stdlib.h>
#include <string.h>

/* Given by the build: what it was, not what this file can guess. */
#ifndef POSENC_BUILD_TYPE
#define POSENC_BUILD_TYPE "unknown"
#endif

/* The value of the first line of /proc/cpuinfo with this key. */
static bool cpuinfo(const char *key, char *value, size_t size) {
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

void machine_cpu(char *text, size_t size) {
  char implementer[64], part[64];
  if (cpuinfo("model name", text, size))
    return;
  if (cpuinfo("CPU implementer", implementer, sizeof implementer) && cpuinfo("CPU part", part, sizeof part))
    snprintf(text, size, "implementer %s, part %s", implementer, part);
  else
    snprintf(text, size, "unknown");
}

const char *machine_architecture(void) {
#ifdef __x86_64__
  return "x86_64";
#else
  return "aarch64";
#endif
}

/* The kernel names its architecture (Linux 6.1 and later), and qemu-user hands that through. Older ones are known by a
 * line of /proc/cpuinfo that the other architecture's kernels have. */
bool machine_emulated(void) {
  char value[64] = "";
  FILE *f = fopen("/proc/sys/kernel/arch", "r");
  const bool named = f && fscanf(f, "%63s", value) == 1;
  if (f)
    fclose(f);
  if (named)
    return strcmp(value, machine_architecture()) != 0;
#ifdef __x86_64__
  return cpuinfo("CPU implementer", value, sizeof value);
#else
  return cpuinfo("vendor_id", value, sizeof value);
#endif
}

int64_t machine_available_memory(void) {
  long long kb = 0;
  char line[256];
  FILE *f = fopen("/proc/meminfo", "r");
  while (f && kb == 0 && fgets(line, sizeof line, f))
    if (strncmp(line, "MemAvailable:", 13) == 0)
      kb = strtoll(line + 13, NULL, 10);
  if (f)
    fclose(f);
  return (int64_t)kb * 1024;
}

void machine_warnings(FILE *out) {
  if (strcmp(POSENC_BUILD_TYPE, "Release") != 0)
    fprintf(out, "warning: build type %s: these times are not those of a Release build\n", POSENC_BUILD_TYPE);
  if (machine_emulated())
    fputs("warning: this CPU is emulated: times say nothing about a real one\n", out);
}

const char *machine_compiler(void) {
#ifdef __clang__
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

const char *machine_build_type(void) { return POSENC_BUILD_TYPE; }

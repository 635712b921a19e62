#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __aarch64__
#define ARCHITECTURE "aarch64"
#else
#define ARCHITECTURE "x86_64"
#endif

/* Copies the value of the first line with this key, in a file like /proc/cpuinfo. Returns whether there is one. */
static bool find(const char *path, const char *key, char *value, size_t size) {
  char line[512];
  bool found = false;
  FILE *f = fopen(path, "r");
  while (f && !found && fgets(line, sizeof line, f)) {
    const size_t n = strlen(key), blanks = strncmp(line, key, n) == 0 ? strspn(line + n, " \t") : 0;
    const char *rest = line + n + blanks + 1;
    found = strncmp(line, key, n) == 0 && rest[-1] == ':';
    if (found)
      snprintf(value, size, "%.*s", (int)strcspn(rest + strspn(rest, " \t"), "\n"), rest + strspn(rest, " \t"));
  }
  if (f)
    fclose(f);
  return found;
}

void machine_describe(machine_take *take, void *data) {
  static const char *const processor[][2] = {{"cpu", "model name"}, {"vendor", "vendor_id"}, {"family", "cpu family"},
      {"model", "model"}, {"implementer", "CPU implementer"}, {"part", "CPU part"}};
  char text[256];
  for (size_t i = 0; i < sizeof processor / sizeof *processor; i++)
    if (find("/proc/cpuinfo", processor[i][1], text, sizeof text))
      take(data, processor[i][0], text);
  take(data, "architecture", ARCHITECTURE);
  take(data, "compiler", machine_compiler());
  take(data, "build_type", POSENC_BUILD_TYPE);
}

/* Linux 6.1 and later name the kernel's architecture, and qemu-user passes that on. An older kernel is recognised by a
 * line of /proc/cpuinfo that only kernels of the other architecture have. */
bool machine_emulated(void) {
  char value[64];
  FILE *f = fopen("/proc/sys/kernel/arch", "r");
  const bool named = f && fscanf(f, "%63s", value) == 1;
  if (f)
    fclose(f);
  if (named)
    return strcmp(value, ARCHITECTURE) != 0;
#ifdef __x86_64__
  return find("/proc/cpuinfo", "CPU implementer", value, sizeof value);
#else
  return find("/proc/cpuinfo", "vendor_id", value, sizeof value);
#endif
}

int64_t machine_available_memory(void) {
  char kib[64];
  return find("/proc/meminfo", "MemAvailable", kib, sizeof kib) ? strtoll(kib, NULL, 10) * 1024 : 0;
}

const char *machine_compiler(void) {
#ifdef __clang__
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

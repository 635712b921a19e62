#include "machine.h"

#include <stdlib.h>
#include <string.h>
#ifdef __aarch64__
#include <sys/auxv.h>
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

/* The widest vectors that the CPU and the operating system support. */
static const char *vectors(void) {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512f") ? "AVX-512"
         : __builtin_cpu_supports("avx2")  ? "AVX2"
         : __builtin_cpu_supports("avx")   ? "AVX"
                                           : "SSE2";
#else
  return getauxval(AT_HWCAP) & HWCAP_SVE ? "SVE" : "NEON";
#endif
}

/* The first CPU's data caches: "48 KiB L1d, 1 MiB L2, 32 MiB L3"; empty if the system does not say. */
static void cache_sizes(char *text, size_t size) {
  text[0] = '\0';
  for (int i = 0; i < 8; i++) {
    const char *const files[] = {"size", "level", "type"};
    char path[96], values[3][32] = {"", "", ""};
    for (int j = 0; j < 3; j++) {
      snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", i, files[j]);
      FILE *f = fopen(path, "r");
      if (f && fscanf(f, "%31s", values[j]) != 1)
        values[j][0] = '\0';
      if (f)
        fclose(f);
    }
    const long kib = strtol(values[0], NULL, 10);
    if (kib > 0 && strcmp(values[2], "Instruction") != 0)
      snprintf(text + strlen(text), size - strlen(text), "%s%ld %s L%s%s", text[0] ? ", " : "",
          kib % 1024 ? kib : kib / 1024, kib % 1024 ? "KiB" : "MiB", values[1],
          strcmp(values[2], "Data") == 0 ? "d" : "");
  }
}

void machine_describe(machine_take *take, void *data) {
  static const char *const processor[][2] = {{"cpu", "model name"}, {"vendor", "vendor_id"}, {"family", "cpu family"},
      {"model", "model"}, {"implementer", "CPU implementer"}, {"part", "CPU part"}};
  char text[256];
  for (size_t i = 0; i < sizeof processor / sizeof *processor; i++)
    if (find("/proc/cpuinfo", processor[i][1], text, sizeof text))
      take(data, processor[i][0], text);
  cache_sizes(text, sizeof text);
  take(data, "cache_sizes", text[0] ? text : "unknown");
  take(data, "vectors", vectors());
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

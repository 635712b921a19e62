#include "machine.h"

#include <stdlib.h>
#include <string.h>
#ifdef __aarch64__
#include <sys/auxv.h>
#define ARCHITECTURE "aarch64"
#else
#define ARCHITECTURE "x86_64"
#endif

/* Copies the value of the first line with this key, in text as in /proc/cpuinfo. Returns whether there is one. */
static bool find(FILE *f, const char *key, char *value, size_t size) {
  char line[512];
  bool found = false;
  value[0] = '\0';
  if (f)
    rewind(f);
  while (f && !found && fgets(line, sizeof line, f)) {
    const size_t n = strlen(key), blanks = strncmp(line, key, n) == 0 ? strspn(line + n, " \t") : 0;
    found = strncmp(line, key, n) == 0 && line[n + blanks] == ':';
    if (found) {
      line[strcspn(line, "\n")] = '\0';
      const char *text = line + n + blanks + 1;
      snprintf(value, size, "%s", text + strspn(text, " \t"));
    }
  }
  return found;
}

/* The brand name without the vendor and words that say nothing: "EPYC 9B14" for "AMD EPYC 9B14 96-Core Processor". */
static void shorten(const char *brand, const char *vendor, char *name, size_t size) {
  char copy[MACHINE_TEXT], *rest = NULL;
  snprintf(copy, sizeof copy, "%s", brand);
  name[0] = '\0';
  for (char *word = strtok_r(copy, " ", &rest); word && strcmp(word, "@") != 0; word = strtok_r(NULL, " ", &rest)) {
    char *mark = strstr(word, "(R)") ? strstr(word, "(R)") : strstr(word, "(TM)");
    if (mark)
      *mark = '\0';
    const char *core = strstr(word, "-Core");
    if (*word && strcmp(word, vendor) != 0 && strcmp(word, "CPU") != 0 && strcmp(word, "Processor") != 0 && !core)
      snprintf(name + strlen(name), size - strlen(name), "%s%s", name[0] ? " " : "", word);
  }
}

void machine_read(FILE *cpuinfo, machine_processor *p) {
  static const struct {
    const char *id, *vendor;
    long family, first, last;
    const char *name;
  } table[] = {
#define PROCESSOR(id, vendor, family, first, last, name) {id, vendor, family, first, last, name},
#include "processors.inc"
#undef PROCESSOR
  };
  char id[MACHINE_WORD], family[MACHINE_WORD], end[3 * MACHINE_WORD], brand[MACHINE_TEXT], name[MACHINE_TEXT];
  *p = (machine_processor){.arm = find(cpuinfo, "CPU implementer", id, sizeof id)};
  if (!p->arm)
    find(cpuinfo, "vendor_id", id, sizeof id);
  find(cpuinfo, "cpu family", family, sizeof family);
  find(cpuinfo, p->arm ? "CPU part" : "model", p->model, sizeof p->model);
  snprintf(p->family, sizeof p->family, "%s", p->arm ? id : family);
  snprintf(p->vendor, sizeof p->vendor, "%s", p->arm || !id[0] ? "unknown" : id);
  const long family_number = strtol(family, NULL, 0), model = strtol(p->model, NULL, 0);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(id, table[i].id) == 0) {
      snprintf(p->vendor, sizeof p->vendor, "%s", table[i].vendor);
      if (family_number == table[i].family && table[i].first <= model && model <= table[i].last)
        p->microarchitecture = table[i].name;
    }

  snprintf(end, sizeof end, p->arm ? "implementer %s part %s" : "family %s model %s", p->family, p->model);
  if (!find(cpuinfo, "model name", brand, sizeof brand))
    snprintf(p->cpu, sizeof p->cpu, "%s", p->model[0] ? end : "unknown");
  else
    snprintf(p->cpu, sizeof p->cpu, "%s", brand);
  shorten(brand, p->vendor, name, sizeof name);
  const char *known = p->microarchitecture ? p->microarchitecture : "";
  snprintf(p->line, sizeof p->line, "%s%s%s%s%s%s%s", p->vendor, *known ? " " : "", known, *name ? ", " : "", name,
      p->model[0] ? ", " : "", p->model[0] ? end : "");
}

const machine_processor *machine_here(void) {
  static machine_processor here;
  if (!here.line[0]) {
    FILE *f = fopen("/proc/cpuinfo", "r");
    machine_read(f, &here);
    if (f)
      fclose(f);
  }
  return &here;
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
  const machine_processor *p = machine_here();
  char caches[256];
  cache_sizes(caches, sizeof caches);
  const char *const lines[][2] = {{"processor", p->line}, {"cpu", p->cpu}, {"vendor", p->vendor},
      {p->arm ? "implementer" : "family", p->family}, {p->arm ? "part" : "model", p->model},
      {"microarchitecture", p->microarchitecture ? p->microarchitecture : "unknown"}, {"vectors", vectors()},
      {"cache_sizes", caches[0] ? caches : "unknown"}, {"architecture", ARCHITECTURE}, {"compiler", machine_compiler()},
      {"build_type", POSENC_BUILD_TYPE}};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    take(data, lines[i][0], lines[i][1]);
}

/* Linux 6.1 and later name the kernel's architecture, and qemu-user passes that on. An older kernel is recognised by a
 * line of /proc/cpuinfo that only kernels of the other architecture have. */
bool machine_emulated(void) {
  char value[64] = "";
  FILE *f = fopen("/proc/sys/kernel/arch", "r");
  const bool named = f && fscanf(f, "%63s", value) == 1;
  if (f)
    fclose(f);
  if (named)
    return strcmp(value, ARCHITECTURE) != 0;
#ifdef __x86_64__
  return machine_here()->arm;
#else
  return !machine_here()->arm && strcmp(machine_here()->vendor, "unknown") != 0;
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

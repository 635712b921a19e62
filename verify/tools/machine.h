/* The machine and the build that produced results, for the reports of posenc-verify and posenc-bench. */
#ifndef POSENC_TOOLS_MACHINE_H
#define POSENC_TOOLS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MACHINE_WORD = 32, MACHINE_TEXT = 128 };

/* The processor, from /proc/cpuinfo. Fields are empty or "unknown" if the system does not say. */
typedef struct machine_processor {
  char line[3 * MACHINE_TEXT];   /* "AMD Zen 5, EPYC, family 26 model 2" */
  char cpu[MACHINE_TEXT];        /* the system's name for it: "AMD EPYC"; on Arm systems, numbers */
  char vendor[MACHINE_WORD];     /* "AMD" */
  const char *microarchitecture; /* "Zen 5"; NULL unless processors.inc knows it */
  bool arm;                      /* family is then the implementer and model the part, both hexadecimal */
  char family[MACHINE_WORD], model[MACHINE_WORD];
} machine_processor;

const machine_processor *machine_here(void);
void machine_read(FILE *cpuinfo, machine_processor *p); /* from text as in /proc/cpuinfo, or from nothing if NULL */

/* Passes the description of the processor and of the build to take(), key by key. Every record contains it. */
typedef void machine_take(void *data, const char *key, const char *value);
void machine_describe(machine_take *take, void *data);

/* Whether the kernel is of another architecture, so that qemu-user or the like emulates this CPU and times mean
 * nothing. An emulated CPU of the kernel's own architecture is not detected. */
bool machine_emulated(void);

/* Bytes that are available without swapping; 0 if the system does not say. */
int64_t machine_available_memory(void);

/* Prints a warning for each reason not to trust this program's times. */
void machine_warnings(FILE *out);

const char *machine_compiler(void); /* "GCC 12.2.0" */

#endif

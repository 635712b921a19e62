/* The machine and the build that results come from, for the reports of posenc-verify and posenc-bench. */
#ifndef POSENC_VERIFY_MACHINE_H
#define POSENC_VERIFY_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MACHINE_WORD = 32, MACHINE_TEXT = 128 };

/* The processor, by /proc/cpuinfo. Empty or "unknown" where the system does not tell. */
typedef struct machine_processor {
  char line[3 * MACHINE_TEXT];   /* "AMD Zen 5, EPYC, family 26 model 2" */
  char cpu[MACHINE_TEXT];        /* as the system names it: "AMD EPYC"; Arm systems give numbers instead of a name */
  char vendor[MACHINE_WORD];     /* "AMD" */
  const char *microarchitecture; /* "Zen 5"; NULL unless processors.inc knows it */
  bool arm;                      /* then family is the implementer and model the part, both hexadecimal */
  char family[MACHINE_WORD], model[MACHINE_WORD];
} machine_processor;

const machine_processor *machine_here(void);
void machine_read(FILE *cpuinfo, machine_processor *p); /* of text as /proc/cpuinfo has it; NULL: of none */

/* Hands over what records say of the processor and the build, key by key. Every record has it. */
typedef void machine_take(void *data, const char *key, const char *value);
void machine_describe(machine_take *take, void *data);

const char *machine_architecture(void); /* that this program was compiled for: "x86_64" or "aarch64" */

/* Another architecture's kernel runs below, through qemu-user or the like: times say nothing. An emulated CPU of the
 * own architecture is not seen. */
bool machine_emulated(void);

/* Bytes that can be had without swapping; 0 where the system does not tell. */
int64_t machine_available_memory(void);

/* Prints what makes times of this program worth little. */
void machine_warnings(FILE *out);

const char *machine_compiler(void);   /* "GCC 12.2.0" */
const char *machine_build_type(void); /* CMake's */

#endif

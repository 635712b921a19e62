/* The machine and the build that results come from, for the reports of posenc-verify and posenc-bench. */
#ifndef POSENC_VERIFY_MACHINE_H
#define POSENC_VERIFY_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Of the CPU; Arm systems give numbers instead of a name. "unknown" where the system does not tell. */
void machine_cpu(char *text, size_t size);

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

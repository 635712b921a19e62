/* The machine and the build that produced results, for the reports of posenc-verify and posenc-bench. */
#ifndef POSENC_TOOLS_MACHINE_H
#define POSENC_TOOLS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* Passes the description of the processor, as the system gives it, and of the build to take(), key by key. Every record
 * contains it. */
typedef void machine_take(void *data, const char *key, const char *value);
void machine_describe(machine_take *take, void *data);

/* Whether the kernel is of another architecture, so that qemu-user or the like emulates this CPU and times mean
 * nothing. An emulated CPU of the kernel's own architecture is not detected. */
bool machine_emulated(void);

/* Bytes that are available without swapping; 0 if the system does not say. */
int64_t machine_available_memory(void);

const char *machine_compiler(void); /* "GCC 12.2.0" */

#endif

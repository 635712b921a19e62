/* Where the tools write: standard output, and files of results. */
#ifndef POSENC_TOOLS_OUTPUT_H
#define POSENC_TOOLS_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* Makes exit() end the program with status 2 if standard output could not be written. */
void output_check_stdout(void);

/* A regular file keeps its content until all results are known; then a new file with its mode replaces it. Standard
 * output (named "-"), devices and pipes are written directly. */
typedef struct output {
  const char *name;
  int direct;          /* the descriptor that is written directly, or -1 */
  char path[PATH_MAX]; /* of the regular file, which may not exist yet; no symbolic link */
  mode_t mode;
} output;

/* Ends the program with status 2 if the file cannot be written: before the work, not after it. */
output output_open(const char *name);

/* Writes all results, and a newline if they do not end in one. text: NULL if there is no memory for it. Prints the
 * reason before it returns false. */
bool output_write(const output *o, const char *text);

#endif

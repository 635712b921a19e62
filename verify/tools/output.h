/* Where the tools write: standard output, and files of results. */
#ifndef POSENC_TOOLS_OUTPUT_H
#define POSENC_TOOLS_OUTPUT_H

#include <stdbool.h>

/* Makes exit() end the program with status 2 if standard output could not be written. */
void output_check_stdout(void);

/* A regular file is opened again when all results are known, so that it keeps its content until then. Standard output
 * (named "-"), devices and pipes stay open. */
typedef struct output {
  const char *name;
  int direct; /* the descriptor that stays open, or -1 */
} output;

/* Ends the program with status 2 if the file cannot be written: before the work, not after it. */
output output_open(const char *name);

/* Writes all results, and a newline if they do not end in one. text: NULL if there is no memory for it. Prints the
 * reason before it returns false. */
bool output_write(const output *o, const char *text);

#endif

/* Where the tools write: standard output, and files of results. */
#ifndef POSENC_TOOLS_OUTPUT_H
#define POSENC_TOOLS_OUTPUT_H

#include <stdbool.h>

/* Makes exit() end the program with status 2 if standard output could not be written. */
void output_check_stdout(void);

/* A file of results is written beside NAME, as NAME.new, and renamed when it is complete, so that NAME keeps its content
 * until then. Standard output (named "-"), devices, pipes and symbolic links are opened first and written in place. */
typedef struct output {
  const char *name;
  int direct; /* the descriptor that is written in place, or -1 */
} output;

/* Ends the program with status 2 if the file cannot be written: before the work, not after it. */
output output_open(const char *name);

/* Writes all results, and a newline if they do not end in one. text: NULL if there is no memory for it. Prints the
 * reason before it returns false. */
bool output_write(const output *o, const char *text);

#endif

/* A file that is replaced as a whole: whoever reads it sees what was there before, or all of what is new. */
#ifndef POSENC_VERIFY_REPLACEMENT_H
#define POSENC_VERIFY_REPLACEMENT_H

#include <stdio.h>

/* Opens a file beside the one at path; the end of the process, by exit() or a signal, removes it. "-" is standard
 * output, and a pipe or a device is written in place. One at a time. NULL on failure, with errno. */
FILE *replacement_open(const char *path);

/* Closes the file. Gives it its name if error, the errno of what was written, is 0, and else removes it. Returns 0 or
 * an errno. */
int replacement_close(FILE *file, int error);

/* The errno of a call that has failed, where 0 would stand for success. */
int replacement_error(void);

#endif

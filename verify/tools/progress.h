/* Progress of a long run on stderr, for posenc-verify and posenc-bench. */
#ifndef POSENC_TOOLS_PROGRESS_H
#define POSENC_TOOLS_PROGRESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Says that `done` of `total` units are done, and about how long the others will take: on a terminal in one line that
 * changes and ends in `now`, elsewhere in a line every 10 seconds. unit: plural, as "cases". done == 0 starts the
 * clock. */
void progress_show(int64_t done, int64_t total, const char *unit, const char *now);

/* Clears the line on a terminal, before other output. */
void progress_clear(void);

#ifdef __cplusplus
}
#endif

#endif

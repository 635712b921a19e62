/* Memory that runs out when a test says so. A program that holds failing.c gets all of its memory through it: what the
 * C library and others ask for is counted, and refused, too.
 */
#ifndef POSENC_VERIFY_FAILING_H
#define POSENC_VERIFY_FAILING_H

#include <stdint.h>

typedef struct memory_count {
  int64_t asked;    /* requests, refused ones included: malloc and its kin, mmap */
  int64_t refused;  /* of them, by failing_at() */
  int64_t live;     /* blocks given and not freed: of malloc and its kin */
  uint64_t largest; /* bytes of the largest request */
  uint64_t advised; /* bytes that madvise was asked to back by huge pages */
} memory_count;

/* Counts from 0 on; live blocks stay. The n-th request is refused; n = 0: none. */
void failing_at(int64_t n);

memory_count failing_count(void);

#endif

/* An allocator that fails when a test says so. A program that links failing.c gets all of its memory through it.
 * Requests of the C library and of other libraries are counted and refused too.
 */
#ifndef POSENC_VERIFY_FAILING_H
#define POSENC_VERIFY_FAILING_H

#include <stdint.h>

typedef struct memory_count {
  int64_t asked;    /* requests by malloc() and related functions and mmap(), refused ones included */
  int64_t refused;  /* requests that failing_at() refused */
  int64_t live;     /* blocks of malloc() and related functions that are not freed */
  uint64_t largest; /* bytes of the largest request */
  uint64_t advised; /* bytes for which madvise() was asked for huge pages */
} memory_count;

/* Sets all counts but `live` to 0. The n-th request from now on is refused; none if n is 0. */
void failing_at(int64_t n);

memory_count failing_count(void);

#endif

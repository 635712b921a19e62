/* The C library's allocator, with a counter in front. glibc lets a program define its own malloc(), and still offers
 * its allocator under the names __libc_*.
 */
#define _GNU_SOURCE
#include "failing.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static atomic_llong asked, refused, live, refuse_at;
static atomic_ullong largest, advised;

void failing_at(int64_t n) {
  asked = refused = 0;
  largest = advised = 0;
  refuse_at = n;
}

memory_count failing_count(void) { return (memory_count){asked, refused, live, largest, advised}; }

static int is_refused(size_t bytes) {
  const long long number = ++asked;
  if (bytes > largest)
    largest = bytes;
  if (number != refuse_at)
    return 0;
  refused++;
  errno = ENOMEM;
  return 1;
}

static void *given(void *block) {
  live += block != NULL;
  return block;
}

void *malloc(size_t size) { return is_refused(size) ? NULL : given(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return is_refused(count * size) ? NULL : given(__libc_calloc(count, size)); }

void *realloc(void *block, size_t size) {
  if (is_refused(size))
    return NULL;
  void *moved = __libc_realloc(block, size);
  if (!block)
    return given(moved);
  live -= size == 0; /* a size of 0 frees the block */
  return moved;
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size) {
  return is_refused(size) ? NULL : given(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

void free(void *block) {
  live -= block != NULL;
  __libc_free(block);
}

/* glibc's allocator does not call this mmap(). */
void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset) {
  return is_refused(bytes) ? MAP_FAILED : (void *)syscall(SYS_mmap, address, bytes, protection, flags, fd, offset);
}

int madvise(void *address, size_t bytes, int kind) {
  advised += kind == MADV_HUGEPAGE ? bytes : 0;
  return (int)syscall(SYS_madvise, address, bytes, kind);
}

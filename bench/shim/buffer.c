#define _GNU_SOURCE
#include "bench.h"

#include <stdio.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 1 << 21, PAGE = 1 << 12, LINE = 64 };

static struct {
  size_t size, mapped, touched;
  void *mapping;
  char *start;
  double huge; /* the share of huge pages in the touched part */
} buffer;

size_t bench_to_next(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE + PAGE; }

void bench_buffer_room(size_t bytes) { buffer.size = bytes + LINE > buffer.size ? bytes + LINE : buffer.size; }

/* Reads the kernel's account of the mapping, since the kernel does not always give huge pages. */
static double share_of_huge_pages(void) {
  const unsigned long long here = (uintptr_t)buffer.start;
  unsigned long long from, to, kb, resident = 0, huge = 0;
  char line[512];
  bool ours = false;
  FILE *f = fopen("/proc/self/smaps", "r");
  while (f && fgets(line, sizeof line, f)) {
    /* NOLINTBEGIN(cert-err34-c): the kernel's own numbers fit */
    if (sscanf(line, "%llx-%llx ", &from, &to) == 2)
      ours = from <= here && here < to;
    else if (ours && sscanf(line, "Rss: %llu", &kb) == 1)
      resident = kb;
    else if (ours && sscanf(line, "AnonHugePages: %llu", &kb) == 1)
      huge = kb;
    /* NOLINTEND(cert-err34-c) */
  }
  if (f)
    fclose(f);
  return resident > 0 ? (double)huge / (double)resident : -1.0;
}

void *bench_buffer(size_t bytes, int64_t offset) {
  if (!buffer.mapping) {
    buffer.mapped = buffer.size + 2 * HUGE_PAGE;
    void *m = mmap(NULL, buffer.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m == MAP_FAILED)
      return NULL;
    buffer.mapping = m;
    const size_t up = (HUGE_PAGE - (uintptr_t)m % HUGE_PAGE) % HUGE_PAGE;
    buffer.start = (char *)m + up;
    madvise(m, buffer.mapped, MADV_HUGEPAGE); /* some systems refuse this, and give small pages */
  }
  /* Touches only the part that this case uses, so that a run of small shapes does not touch half a gigabyte. */
  const bool more = buffer.touched < bytes + LINE;
  for (; buffer.touched < bytes + LINE; buffer.touched += PAGE)
    buffer.start[buffer.touched] = 1;
  if (more)
    buffer.huge = share_of_huge_pages();
  return buffer.start + offset;
}

double bench_buffer_huge(void) { return buffer.huge; }

void bench_buffer_release(void) {
  if (buffer.mapping)
    munmap(buffer.mapping, buffer.mapped);
  buffer.mapping = NULL;
  buffer.touched = 0;
}

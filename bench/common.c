#define _GNU_SOURCE
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- Shapes ------------------------------------------------------------------------------------------------- */

static const bench_shape shapes[] = {
#define POSENC_SHAPE(name, positions, d_model, base, who) {#name, positions, d_model, base, who},
#include "../verify/shapes.inc"
#undef POSENC_SHAPE
};

_Static_assert(sizeof shapes / sizeof *shapes <= BENCH_MAX_SHAPES, "bench_options.shapes has a bit per shape");

size_t bench_shape_count(void)
{
  return sizeof shapes / sizeof *shapes;
}

const bench_shape *bench_shape_at(size_t i)
{
  return &shapes[i];
}

const bench_shape *bench_shape_find(const char *name, size_t *index)
{
  for (size_t i = 0; i < bench_shape_count(); i++)
    if (strcmp(shapes[i].name, name) == 0) {
      *index = i;
      return &shapes[i];
    }
  return NULL;
}

const char *bench_name(char *text, size_t size, const char *what, const bench_shape *shape)
{
  snprintf(text, size, "%s/n:%" PRId64 "/d:%" PRId64, what, shape->positions, shape->d_model);
  return text;
}

/* ---- The output buffer -------------------------------------------------------------------------------------- */

enum { HUGE_PAGE = 1 << 21, PAGE = 1 << 12 };

static struct {
  size_t size, offset, mapped, touched;
  void *mapping;
  char *start;
} buffer;

void bench_buffer_setup(int64_t offset, size_t max_bytes)
{
  buffer.offset = (size_t)offset;
  buffer.size = max_bytes;
}

float *bench_buffer(size_t bytes)
{
  if (!buffer.mapping) {
    buffer.mapped = buffer.size + buffer.offset + 2 * HUGE_PAGE;
    void *m = mmap(NULL, buffer.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m == MAP_FAILED)
      return NULL;
    buffer.mapping = m;
    const size_t up = (HUGE_PAGE - (uintptr_t)m % HUGE_PAGE) % HUGE_PAGE;
    buffer.start = (char *)m + up + buffer.offset;
    madvise(m, buffer.mapped, MADV_HUGEPAGE); /* refused on some systems: then these are small pages */
  }
  /* Only as far as the case at hand goes: a filtered run of small shapes need not touch half a gigabyte. */
  for (; buffer.touched < bytes; buffer.touched += PAGE)
    buffer.start[buffer.touched] = 1;
  return (float *)(void *)buffer.start;
}

void bench_buffer_release(void)
{
  if (buffer.mapping)
    munmap(buffer.mapping, buffer.mapped);
  buffer.mapping = NULL;
}

/* ---- What is left out --------------------------------------------------------------------------------------- */

typedef struct left_out {
  struct left_out *next;
  char *name, *reason;
} left_out;

static left_out *first_left_out, **last_left_out = &first_left_out;

static char *copy(const char *text)
{
  char *c = bench_alloc(strlen(text) + 1);
  return strcpy(c, text);
}

void bench_leave_out(const char *name, const char *reason)
{
  if (bench_left_out(name))
    return;
  left_out *l = bench_alloc(sizeof *l);
  l->name = copy(name);
  l->reason = copy(reason);
  *last_left_out = l;
  last_left_out = &l->next;
}

bool bench_left_out(const char *name)
{
  for (const left_out *l = first_left_out; l; l = l->next)
    if (strcmp(l->name, name) == 0)
      return true;
  return false;
}

void bench_each_left_out(void (*call)(const char *name, const char *reason, void *data), void *data)
{
  for (const left_out *l = first_left_out; l; l = l->next)
    call(l->name, l->reason, data);
}

void bench_left_out_release(void)
{
  while (first_left_out) {
    left_out *l = first_left_out;
    first_left_out = l->next;
    free(l->name);
    free(l->reason);
    free(l);
  }
  last_left_out = &first_left_out;
}

void *bench_alloc(size_t size)
{
  void *p = calloc(1, size);
  if (!p) {
    fputs("posenc-bench: out of memory\n", stderr);
    exit(1);
  }
  return p;
}

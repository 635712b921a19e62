#include "sheet.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../tools/memory.h"

/* NaNs with payloads that no arithmetic produces. The one of two bytes is a NaN in bfloat16 and in float16. */
static uint64_t paint_of(size_t size) {
  return size == 8 ? UINT64_C(0x7ff1a5ed7fb1a5ed) : size == 4 ? UINT64_C(0x7fb1a5ed) : UINT64_C(0x7fb1);
}

static void *map_or_exit(size_t size, int protection) {
  void *map = mmap(NULL, size, protection, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) {
    fprintf(stderr, "out of memory: %zu bytes of shared memory\n", size);
    exit(2);
  }
  return map;
}

void *shared_memory(size_t size) { return map_or_exit(size, PROT_READ | PROT_WRITE); }

sheet sheet_create(size_t size, int64_t lines, int64_t stride, int64_t d_model, size_t offset) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t bytes = (size_t)(lines * stride) * size + offset;
  const size_t inside = (bytes + page - 1) / page * page;
  sheet s = {.size = size, .lines = lines, .stride = stride, .d_model = d_model, .map_size = inside + 2 * page};
  s.map = map_or_exit(s.map_size, PROT_NONE);
  s.cells = (unsigned char *)s.map + page;
  if (mprotect(s.cells, inside, PROT_READ | PROT_WRITE) != 0) {
    perror("mprotect");
    exit(2);
  }
  s.cells += offset;
  s.is_row = must_calloc(lines, sizeof *s.is_row);
  return s;
}

void sheet_destroy(sheet *s) {
  munmap(s->map, s->map_size);
  free(s->is_row);
}

void sheet_paint(sheet *s) {
  const uint64_t paint = paint_of(s->size);
  for (int64_t i = 0; i < s->lines * s->stride; i++)
    memcpy(sheet_at(s, 0, i), &paint, s->size);
}

bool sheet_damage(const sheet *s, int64_t *line, int64_t *column) {
  const uint64_t paint = paint_of(s->size);
  for (*line = 0; *line < s->lines; ++*line)
    for (*column = s->is_row[*line] ? s->d_model : 0; *column < s->stride; ++*column)
      /* little-endian: the first bytes of the paint are its low ones */
      if (memcmp(sheet_at(s, *line, *column), &paint, s->size) != 0)
        return true;
  return false;
}

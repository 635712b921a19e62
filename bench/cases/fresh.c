/* fresh/<how>/n:131072/d:1024: a large table in memory that no one has used yet, and freed again; wall time, default
 * implementation. The pages, which the system has to find and to clear, cost more than the table.
 *
 *   table_create   posenc_table_create, posenc_table_destroy
 *   malloc_fill    malloc, posenc_fill, free
 */
#define _GNU_SOURCE
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static posenc_status table_create(const bench_work *w) {
  void *table;
  const posenc_status status = posenc_table_create(&table, w->plan, 0, w->rows, w->d_model);
  posenc_table_destroy(table);
  return status;
}

static size_t table_bytes(const bench_work *w) { return (size_t)(w->rows * w->d_model) * sizeof(float); }

static posenc_status malloc_fill(const bench_work *w) {
  float *table = malloc(table_bytes(w));
  const posenc_status status = table ? posenc_fill(w->plan, 0, w->rows, table, w->d_model) : POSENC_ERROR_MEMORY;
  free(table);
  return status;
}

/* Is the page of this byte in memory already? mincore() wants the page's start. */
static bool resident(const char *byte) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  unsigned char there = 0;
  return mincore((void *)(byte - (uintptr_t)byte % page), 1, &there) == 0 && (there & 1);
}

/* glibc maps what is larger than 32 MiB anew in every call and unmaps it in free(), whatever mallopt() says of smaller
 * ones. Other allocators may keep what they are given back, and then their second table is not a fresh one. */
static const char *check_malloc(bench_work *w) {
  const size_t size = table_bytes(w);
  for (int i = 0; i < 2; i++) {
    char *memory = malloc(size);
    if (!memory)
      return "no memory for a second table";
    const bool used = resident(memory + size / 2) || resident(memory + size - 1);
    memory[size / 2] = memory[size - 1] = 1;
    __asm__ volatile("" ::"r"(memory) : "memory"); /* or the compiler sees that no one reads it */
    free(memory);
    if (used)
      return "malloc gives memory that was in use before: this would not measure fresh pages";
  }
  return NULL;
}

static void register_one(
    const char *how, const char *(*prepare)(bench_work *), posenc_status (*write)(const bench_work *)) {
  const bench_shape *shape = bench_shape_find("long", NULL);
  const posenc_impl *impl = posenc_impl_find(NULL);
  const posenc_spec spec = bench_spec(shape);
  if (bench_runs(impl, POSENC_F32))
    bench_register_work(&(bench_work){.impl = impl,
                            .spec = &spec,
                            .wall = true,
                            .rows = shape->positions,
                            .d_model = shape->d_model,
                            .own_memory = true,
                            .prepare = prepare,
                            .write = write,
                            .label = impl->name},
        NULL, "fresh/%s/" BENCH_SIZE, how, shape->positions, shape->d_model);
  else
    bench_skip("fresh", "the default implementation is skipped");
}

void bench_register_fresh(void) {
  register_one("table_create", NULL, table_create);
  register_one("malloc_fill", check_malloc, malloc_fill);
}

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

typedef struct fresh_case {
  posenc_plan *plan;
  const bench_shape *shape;
  posenc_status status; /* the first that is not OK */
} fresh_case;

static void take(fresh_case *c, posenc_status status) {
  if (c->status == POSENC_OK)
    c->status = status;
}

static void table_create(void *data) {
  fresh_case *c = data;
  void *table;
  take(c, posenc_table_create(&table, c->plan, 0, c->shape->positions, c->shape->d_model));
  posenc_table_destroy(table);
}

static void malloc_fill(void *data) {
  fresh_case *c = data;
  float *table = malloc(bench_shape_bytes(c->shape, POSENC_F32));
  take(c, table ? posenc_fill(c->plan, 0, c->shape->positions, table, c->shape->d_model) : POSENC_ERROR_MEMORY);
  free(table);
}

/* Is the page of this byte in memory already? mincore() wants the page's start. */
static bool resident(const char *byte) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  unsigned char there = 0;
  return mincore((void *)(byte - (uintptr_t)byte % page), 1, &there) == 0 && (there & 1);
}

/* glibc maps what is larger than 32 MiB anew in every call and unmaps it in free(), whatever mallopt() says of smaller
 * ones. Other allocators may keep what they are given back, and then their second table is not a fresh one. */
static const char *begin_malloc(void *data) {
  const fresh_case *c = data;
  const size_t size = bench_shape_bytes(c->shape, POSENC_F32);
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

static void end(void *data, shim_run *run) {
  const fresh_case *c = data;
  if (c->status != POSENC_OK)
    shim_void(run, posenc_status_string(c->status));
  shim_bytes(run, (int64_t)bench_shape_bytes(c->shape, POSENC_F32));
  shim_label(run, posenc_plan_impl(c->plan));
}

static void release(void *data) {
  fresh_case *c = data;
  posenc_plan_destroy(c->plan);
  free(c);
}

static void register_one(const char *how, const char *(*begin)(void *), void (*pass)(void *)) {
  const bench_shape *shape = bench_shape_find("long", NULL);
  const posenc_impl *impl = posenc_impl_find(NULL);
  static const bench_offset at_start = {0, ""};
  char what[64], name[128];
  snprintf(what, sizeof what, "fresh/%s", how);
  bench_name(name, sizeof name, what, shape, &at_start);
  if (!bench_runs(impl, POSENC_F32)) {
    bench_skip(name, "the default implementation is left out");
    return;
  }
  const posenc_spec spec = bench_spec(shape);
  posenc_plan *plan = bench_plan(name, impl, &spec);
  if (!plan)
    return;
  fresh_case *c = must_calloc(1, sizeof *c);
  *c = (fresh_case){.plan = plan, .shape = shape};
  shim_register(&(shim_case){
      .name = name, .data = c, .begin = begin, .pass = pass, .end = end, .release = release, .wall = true});
}

void bench_register_fresh(void) {
  register_one("table_create", NULL, table_create);
  register_one("malloc_fill", begin_malloc, malloc_fill);
}

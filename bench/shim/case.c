#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Passes that go through so much memory find none of it in a cache. */
static const size_t UNCACHED = (size_t)1 << 29;

static size_t buffer_size(const bench_case *c) { return c->uncached ? UNCACHED : c->bytes; }

const char *bench_begin(bench_case *c) {
  c->first = 0;
  c->count = c->rows;
  if (c->offset < 0)
    return NULL;
  c->out = bench_buffer(buffer_size(c), c->offset + (int64_t)c->used);
  if (!c->out)
    return "no memory for the table";
  c->huge_pages = bench_buffer_huge();
  return c->in_blocks && c->blocks == 0 ? bench_choose_blocks(c) : NULL;
}

void bench_pass(bench_case *c) {
  const posenc_status status = c->in_blocks ? bench_write_blocks(c) : c->write(c);
  if (c->uncached) {
    const size_t next = c->used + bench_to_next(c->bytes);
    c->used = next + c->bytes <= UNCACHED ? next : 0;
    c->out = bench_buffer(UNCACHED, c->offset + (int64_t)c->used);
  }
  if (c->status == POSENC_OK)
    c->status = status;
}

void bench_release(bench_case *c) {
  posenc_plan_destroy(c->plan);
  if (c->destroy)
    c->destroy(c->data);
  free(c->positions);
  free(c);
}

void *bench_row(const bench_case *c) {
  return (char *)c->out + c->first * c->columns * (int64_t)posenc_dtype_size(c->dtype);
}

void bench_register(const bench_case *given, const bench_offset *at, const char *pattern, ...) {
  bench_case *c = must_calloc(1, sizeof *c);
  *c = *given;
  va_list arguments;
  va_start(arguments, pattern);
  const size_t length = (size_t)vsnprintf(c->name, sizeof c->name, pattern, arguments);
  va_end(arguments);
  if (length > sizeof c->name - sizeof at->suffix) {
    fprintf(stderr, "posenc-bench: the name of a case is too long: %s\n", c->name);
    exit(2);
  }
  snprintf(c->name + length, sizeof c->name - length, "%s", at ? at->suffix : "");
  if (c->spec && posenc_plan_create(&c->plan, c->spec, c->impl->name) != POSENC_OK) {
    char message[256];
    posenc_last_error(message, sizeof message);
    bench_skip(c->name, message);
    bench_release(c);
    return;
  }
  c->spec = NULL;
  c->who = c->who ? c->who : c->impl->name;
  c->offset = at ? at->bytes : -1;
  c->table_rows = c->table_rows ? c->table_rows : c->rows;
  c->bytes = c->bytes ? c->bytes : (size_t)(c->rows * c->columns) * posenc_dtype_size(c->dtype);
  if (at)
    bench_buffer_room(buffer_size(c));
  snprintf(c->label, sizeof c->label, "%s%s%s %s %s", c->call, c->variant ? "/" : "", c->variant ? c->variant : "",
      c->who, dtype_name((int32_t)c->dtype));
  shim_register(c);
}

void bench_register_table(const bench_case *c, const bench_offset *at) {
  bench_register(c, at, "%s/%s/%s/" BENCH_SIZE "%s%s", c->call, c->who ? c->who : c->impl->name,
      dtype_name((int32_t)c->dtype), c->rows, c->columns, c->variant ? "/" : "", c->variant ? c->variant : "");
}

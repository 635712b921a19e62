#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Passes that go through so much memory find none of it in a cache. */
static const size_t UNCACHED = (size_t)1 << 29;

static size_t buffer_size(const bench_work *w) { return w->uncached ? UNCACHED : w->bytes; }

static const char *begin(void *data) {
  bench_work *w = data;
  if (w->rows.n > 0 && !w->own_memory && !(w->out = bench_buffer(buffer_size(w), w->offset + (int64_t)w->used)))
    return "no memory for the table";
  return w->prepare ? w->prepare(w) : NULL;
}

static void pass(void *data) {
  bench_work *w = data;
  const posenc_status status = w->write(w);
  if (w->uncached) {
    const size_t next = w->used + bench_to_next(w->bytes);
    w->used = next + w->bytes <= UNCACHED ? next : 0;
    w->out = bench_buffer(UNCACHED, w->offset + (int64_t)w->used);
  }
  if (w->status == POSENC_OK)
    w->status = status;
}

static void done(void *data, shim_result *result) {
  const bench_work *w = data;
  if (w->status != POSENC_OK)
    result->error = posenc_status_string(w->status);
  result->rows = w->rows.n;
  result->bytes = w->rows.n * w->rows.d_model * (int64_t)posenc_dtype_size(w->rows.dtype);
  result->huge_pages = w->own_memory ? -1 : bench_buffer_huge();
}

static void release(void *data) {
  bench_work *w = data;
  posenc_plan_destroy(w->plan);
  if (w->destroy)
    w->destroy(w->self);
  free(w->positions);
  free(w);
}

/* Returns NULL, or the reason why no plan can be made. */
static const char *make_plan(bench_work *w, char *message, size_t size) {
  if (posenc_plan_create(&w->plan, w->rows.spec, w->rows.impl->name) == POSENC_OK)
    return NULL;
  posenc_last_error(message, size);
  return message;
}

void bench_register_work(const bench_work *work, const bench_offset *at, const char *pattern, ...) {
  char name[192], label[96], message[256];
  va_list arguments;
  va_start(arguments, pattern);
  const size_t length = (size_t)vsnprintf(name, sizeof name, pattern, arguments);
  va_end(arguments);
  if (length > sizeof name - sizeof at->suffix) {
    fprintf(stderr, "posenc-bench: the name of a case is too long: %s\n", name);
    exit(2);
  }
  snprintf(name + length, sizeof name - length, "%s", at ? at->suffix : "");

  bench_work *w = must_calloc(1, sizeof *w);
  *w = *work;
  const char *error = w->rows.spec ? make_plan(w, message, sizeof message) : NULL;
  if (error) {
    bench_skip(name, error);
    release(w);
    return;
  }
  w->rows.spec = NULL;
  w->offset = at ? at->bytes : 0;
  if (w->bytes == 0)
    w->bytes = (size_t)(w->rows.n * w->rows.d_model) * posenc_dtype_size(w->rows.dtype);
  if (!w->own_memory)
    bench_buffer_room(buffer_size(w));
  snprintf(label, sizeof label, "%s%s %s %s", w->call, w->variant ? w->variant : "",
      w->who ? w->who : w->rows.impl->name, dtype_name((int32_t)w->rows.dtype));
  shim_register(&(shim_case){.name = name,
      .label = label,
      .positions = w->table_rows ? w->table_rows : w->rows.n,
      .columns = w->rows.d_model,
      .end = w->end,
      .offset = at ? at->bytes : -1,
      .error = w->error,
      .not_nearest = w->not_nearest,
      .data = w,
      .begin = begin,
      .pass = pass,
      .done = done,
      .release = release,
      .wall = w->wall});
}

#include "cases.h"

#include <stdlib.h>

static const char *begin(void *data) {
  bench_work *w = data;
  w->out = bench_buffer(w->bytes, w->offset);
  if (!w->out)
    return "no memory for the table";
  if (w->prepare)
    w->prepare(w);
  const posenc_status status = w->checked ? w->write(w) : POSENC_OK;
  return status == POSENC_OK ? NULL : posenc_status_string(status);
}

static void pass(void *data) {
  bench_work *w = data;
  const posenc_status status = w->write(w);
  if (w->status == POSENC_OK)
    w->status = status;
}

static void end(void *data, shim_run *run) {
  const bench_work *w = data;
  if (w->status != POSENC_OK)
    shim_void(run, posenc_status_string(w->status));
  bench_wrote(run, w->rows, w->shape->d_model, POSENC_F32);
}

static void release(void *data) {
  bench_work *w = data;
  posenc_plan_destroy(w->plan);
  if (w->destroy)
    w->destroy(w->self);
  free(w->positions);
  free(w);
}

void bench_register_work(const bench_work *work, shim_case names) {
  bench_work *w = must_calloc(1, sizeof *w);
  *w = *work;
  if (w->rows == 0)
    w->rows = w->shape->positions;
  if (w->bytes == 0)
    w->bytes = bench_shape_bytes(w->shape, POSENC_F32);
  names.data = w;
  names.begin = begin;
  names.pass = pass;
  names.end = end;
  names.release = release;
  shim_register(&names);
}

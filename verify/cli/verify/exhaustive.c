/* The table is made block by block, each by one posenc_fill() that is large enough to be written the way large tables
 * are; then all threads judge the block's rows. Every output gets an MPFR evaluation of its own (truth.h).
 */
#include <inttypes.h>
#include <mpfr.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../campaign/family.h"
#include "../../reference/memory.h"
#include "../../reference/mpfr_reference.h"
#include "../machine.h"
#include "exhaustive.h"

enum { BLOCK_OUTPUTS = 1 << 24, SHOWN = 5 /* misrounded outputs of a member */, SECONDS_BETWEEN_LINES = 10 };

typedef struct member {
  const posenc_impl *impl;
  posenc_plan *plan;
  float *block;       /* its rows of the current block */
  int64_t misrounded; /* like shown, guarded by the run's lock */
  int shown;
} member;

typedef struct run {
  const options *o;
  member *members;
  size_t n_members;
  int64_t block_first, block_rows;
  atomic_llong next;   /* the next row of the block that no thread has taken */
  atomic_llong judged; /* outputs, each against all members */
  pthread_mutex_t lock;
  int64_t threads, most_threads;
  double start;
  double next_line; /* of progress, on the clock */
} run;

typedef struct worker {
  run *r;
  truth *t; /* kept from block to block, for its frequencies */
  pthread_t thread;
  bool shows_progress;
} worker;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void progress(run *r) {
  const double time = now(), gone = time - r->start;
  if (time < r->next_line)
    return;
  r->next_line = time + SECONDS_BETWEEN_LINES;
  const double all = (double)(r->o->shape.to - r->o->shape.from) * (double)r->o->shape.spec.d_model;
  const double share = (double)atomic_load(&r->judged) / all;
  fprintf(stderr, "exhaustive: %4.1f %% of %.0f outputs, %.0f s, about %.0f s left\n", 100 * share, all, gone,
      gone / share - gone);
}

static void compare_row(run *r, int64_t row, const float *want) {
  const int64_t d = r->o->shape.spec.d_model;
  for (size_t i = 0; i < r->n_members; i++) {
    member *m = &r->members[i];
    const float *got = m->block + row * d;
    if (memcmp(got, want, (size_t)d * sizeof *got) == 0)
      continue;
    pthread_mutex_lock(&r->lock);
    for (int64_t c = 0; c < d; c++)
      if (memcmp(&got[c], &want[c], sizeof *got) != 0) {
        m->misrounded++;
        if (m->shown++ < SHOWN)
          fprintf(stderr, "%s: position %" PRId64 ", column %" PRId64 ": %a, the nearest float32 is %a\n",
              m->impl->name, r->block_first + row, c, (double)got[c], (double)want[c]);
      }
    pthread_mutex_unlock(&r->lock);
  }
}

static void *judge_rows(void *argument) {
  worker *w = argument;
  run *r = w->r;
  const int64_t d = r->o->shape.spec.d_model; /* NOLINT(clang-analyzer-core.NullDereference): main() sets r of each */
  float *want = must_calloc(d, sizeof *want);
  for (int64_t row; (row = atomic_fetch_add(&r->next, 1)) < r->block_rows;) {
    truth_row_floats(w->t, r->block_first + row, want);
    compare_row(r, row, want);
    atomic_fetch_add(&r->judged, d);
    if (w->shows_progress)
      progress(r);
  }
  free(want);
  mpfr_free_cache(); /* MPFR keeps constants per thread */
  return NULL;
}

/* The table's next rows, from every member, and their judgement by all threads. */
static void judge_block(run *r, worker *workers) {
  for (size_t i = 0; i < r->n_members; i++) {
    const int64_t d = r->o->shape.spec.d_model;
    const posenc_status status = posenc_fill(r->members[i].plan, r->block_first, r->block_rows, r->members[i].block, d);
    if (status != POSENC_OK) {
      fprintf(stderr, "posenc-verify: %s: %s\n", r->members[i].impl->name, posenc_status_string(status));
      exit(1);
    }
  }
  atomic_store(&r->next, 0);
  int64_t started = 1;
  while (started < r->threads && pthread_create(&workers[started].thread, NULL, judge_rows, &workers[started]) == 0)
    started++;
  r->threads = started; /* fewer than wanted are only slower */
  judge_rows(&workers[0]);
  while (--started > 0)
    pthread_join(workers[started].thread, NULL);
}

static void add_member(run *r, const posenc_impl *impl) {
  member *m = &r->members[r->n_members++];
  m->impl = impl;
  const posenc_status status = posenc_plan_create(&m->plan, &r->o->shape.spec, impl->name);
  if (status != POSENC_OK) {
    fprintf(stderr, "posenc-verify: %s: %s\n", impl->name, posenc_status_string(status));
    exit(2);
  }
}

static void add_members(run *r) {
  const posenc_impl *impl;
  char family[FAMILY_SIZE];
  const posenc_impl *named = r->o->n_impls ? r->o->impls[0] : posenc_impl_find("exact");
  family_of(named, family);
  r->members = must_calloc((int64_t)posenc_impl_count(), sizeof *r->members);
  if (!r->o->all_members)
    add_member(r, named);
  else
    for (size_t i = 0; (impl = family_member(family, i)); i++)
      add_member(r, impl);
}

/* key=value, for scripts/exhaustive and for people. Returns false if it could not be written. */
static bool report(const run *r, const worker *workers) {
  const options *o = r->o;
  long bits = 0;
  int64_t widened = 0;
  for (int64_t i = 0; i < r->most_threads; i++) {
    bits = truth_precision(workers[i].t) > bits ? truth_precision(workers[i].t) : bits;
    widened += truth_widened(workers[i].t);
  }
  printf("posenc=%s\ncompiler=%s\nmpfr=%s\n", posenc_version(), machine_compiler(), mpfr_get_version());
  printf("d_model=%" PRId64 "\nbase=%.17g\n", o->shape.spec.d_model, o->shape.spec.base);
  printf("first=%" PRId64 "\nlast=%" PRId64 "\n", o->shape.from, o->shape.to - 1);
  printf("judged=%lld\n", (long long)atomic_load(&r->judged));
  for (size_t i = 0; i < r->n_members; i++)
    printf("misrounded.%s=%" PRId64 "\n", r->members[i].impl->name, r->members[i].misrounded);
  printf("first_bits=%d\nwidened=%" PRId64 "\nmost_bits=%ld\n", TRUTH_FIRST_BITS, widened, bits);
  printf("threads=%" PRId64 "\nseconds=%.1f\n", r->threads, now() - r->start);
  return fflush(stdout) == 0 && !ferror(stdout);
}

int exhaustive(const options *o) {
  const int64_t d = o->shape.spec.d_model, rows = o->shape.to - o->shape.from,
                fit = d < BLOCK_OUTPUTS ? BLOCK_OUTPUTS / d : 1;
  const int64_t processors = sysconf(_SC_NPROCESSORS_ONLN);
  run r = {.o = o, .start = now(), .lock = PTHREAD_MUTEX_INITIALIZER};
  r.most_threads = o->threads > 0                       ? o->threads
                   : processors < 1                     ? 1
                   : processors < EXPECTED_MOST_THREADS ? processors
                                                        : EXPECTED_MOST_THREADS;
  r.threads = r.most_threads;
  r.next_line = r.start + SECONDS_BETWEEN_LINES;
  atomic_init(&r.judged, 0);
  add_members(&r);
  for (size_t i = 0; i < r.n_members; i++)
    r.members[i].block = must_calloc((rows < fit ? rows : fit) * d, sizeof(float));
  worker *workers = must_calloc(r.most_threads, sizeof *workers);
  for (int64_t i = 0; i < r.most_threads; i++)
    workers[i] = (worker){.r = &r, .t = truth_create(&o->shape.spec), .shows_progress = i == 0};

  for (r.block_first = o->shape.from; r.block_first < o->shape.to; r.block_first += r.block_rows) {
    r.block_rows = o->shape.to - r.block_first < fit ? o->shape.to - r.block_first : fit;
    judge_block(&r, workers);
  }

  int status = 0;
  for (size_t i = 0; i < r.n_members; i++)
    status = r.members[i].misrounded > 0 ? 1 : status;
  const int64_t judged = atomic_load(&r.judged);
  if (judged != rows * d) {
    fprintf(stderr, "posenc-verify: %" PRId64 " outputs were judged, not %" PRId64 "\n", judged, rows * d);
    status = 1;
  }
  if (!report(&r, workers)) {
    fputs("posenc-verify: the report could not be written\n", stderr);
    status = 2;
  }
  for (int64_t i = 0; i < r.most_threads; i++)
    truth_destroy(workers[i].t);
  free(workers);
  for (size_t i = 0; i < r.n_members; i++) {
    free(r.members[i].block);
    posenc_plan_destroy(r.members[i].plan);
  }
  free(r.members);
  return status;
}

/* posenc-verify --exhaustive. The table is computed in blocks. One posenc_fill() fills a block, which is large enough to
 * be written the way large tables are. MPFR evaluates every output (mpfr_reference.h). */
#include <inttypes.h>
#include <mpfr.h>
#include <stdlib.h>
#include <time.h>

#include "../campaign/expected.h"
#include "../reference/judge.h"
#include "../tools/family.h"
#include "../tools/memory.h"
#include "../tools/machine.h"
#include "../campaign/progress.h"
#include "modes.h"

enum { BLOCK_OUTPUTS = 1 << 24, SHOWN = 5 /* misrounded outputs of each member that are printed */ };

typedef struct member {
  const posenc_impl *impl;
  posenc_plan *plan;
  float *block; /* its outputs for the current block */
  int64_t misrounded;
} member;

static void stop_unless_ok(posenc_status status, int code) {
  char message[512];
  if (status == POSENC_OK)
    return;
  posenc_last_error(message, sizeof message);
  fprintf(stderr, "posenc-verify: %s\n", message);
  exit(code);
}

static void count_misrounded(member *m, const segment *s, const float *nearest) {
  const int64_t d = s->spec.d_model;
  for (int64_t i = 0; i < s->n_rows * d; i++)
    if (!element_is(POSENC_DTYPE_F32, &m->block[i], (double)nearest[i]) && m->misrounded++ < SHOWN)
      fprintf(stderr, "%s: position %" PRId64 ", column %" PRId64 ": %a, the nearest float32 is %a\n", m->impl->name,
          s->positions[i / d], i % d, (double)m->block[i], (double)nearest[i]);
}

int exhaustive(const options *o) {
  const int64_t d = o->shape.spec.d_model, all = (o->shape.to - o->shape.from) * d;
  const int64_t fit = d < BLOCK_OUTPUTS ? BLOCK_OUTPUTS / d : 1;
  const posenc_impl *named = o->n_impls ? o->impls[0] : posenc_impl_find("exact"), *impl;
  const time_t start = time(NULL);
  mpfr_effort effort = {0, REFERENCE_FIRST_BITS};
  int64_t judged = 0;
  size_t n = 0;
  member *members = must_calloc((int64_t)posenc_impl_count(), sizeof *members);
  for (size_t i = 0; (impl = family_member(named->family, i)); i++) {
    member *m = &members[n++];
    *m = (member){.impl = impl, .block = must_calloc(fit * d < all ? fit * d : all, sizeof(float))};
    stop_unless_ok(posenc_plan_create(&m->plan, &o->shape.spec, impl->name), 2);
  }

  for (int64_t from = o->shape.from, to; from < o->shape.to; from = to) {
    to = o->shape.to - from < fit ? o->shape.to : from + fit;
    progress_show(judged, all);
    sweep rows = sweep_every_row(&o->shape.spec, from, to);
    float *nearest = nearest_rows(rows.segments, o->threads, &effort);
    for (size_t i = 0; i < n; i++) {
      stop_unless_ok(posenc_fill(members[i].plan, from, to - from, members[i].block, d), 1);
      count_misrounded(&members[i], rows.segments, nearest);
    }
    free(nearest);
    sweep_destroy(&rows);
    judged += (to - from) * d;
  }

  /* key=value, for scripts and for people */
  int status = 0;
  printf("posenc=%s\ncompiler=%s\nmpfr=%s\n", posenc_version(), machine_compiler(), mpfr_get_version());
  printf("d_model=%" PRId64 "\nbase=%.17g\n", d, o->shape.spec.base);
  printf("first=%" PRId64 "\nlast=%" PRId64 "\njudged=%" PRId64 "\n", o->shape.from, o->shape.to - 1, judged);
  for (size_t i = 0; i < n; i++) {
    printf("misrounded.%s=%" PRId64 "\n", members[i].impl->name, members[i].misrounded);
    status = members[i].misrounded > 0 ? 1 : status;
    posenc_plan_destroy(members[i].plan);
    free(members[i].block);
  }
  printf("first_bits=%d\nwidened=%" PRId64 "\nmost_bits=%" PRId64 "\n", REFERENCE_FIRST_BITS, effort.widened,
      effort.most_bits);
  printf("seconds=%.0f\n", difftime(time(NULL), start));
  free(members);
  return status;
}

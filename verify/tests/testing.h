/* Shared by the C tests: cmocka, and the implementations that this machine can run. */
#ifndef POSENC_TESTING_H
#define POSENC_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "posenc.h"
#include "reference/columns.h"
#include "tools/family.h"
#include "tools/random.h"
#include "tools/spec.h"

/* In emulated and sanitized builds some tests would take minutes. CMake defines POSENC_THINNED for these builds, and
 * the tests skip three of four cases. */
#ifdef POSENC_THINNED
enum { THINNED = 1 };
#else
enum { THINNED = 0 };
#endif

static inline int skipped(uint64_t *seed) { return THINNED && next_random(seed) % 4 != 0; }

/* Takes the seed from a program's first argument, and prints it. */
static inline void take_seed(int argc, char **argv, uint64_t *seed) {
  if (argc > 1)
    *seed = strtoull(argv[1], NULL, 0);
  printf("seed %llu (an argument sets it)\n", (unsigned long long)*seed);
}

/* The i-th implementation that this machine can run, in the order of the list; NULL past the last. */
static inline const posenc_impl *runnable(size_t i) { return family_member(NULL, i); }

/* Makes a plan; fails the test if there is none. */
static inline posenc_plan *plan_of(const posenc_spec *spec, const char *impl) {
  posenc_plan *plan = NULL;
  char message[512] = "";
  if (posenc_plan_create(&plan, spec, impl) != POSENC_OK) {
    posenc_last_error(message, sizeof message);
    fail_msg("%s", message);
  }
  return plan;
}

/* The status of a spec, without a plan of it: a plan's creation checks the spec before the name. */
static inline posenc_status spec_status(const posenc_spec *spec) {
  posenc_plan *plan;
  const posenc_status status = posenc_plan_create(&plan, spec, "none");
  return status == POSENC_ERROR_UNKNOWN_IMPL ? POSENC_OK : status;
}

/* Whether the implementation makes a plan of this spec. */
static inline int is_offered(const posenc_spec *spec, const char *impl) {
  posenc_plan *plan = NULL;
  posenc_plan_create(&plan, spec, impl);
  posenc_plan_destroy(plan);
  return plan != NULL;
}

/* Compares the bits of float rows. The message says where they differ. */
static inline void assert_rows_equal(const char *what, const float *got, const float *want, int64_t count,
    int64_t d_model, int64_t got_stride, int64_t want_stride) {
  for (int64_t i = 0; i < count; i++)
    for (int64_t c = 0; c < d_model; c++) {
      const float *g = got + i * got_stride + c, *w = want + i * want_stride + c;
      if (memcmp(g, w, sizeof *g) != 0)
        fail_msg("%s: row %lld of d_model %lld, column %lld: got %a, want %a", what, (long long)i, (long long)d_model,
            (long long)c, (double)*g, (double)*w);
    }
}

#endif

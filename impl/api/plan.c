/* spec -> checked plan: one block that holds the spec, copies of explicit frequencies, and the kernel's own state. */
#include "api/internal.h"

#include "api/fpstate.h"
#include "api/memory.h"

#include <string.h>

/* Names to choose from: the families that are recommended, then every implementation. */
static const char *const recommended[] = {"exact",
#ifndef POSENC_ONLY_EXACT /* the single file may lack the others (scripts/amalgamate) */
    "anchored"
#endif
};
enum { RECOMMENDED = sizeof recommended / sizeof recommended[0] };

static const char *impl_name(size_t i) {
  return i < RECOMMENDED ? recommended[i] : posenc_impl_by_index(i - RECOMMENDED)->name;
}

/* An implementation that this machine can run: of the same family, or `exact`. */
static const posenc_impl *runnable_instead_of(const posenc_impl *impl) {
  const posenc_impl *relative = posenc_impl_find(impl->family);
  return posenc_impl_supported(relative) ? relative : posenc_impl_find(NULL);
}

static posenc_status check_impl(const posenc_spec *s, const char *name, const posenc_impl *impl) {
  if (!impl)
    return posenc_fail_name(POSENC_ERROR_UNKNOWN_IMPL,
        posenc_needs_sleef(name) ? "this build has no SLEEF: impl" : "impl", name, RECOMMENDED + posenc_impl_count(),
        impl_name);
  if (!posenc_impl_supported(impl))
    return posenc_fail(POSENC_ERROR_CPU, "impl is \"%s\", which needs %s; this machine can run \"%s\"", impl->name,
        impl->isa, runnable_instead_of(impl)->name);
  const posenc_kernel *kernel = posenc_kernel_of(impl);
  if (!posenc_offers(impl, s->dtype))
    return posenc_fail(POSENC_ERROR_UNSUPPORTED, "dtype is %s; impl \"%s\" offers %s",
        posenc_dtype_info_of(s->dtype)->name, impl->name, impl->dtypes);
  if (!posenc_takes_base(kernel, s))
    return posenc_fail(POSENC_ERROR_UNSUPPORTED,
        "impl \"%s\" does not offer this spec: its float32 power needs a base from 2^-126 to 0x1.fffffep127",
        impl->name);
  return POSENC_OK;
}

static size_t round_up(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

/* The parts of a plan's block, in bytes. Each begins at a cache line. */
typedef struct sizes {
  size_t head, freqs, freqs_low, state, extra;
} sizes;

static sizes sizes_of(const posenc_problem *problem, const posenc_kernel *kernel) {
  const size_t padded = (size_t)posenc_padded(problem->n), line = 64;
  return (sizes){.head = round_up(sizeof(posenc_plan), line),
      .freqs = problem->freqs ? padded * sizeof(double) : 0,
      .freqs_low = problem->freqs_low ? padded * sizeof(double) : 0,
      .state = round_up(padded * kernel->frequency_bytes, line),
      .extra = kernel->extra_bytes ? round_up(kernel->extra_bytes(problem), line) : 0};
}

POSENC_NOINLINE posenc_status posenc_make_plan(
    posenc_plan **plan, const posenc_spec *spec, const char *impl, int64_t rows_of_only_call) {
  POSENC_TRY(posenc_check_spec(spec));
  const posenc_impl *const chosen = posenc_impl_find(impl);
  POSENC_TRY(check_impl(spec, impl, chosen));
  const posenc_kernel *const kernel = posenc_kernel_of(chosen);
  posenc_plan p = {.spec = *spec, .problem = posenc_problem_of(spec), .kernel = kernel};
  if (rows_of_only_call > 0)
    p.problem.table_rows = rows_of_only_call;

  const sizes bytes = sizes_of(&p.problem, kernel);
  const size_t zeroed = bytes.head + bytes.freqs + bytes.freqs_low + bytes.state;
  char *const block = posenc_memory_allocate(64, zeroed + bytes.extra);
  if (!block)
    return posenc_fail(POSENC_ERROR_MEMORY, "out of memory");
  memset(block, 0, zeroed);
  char *const freqs = block + bytes.head;
  if (spec->freqs)
    p.spec.freqs = memcpy(freqs, spec->freqs, (size_t)spec->n_freqs * sizeof(double));
  if (spec->freqs_low)
    p.spec.freqs_low = memcpy(freqs + bytes.freqs, spec->freqs_low, (size_t)spec->n_freqs * sizeof(double));
  p.problem.freqs = p.spec.freqs;
  p.problem.freqs_low = p.spec.freqs_low;
  p.state = freqs + bytes.freqs + bytes.freqs_low;

  *plan = memcpy(block, &p, sizeof p);
  if (kernel->prepare)
    kernel->prepare(&(*plan)->problem, p.state);
  return POSENC_OK;
}

posenc_status posenc_plan_create(posenc_plan **plan, const posenc_spec *spec, const char *impl) {
  if (!posenc_is_usable(plan, _Alignof(posenc_plan *)))
    return posenc_fail_pointer("plan", plan, _Alignof(posenc_plan *), "a pointer to a plan");
  posenc_plan *made = NULL; /* *plan may be in the same memory as the spec, which is still to be read */
  const posenc_fpstate caller = posenc_fp_enter();
  const posenc_status status = posenc_make_plan(&made, spec, impl, 0);
  *plan = made;
  return posenc_fp_leave(caller, status);
}

void posenc_plan_destroy(posenc_plan *plan) { posenc_memory_free(plan); }

const char *posenc_plan_impl(const posenc_plan *plan) { return plan ? plan->kernel->info.name : NULL; }

const posenc_spec *posenc_plan_spec(const posenc_plan *plan) { return plan ? &plan->spec : NULL; }

posenc_status posenc_check_plan(const posenc_plan *plan, int64_t count) {
  if (!plan)
    return posenc_fail(POSENC_ERROR_ARGUMENT, "plan is NULL; a plan from posenc_plan_create() is needed");
  if (count < 0)
    return posenc_fail(POSENC_ERROR_ARGUMENT, "count is %" PRId64 "; allowed: 0 or more", count);
  return POSENC_OK;
}

static posenc_status check_phases(const posenc_plan *plan, const posenc_phases *phases) {
  static const char *const names[] = {"", "whole", "fraction", "rest"};
  POSENC_TRY(posenc_check_plan(plan, 0));
  if (!plan->kernel->phases)
    return posenc_fail(
        POSENC_ERROR_UNSUPPORTED, "the plan's impl is \"%s\"; allowed: exact and anchored", plan->kernel->info.name);
  const int64_t bytes = plan->problem.n * (int64_t)sizeof(double);
  const posenc_array arrays[] = {
      {0}, {phases->whole, 1, bytes, bytes}, {phases->fraction, 1, bytes, bytes}, {phases->rest, 1, bytes, bytes}};
  return posenc_check_results(names, arrays, 4);
}

POSENC_NOINLINE static posenc_status plan_phases(const posenc_plan *plan, const posenc_phases *phases) {
  POSENC_TRY(check_phases(plan, phases));
  plan->kernel->phases(&plan->problem, phases);
  return POSENC_OK;
}

posenc_status posenc_plan_phases(const posenc_plan *plan, double *whole, uint64_t *fraction, double *rest) {
  const posenc_fpstate caller = posenc_fp_enter();
  return posenc_fp_leave(caller, plan_phases(plan, &(posenc_phases){whole, fraction, rest}));
}

/* spec -> checked plan: one block that holds the spec, a copy of explicit frequencies, and the kernel's own state. */
#include "api/layouts.h"
#include "api/spec.h"
#include "api/dispatch.h"
#include "recipes/freqs.h"
#include "api/fpstate.h"
#include "api/plan.h"

#include <stdlib.h>
#include <string.h>

posenc_spec posenc_spec_default(int64_t d_model)
{
  return (posenc_spec){.struct_size = sizeof(posenc_spec), .d_model = d_model, .base = 10000.0, .position_scale = 1.0};
}

static size_t round_up(size_t n, size_t multiple)
{
  return (n + multiple - 1) / multiple * multiple;
}

posenc_spec posenc_pairs(const posenc_spec *spec)
{
  posenc_spec pairs = *spec;
  pairs.d_model = 2 * posenc_n_freqs(spec);
  pairs.denominator = posenc_denominator(spec);
  pairs.position_scale = posenc_scale(spec);
  pairs.layout = POSENC_INTERLEAVED;
  pairs.order = POSENC_SIN_FIRST;
  pairs.odd = POSENC_ODD_HALF_PAIR;
  return pairs;
}

posenc_status posenc_plan_create(posenc_plan **plan, const posenc_spec *spec, const char *impl)
{
  if (!plan)
    return POSENC_ERROR_ARGUMENT;
  *plan = NULL;
  const posenc_status status = posenc_plan_check(spec, impl, NULL, 0);
  if (status != POSENC_OK)
    return status;

  posenc_spec s;
  posenc_spec_read(&s, spec, NULL, 0);
  const posenc_kernel *kernel = posenc_kernel_of(posenc_impl_for(impl, &s));

  const size_t padded = (size_t)posenc_padded_freqs(&s), line = 64;
  const size_t head = round_up(sizeof(posenc_plan), line);
  const size_t freqs_bytes = s.freqs ? round_up(padded * sizeof(double), line) : 0;
  const size_t state_bytes = round_up(padded * kernel->state_bytes, line) + 4 * line;
  const size_t table_bytes = padded <= POSENC_TABLES_FREQS ? round_up(padded * kernel->table_bytes, line) : 0;
  char *block = aligned_alloc(line, head + freqs_bytes + state_bytes + table_bytes);
  if (!block)
    return POSENC_ERROR_MEMORY;
  memset(block, 0, head + freqs_bytes + state_bytes);

  posenc_plan *p = (posenc_plan *)block;
  if (s.freqs)
    s.freqs = memcpy(block + head, s.freqs, (size_t)s.n_freqs * sizeof(double));
  p->spec = s;
  p->pairs = posenc_pairs(&s);
  p->direct = posenc_columns_direct(&s);
  p->kernel = kernel;
  p->state = block + head + freqs_bytes;

  const posenc_fpstate caller = posenc_fp_enter();
  kernel->prepare(&p->pairs, p->state);
  posenc_fp_leave(caller);
  *plan = p;
  return POSENC_OK;
}

void posenc_plan_destroy(posenc_plan *plan)
{
  free(plan);
}

const char *posenc_plan_impl(const posenc_plan *plan)
{
  return plan ? plan->kernel->info.name : NULL;
}

const posenc_spec *posenc_plan_spec(const posenc_plan *plan)
{
  return plan ? &plan->spec : NULL;
}

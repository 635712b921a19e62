/* exact_*: the nearest value of the dtype to the real one, for every output.
 *
 * float32: the sum of three angles in float64, as angle_addition/anchored.c has it but for steps; the rounding test, and what
 * follows where it fails, is in angle_addition/ziv.h; docs/exact.md adds up the errors. Up to 11 rows (up to 47 where a plan
 * keeps no steps), and rows at positions that do not follow each other, are no sums: angle_addition/direct.h computes their
 * angles by themselves. float64 is in angle_addition/wide.h, consecutive rows of bfloat16 in angle_addition/bf16.h and of float16 in
 * angle_addition/half.h. Real positions, and 16 bits at any positions, are single rows (angle_addition/gather.h); what these leave
 * open is in angle_addition/dtypes.h.
 */
#include "angle_addition/bf16.h"
#include "angle_addition/gather.h"
#include "angle_addition/wide.h"

static void rows(const posenc_spec *spec, const void *state, const posenc_rows *r, void *out, int64_t stride) {
  const turns t = turns_of(spec, state);
  if (spec->dtype == POSENC_DTYPE_F64)
    write_wide(spec, &t, r, out, stride);
  else if (spec->dtype == POSENC_DTYPE_F32 && !r->reals)
    write_rows(spec, &t, r, out, stride);
  else if (spec->dtype == POSENC_DTYPE_BF16 && t.steps && !r->positions && !r->reals && r->count >= FEW_OF_BF16)
    fill_bf16(spec, &t, r, out, stride);
  else if (spec->dtype == POSENC_DTYPE_F16 && !r->positions && !r->reals && r->count >= FEW_OF_F16)
    fill_half(spec, &t, r, out, stride);
  else
    write_any(spec, &t, r, out, stride);
}

POSENC_KERNEL(POSENC_ALL_DTYPES, "proved", "half a unit in the last place of 1: correctly rounded", posenc_bound_turns,
    0.0, TURNS_BYTES, TABLE_BYTES, FEW_WITHOUT_STEPS, NULL, prepare, rows);

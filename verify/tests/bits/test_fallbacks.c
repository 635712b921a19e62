/* Counts the outputs of exact that floating point does not decide and that integers compute. The linker's --wrap
 * redirects the library's calls of posenc_fallback() to this file.
 */
#include "testing.h"

#include <stdatomic.h>
#include <stdio.h>

#include "campaign/family.h"
#include "formats.h"
#include "multiprecision/fallback.h"

static atomic_llong fallbacks;
double __real_posenc_fallback(const posenc_problem *problem, posenc_ratio *kept, double position, int64_t column);
double __wrap_posenc_fallback(const posenc_problem *problem, posenc_ratio *kept, double position, int64_t column);

double __wrap_posenc_fallback(const posenc_problem *problem, posenc_ratio *kept, double position, int64_t column) {
  fallbacks++;
  return __real_posenc_fallback(problem, kept, position, column);
}

/* The fallbacks of `rows` rows from position 0 with 512 columns, filled block by block. */
static long long fallbacks_of(const posenc_impl *impl, int32_t dtype, int64_t rows) {
  enum { D = 512, BLOCK = 4096 };
  posenc_spec spec = paper_spec(D);
  spec.dtype = dtype;
  posenc_plan *plan = NULL;
  assert_int_equal(posenc_plan_create(&plan, &spec, impl->name), POSENC_OK);
  void *const out = malloc(D * BLOCK * format_of(dtype)->size);
  assert_non_null(out);
  fallbacks = 0;
  for (int64_t i = 0; i < rows; i += BLOCK)
    assert_int_equal(posenc_fill(plan, i, BLOCK, out, D), POSENC_OK);
  free(out);
  posenc_plan_destroy(plan);
  return fallbacks;
}

static void counts(void **state) {
  (void)state;
  const posenc_impl *impl;
  for (size_t i = 0; (impl = family_member("exact", i)); i++) {
    const long long floats = fallbacks_of(impl, POSENC_DTYPE_F32, INT64_C(1) << 20);
    const long long doubles = fallbacks_of(impl, POSENC_DTYPE_F64, 4096),
                    halves = fallbacks_of(impl, POSENC_DTYPE_F16, 1 << 16);
    printf("%s: %lld of 536870912 float32, %lld of 2097152 float64, %lld of 33554432 float16\n", impl->name, floats,
        doubles, halves);
    assert_int_equal(floats, 0);       /* verify/proof/README.md, section 6 */
    assert_in_range(doubles, 1, 2000); /* about one output in 3000 */
    assert_in_range(halves, 0, 1000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(counts)};
  return cmocka_run_group_tests_name("fallbacks", tests, NULL, NULL);
}

/* "A row depends on its position alone" (posenc.h). Random specs and calls of every implementation, among them
 * some that are refused. verify/fuzz makes them of bytes, which are drawn here. In each call
 *   - each element has the bits that it has in a call for its row alone, in the paper's layout and of another width,
 *     whatever the call, the width, stride, alignment, layout, order of positions and dtype;
 *   - all members of a family agree, and a sample is correct;
 *   - a new table is zero between its rows, and nothing else is written;
 *   - what is refused writes nothing, and says why.
 * Cases for which kernels have code of their own are drawn often. Every element of the tables of hashes.inc, whose bits
 * test_bits.c compares, is judged.
 *
 *   test_elements [SEED [INPUTS]]    INPUTS: their number, or "large" for tables that are written around the caches. Each
 *                                    input has the seed after that of the one before.
 */
#include "judged.h"

#include <signal.h>

#include "fuzz/fuzz.h"
#include "hashed.h"

static int inputs = THINNED ? 1000 : 4000;

static void name_input(int signal) {
  (void)signal;
  fprintf(stderr, "test_elements %llu 1 repeats it\n", (unsigned long long)seed);
}

static void random_inputs(void **state) {
  (void)state;
  signal(SIGABRT, name_input);
  for (const uint64_t end = seed + (uint64_t)inputs; seed < end; seed++) {
    uint8_t input[600];
    uint64_t random = seed;
    for (size_t i = 0; i < sizeof input; i++)
      input[i] = (uint8_t)(next_random(&random) >> 32);
    LLVMFuzzerTestOneInput(input, sizeof input);
  }
}

/* Compares the tables of hashes.inc with MPFR, for one member of their families: test_bits compares the members' bits. */
static void pinned_tables(void **state) {
  (void)state;
  static _Alignas(64) unsigned char got[HASHED_MOST_BYTES];
  for (const hashed *t = hashed_tables; t < hashed_tables + HASHED_TABLES; t++) {
    double freqs[HASHED_MOST_FREQS];
    const posenc_spec spec = hashed_spec(t, freqs);
    const posenc_impl *member = family_member(t->family, 0);
    const int64_t d = t->d_model, row = d * (int64_t)format_of(t->dtype)->size;
    if (!member)
      continue; /* this machine runs none */
    mpfr_reference *reference = reference_create(&spec);
    reference_value *const want = malloc((size_t)(t->rows * d) * sizeof *want);
    assert_true(t->rows * row <= HASHED_MOST_BYTES && want);
    for (int64_t i = 0; i < t->rows; i++)
      reference_row(reference, (double)(t->first + i), want + i * d);
    posenc_plan *plan = plan_of(&spec, member->name);
    assert_int_equal(posenc_fill(plan, t->first, t->rows, got, d), POSENC_OK);
    for (int64_t i = 0; i < t->rows; i++)
      judge_rows(plan, &(double){(double)(t->first + i)}, 1, got + i * row, want + i * d);
    posenc_plan_destroy(plan);
    free(want);
    reference_destroy(reference);
  }
}

/* Tables larger than the caches, by dtype: rows that begin at cache lines, rows that share lines, and rows
 * that never begin at one. */
static void large_tables(void **state) {
  (void)state;
  static const struct {
    int32_t dtype;
    int64_t d, rows, gap;
    uint8_t offset;
  } tables[] = {
      {POSENC_DTYPE_F32, 1024, 6500, 0, 0},
      {POSENC_DTYPE_F32, 754, 8900, 14, 4},
      {POSENC_DTYPE_F32, 768, 8900, 0, 10},
      {POSENC_DTYPE_F32, 770, 8900, 3, 0},
      {POSENC_DTYPE_BF16, 1440, 8900, 0, 6},
      {POSENC_DTYPE_BF16, 1440, 8900, 32, 30},
  };
  double freqs[512];
  for (int k = 0; k < 512; k++) /* near 0: rechecked after the stores */
    freqs[k] = 0x1.921fb54442d18p+2 / (double)(3 + k);
  for (size_t m = 0; runnable(m); m++)
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
      for (int layout = 0; layout < (i ? 1 : 4); layout++) {
        posenc_spec spec = paper_spec(tables[i].d);
        spec.dtype = tables[i].dtype;
        spec.order = layout % 2;
        spec.layout = layout / 2;
        spec.freqs = i == 0 ? freqs : NULL;
        spec.n_freqs = i == 0 ? 512 : 0;
        const char *const name = runnable(m)->name;
        if (!strstr(runnable(m)->dtypes, "bfloat16") || strstr(name, "scalar"))
          continue;
        posenc_plan *const plan = plan_of(&spec, name);
        fuzz_call c = call_of(plan, &spec, CALL_FILL);
        c.a.first = -700;
        c.a.count = tables[i].rows;
        c.a.row_stride = tables[i].d + tables[i].gap;
        const uint8_t offset = 96 + tables[i].offset;
        bytes b = {&offset, &offset + 1};
        try_call(&b, &c, &spec);
        posenc_plan_destroy(plan);
      }
}

int main(int argc, char **argv) {
  const int large = argc > 2 && strcmp(argv[2], "large") == 0;
  take_seed(argc, argv, &seed);
  if (argc > 2)
    inputs = atoi(argv[2]); /* NOLINT(cert-err34-c): text that is no number gives 0 inputs */
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_inputs), cmocka_unit_test(pinned_tables)},
                          of_large[] = {cmocka_unit_test(large_tables)};
  return large ? cmocka_run_group_tests_name("elements", of_large, NULL, NULL)
               : cmocka_run_group_tests_name("elements", tests, NULL, NULL);
}

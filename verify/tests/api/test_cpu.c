/* The instruction sets of processors of which only the registers of CPUID and XCR0 are known. */
#include "testing.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdatomic.h>

static unsigned leaf_1_ecx, leaf_7_ebx, saved_registers;

static int answer_sets(unsigned leaf, unsigned *b, unsigned *c) {
  *b = leaf == 7 ? leaf_7_ebx : 0;
  *c = leaf == 1 ? leaf_1_ecx : 0;
  return 1;
}

#define __get_cpuid(leaf, a, b, c, d) ((void)(a), (void)(d), answer_sets(leaf, b, c))
#define __get_cpuid_count(leaf, i, a, b, c, d) __get_cpuid(leaf, a, b, c, d)
#define __asm__(...) (low = saved_registers, high = 0, (void)high) /* XGETBV */
#include "api/cpu.c"
#undef __asm__

/* A processor has all bits of avx512 except the `lacks`. */
static void instruction_sets(void **state) {
  enum { X87 = 1, YMM = 7, ZMM = 0xe7, ANY = 1, FMA = 2, AVX2 = 4, EVERY = 8 };
  static const struct {
    unsigned xcr0, lacks_1, lacks_7, sets;
  } cases[] = {
      {ZMM, 0, 0, ANY | FMA | AVX2 | EVERY},
      {ZMM, bit_OSXSAVE, 0, ANY},
      {X87, 0, 0, ANY},
      {YMM, 0, 0, ANY | FMA | AVX2},
      {YMM | 0x60, 0, 0, ANY | FMA | AVX2}, /* without the upper registers, which are bit 7 */
      {ZMM, bit_FMA, 0, ANY},
      {ZMM, bit_F16C, 0, ANY | FMA},
      {ZMM, 0, bit_AVX2, ANY | FMA},
      {ZMM, 0, bit_AVX512F, ANY | FMA | AVX2},
      {ZMM, 0, bit_AVX512BW, ANY | FMA | AVX2},
      {ZMM, 0, bit_AVX512DQ, ANY | FMA | AVX2},
      {ZMM, 0, bit_AVX512VL, ANY | FMA | AVX2},
  };
  const unsigned sets[] = {POSENC_SET_any, POSENC_SET_fma, POSENC_SET_avx2, POSENC_SET_avx512};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    leaf_1_ecx = (bit_OSXSAVE | bit_AVX | bit_FMA | bit_F16C) & ~cases[i].lacks_1;
    leaf_7_ebx = (bit_AVX2 | bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL) & ~cases[i].lacks_7;
    saved_registers = cases[i].xcr0;
    const unsigned found = detect();
    for (size_t j = 0; j < 4; j++)
      if ((found >> sets[j] & 1) != (cases[i].sets >> j & 1))
        fail_msg("case %zu: set %zu", i, j);
  }
}
#else
#include "api/cpu.c"
static void instruction_sets(void **state) {
  (void)state;
  assert_int_equal(posenc_cpu(), 1 << POSENC_SET_any | 1 << POSENC_SET_fma | 1 << POSENC_SET_neon);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(instruction_sets)};
  return cmocka_run_group_tests_name("cpu", tests, NULL, NULL);
}

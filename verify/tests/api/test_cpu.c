/* The instruction sets, and the size from which tables are streamed, on processors of which only the registers of CPUID
 * and XCR0 are known. */
#include "testing.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdatomic.h>

enum { LEAVES = 5, MIB = 1 << 20 };

static const struct processor {
  const char *name;
  unsigned most, extended, leaf; /* the highest basic leaf, ECX of 0x80000001, the leaf of the caches */
  unsigned caches[LEAVES][3];    /* EAX, EBX, ECX */
  int64_t expected;
} processors[] = {
    {"Intel Skylake, 8 MiB", 22, 0x121, 4,
        {{0x1c004121, 0x01c0003f, 0x3f}, {0x1c004122, 0x01c0003f, 0x3f}, {0x1c004143, 0x00c0003f, 0x3ff},
            {0x1c03c163, 0x03c0003f, 0x1fff}},
        8 * MIB},
    {"AMD Zen 4, 32 MiB", 16, 0x004003f3, 0x8000001d,
        {{0x121, 0x01c0003f, 0x3f}, {0x122, 0x01c0003f, 0x3f}, {0x143, 0x01c0003f, 0x3ff},
            {0x4163, 0x03c0003f, 0x7fff}},
        24 * MIB},
    {"the same with 8 MiB", 16, 0x004003f3, 0x8000001d, {{0x121, 0x01c0003f, 0x3f}, {0x4163, 0x03c0003f, 0x1fff}},
        8 * MIB},
    {"the same without TOPOEXT", 16, 0x3f3, 0x8000001d, {{0x4163, 0x03c0003f, 0x1fff}}, 24 * MIB},
    {"two partitions", 22, 0, 4, {{0x163, 0x03c0103f, 0x1fff}}, 16 * MIB},
    {"a data cache of 4 MiB", 22, 0, 4, {{0x161, 0x03c0003f, 0xfff}}, 4 * MIB},
    {"less than 4 MiB", 22, 0, 4, {{0x163, 0x0380003f, 0xfff}}, 24 * MIB},
    {"instructions only", 22, 0, 4, {{0x162, 0x03c0003f, 0x1fff}}, 24 * MIB},
    {"no third level", 22, 0, 4, {{0x143, 0x03c0003f, 0x1fff}}, 24 * MIB},
    {"more levels than three", 22, 0, 4, {{0x183, 0x03c0003f, 0x3fff}, {0x163, 0x03c0003f, 0x1fff}}, 8 * MIB},
    {"no leaf 4", 3, 0, 4, {{0x163, 0x03c0003f, 0x1fff}}, 24 * MIB},
};
static const struct processor *here;

static void answer(unsigned leaf, unsigned i, unsigned *a, unsigned *b, unsigned *c, unsigned *d) {
  const int known = leaf == here->leaf && i < LEAVES;
  *a = known ? here->caches[i][0] : 0;
  *b = known ? here->caches[i][1] : 0;
  *c = known ? here->caches[i][2] : leaf == 0x80000001 ? here->extended : 0;
  *d = 0;
}

static unsigned leaf_1_ecx, leaf_7_ebx, saved_registers;

static int answer_sets(unsigned leaf, unsigned *b, unsigned *c) {
  *b = leaf == 7 ? leaf_7_ebx : 0;
  *c = leaf == 1 ? leaf_1_ecx : 0;
  return 1;
}

#define __get_cpuid(leaf, a, b, c, d) ((void)(a), (void)(d), answer_sets(leaf, b, c))
#define __get_cpuid_count(leaf, i, a, b, c, d) __get_cpuid(leaf, a, b, c, d)
#define __asm__(...) (low = saved_registers, high = 0, (void)high) /* XGETBV */

#undef __cpuid
#undef __cpuid_count
#define __cpuid(leaf, a, b, c, d) answer(leaf, 0, &(a), &(b), &(c), &(d))
#define __cpuid_count(leaf, i, a, b, c, d) answer(leaf, i, &(a), &(b), &(c), &(d))
#define __get_cpuid_max(leaf, vendor) (here->most)
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

static void stream_sizes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof processors / sizeof processors[0]; i++) {
    here = &processors[i];
    if ((int64_t)stream_bytes() != here->expected)
      fail_msg("%s: %llu", here->name, (unsigned long long)stream_bytes());
  }
}
#else
#include "api/cpu.c"
static void instruction_sets(void **state) {
  (void)state;
  assert_int_equal(posenc_cpu(), 1 << POSENC_SET_any | 1 << POSENC_SET_fma | 1 << POSENC_SET_neon);
}

static void stream_sizes(void **state) {
  (void)state;
  assert_int_equal(posenc_stream_bytes(), 24 << 20);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(instruction_sets), cmocka_unit_test(stream_sizes)};
  return cmocka_run_group_tests_name("cpu", tests, NULL, NULL);
}

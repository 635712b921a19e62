/* How the processor is named, by text as /proc/cpuinfo has it. */
#include "tools/machine.h"

#include "testing.h"

static void names(const char *cpuinfo, const char *line, const char *cpu, const char *microarchitecture) {
  machine_processor p;
  FILE *f = fmemopen((void *)(uintptr_t)cpuinfo, strlen(cpuinfo), "r");
  machine_read(f, &p);
  fclose(f);
  assert_string_equal(p.line, line);
  assert_string_equal(p.cpu, cpu);
  assert_string_equal(p.microarchitecture ? p.microarchitecture : "", microarchitecture);
}

static void test_x86(void **state) {
  (void)state;
  names("processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC\n",
      "AMD Zen 5, EPYC, family 26 model 2", "AMD EPYC", "Zen 5");
  names("vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
        "model name\t: Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz\n",
      "Intel Sapphire Rapids, Xeon Platinum 8481C, family 6 model 143", "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz",
      "Sapphire Rapids");
}

static void test_not_in_the_table(void **state) {
  (void)state;
  names("vendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 255\nmodel name\t: AMD EPYC 9B99 96-Core Processor\n",
      "AMD, EPYC 9B99, family 26 model 255", "AMD EPYC 9B99 96-Core Processor", "");
  names("vendor_id\t: Another\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: It\n", "Another, It, family 6 model 143",
      "It", "");
  names("processor\t: 0\n", "unknown", "unknown", "");
}

static void test_aarch64(void **state) {
  (void)state;
  names("processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n",
      "Arm Neoverse N1, implementer 0x41 part 0xd0c", "implementer 0x41 part 0xd0c", "Neoverse N1");
  names("CPU implementer\t: 0x41\nCPU part\t: 0xfff\n", "Arm, implementer 0x41 part 0xfff",
      "implementer 0x41 part 0xfff", "");
  names("CPU implementer\t: 0x99\nCPU part\t: 0xd0c\n", "unknown, implementer 0x99 part 0xd0c",
      "implementer 0x99 part 0xd0c", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_x86), cmocka_unit_test(test_not_in_the_table), cmocka_unit_test(test_aarch64)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

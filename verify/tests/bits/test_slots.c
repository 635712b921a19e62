/* impl/rotation/slots.h: with non-temporal stores, nothing that the inner loop reads has the page offsets of the strip
 * that it writes. */
#include "testing.h"

#include "rotation/slots.h"

static uintptr_t distance(uintptr_t from, uintptr_t to, uintptr_t period) { return (to - from) % period; }

static void slots_apart(void **state) {
  (void)state;
  static slots_memory memory;
  static float strips[2 * PAGE / sizeof(float)] LINE;
  static const int64_t periods[] = {
      64, 128, 256, 512, 1024, 2048, 4096}; /* bytes: the greatest that divides rows and pages */
  for (size_t p = 0; p < sizeof periods / sizeof periods[0]; p++)
    for (int64_t rows = 1; rows <= 5; rows += 2)
      for (size_t line = 0; line < PAGE / sizeof(float); line += LINE_FLOATS) {
        const float *const strip = strips + line;
        const slots s = slots_in(&memory, strip, rows * periods[p] / (int64_t)sizeof(float));
        const char *end = (const char *)memory.values;
        for (int i = 0; i < SLOTS; i++) {
          const char *const at = (const char *)slot_at(s, i);
          assert_true(at >= end && (uintptr_t)at % 64 == 0); /* behind the one before */
          end = at + SLOT;
          if (periods[p] >= PERIOD) {
            const uintptr_t behind = distance((uintptr_t)strip, (uintptr_t)at, (uintptr_t)periods[p]);
            assert_true(behind >= SLOT && behind + SLOT <= (uintptr_t)periods[p]);
          }
        }
        assert_true(end <= (const char *)(&memory + 1));
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(slots_apart)};
  return cmocka_run_group_tests_name("slots", tests, NULL, NULL);
}

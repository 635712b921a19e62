/* impl/angle_addition/slots.h: with non-temporal stores, nothing that the inner loop reads has the page offsets of the strip
 * that it writes. */
#include "testing.h"

#include "angle_addition/slots.h"

enum { PAGE = 4096 };

static uintptr_t distance(uintptr_t from, uintptr_t to, uintptr_t period) { return (to - from) % period; }

static void slots_apart(void **state) {
  (void)state;
  static slots_memory memory;
  static float strips[2 * PAGE / sizeof(float)] LINE;
  for (size_t start = 0; start < PAGE / sizeof(float); start++) {
    const float *const strip = strips + start;
    slot *const first = slots_in(&memory, strip);
    const char *all[2 * (ROTATED + 4) + 1] = {(const char *)exempt_slot(first)};
    int n = 1;
    for (int i = 0; i < 2 * (ROTATED + 4); i++)
      all[n++] = (const char *)entry_slot(first, i / 2, i % 2);
    for (int i = 0; i < n; i++) {
      assert_true(all[i] >= (const char *)&memory && all[i] + SLOT <= (const char *)(&memory + 1));
      assert_int_equal((uintptr_t)all[i] % 64, 0);
      for (int j = 0; j < i; j++)
        assert_true(all[i] >= all[j] + SLOT || all[j] >= all[i] + SLOT);
      const uintptr_t behind = distance((uintptr_t)strip, (uintptr_t)all[i], PERIOD);
      assert_true(start % LINE_FLOATS != 0 || (behind >= SLOT && behind + SLOT <= PERIOD));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(slots_apart)};
  return cmocka_run_group_tests_name("slots", tests, NULL, NULL);
}

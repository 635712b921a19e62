/* Where the inner loop finds what it reads of a strip that is written (float32, not added) around the caches.
 *
 * A load whose address agrees with that of a pending store in the low 12 bits waits for the store ("4K aliasing" in
 * Intel's optimization manual), and a non-temporal store is pending for long. The rows of a strip meet the same page
 * offsets again every gcd(row bytes, 4096) bytes: on an AMD Zen 3, 1024 columns took three times as long a value as
 * 1040. So steps, anchors and the rest lie in slots of 256 bytes, none of which has the page offsets of the strip where
 * rows are a multiple of 1 KiB apart. No load crosses the end of its slot. (Of rows 512 bytes apart half of L1 would have
 * to be left out. A split strip is 128 bytes in two places: the second is left out only where it is so far behind the first.)
 */
#ifndef POSENC_SLOTS_H
#define POSENC_SLOTS_H

#include "angle_addition/tile.h"

enum { STRIP = 32 /* frequencies */, IN_SLOT = STRIP / 2 };

typedef union slot {
  double values[2 * IN_SLOT];
  vx lanes[STRIP / VD_LANES];
} slot;

/* Of 12 slots every fourth is left out. 8 take half a strip of as many entries of angle_addition/turns.h, and of the four that are
 * rotated (from ROTATED on); one is left, and has the exempt lanes. The other half of the strip lies OTHER_HALF slots on. */
enum { SLOT = sizeof(slot), PERIOD = 4 * SLOT, DOZEN = 12, ROTATED = ENTRIES, OTHER_HALF = (ENTRIES + 4) / 8 * DOZEN };

_Static_assert(SLOT == 256 && (ENTRIES + 4) % 8 == 0, "a slot is as large as a row of a strip, and eights are full");
_Static_assert((size_t)OTHER_HALF *SLOT % PERIOD == 0, "both halves leave out the same page offsets");

typedef struct slots_memory {
  double values[(2 * OTHER_HALF * SLOT + PERIOD) / sizeof(double)] LINE;
} slots_memory;

/* Entries take slots 0 1 2 4, 5 6 8 9. */
FLAT slot *entry_slot(slot *first, int entry, int half) {
  const int row = entry % 4, second = entry / 4 % 2;
  return first + half * OTHER_HALF + entry / 8 * DOZEN + row + row / 3 + second * (row == 2 ? 6 : 5);
}
FLAT slot *exempt_slot(slot *first) { return first + 10; }

/* At a line, for a strip at `out`. */
static inline slot *slots_in(slots_memory *memory, const float *out) {
  const uintptr_t strip_end = (uintptr_t)out + SLOT, start = (uintptr_t)memory->values;
  return (slot *)(void *)(memory->values + (strip_end - start) % PERIOD / 64 * 8);
}

#endif

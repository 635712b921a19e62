/* Where the inner loop finds what it reads of a strip that is written (float32, not added) around the caches.
 *
 * A load whose address agrees with that of a pending store in the low 12 bits waits for the store ("4K aliasing" in
 * Intel's optimization manual), and a non-temporal store is pending for long. The rows of a strip meet the same page
 * offsets again every gcd(row bytes, 4096) bytes: on an AMD Zen 3, 1024 columns took three times as long a value as
 * 1040. So steps, anchors and the rest lie in slots of 256 bytes, none of which has the page offsets of the strip where
 * rows are a multiple of 1 KiB apart. No load crosses the end of its slot. (Of rows 512 bytes apart half of L1 would have
 * to be left out.)
 */
#ifndef POSENC_SLOTS_H
#define POSENC_SLOTS_H

#include "rotation/tile.h"

enum { STRIP = 32 /* frequencies */, IN_SLOT = STRIP / 2 };

typedef union slot {
  double values[2 * IN_SLOT];
  vx lanes[STRIP / VD_LANES];
} slot;

/* 4 entries of rotation/turns.h, two slots each, and one of the rest take 9 slots of 12, every fourth one being left out:
 * constant distances in the inner loop, which reads 4 entries at a time. */
enum { SLOT = sizeof(slot), PERIOD = 4 * SLOT, NINE = 12, NINES = ENTRIES / ROWS };
enum { EXEMPT_SLOT = 8 /* behind the four that are rotated */ };

_Static_assert(SLOT == 256 && NINES == EXEMPT_SLOT + 1, "a slot is as large as a row of a strip");

typedef struct slots_memory {
  double values[(NINES * NINE * SLOT + PERIOD) / sizeof(double)] LINE;
} slots_memory;

/* Of half i of a strip: slots 0 1 2 4, 5 6 8 9 hold 4 entries. */
FLAT slot *entry_slot(slot *first, int entry, int i) {
  const int row = entry % ROWS;
  return first + entry / ROWS * NINE + row + row / 3 + i * (row == 2 ? 6 : 5);
}
FLAT slot *rest_slot(slot *first, int i) { return first + i * NINE + 10; }

/* At a line, for a strip at `out`. */
static inline slot *slots_in(slots_memory *memory, const float *out) {
  const uintptr_t strip_end = (uintptr_t)out + SLOT, start = (uintptr_t)memory->values;
  return (slot *)(void *)(memory->values + (strip_end - start) % PERIOD / 64 * 8);
}

#endif

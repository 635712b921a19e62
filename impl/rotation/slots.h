/* Where the inner loop finds what it reads of a strip that is written (float32, not added) around the caches.
 *
 * A load whose address agrees with that of a pending store in the low 12 bits waits for the store ("4K aliasing" in
 * Intel's optimization manual), and a non-temporal store is pending for long. The rows of a strip meet the same page
 * offsets again every gcd(row bytes, 4096) bytes: on an AMD Zen 3, 1024 columns took three times as long a value as
 * 1040. So steps, anchors and the rest lie in slots of 256 bytes, none of which has the page offsets of the strip where
 * rows are a multiple of 1 KiB apart.
 * No load crosses the end of its slot. (Of rows 512 bytes apart half of L1 would be left out: there slots have no
 * holes.)
 */
#ifndef POSENC_SLOTS_H
#define POSENC_SLOTS_H

#include "rotation/tile.h"

/* Which slot: entry i of rotation/turns.h is in 2 i and the slot after it, 16 frequencies each; what is rotated
 * likewise, coarse angles and the anchor's. */
enum { STRIP = 32 /* frequencies */, IN_SLOT = STRIP / 2 };
enum { COARSE_SLOT = 2 * ENTRIES, ANCHOR_SLOT = COARSE_SLOT + 4, EXEMPT_SLOT = ANCHOR_SLOT + 4, SLOTS };

typedef union slot {
  double values[2 * IN_SLOT];
  vx lanes[STRIP / VD_LANES];
} slot;

enum { PAGE = 4096, PERIOD = 1024, SLOT = sizeof(slot), HOLES = SLOTS / (PERIOD / SLOT - 1) };

_Static_assert(
    SLOT == 256 && SLOTS < 128, "a slot is as large as a row of a strip; slot_at() divides exactly below 128");

typedef struct slots {
  slot *first;
  int inverse; /* 2^16 / slots between two holes, rounded up; 0: no holes */
} slots;

/* Slot i, behind i / (slots between two holes) holes, each as large as a slot. */
FLAT slot *slot_at(slots s, int i) { return s.first + i + (i * s.inverse >> 16); }

typedef struct slots_memory {
  double values[(SLOTS + HOLES + PAGE / SLOT) * 2 * IN_SLOT] LINE;
} slots_memory;

/* For a strip whose rows begin at lines, so many floats apart, one of them at `out`. */
static inline slots slots_in(slots_memory *memory, const float *out, int64_t stride) {
  const uintptr_t strip_end = (uintptr_t)out + SLOT, start = (uintptr_t)memory->values;
  uintptr_t period = PAGE;
  while ((uintptr_t)stride * sizeof *out % period)
    period /= 2;
  if (period < PERIOD)
    return (slots){(slot *)(void *)memory->values, 0};
  double *const first = memory->values + (strip_end - start) % period / sizeof(double);
  return (slots){(slot *)(void *)first, (1 << 16) / ((int)period / SLOT - 1) + 1};
}

#endif

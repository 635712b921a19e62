/* Where the inner loop finds what it reads of a strip that is written (float32, not added) around the caches.
 *
 * A load whose address agrees with that of a pending store in the low 12 bits waits for the store ("4K aliasing" in
 * Intel's optimization manual), and a non-temporal store is pending for long. The rows of a strip meet the same page
 * offsets again every gcd(row bytes, 4096) bytes: on an AMD Zen 3, 1024 columns took three times as long a value as
 * 1040. So steps, anchors and the rest lie in slots of 256 bytes, none of which has the page offsets of the strip,
 *    where rows are a multiple of 1 KiB apart.
 * No load crosses the end of its slot. (Of rows 512 bytes apart half of L1 would be left out: there slots have no
 * holes.)
 */
#ifndef POSENC_SLOTS_H
#define POSENC_SLOTS_H

#include "rotation/strip.h"

typedef union slot {
  double values[STRIP];
  vx lanes[PER_STRIP];
} slot;

/* Which slot: the joined steps (rotation/join.h) of 8 frequencies follow each other from JOINED_SLOT on; the sines of
 * step b are in STEP_SLOT + 2 b, its cosines in the next one; those of the anchor and of the coarse part likewise. */
enum { JOINED_SLOT = 0, STEP_SLOT = STEP * 2 * GROUP / STRIP, ANCHOR_SLOT = STEP_SLOT + 2 * STEPS };
enum { COARSE_SLOT = ANCHOR_SLOT + 2, EXEMPT_SLOT = COARSE_SLOT + 2, SLOTS };
enum { PAGE = 4096, PERIOD = 1024, SLOT = sizeof(slot), HOLES = SLOTS / (PERIOD / SLOT - 1) };

_Static_assert(SLOT == STRIP * sizeof(double) && SLOTS < 128,
    "a strip's vectors fill a slot; slot_at() divides exactly below 128");

typedef struct slots {
  slot *first;
  int inverse; /* 2^16 / slots between two holes, rounded up; 0: no holes */
} slots;

/* Slot i, behind i / (slots between two holes) holes, each as large as a slot. */
FLAT slot *slot_at(slots s, int i) { return s.first + i + (i * s.inverse >> 16); }

typedef struct slots_memory {
  double values[(SLOTS + HOLES + PAGE / SLOT) * STRIP] LINE;
} slots_memory;

_Static_assert(
    STEPS *ENTRY <= (SLOTS - STEP_SLOT + HOLES) * STRIP, "a strip's own steps fit there, as entries of a table");

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

/* The caller's floating-point state: set to something odd for a call, and found unchanged after it. */
#ifndef POSENC_FUZZ_STATE_H
#define POSENC_FUZZ_STATE_H

#include <stdint.h>
#include <string.h>

#include "bytes.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

typedef uint32_t fp_state;
static inline fp_state get_state(void) { return _mm_getcsr(); }
static inline void set_state(fp_state s) { _mm_setcsr(s); }

/* Rounding, FTZ, DAZ, unmasked traps, and a flag that is already up: but not one that would trap. */
static inline fp_state odd_state(unsigned how) {
  const unsigned traps = how >> 4 & 1;
  return (how & 3) << 13 | (how >> 2 & 1) << 15 | (how >> 3 & 1) << 6 | (traps ? 0u : 0x1f80u | (how >> 5 & 0x3f));
}

#elif defined(__aarch64__)

typedef struct fp_state {
  uint64_t control, flags;
} fp_state;
static inline fp_state get_state(void) {
  fp_state s;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(s.control), "=r"(s.flags));
  return s;
}
static inline void set_state(fp_state s) {
  __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(s.control), "r"(s.flags) : "memory");
}

static inline fp_state odd_state(unsigned how) {
  return (fp_state){(uint64_t)(how & 3) << 22 | (uint64_t)(how >> 2 & 1) << 24, how >> 5 & 1 ? 8 : 0};
}
#endif

/* STATEMENT runs with the state that the byte `how` means; 0 is the usual one. */
#define IN_STATE(how, statement)                                                                                       \
  do {                                                                                                                 \
    const fp_state usual = get_state();                                                                                \
    if (how)                                                                                                           \
      set_state(odd_state(how));                                                                                       \
    const fp_state entered = get_state();                                                                              \
    statement;                                                                                                         \
    const fp_state left = get_state();                                                                                 \
    set_state(usual);                                                                                                  \
    if (memcmp(&entered, &left, sizeof left) != 0)                                                                     \
      complain("the floating-point state came back changed from %s", #statement);                                      \
  } while (0)

#endif

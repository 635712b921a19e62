/* The caller's floating-point state: set to something odd for a call, and found unchanged after it. */
#ifndef POSENC_FUZZ_STATE_H
#define POSENC_FUZZ_STATE_H

#include "bytes.h"

#if defined(__x86_64__)
static inline uint64_t get_state(void) { return __builtin_ia32_stmxcsr(); }
static inline void set_state(uint64_t s) { __builtin_ia32_ldmxcsr((unsigned)s); }

/* Rounding, FTZ, DAZ, unmasked traps, and a flag that is already up: but not one that would trap. */
static inline uint64_t odd_state(unsigned how) {
  const unsigned traps = how >> 4 & 1;
  return (how & 3) << 13 | (how >> 2 & 1) << 15 | (how >> 3 & 1) << 6 | (traps ? 0u : 0x1f80u | (how >> 5 & 0x3f));
}
#elif defined(__aarch64__) /* its control register; the flags are test_state's */
static inline uint64_t get_state(void) { return __builtin_aarch64_get_fpcr(); }
static inline void set_state(uint64_t s) { __builtin_aarch64_set_fpcr((unsigned)s); }
static inline uint64_t odd_state(unsigned how) { return (how & 3) << 22 | (how >> 2 & 1) << 24; }
#endif

/* STATEMENT runs with the state that the byte `how` means; 0 is the usual one. */
#define IN_STATE(how, statement)                                                                                       \
  do {                                                                                                                 \
    const uint64_t usual = get_state();                                                                                \
    if (how)                                                                                                           \
      set_state(odd_state(how));                                                                                       \
    const uint64_t entered = get_state();                                                                              \
    statement;                                                                                                         \
    const uint64_t left = get_state();                                                                                 \
    set_state(usual);                                                                                                  \
    if (entered != left)                                                                                               \
      complain("the floating-point state came back changed from %s", #statement);                                      \
  } while (0)

#endif

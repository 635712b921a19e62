/* The caller's floating-point control state, set aside for the length of a call: rounding to nearest, subnormals kept,
 * no traps, whatever the caller has set. The flags that a call raises are dropped with it.
 *
 * The compiler does not know that arithmetic depends on this state, so the work between enter and leave must be behind
 * a call that it does not look through (a kernel's function pointer; else a function that is not inlined).
 */
#ifndef POSENC_FPSTATE_H
#define POSENC_FPSTATE_H

#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

typedef unsigned posenc_fpstate;

static inline posenc_fpstate posenc_fp_enter(void) {
  const posenc_fpstate caller = _mm_getcsr();
  _mm_setcsr(0x1f80); /* the power-on value: all traps masked, round to nearest, DAZ and FTZ off */
  return caller;
}

static inline void posenc_fp_leave(posenc_fpstate caller) { _mm_setcsr(caller); }

#elif defined(__aarch64__)

typedef struct posenc_fpstate {
  uint64_t control, status;
} posenc_fpstate;

static inline posenc_fpstate posenc_fp_enter(void) {
  posenc_fpstate caller;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(caller.control), "=r"(caller.status)::"memory");
  __asm__ volatile("msr fpcr, %0" ::"r"(UINT64_C(0)) : "memory");
  return caller;
}

static inline void posenc_fp_leave(posenc_fpstate caller) {
  __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(caller.control), "r"(caller.status) : "memory");
}

#endif

#endif

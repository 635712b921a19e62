/* The floating-point state at the door of the library: rounding to nearest, subnormals kept, no traps, whatever the
 * caller has set. The flags that a call raises are dropped with it. Every public function that computes has this form
 * (posenc_impl_error_bound() returns a double), and no other code knows of the state:
 *
 *     const posenc_fpstate caller = posenc_fp_enter();
 *     return posenc_fp_leave(caller, work(...));
 *
 * The compiler does not know that arithmetic depends on the state, so work() is POSENC_NOINLINE.
 */
#ifndef POSENC_FPSTATE_H
#define POSENC_FPSTATE_H

#include "posenc.h"

#define POSENC_NOINLINE __attribute__((noinline))

#if defined(__x86_64__)
#include <xmmintrin.h>

typedef unsigned posenc_fpstate;

static inline posenc_fpstate posenc_fp_enter(void) {
  const posenc_fpstate caller = _mm_getcsr();
  _mm_setcsr(0x1f80); /* the power-on value: all traps masked, round to nearest, DAZ and FTZ off */
  return caller;
}

static inline void posenc_fp_restore(posenc_fpstate caller) { _mm_setcsr(caller); }

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

static inline void posenc_fp_restore(posenc_fpstate caller) {
  __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(caller.control), "r"(caller.status) : "memory");
}

#endif

static inline posenc_status posenc_fp_leave(posenc_fpstate caller, posenc_status result) {
  posenc_fp_restore(caller);
  return result;
}

#endif

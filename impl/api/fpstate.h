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

/* The power-on value: all traps masked, round to nearest, DAZ and FTZ off. The other bits are exception flags, which
 * change no result. Writing other flags costs 80 to 100 ns on Emerald Rapids, so the caller's stay during a call, and
 * posenc_fp_restore() restores them. */
enum { POSENC_FP_USUAL = 0x1f80, POSENC_FP_FLAGS = 0x3f };

static inline posenc_fpstate posenc_fp_enter(void) {
  const posenc_fpstate caller = _mm_getcsr();
  if ((caller & ~(unsigned)POSENC_FP_FLAGS) != POSENC_FP_USUAL)
    _mm_setcsr(POSENC_FP_USUAL);
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
  if (caller.control != 0) /* as in glibc's fesetround(): a write may cost more than a branch */
    __asm__ volatile("msr fpcr, %0" ::"r"(UINT64_C(0)) : "memory");
  return caller;
}

static inline void posenc_fp_restore(posenc_fpstate caller) {
  if (caller.control != 0)
    __asm__ volatile("msr fpcr, %0" ::"r"(caller.control) : "memory");
  __asm__ volatile("msr fpsr, %0" ::"r"(caller.status) : "memory");
}

#endif

static inline posenc_status posenc_fp_leave(posenc_fpstate caller, posenc_status result) {
  posenc_fp_restore(caller);
  return result;
}

#endif

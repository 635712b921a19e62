/* posenc @VERSION@ in one file, written by scripts/amalgamate from the library's sources: change it there.
 *
 *     cc app.c posenc.c -lm          with posenc.h beside it; C11 or later, no flags are needed
 *
 * All implementations of the library that need libm alone, for x86-64 or AArch64; those that run on a machine are chosen there.
 * Its bits are those of the library at any level of optimisation, with any -march. GCC or Clang, as C (also in a C++ program).
 * Nothing is exported but what posenc.h declares.
 *
 *   - It reads itself once for every implementation, by its name: under another one, define POSENC_ITSELF as that, in quotes.
 *   - It is a file to compile by itself, not one of several that are put together ("unity build").
 *   - Not with -ffast-math or a part of it, which it refuses where the compiler tells (Clang tells of the whole alone), nor with what
 *     makes compilers disregard its pragmas: Clang's -ffp-contract=fast.
 *
 * @LICENSE@
 */
#if !(@SUPPORTED@)
#error "posenc supports 64-bit little-endian x86-64 and AArch64"
#elif !defined(__GNUC__)
#error "posenc is built by GCC or Clang"
#elif defined(__cplusplus)
#error "posenc.c is C: compile it as that, also for a C++ program, which includes posenc.h"
#elif !defined(POSENC_NAME) /* the file itself; what follows its #else is read for each implementation */

/* Bits are promised, so the compiler may not fuse multiplications and additions on its own; FMA is written where meant. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off")
#endif

@FEATURES@
#include "posenc.h"
@INCLUDES@

#if POSENC_VERSION_MAJOR != @MAJOR@ || POSENC_VERSION_MINOR != @MINOR@ || POSENC_VERSION_PATCH != @PATCH@
#error "posenc.c is of version @VERSION@, posenc.h of another one"
#endif

#ifndef POSENC_ITSELF
#define POSENC_ITSELF "posenc.c"
#endif

/* Functions that files of the library share: here of this file alone, but called as from another one. So no caller has their
 * stack, and the floating-point state is set before they begin. */
#define POSENC_INTERNAL static __attribute__((noinline))
#define POSENC_WITH_SLEEF 0
#define POSENC_ONE_FILE

/* ==== what the others share ======================================================================================== */

@SHARED@

/* ==== implementations: one reading of the kernels for each ========================================================== */

/* A name of the kernels, for the implementation that is being read. */
#define POSENC_OWN(name) POSENC_OWN_(name, POSENC_NAME)
#define POSENC_OWN_(name, row) POSENC_OWN__(name, row)
#define POSENC_OWN__(name, row) name##_##row

@PASSES@

/* ==== all but the kernels =========================================================================================== */

@CORE@

#ifndef __clang__
#pragma GCC pop_options
#endif
#else

/* ==== kernels: read with POSENC_NAME, _ISA, _VARIANT and _FILE_... defined =========================================== */

@KERNELS@

@UNDEFS@
#endif

/* posenc @VERSION@ in one file, written by scripts/amalgamate from the library's sources: change it there.
 *
 *     cc -O2 app.c posenc.c -lm      with posenc.h beside it; C11 or later. Bits need no flags; speed does, and the stack that
 *                                    posenc.h states
 *
 * All implementations of the library that need libm alone, for x86-64 or AArch64; those that run on a machine are chosen there.
 * Its bits are those of the library at any level of optimisation, with any -march. GCC or Clang, as C (also in a C++ program).
 * Nothing is exported but what posenc.h declares; that neither with -DPOSENC_API= -fvisibility=hidden, for a library that keeps it
 * to itself.
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
#elif !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#error "posenc.c is C11: compile it with -std=c11 or later, or without -std"
#elif !defined(POSENC_NAME) /* the file itself; what follows its #else is read for each implementation */

/* Bits are promised, so the compiler may not fuse multiplications and additions on its own; FMA is written where meant. GCC does not
 * know the standard's pragma, so its own it is; that it does what it says is looked up in the machine code by the tests. And GCC 12
 * vectorises straight-line code into fused operations all the same (its PR 106902) if -march offers them: not here. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic ignored "-Wpass-failed" /* loops that are vectorised where optimisation is on */
#else
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off")
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
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
#ifdef __clang__
#define POSENC_INTERNAL static __attribute__((noinline))
#else
#define POSENC_INTERNAL static __attribute__((noipa))
#endif
#define POSENC_WITH_SLEEF 0
#define POSENC_ONE_FILE

/* ==== what the others share ======================================================================================== */

@SHARED@

#ifndef __clang__
#pragma GCC pop_options
#endif

/* ==== implementations: one reading of the kernels for each ========================================================== */

/* A name of the kernels, for the implementation that is being read. */
#define POSENC_OWN(name) POSENC_OWN_(name, POSENC_NAME)
#define POSENC_OWN_(name, row) POSENC_OWN__(name, row)
#define POSENC_OWN__(name, row) name##_##row

@PASSES@

/* ==== all but the kernels =========================================================================================== */

#ifndef __clang__
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

@CORE@

#ifndef __clang__
#pragma GCC pop_options
#pragma GCC pop_options
#endif
#else

/* ==== kernels: read with POSENC_NAME, _ISA, _VARIANT and _FILE_... defined =========================================== */

@KERNELS@

@UNDEFS@
#endif

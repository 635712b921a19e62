/* The functions of docs/kernels.md, in C and OpenCL C. They need integers and float32 only. */
#ifdef __OPENCL_VERSION__
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;
#else
#include <stdint.h>

/* The high word of a product, which OpenCL C has. */
static uint32_t mul_hi(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
#endif

/* [part: device] */
/* The angle as a 32-bit fraction of a turn. The product wraps around, which removes whole turns exactly. */
static uint32_t turn_of(int64_t position, uint64_t fraction) {
  return (uint32_t)(((uint64_t)position * fraction) >> 32);
}

static void sine_and_cosine(uint32_t turn, float *sine, float *cosine) {
  const uint32_t quarter = (turn + 0x20000000u) >> 30;                       /* the nearest quarter of a turn */
  const float x = (float)(int32_t)(turn - (quarter << 30)) * 2.3283064e-10f; /* 2^-32: the rest is -1/8 to 1/8 turn */
  const float y = x * x;
  const float s = x * (6.28318548f + y * (-41.3417587f + y * (81.6046143f + y * -75.8374710f)));
  const float c = 1.0f + y * (-19.7392082f + y * (64.9390793f + y * (-85.4118042f + y * 58.0719070f)));
  const float a = quarter & 1 ? c : s, b = quarter & 1 ? -s : c;
  *sine = quarter & 2 ? -a : a;
  *cosine = quarter & 2 ? -b : b;
}
/* [end: device] */

/* [part: words] */
/* turn_of() by 32-bit words. The high word of a position below 2^32 is 0, or 0xffffffff if it is negative. */
static uint32_t turn_of_words(uint32_t position, uint32_t position_high, uint32_t fraction, uint32_t fraction_high) {
  return mul_hi(position, fraction) + position * fraction_high + position_high * fraction;
}
/* [end: words] */

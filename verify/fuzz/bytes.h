/* Reads the fuzzer's bytes, from the first on, as choices and numbers. Past their end every byte is 0. */
#ifndef POSENC_FUZZ_BYTES_H
#define POSENC_FUZZ_BYTES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct bytes {
  const uint8_t *at, *end;
} bytes;

static inline unsigned take_byte(bytes *b) { return b->at < b->end ? *b->at++ : 0; }

static inline uint64_t take_bits(bytes *b, int n) {
  uint64_t bits = 0;
  for (int i = 0; i < n; i++)
    bits |= (uint64_t)take_byte(b) << 8 * i;
  return bits;
}

/* Any double: a special one, an ordinary one, one near 1, or eight bytes as they are. */
static inline double take_real(bytes *b) {
  static const double edges[] = {0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 10000.0, (double)NAN, (double)INFINITY,
      -(double)INFINITY, 0x1p-1022, 0x1p-1074, 0x0.8p-1022, 0x1p64, 0x1.0000000000001p64, -0x1p64, 0x1p32, -0x1p32,
      0x1.0000000000001p32, 0x1.fffffffffffffp31, 0x1p-32, 0x1.fffffffffffffp-33, 0x1p1023, 0x1.fffffffffffffp1023,
      0x1.0000000000001p0, 0x1.fffffep127, 0x1.ffffffp127, 0x1.fffffefffffffp127, 0x1p128, 0x1p-126, 0x1p-149, 0x1p-150,
      0x1.8p-14, 0x1p-25, 0x1p20, 0x1p-201, 1e300, 0x1.921fb54442d18p0, 0x1.921fb54442d18p2, 500000.0, 1e12, 1.5,
      0x1p53};
  enum { EDGES = sizeof edges / sizeof edges[0] };
  const unsigned how = take_byte(b);
  if (how < EDGES)
    return edges[how];
  if (how < 128) /* an integer, or a multiple of a power of two */
    return ldexp((double)(int32_t)take_bits(b, 4), -(int)(how % 32));
  if (how < 160) /* a number of ordinary size with all its digits */
    return ldexp((double)(take_bits(b, 7) >> 3), (int)(how - 128) - 53);
  if (how < 176)
    return 1 + ldexp((double)(how - 175), -(int)(take_byte(b) % 54));
  const uint64_t bits = take_bits(b, 8);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Any integer: one near a position that is special to the library or its arithmetic, a small one, or any. */
static inline int64_t take_position(bytes *b) {
  static const int64_t edges[] = {0, 64, 4096, 8192, 1 << 24, INT64_C(1) << 32, INT64_C(1) << 31,
      (INT64_C(1) << 32) - 64, INT64_MAX, INT64_C(1) << 53, 1000003, 131071, INT64_C(1) << 48};
  enum { EDGES = sizeof edges / sizeof edges[0] };
  const unsigned how = take_byte(b);
  if (how < 2 * EDGES) {
    const int64_t near = (int64_t)(take_byte(b) % 80) - 72; /* mostly below it, so that a run of rows crosses it */
    const int64_t edge = how % 2 ? -edges[how / 2] : edges[how / 2];
    int64_t sum;
    return __builtin_add_overflow(edge, near, &sum) ? edge : sum;
  }
  if (how < 128)
    return (int16_t)take_bits(b, 2);
  if (how < 200)
    return (int32_t)take_bits(b, 4);
  return how < 230 ? (int64_t)take_bits(b, 8) >> 31 : (int64_t)take_bits(b, 8);
}

#endif

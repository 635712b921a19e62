/* Pseudo-random numbers from a seed (splitmix64; Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
 * 2014). They are the same on every machine, so that a seed repeats a run.
 */
#ifndef POSENC_TOOLS_RANDOM_H
#define POSENC_TOOLS_RANDOM_H

#include <stdint.h>

static inline uint64_t next_random(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static inline int64_t random_between(uint64_t *state, int64_t low, int64_t high) {
  return low + (int64_t)(next_random(state) % (uint64_t)(high - low + 1));
}

static inline double real_between(uint64_t *state, double low, double high) {
  return low + (high - low) * 0x1p-53 * (double)(next_random(state) >> 11);
}

#endif

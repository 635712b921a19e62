/* The sines and cosines of a table, in OpenCL C: the work item (row, k) computes those of frequency k in a row. */
#include "positions.h"

kernel void table(global const long *positions, global const ulong *fractions, global float2 *values) {
  const size_t row = get_global_id(0), k = get_global_id(1), n = get_global_size(1);
  float sine, cosine;
  sine_and_cosine(turn_of(positions[row], fractions[k]), &sine, &cosine);
  values[row * n + k] = (float2)(sine, cosine);
}

/* The same without 64-bit integers: .x is the low word and .y the high word, as little-endian hosts store them. */
kernel void table_by_words(global const uint2 *positions, global const uint2 *fractions, global float2 *values) {
  const size_t row = get_global_id(0), k = get_global_id(1), n = get_global_size(1);
  const uint2 position = positions[row], fraction = fractions[k];
  float sine, cosine;
  sine_and_cosine(turn_of_words(position.x, position.y, fraction.x, fraction.y), &sine, &cosine);
  values[row * n + k] = (float2)(sine, cosine);
}

/* "The results of exact_* are defined by mathematics. The results of anchored_* are the same on every machine" (posenc.h,
 * abridged). Each member of a family that this machine can run must give each table of
 * hashes.inc the hash in that file, and the members must agree with each other in other dtypes and calls.
 *
 * The test needs only the library, so test_single.sh compiles it with the single file. It prints one line for each
 * family, spec, dtype and function, which must be the same for every compiler.
 *
 *   test_bits [--list]      --list: only list the implementations of this build, one a line
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "campaign/family.h"
#include "campaign/hashed.h"
#include "tests/call.h"

static const hashed tables[] = {
#define POSENC_HASH(family, ...) {#family, __VA_ARGS__},
#include "hashes.inc"
#undef POSENC_HASH
};
enum { TABLES = sizeof tables / sizeof tables[0] };

/* Tables for other dtypes and functions. */
static const struct sample {
  const char *preset;
  int64_t d_model, first;
} samples[] = {{"paper", 288, -40}, {"marian", 37, 131000}, {"ddpm", 20, POSENC_MAX_POSITION - 64}};
enum { SAMPLES = sizeof samples / sizeof samples[0], ROWS = 65, MOST = 288 };

static int failures;
static union {
  double alignment;
  float f32[1 << 17]; /* room for every table */
  unsigned char bytes[ROWS * MOST * sizeof(double)];
} out;

static posenc_plan *plan_of(const posenc_spec *spec, const char *impl) {
  posenc_plan *plan;
  const posenc_status status = posenc_plan_create(&plan, spec, impl);
  if (status != POSENC_OK) {
    printf("%s: %s\n", impl, posenc_status_string(status));
    exit(1);
  }
  return plan;
}

/* The hash of what a call writes. */
static uint64_t hash_sample(const struct sample *s, const char *impl, int32_t dtype, call function) {
  posenc_spec spec;
  posenc_spec_init(&spec, s->d_model, s->preset);
  spec.dtype = dtype;
  const int64_t half = (s->d_model + 1) / 2, first = s->first < 0 || function == FILL ? s->first : s->first - ROWS;
  const size_t size = posenc_dtype_size((posenc_dtype)dtype);
  int64_t positions[ROWS];
  double reals[ROWS];
  for (int64_t i = 0; i < ROWS; i++) {
    positions[i] = first + i * 37 % ROWS - (i % 5 ? 0 : 70000 * i);
    reals[i] = (double)positions[i] + (i % 3 ? 0x1p-3 * (double)(i % 7) : 0.0);
  }
  memset(&out, 0, sizeof out);
  posenc_plan *plan = plan_of(&spec, impl);
  arguments a = {function, plan, first, ROWS, positions, reals, &out, out.bytes + size * (size_t)half, 2 * half, NULL};
  const posenc_status status = make_call(&a);
  posenc_plan_destroy(plan);
  if (status != POSENC_OK) {
    printf("%s, %s: %s\n", impl, call_names[function], posenc_status_string(status));
    failures++;
  }
  uint64_t hash = HASHED_START;
  for (size_t i = 0; i < sizeof out.bytes; i++)
    hash = (hash ^ out.bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static void check_samples(const char *family) {
  for (size_t s = 0; s < SAMPLES; s++)
    for (int32_t dtype = POSENC_DTYPE_F32; dtype <= POSENC_DTYPE_F16; dtype++)
      for (call f = FILL; f <= PAIR; f++) {
        const posenc_impl *member = family_member(family, 0);
        if (!member)
          continue;
        const uint64_t hash = hash_sample(&samples[s], member->name, dtype, f);
        for (size_t m = 1; (member = family_member(family, m)); m++)
          if (hash_sample(&samples[s], member->name, dtype, f) != hash) {
            printf("%s: other bits than the first member of its family\n", member->name);
            failures++;
          }
        printf("%s %s %" PRId64 " dtype %d %s %016" PRIx64 "\n", family, samples[s].preset, samples[s].d_model,
            (int)dtype, call_names[f], hash);
      }
}

static void check_tables(const posenc_impl *member, const char *family) {
  for (size_t i = 0; i < TABLES; i++) {
    const hashed *t = &tables[i];
    if (strcmp(t->family, family) != 0)
      continue;
    double freqs[HASHED_MOST_FREQS];
    const posenc_spec spec = hashed_spec(t, freqs);
    posenc_plan *plan = plan_of(&spec, member->name);
    const int fits = t->rows * t->d_model <= (int64_t)(sizeof out.f32 / sizeof *out.f32);
    uint64_t hash = HASHED_START;
    if (fits)
      posenc_fill(plan, t->first, t->rows, out.f32, t->d_model);
    for (int64_t row = 0; fits && row < t->rows; row++)
      hash = hashed_row(hash, out.f32 + row * t->d_model, t->d_model);
    posenc_plan_destroy(plan);
    if (hash != t->hash) {
      printf("%s: rows %" PRId64 " to %" PRId64 " of d_model %" PRId64 ", base %g, have the hash %016" PRIx64
             ", not %016" PRIx64 " as in hashes.inc\n",
          member->name, t->first, t->first + t->rows - 1, t->d_model, t->base, hash, t->hash);
      failures++;
    }
  }
}

int main(int argc, char **argv) {
  const int list = argc > 1 && strcmp(argv[1], "--list") == 0;
  for (size_t i = 0; list && i < posenc_impl_count(); i++)
    printf("%s, %s, %s, %s\n", posenc_impl_by_index(i)->name, posenc_impl_by_index(i)->isa,
        posenc_impl_by_index(i)->arithmetic, posenc_impl_by_index(i)->bound);
  float foob;
  memcpy(&foob, "foob", sizeof foob);
  failures += hashed_row(HASHED_START, &foob, 1) != UINT64_C(0xdd120e790c2512af); /* FNV-1a, as published */
  for (size_t f = 0; f < HASHED_FAMILIES && !list; f++) {
    const posenc_impl *member;
    for (size_t m = 0; (member = family_member(hashed_families[f], m)); m++)
      check_tables(member, hashed_families[f]);
    check_samples(hashed_families[f]);
  }
  return failures > 0;
}

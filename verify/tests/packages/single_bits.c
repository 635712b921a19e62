/* What a build of the library is, for verify/tests/packages/test_single.sh: with --list the implementations that it
 * has, one a line; else the hashes of what exact and anchored write, one line for a family, a spec, a dtype and a
 * function. Every member that runs here must agree, and float32 tables must have the hashes of hashes.inc; so the lines
 * are the same on every machine, by every compiler.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "campaign/family.h"
#include "campaign/hashed.h"

static const hashed tables[] = {
#define POSENC_HASH(family, ...) {#family, __VA_ARGS__},
#include "hashes.inc"
#undef POSENC_HASH
};
enum { TABLES = sizeof tables / sizeof tables[0] };

/* Other dtypes and functions; float64 where it is narrow, as exact computes much of it in integers. */
static const struct sample {
  const char *preset;
  int64_t d_model, first;
} samples[] = {{"paper", 288, -40}, {"marian", 37, 131000}, {"ddpm", 20, POSENC_MAX_POSITION - 64}};
enum { SAMPLES = sizeof samples / sizeof samples[0], ROWS = 65, WIDE = 64, MOST = 288, FUNCTIONS = 5 };
static const char *const functions[FUNCTIONS] = {"fill", "fill_at", "fill_at_real", "fill_pair", "add"};

static int faults;
static union {
  double f64[ROWS * MOST];
  float f32[ROWS * MOST];
  unsigned char bytes[ROWS * MOST * sizeof(double)];
} out, x;

static posenc_plan *plan_of(const posenc_spec *spec, const char *impl) {
  posenc_plan *plan;
  const posenc_status status = posenc_plan_create(&plan, spec, impl);
  if (status != POSENC_OK) {
    printf("%s: %s\n", impl, posenc_status_string(status));
    exit(1);
  }
  return plan;
}

static posenc_status call(int function, const posenc_plan *plan, int64_t first, int64_t d_model, size_t size) {
  int64_t positions[ROWS];
  double reals[ROWS];
  for (int64_t i = 0; i < ROWS; i++) {
    positions[i] = first + i * 37 % ROWS - (i % 5 ? 0 : 70000 * i);
    reals[i] = (double)positions[i] + (i % 3 ? 0x1p-3 * (double)(i % 7) : 0.0);
  }
  switch (function) {
  case 0:
    return posenc_fill(plan, first, ROWS, &out, d_model);
  case 1:
    return posenc_fill_at(plan, positions, ROWS, &out, d_model);
  case 2:
    return posenc_fill_at_real(plan, reals, ROWS, &out, d_model);
  case 3:
    return posenc_fill_pair(plan, first, ROWS, &out, out.bytes + size * (size_t)(d_model / 2), d_model + 1);
  default:
    return posenc_add(plan, first, ROWS, &x, d_model, 22.627417, &out, d_model);
  }
}

static uint64_t hash_of(size_t bytes) {
  uint64_t hash = HASHED_START;
  for (size_t i = 0; i < bytes; i++)
    hash = (hash ^ out.bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* The sample's hash by one implementation; 0 where it does not offer this. */
static uint64_t hash_sample(const struct sample *s, const char *impl, int32_t dtype, int function) {
  posenc_spec spec;
  const size_t size = posenc_dtype_size((posenc_dtype)dtype);
  if (posenc_spec_preset(s->preset, s->d_model, &spec) != POSENC_OK || (function == 3 && s->d_model % 2) ||
      (dtype == POSENC_F64 && s->d_model > WIDE))
    return 0;
  spec.dtype = dtype;
  memset(&out, 0, sizeof out);
  memset(&x, dtype == POSENC_BF16 ? 0x3e : 0x3d, sizeof x);
  posenc_plan *plan = plan_of(&spec, impl);
  const int64_t width = function == 3 ? s->d_model - 1 : s->d_model; /* its stride is one more */
  const posenc_status status =
      call(function, plan, s->first < 0 || function == 0 ? s->first : s->first - ROWS, width, size);
  posenc_plan_destroy(plan);
  if (status == POSENC_ERROR_UNSUPPORTED)
    return 0;
  if (status != POSENC_OK) {
    printf("%s, %s: %s\n", impl, functions[function], posenc_status_string(status));
    faults++;
  }
  return hash_of(size * ROWS * (size_t)s->d_model);
}

static void check_samples(const char *family) {
  for (size_t s = 0; s < SAMPLES; s++)
    for (int32_t dtype = POSENC_F32; dtype <= POSENC_F16; dtype++)
      for (int f = 0; f < FUNCTIONS; f++) {
        const posenc_impl *member;
        uint64_t hash = 0;
        for (size_t m = 0; (member = family_member(family, m)); m++) {
          const uint64_t own = hash_sample(&samples[s], member->name, dtype, f);
          if (m > 0 && own != hash) {
            printf("%s has other bits than the family's first member\n", member->name);
            faults++;
          }
          hash = m > 0 ? hash : own;
        }
        if (hash)
          printf("%s %s %" PRId64 " dtype %d %s %016" PRIx64 "\n", family, samples[s].preset, samples[s].d_model,
              (int)dtype, functions[f], hash);
      }
}

static void check_tables(const char *family) {
  const posenc_impl *member;
  for (size_t m = 0; (member = family_member(family, m)); m++)
    for (size_t i = 0; i < TABLES; i++) {
      const hashed *t = &tables[i];
      if (strcmp(t->family, family) != 0)
        continue;
      double freqs[HASHED_MOST_FREQS];
      const posenc_spec spec = hashed_spec(t, freqs);
      posenc_plan *plan = plan_of(&spec, member->name);
      uint64_t hash = HASHED_START;
      for (int64_t row = 0, rows; row < t->rows; row += rows) { /* a table may be larger than `out` */
        const int64_t most = (int64_t)(sizeof out.f32 / sizeof *out.f32) / t->d_model;
        rows = t->rows - row < most ? t->rows - row : most;
        posenc_fill(plan, t->first + row, rows, out.f32, t->d_model);
        for (int64_t r = 0; r < rows; r++)
          hash = hashed_row(hash, out.f32 + r * t->d_model, t->d_model);
      }
      posenc_plan_destroy(plan);
      if (hash != t->hash) {
        printf("%s, table %zu: %016" PRIx64 ", not %016" PRIx64 " as in hashes.inc\n", member->name, i, hash, t->hash);
        faults++;
      }
    }
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    for (size_t i = 0; i < posenc_impl_count(); i++)
      printf("%s, %s, %s, %s\n", posenc_impl_at(i)->name, posenc_impl_at(i)->isa, posenc_impl_at(i)->arithmetic,
          posenc_impl_at(i)->bound);
    return 0;
  }
  if (argc > 1) {
    fprintf(stderr, "single_bits: %s: the only argument is --list\n", argv[1]);
    return 2;
  }
  for (size_t f = 0; f < HASHED_FAMILIES; f++) {
    check_tables(hashed_families[f]);
    check_samples(hashed_families[f]);
  }
  return faults ? 1 : 0;
}

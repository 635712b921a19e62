/* "The results of exact_* are defined by mathematics. The results of anchored_* are the same on every machine" (posenc.h,
 * abridged). Each member of a family that this machine can run must give each table of hashes.inc the hash in that file,
 * and the members must agree with each other in other dtypes and calls. test_elements.c compares the tables of hashes.inc
 * with MPFR.
 *
 * The test needs only the library, so test_single.sh compiles it with the single file. It prints one line for each
 * family, spec, dtype and function, which must be the same for every compiler.
 *
 *   test_bits [--list | --write]      --list: only list the implementations of this build, one a line
 *                                     --write: only print hashes.inc with the hashes of this build
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/family.h"
#include "hashed.h"
#include "tools/call.h"

/* The families that promise their bits. */
static const char *const families[] = {"exact", "anchored"};
enum { FAMILIES = 2 };

/* Tables for other dtypes and functions. */
static const struct sample {
  const char *preset;
  int64_t d_model, first;
} samples[] = {{"paper", 288, -40}, {"marian", 37, 131000}, {"ddpm", 20, POSENC_MAX_POSITION - 64}};
enum { SAMPLES = sizeof samples / sizeof samples[0], ROWS = 65 };

static int failures;
static union {
  double alignment;
  unsigned char bytes[HASHED_MOST_BYTES]; /* room for every table and every sample */
} out;

/* 64-bit FNV-1a (Fowler, Noll, Vo). */
static uint64_t hash_bytes(const unsigned char *bytes, size_t count) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

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
static uint64_t hash_sample(const struct sample *s, const char *impl, int32_t dtype, call_kind function) {
  posenc_spec spec;
  posenc_spec_init(&spec, s->d_model, s->preset);
  spec.dtype = dtype;
  const int64_t half = (s->d_model + 1) / 2, first = s->first < 0 || function == CALL_FILL ? s->first : s->first - ROWS;
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
  return hash_bytes(out.bytes, (size_t)(ROWS * 2 * half) * size);
}

static void check_samples(const char *family) {
  for (size_t s = 0; s < SAMPLES; s++)
    for (int32_t dtype = POSENC_DTYPE_F32; dtype <= POSENC_DTYPE_F16; dtype++)
      for (call_kind f = CALL_FILL; f <= CALL_PAIR; f++) {
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

static uint64_t hash_table(const hashed *t, const char *impl) {
  double freqs[HASHED_MOST_FREQS];
  const posenc_spec spec = hashed_spec(t, freqs);
  const size_t bytes = (size_t)(t->rows * t->d_model) * posenc_dtype_size((posenc_dtype)t->dtype);
  posenc_plan *plan = plan_of(&spec, impl);
  memset(&out, 0, sizeof out);
  if (bytes > sizeof out || posenc_fill(plan, t->first, t->rows, out.bytes, t->d_model) != POSENC_OK) {
    printf("%s: a table of hashes.inc is too large or refused\n", impl);
    exit(1);
  }
  posenc_plan_destroy(plan);
  return hash_bytes(out.bytes, bytes);
}

static void check_table(const hashed *t) {
  const posenc_impl *member;
  for (size_t m = 0; (member = family_member(t->family, m)); m++) {
    const uint64_t hash = hash_table(t, member->name);
    if (hash == t->hash)
      continue;
    printf("%s: row %d of hashes.inc has the hash %016" PRIx64 ", not %016" PRIx64 "\n", member->name,
        (int)(t - hashed_tables), hash, t->hash);
    failures++;
  }
}

/* Prints hashes.inc. The first member that this machine can run makes each table. */
static void write_tables(void) {
  static const char *const dtypes[] = {"F32", "F64", "BF16", "F16"}, *const layouts[] = {"INTERLEAVED", "SPLIT"};
  puts("/* Written by test_bits --write, except new rows, whose hash is 0 until then.\n"
       " *\n"
       " *   POSENC_HASH(family, dtype, layout, first, rows, d_model, base, freqs, hash)\n"
       " *\n"
       " * freqs   0: the ladder of base; else the seed of explicit frequencies (hashed.h)\n"
       " * hash    64-bit FNV-1a over the bytes of the outputs, row by row, each with its low byte first\n"
       " */");
  for (const hashed *t = hashed_tables; t < hashed_tables + HASHED_TABLES; t++) {
    printf("POSENC_HASH(%s, %s, %s, %" PRId64 ", %" PRId64 ", %" PRId64 ", ", t->family, dtypes[t->dtype],
        layouts[t->layout], t->first, t->rows, t->d_model);
    printf("%.17g, %" PRIu64 ", 0x%016" PRIx64 ")\n", t->base, t->freqs, hash_table(t, t->family));
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--write") == 0) {
    write_tables();
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "--list") == 0) {
    for (size_t i = 0; i < posenc_impl_count(); i++)
      printf("%s, %s, %s, %s\n", posenc_impl_by_index(i)->name, posenc_impl_by_index(i)->isa,
          posenc_impl_by_index(i)->arithmetic, posenc_impl_by_index(i)->bound);
    return 0;
  }
  failures += hash_bytes((const unsigned char *)"foob", 4) != UINT64_C(0xdd120e790c2512af); /* FNV-1a, as published */
  for (size_t i = 0; i < HASHED_TABLES; i++)
    check_table(&hashed_tables[i]);
  for (size_t f = 0; f < FAMILIES; f++)
    check_samples(families[f]);
  return failures > 0;
}

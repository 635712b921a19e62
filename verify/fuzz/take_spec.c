#include "../reference/columns.h"
#include "../reference/formats.h"
#include "../tools/family.h"
#include "../tools/memory.h"
#include "../tools/spec.h"
#include "fuzz.h"

static int64_t take_width(bytes *b) {
  static const int64_t edges[] = {0, -1, 1 << 20, (1 << 20) + 1, INT64_MIN, INT64_MAX, INT64_C(1) << 32};
  /* Whole cache lines; ends of strips; more columns than a plan keeps rotations for. */
  static const int64_t special[] = {
      16, 48, 64, 65, 66, 96, 128, 130, 192, 256, 258, 498, 512, 1024, 1031, 2051, 8193, 8194, 8200, 8448};
  enum { EDGES = sizeof edges / sizeof edges[0], SPECIAL = sizeof special / sizeof special[0] };
  const unsigned how = take_byte(b);
  if (how < 42)
    return 1 + how;
  if (how < 120)
    return special[how % SPECIAL];
  return how < 256 - EDGES ? 1 + (int64_t)take_bits(b, 2) % 200 : edges[how - (256 - EDGES)];
}

/* ---- frequencies ---- */

/* A position at which many calls of this spec have a row, times the scale; never 0. */
static double near_by(const fuzz_spec *f, uint64_t *seed) {
  const double position = ((double)f->near + (double)random_between(seed, 0, 40)) * spec_scale(&f->spec);
  return position == 0 ? 1 : position;
}

/* A frequency whose output in some row is next to a midpoint of two numbers of the dtype, which only the recheck or the
 * fallback decides. */
static double midpoint_frequency(const fuzz_spec *f, int64_t k, uint64_t *seed) {
  const int32_t dtype = f->spec.dtype;
  const int digits = dtype_name(dtype) && dtype != POSENC_DTYPE_F64 ? format_of(dtype)->digits : 24;
  const double size = (double)random_between(seed, INT64_C(1) << (digits - 1), (INT64_C(1) << digits) - 1) + 0.5;
  const double side = (double)random_between(seed, -1, 1);
  const double beside = ldexp(side, -(int)random_between(seed, digits + 9, digits + 28));
  const double y =
      ldexp(size, -digits - (k % 4 < 2 ? 0 : (int)random_between(seed, 0, k % 16 ? 11 : 18))) * (1 + beside);
  return ((k % 2 ? acos(y) : asin(y)) + (k % 3 == 1 ? 0x1.921fb54442d18p+2 : 0)) / near_by(f, seed);
}

/* A tiny frequency, or one with a sine next to 0, in the same strip or behind it. The exemption from the rounding
 * test must be that of the right strip. */
static double zero_crossing_frequency(const fuzz_spec *f, int64_t k, int64_t n, uint64_t *seed) {
  if (n % 4 == 1 ? k % 3 != 0 : k < n / 2)
    return ldexp(0x1.0001p0, -70 - (int)(k % 32));
  return 0x1.921fb54442d18p+1 * (double)(1 + k % 5) / near_by(f, seed);
}

static double any_frequency(int64_t k, uint64_t *seed) {
  const double significand = (double)(next_random(seed) >> 11);
  const double any = ldexp(significand, -53 - (int)random_between(seed, -3, k % 3 ? 40 : 160));
  return (k % 7 ? any : 0) * (k % 5 ? 1 : -1);
}

/* Takes frequencies. If `lows` is not 0, they get low parts. The larger `lows`, the smaller the parts; with 3, one part
 * of given frequencies is too large. */
static void take_freqs(bytes *b, fuzz_spec *f, unsigned lows) {
  enum { GIVEN, MIDPOINTS, ZEROS, ANY };
  static const uint8_t kinds[] = {GIVEN, MIDPOINTS, MIDPOINTS, MIDPOINTS, MIDPOINTS, ZEROS, ZEROS, ANY};
  const int64_t n = f->spec.d_model < 1 || f->spec.d_model > WIDEST_PLAN ? 1 : spec_count(&f->spec);
  const unsigned kind = kinds[take_byte(b) % sizeof kinds];
  uint64_t seed = kind != GIVEN ? take_bits(b, 2) : 0;
  f->spec.n_freqs = n;
  f->spec.freqs = f->freqs = must_calloc(n, sizeof *f->freqs);
  f->freqs_low = must_calloc(n, sizeof *f->freqs_low);
  f->spec.freqs_low = lows ? f->freqs_low : NULL;
  double w = 0;
  for (int64_t k = 0; k < n; k++) {
    const int low = kind == GIVEN && lows == 3 && k == n / 2 ? -53 : -55 - (int)(k % 4 * 37 * lows);
    w = kind == MIDPOINTS   ? midpoint_frequency(f, k, &seed)
        : kind == ZEROS     ? zero_crossing_frequency(f, k, n, &seed)
        : kind == ANY       ? any_frequency(k, &seed)
        : b->at < b->end    ? take_real(b)
        : w / 2 < 0x1p-1022 ? 0.75
                            : w / 2; /* past the bytes: valid ones */
    f->freqs[k] = w;
    f->freqs_low[k] = ldexp(k % 2 ? -1.3 * w : 1.4 * w, low);
  }
}

/* ---- fields ---- */

/* Changes one field, perhaps to a value that is not allowed. */
static void take_field(bytes *b, posenc_spec *s) {
  static const double bases[] = {2, 500000, 1e12, 1.0000001, 1e30, 1e80, 0.01, 1e300},
                      denominators[] = {15, 100.3, 255, 256, 639.5, 4095, 0x1p20, 0.7},
                      scales[] = {-1, 0.5, 0.3, 1000, -0.001, 0x1p-32, 0x1p32, 1.0 / 3};
  static const double *const usual[] = {bases, denominators, scales};
  int32_t *const choices[] = {&s->layout, &s->order, &s->odd, &s->dtype, &s->dtype, &s->dtype};
  double *const reals[] = {&s->base, &s->denominator, &s->position_scale};
  const unsigned what = take_byte(b) % 20, how = take_byte(b);
  if (what < 12)
    *choices[what / 2] = how < 240 ? (int32_t)(how & (what < 6 ? 1 : 3)) : (int32_t)take_bits(b, 4);
  else if (what < 18)
    *reals[what / 2 - 6] = how < 200 ? usual[what / 2 - 6][how % 8] : take_real(b);
  else if (how < 232) /* no bit depends on this one */
    s->table_rows = (INT64_C(1) << how % 34) + (how & 1) * 2;
  else if (how < 236)
    s->reserved[how - 232] = take_bits(b, 1);
  else if (how < 244)
    s->struct_size -= 8 * (how - 235);
  else
    s->n_freqs += (int8_t)how;
}

/* In most calls a member of exact or anchored. */
static const char *take_name(bytes *b) {
  static const char *const names[] = {
      NULL, "exact", "anchored", "sleef", "sleef_u35", "", "exact_", "%s%n\n\x1b\"naive"};
  const unsigned how = take_byte(b);
  const posenc_impl *const member = family_member(how % 2 ? "exact" : "anchored", how / 2 % 4);
  if (how < 160 && member)
    return member->name;
  return how < 248 ? posenc_impl_by_index(how % posenc_impl_count())->name : names[how % 8];
}

void take_spec(bytes *b, fuzz_spec *f) {
  *f = (fuzz_spec){.name = take_name(b)};
  f->near = take_position(b);
  const unsigned how = take_byte(b);
  const int64_t width = take_width(b);
  posenc_spec_init(&f->spec, 1, NULL);
  f->spec.d_model = width;
  if (how & 1) {
    const posenc_preset *preset = posenc_preset_by_index(take_byte(b) % (posenc_preset_count() + 1));
    const char *name = preset ? preset->name : "no such preset";
    posenc_status status;
    TRY(b, 0, "posenc_spec_init", status, posenc_spec_init(&f->spec, width, name));
  }
  for (unsigned i = 0; i < (how >> 1) % 6; i++)
    take_field(b, &f->spec);
  if (how >= 128)
    take_freqs(b, f, how >> 3 & 3);
  if (how >= 250)
    take_field(b, &f->spec);
}

#include "../reference/columns.h"
#include "../tools/memory.h"
#include "fuzz.h"

static int64_t take_width(bytes *b) {
  static const int64_t edges[] = {
      0, -1, 1 << 20, (1 << 20) + 1, INT64_MIN, INT64_MAX, 8194, 8193, 96, 512, INT64_C(1) << 32};
  const unsigned how = take_byte(b);
  if (how < 210)
    return 1 + how % 42;
  return how < 245 ? 1 + (int64_t)take_bits(b, 2) % 320 : edges[how - 245];
}

/* Takes frequencies. If `lows` is not 0, they get low parts. The larger `lows`, the smaller the parts; with 3, one part
 * is too large. */
static void take_freqs(bytes *b, fuzz_spec *f, unsigned lows) {
  const int64_t n = f->spec.d_model < 1 || f->spec.d_model > WIDEST_PLAN ? 1 : spec_count(&f->spec);
  f->spec.n_freqs = n;
  f->spec.freqs = f->freqs = must_calloc(n, sizeof *f->freqs);
  f->freqs_low = must_calloc(n, sizeof *f->freqs_low);
  f->spec.freqs_low = lows ? f->freqs_low : NULL;
  double w = 0;
  for (int64_t k = 0; k < n; k++) {
    const int low = lows == 3 && k == n / 2 ? -53 : -55 - (int)(k % 4 * 37 * lows);
    w = b->at < b->end ? take_real(b) : w / 2 < 0x1p-1022 ? 0.75 : w / 2; /* past the bytes: valid ones */
    f->freqs[k] = w;
    f->freqs_low[k] = ldexp(k % 2 ? -1.3 * w : 1.4 * w, low);
  }
}

/* Changes one field, perhaps to a value that is not allowed. */
static void take_field(bytes *b, posenc_spec *s) {
  int32_t *const choices[] = {&s->layout, &s->order, &s->odd, &s->dtype};
  double *const reals[] = {&s->base, &s->denominator, &s->position_scale};
  const unsigned what = take_byte(b) % 16;
  if (what >= 8 && what < 14) {
    *reals[what / 2 - 4] = take_real(b);
    return;
  }
  const unsigned how = take_byte(b);
  if (what < 8)
    *choices[what / 2] = how < 240 ? (int32_t)(how & (what < 6 ? 1 : 3)) : (int32_t)take_bits(b, 4);
  else if (what == 14)
    s->n_freqs = how < 128 ? 0 : s->n_freqs + (int8_t)how;
  else if (how < 8)
    s->struct_size -= 8 * how;
  else if (how < 12)
    s->reserved[how - 8] = take_bits(b, 1);
  else if (how < 32)
    s->table_rows = (INT64_C(1) << (how + 3)) + (how & 1) * 2;
}

static const char *take_name(bytes *b) {
  static const char *const names[] = {
      NULL, "exact", "anchored", "sleef", "sleef_u35", "", "exact_", "%s%n\n\x1b\"naive"};
  const unsigned how = take_byte(b);
  return how < 208 ? posenc_impl_by_index(how % posenc_impl_count())->name : names[how % 8];
}

void take_spec(bytes *b, fuzz_spec *f) {
  *f = (fuzz_spec){.name = take_name(b)};
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
  if (how >= 192)
    take_freqs(b, f, how >> 3 & 3);
  if (how >= 250)
    take_field(b, &f->spec);
}

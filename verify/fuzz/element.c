/* What the calls share: the judgement of one output, and numbers. */
#include "../reference/formats.h"
#include "calls.h"
#include "complain.h"

int64_t take_count(bytes *b, int64_t width) {
  static const int64_t edges[] = {-1, INT64_MIN, INT64_MAX, INT64_C(1) << 33, (INT64_C(1) << 33) + 1, INT64_C(1) << 62};
  enum { EDGES = sizeof edges / sizeof edges[0] };
  const unsigned how = take_byte(b);
  int64_t count = how < 170 ? how % 17 : how < 228 ? how - 158 : (int64_t)take_bits(b, 2) % 1300;
  if (how >= 256 - EDGES)
    return edges[how - (256 - EDGES)];
  const int64_t most =
      MOST_ELEMENTS / 2 / (width > 0 ? width : 1); /* more than 192 rows of 64 columns: those may share lines */
  return count > most ? most + 1 : count;
}

int64_t take_stride(bytes *b, int64_t width, size_t size) {
  const int64_t edges[] = {0, -width, INT64_MAX, INT64_MIN, INT64_C(1) << 60, PTRDIFF_MAX / (int64_t)size,
      INT64_C(1) << 40, PTRDIFF_MAX / (int64_t)size / 2 + 1};
  enum { EDGES = sizeof edges / sizeof edges[0] };
  const unsigned how = take_byte(b);
  if (how >= 256 - EDGES)
    return edges[how - (256 - EDGES)];
  return how < 100   ? width
         : how < 120 ? width - 1
         : how < 200 ? width + how % 20
                     : (width + 15) / 16 * 16 + 16 * (how % 3);
}

void judge_element(const subject *s, meaning m, model_position position, int64_t column, double got) {
  double distance;
  const double want = model_value(s->spec, m, position, got, &distance);
  const double p = position.is_real ? position.real : (double)position.whole;
  const double bound = posenc_impl_error_bound(s->impl, s->spec, p, column);
  if (s->exact && !same_number(got, want))
    complain("%s, d_model %lld, position %a, column %lld: %a instead of %a", s->impl->name, (long long)s->spec->d_model,
        p, (long long)column, got, want);
  const bool angle_is_zero = m.function != ZERO && (p == 0 || (s->spec->freqs && s->spec->freqs[m.k] == 0));
  if (!(distance <= (angle_is_zero || m.function == ZERO ? 0 : bound)))
    complain("%s, d_model %lld, position %a, column %lld: %a is %a away from %a; the bound is %a", s->impl->name,
        (long long)s->spec->d_model, p, (long long)column, got, distance, want, bound);
}

// Highway's Sin and Cos (hwy/contrib/math), compiled for each of Highway's targets and dispatched at run time, as its
// users do. Its documentation claims 3 ULP for float32, and only for angles from -39000 to 39000.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "highway.cc"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include "row.h"

HWY_BEFORE_NAMESPACE();
namespace posenc_peer {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void Fill(const peer_table *t, int64_t first, int64_t count, float *out) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < count; i++) {
    const float position = static_cast<float>(first + i);
    int64_t k = 0;
    for (; k + lanes <= t->pairs; k += lanes, out += 2 * lanes) {
      const auto angle = hn::Mul(hn::Set(d, position), hn::Load(d, t->w + k));
      hn::StoreInterleaved2(hn::Sin(d, angle), hn::Cos(d, angle), d, out);
    }
    const hn::CappedTag<float, 1> one; // the rest of a width that is not a multiple of the lanes
    for (; k < t->pairs; k++, out += 2) {
      const auto angle = hn::Set(one, position * t->w[k]);
      hn::StoreU(hn::Sin(one, angle), one, out);
      hn::StoreU(hn::Cos(one, angle), one, out + 1);
    }
  }
}

} // namespace HWY_NAMESPACE
} // namespace posenc_peer
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc_peer {

HWY_EXPORT(Fill);

static void fill(const void *self, int64_t first, int64_t count, float *out) {
  HWY_DYNAMIC_DISPATCH(Fill)(static_cast<const peer_table *>(self), first, count, out);
}

} // namespace posenc_peer

PEER("Highway " PEER_STRING(HWY_MAJOR) "." PEER_STRING(HWY_MINOR) "." PEER_STRING(HWY_PATCH), peer_frequencies,
    peer_free, posenc_peer::fill)
#endif

// Eigen's array functions, one expression per table row: sines and cosines go to separate arrays, which are then
// interleaved.
//
// Eigen's templates are inline functions, of which the linker keeps one copy. Two instruction sets in one program need
// two copies, so each row of peers.inc gives Eigen's namespace another name.
#define Eigen PEER_JOIN(eigen_of_, PEER_NAME)
#define PEER_JOIN_(a, b) a##b
#define PEER_JOIN(a, b) PEER_JOIN_(a, b)
#include <Eigen/Core>
#undef PEER_JOIN
#undef PEER_JOIN_

#include "row.h"

namespace {

struct Table {
  Eigen::ArrayXf w;
  mutable Eigen::ArrayXf sines, cosines; // of one row; only one thread fills
};

void *create(int64_t d_model, double base) {
  const Eigen::Index n = d_model / 2;
  Table *t = new (std::nothrow) Table;
  if (!t)
    return nullptr;
  const float step = static_cast<float>(-std::log(base) / static_cast<double>(d_model));
  t->w = (Eigen::ArrayXf::LinSpaced(n, 0, static_cast<float>(n - 1)) * 2 * step).exp();
  t->sines.resize(n);
  t->cosines.resize(n);
  return t;
}

void destroy(void *self) { delete static_cast<Table *>(self); }

void fill(const void *self, int64_t first, int64_t count, float *out) {
  const Table *t = static_cast<const Table *>(self);
  const Eigen::Index n = t->w.size();
  for (int64_t i = 0; i < count; i++, out += 2 * n) {
    const float position = static_cast<float>(first + i);
    t->sines = (position * t->w).sin();
    t->cosines = (position * t->w).cos();
    for (Eigen::Index k = 0; k < n; k++) {
      out[2 * k] = t->sines[k];
      out[2 * k + 1] = t->cosines[k];
    }
  }
}

} // namespace

PEER(
    "Eigen " PEER_STRING(EIGEN_WORLD_VERSION) "." PEER_STRING(EIGEN_MAJOR_VERSION) "." PEER_STRING(EIGEN_MINOR_VERSION),
    create, destroy, fill)

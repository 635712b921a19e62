// Eigen's array functions, an expression per row: sines and cosines into rows of their own, which are then interleaved.
//
// Two instruction sets in one program need two Eigens: its templates are inline functions, of which the linker keeps
// one, so each row has its own name for the namespace.
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
  mutable Eigen::ArrayXf sines, cosines; // a row's; one thread fills
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

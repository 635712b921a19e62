/* Groups and tests for instruction sets without masks: avx2.h, neon.h and scalar.h include them.
 *
 * A group is interleaved, as columns are. vd_firsts(p, 0) has the first values of the pairs in the first half of the
 * group at p, each of them twice, vd_seconds(p, 1) the second values in the second half.
 *
 * A test keeps the least value of each lane, and does not tell the rows apart. It needs vu_and, vu_min, vu_any_zero,
 * and vu_now(&a): a is computed here. Clang puts off what is needed last, and keeps all it needs until then on the
 * stack. (To see it, disassemble write_f32 of exact_avx2: by Clang 14, 60 of its lines name rsp without vu_now, and
 * none with it.) */
#include "simd/group.h"

enum { VG_APART = 1 };

static inline vg vg_firsts(const double *p) { return (vg){vd_firsts(p, 0), vd_firsts(p, 1)}; }
static inline vg vg_seconds(const double *p) { return (vg){vd_seconds(p, 0), vd_seconds(p, 1)}; }
static inline void vg_store(double *p, vd firsts, vd seconds) { vd_store_interleaved(p, firsts, seconds); }
static inline void vg_put(double *to, vg y, int streamed) {
  vd_put(to, y.a, streamed);
  vd_put(to + VD_LANES, y.b, streamed);
}
static inline vp vg_floats(vg y) { return vp_join(y.a, y.b); }

typedef struct vtest {
  vu least;
} vtest;

static inline vtest vtest_start(void) { return (vtest){vu_set1(UINT32_MAX)}; }
static inline void vtest_add(vtest *t, vu a, vu b, vu bits) {
  t->least = vu_min(t->least, vu_min(vu_and(a, bits), vu_and(b, bits)));
  vu_now(&t->least);
}
static inline unsigned vtest_failed(const vtest *t) { return vu_any_zero(t->least) ? 3 : 0; }

/* Arithmetic of groups, for every instruction set. */
typedef struct vg {
  vd a, b;
} vg;

static inline vg vg_load(const double *p) { return (vg){vd_load(p), vd_load(p + VD_LANES)}; }
static inline vg vg_mul(vg a, vg b) { return (vg){vd_mul(a.a, b.a), vd_mul(a.b, b.b)}; }
static inline vg vg_fma(vg a, vg b, vg c) { return (vg){vd_fma(a.a, b.a, c.a), vd_fma(a.b, b.b, c.b)}; }
static inline vg vg_fnma(vg a, vg b, vg c) { return (vg){vd_fnma(a.a, b.a, c.a), vd_fnma(a.b, b.b, c.b)}; }

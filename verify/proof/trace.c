/* Prints what a function of impl/angle_addition computes, one definition per line, for Gappa and Sollya. This file is one more
 * member of impl/simd: a vd is the name of an expression, and each operation prints itself. It prints two lines:
 *
 *   mul3 = rnd(mul2 * x);   the operation with the roundings of the instruction set, POSENC_FUSED or not
 *   E_mul3 = E_mul2 * E_x;  the same operation on exact operands, without any rounding
 *
 * Negation and products with 1 and -1 are printed as exact. So are these four steps, with the error that they compute as
 * E_... = 0 (README.md, H2 and H3). The sums are recognised by their operands:
 *   vd_two_product    its tail
 *   vd_product_plus   its product and its first sum
 *   Fast2Sum          b - ((a + b) - a) and its variants, |b| <= |a|. a is the first operand of the sum, or counts quarter turns
 *   TwoSum            (a - (s - t)) + (b - t), where s = a + b and t = s - a
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel.h"
#define POSENC_SIMD_H /* this file replaces simd/simd.h */

typedef struct vd {
  int id;
} vd;
enum { VD_LANES = 1 };

static struct {
  const char *kind;
  char name[32];
  double constant; /* NaN if the node is no constant */
  int is_sum;      /* a + b, or a - b, rounded */
  int is_count;    /* of quarter turns: ZERO_QUARTERS, or an `add` or `fma` with such a number as its last operand */
  int a, b;
} node[512];
static int nodes;
static int is_first_larger = 1; /* in a Fast2Sum that counts no quarter turns */

static vd input(const char *name) {
  snprintf(node[nodes].name, sizeof node->name, "%s", name);
  node[nodes].constant = NAN;
  printf("E_%s = %s;\n", name, name);
  return (vd){nodes++};
}
/* Another name for a result. */
static void result(const char *name, vd y) { printf("%s = %s;\n", name, node[y.id].name); }
static vd vd_set1(double x) {
  snprintf(node[nodes].name, sizeof node->name, "(%a)", x);
  node[nodes].constant = x;
  node[nodes].is_count = x == 0x1.8p50;
  return (vd){nodes++};
}

/* Prints `formula`, in which each % stands for the next operand; there are at most three. */
static void print(const char *prefix, const char *name, const char *formula, const vd *of) {
  printf("%s%s = ", prefix, name);
  for (; *formula; formula++)
    if (*formula == '%')
      printf("%s%s", node[of->id].name[0] == '(' ? "" : prefix, node[of->id].name), of++;
    else
      putchar(*formula);
  puts(";");
}

static vd operation(const char *kind, vd a, vd b, vd c, const char *rounded, const char *exact) {
  int same = 1;
  for (int i = 0; i < nodes; i++)
    same += node[i].kind && strcmp(node[i].kind, kind) == 0;
  node[nodes].kind = kind;
  node[nodes].constant = NAN;
  node[nodes].is_sum = strcmp(rounded, "rnd(% + %)") == 0 || strcmp(rounded, "rnd(% - %)") == 0;
  node[nodes].is_count =
      (strcmp(kind, "add") == 0 && node[b.id].is_count) || (strcmp(kind, "fma") == 0 && node[c.id].is_count);
  node[nodes].a = a.id;
  node[nodes].b = b.id;
  snprintf(node[nodes].name, sizeof node->name, "%s%d", kind, same);
  print("", node[nodes].name, rounded, (vd[]){a, b, c});
  print("E_", node[nodes].name, exact, (vd[]){a, b, c});
  return (vd){nodes++};
}

/* The larger operand of a Fast2Sum, or -1. */
static int larger_of(int sum) { return node[node[sum].b].is_count ? node[sum].b : is_first_larger ? node[sum].a : -1; }
/* Returns a if a is a sum whose larger operand is b, b if b is a sum whose larger operand is a, else -1. */
static int sum_of(int a, int b) {
  return node[a].is_sum && larger_of(a) == b ? a : node[b].is_sum && larger_of(b) == a ? b : -1;
}
/* Is `difference` that of a sum and its larger operand, and y the other operand of that sum? */
static int completes(vd difference, vd y) {
  const int sum = sum_of(node[difference.id].a, node[difference.id].b);
  return sum >= 0 && y.id == (larger_of(sum) == node[sum].a ? node[sum].b : node[sum].a);
}

static int is_kind(int a, const char *kind) { return node[a].kind && strcmp(node[a].kind, kind) == 0; }
static int is_sub(int difference, int a, int b) {
  return is_kind(difference, "sub") && node[difference].a == a && node[difference].b == b;
}
/* The sum of a TwoSum whose error is x + y, or -1. */
static int two_sum_of(vd x, vd y) {
  const int a = node[x.id].a, b = node[y.id].a, t = node[y.id].b, s = node[t].a;
  const int is_one = is_kind(x.id, "sub") && is_sub(y.id, b, t) && is_sub(t, s, a) && is_kind(s, "add") &&
                     node[s].a == a && node[s].b == b && is_sub(node[x.id].b, s, t);
  return is_one ? s : -1;
}

static vd vd_add(vd a, vd b) {
  const int exact = completes(a, b) || completes(b, a), s = two_sum_of(a, b);
  if (s >= 0)
    return operation("rest", (vd){node[s].a}, (vd){node[s].b}, (vd){s}, "% + % - %", "0");
  return operation("add", a, b, a, exact ? "% + %" : "rnd(% + %)", exact ? "0" : "% + %");
}
static vd negated(vd a) { return operation("negated", a, a, a, "-%", "-%"); }
/* Returns whether *a is a negated number, and replaces it by its operand if so. */
static int loses_sign(vd *a) {
  const int is_negated = is_kind(a->id, "negated");
  if (is_negated)
    a->id = node[a->id].a;
  return is_negated;
}
static vd vd_sub(vd a, vd b) {
  if (node[a.id].constant == 0.0)
    return negated(b);
  const int last = completes(a, b) || completes(b, a), exact = last || sum_of(a.id, b.id) >= 0;
  return operation("sub", a, b, a, exact ? "% - %" : "rnd(% - %)", last ? "0" : "% - %");
}
static vd vd_mul(vd a, vd b) {
  if (fabs(node[b.id].constant) == 1.0)
    return node[b.id].constant > 0.0 ? a : negated(a);
  return operation("mul", a, b, a, "rnd(% * %)", "% * %");
}
static vd vd_abs(vd a) { return operation("abs", a, a, a, "|%|", "|%|"); }
static vd vd_round(vd a) { return operation("round", a, a, a, "int<ne>(%)", "%"); }
/* The signs of both factors are moved to the product. */
static vd sum_with_product(int is_negative, vd a, vd b, vd c) {
  if (node[b.id].constant == 1.0 && !is_negative)
    return vd_add(a, c);
  if (loses_sign(&a) ^ loses_sign(&b) ^ is_negative)
    return operation("fnma", a, b, c, POSENC_FUSED ? "rnd(-(% * %) + %)" : "rnd(-rnd(% * %) + %)", "-(% * %) + %");
  return operation("fma", a, b, c, POSENC_FUSED ? "rnd(% * % + %)" : "rnd(rnd(% * %) + %)", "% * % + %");
}
static vd vd_fma(vd a, vd b, vd c) { return sum_with_product(0, a, b, c); }
static vd vd_fnma(vd a, vd b, vd c) { return sum_with_product(1, a, b, c); }
static vd vd_fms(vd a, vd b, vd c) {
  return operation("fms", a, b, c, POSENC_FUSED ? "rnd(% * % - %)" : "rnd(rnd(% * %) - %)", "% * % - %");
}
static vd vd_product_plus(vd a, vd b, vd c) {
  if (node[b.id].constant == 1.0)
    return vd_add(a, c);
  return operation("plus", a, b, c, "rnd(% * % + %)", "% * % + %");
}
static vd vd_two_product(vd a, vd b, vd *e) {
  const vd p = operation("product", a, b, a, "rnd(% * %)", "% * %");
  *e = operation("tail", a, b, p, "% * % - %", "0");
  return p;
}

/* A float64 in memory holds the index of a node. */
static vd vd_load(const double *p) { return (vd){(int)*p}; }
static vd vd_firsts(const double *pairs, int half) { return vd_load(pairs + 0 * half); }
static vd vd_seconds(const double *pairs, int half) { return vd_load(pairs + 1 + 0 * half); }

/* The headers need the declarations of these operations. The traced functions call none of them. */
typedef struct vp {
  float sin, cos;
} vp;
typedef struct vu {
  uint32_t lanes;
} vu;
typedef struct vh {
  uint16_t lanes;
} vh;
void stream_end(void);
vd vd_loadu(const void *), vd_ge(vd, vd), vd_and(vd, vd), vd_or(vd, vd);
void vd_store(double *, vd), vd_put(double *, vd, int), vd_store_interleaved(double *, vd, vd);
vp vp_join(vd, vd), vp_interleave_rotated(vd, vd, vd);
void vp_put(float *, vp, int), vh_put(uint16_t *, vh, int);
vh vp_to_bf16(vp), vp_to_f16(vp);
vu vp_bits(vp), vd_bits(vd), vu_set1(uint32_t), vu_set2(uint32_t, uint32_t);
vd vd_of_bits(vu);
vu vu_add(vu, vu), vu_and(vu, vu), vu_min(vu, vu), vu_select(vd, vu, vu);
void vu_now(vu *);
int vh_equal(vh, vh), vu_equal(vu, vu), vu_any_zero(vu);
#include "simd/no_masks.h"
void vg_unzip(vg, vg, vp *, vp *);

#include "angle_addition/single.h"

/* Traces the product of two complex numbers, ahead and back. */
static void trace_product(void) {
  const sin_cos a = {input("a_sin"), input("a_cos")}, b = {input("b_sin"), input("b_cos")};
  const double rotation[] = {b.cos.id, b.sin.id};
  const double anchor[SLOT + 2] = {a.sin.id, a.cos.id, [SLOT] = a.cos.id, vd_sub(vd_set1(0.0), a.sin).id};
  vg ahead, back;
  add_angles(rotation, anchor, &ahead, &back);
  result("sin", ahead.a), result("cos", ahead.b);
  result("sin_back", back.a), result("cos_back", back.b);
}

/* Sine and cosine begin afresh, with an angle in radians. */
static void trace_wide(factors a) {
  vd quarters;
  wide_radians(a, 0, &quarters);
  const wide x = {input("x"), input("x_lo")};
  wide_sine(x);
  wide_cosine(x);
}

static void trace_constants(void) {
#define PRINT(name) printf(#name " = %a;\n", (double)POSENC_BUDGET_##name)
  PRINT(DIRECT), PRINT(DIRECT_RELATIVE), PRINT(ANCHORED), PRINT(ERROR), PRINT(RELATIVE), PRINT(REDUCTION), PRINT(TURNS);
  PRINT(WIDE);
  printf("CHECK_SMALL = %a;\nCHECK_BF16 = %a;\nCHECK_F16 = %a;\n", CHECK_SMALL, CHECK_BF16, CHECK_F16);
  printf("CHECK_WINDOW = %d;\nFUSED = %d;\n", CHECK_WINDOW, POSENC_FUSED);
  printf("MOST_STEP = %a;\nANCHOR = %a;\nANCHOR_BELOW_0 = %a;\nRUN = %d;\n", step_of(STEPS - 1), anchor_of(0),
      -anchor_of(-RUN), RUN);
}

int main(int argc, char **argv) {
  const char *of = argc > 1 ? argv[1] : "";
  const factors a = {input("position"), input("hi"), input("lo"), input("fraction"), input("turns")};
  trace_constants();
  vd quarters;
  sin_cos y;
  if (strcmp(of, "direct") == 0 || strcmp(of, "direct_turns") == 0) {
    direct_reduced(1, strcmp(of, "direct_turns") == 0, &a, &quarters, &y);
  } else if (strcmp(of, "wide") == 0) {
    trace_wide(a);
  } else if (strcmp(of, "wide_turns") == 0) {
    is_first_larger = 0; /* README.md, H3 */
    wide_reduced(a, 1, &quarters);
  } else if (strcmp(of, "product") == 0) {
    trace_product();
  } else if (strcmp(of, "constants") != 0) {
    return 2;
  }
  return 0;
}

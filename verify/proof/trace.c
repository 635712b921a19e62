/* Prints what a function of impl/angle_addition computes, one definition per line, for Gappa and Sollya. This file is one more
 * member of impl/simd: a vd is the name of an expression, and each operation prints itself. It prints two lines:
 *
 *   mul3 = rnd(mul2 * x);   the operation with the roundings of the instruction set, POSENC_FUSED or not
 *   E_mul3 = E_mul2 * E_x;  the same operation on exact operands, without any rounding
 *
 * Negation and products with 1 and -1 are printed as exact. So are these three steps. The error that they compute is printed
 * as E_... = 0:
 *   vd_two_product    (Dekker, Numer. Math. 18, 1971)
 *   vd_product_plus   its product and its first sum (README.md, H2)
 *   Fast2Sum          b - ((a + b) - a) and its variants, where |b| <= |a| (Dekker); recognised by the operands
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel.h"
#include "simd/budget.inc"
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
  int a, b;
} node[512];
static int nodes;

static vd input(const char *name) {
  snprintf(node[nodes].name, sizeof node->name, "%s", name);
  node[nodes].constant = NAN;
  printf("E_%s = %s;\n", name, name);
  return (vd){nodes++};
}
/* Another name for a result. */
static void output(const char *name, vd y) { printf("%s = %s;\n", name, node[y.id].name); }
static vd vd_set1(double x) {
  snprintf(node[nodes].name, sizeof node->name, "(%a)", x);
  node[nodes].constant = x;
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
  node[nodes].a = a.id;
  node[nodes].b = b.id;
  snprintf(node[nodes].name, sizeof node->name, "%s%d", kind, same);
  print("", node[nodes].name, rounded, (vd[]){a, b, c});
  print("E_", node[nodes].name, exact, (vd[]){a, b, c});
  return (vd){nodes++};
}

/* Returns a if a is a sum whose first operand is b, b if b is a sum whose first operand is a, else -1. */
static int sum_of(int a, int b) {
  return node[a].is_sum && node[a].a == b ? a : node[b].is_sum && node[b].a == a ? b : -1;
}
/* Is `difference` that of a sum and its first operand, and y the second operand of that sum? */
static int completes(vd difference, vd y) {
  const int sum = sum_of(node[difference.id].a, node[difference.id].b);
  return sum >= 0 && node[sum].b == y.id;
}

static vd vd_add(vd a, vd b) {
  const int exact = completes(a, b);
  return operation("add", a, b, a, exact ? "% + %" : "rnd(% + %)", exact ? "0" : "% + %");
}
static vd negated(vd a) { return operation("negated", a, a, a, "-%", "-%"); }
/* Returns whether *a is a negated number, and replaces it by its operand if so. */
static int loses_sign(vd *a) {
  const int is_negated = node[a->id].kind && strcmp(node[a->id].kind, "negated") == 0;
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
  if (loses_sign(&a) ^ loses_sign(&b) ^ is_negative)
    return operation("fnma", a, b, c, POSENC_FUSED ? "rnd(-(% * %) + %)" : "rnd(-rnd(% * %) + %)", "-(% * %) + %");
  return operation("fma", a, b, c, POSENC_FUSED ? "rnd(% * % + %)" : "rnd(rnd(% * %) + %)", "% * % + %");
}
static vd vd_fma(vd a, vd b, vd c) { return sum_with_product(0, a, b, c); }
static vd vd_fnma(vd a, vd b, vd c) { return sum_with_product(1, a, b, c); }
static vd vd_fms(vd a, vd b, vd c) {
  return operation("fms", a, b, c, POSENC_FUSED ? "rnd(% * % - %)" : "rnd(rnd(% * %) - %)", "% * % - %");
}
static vd vd_product_plus(vd a, vd b, vd c) { return operation("plus", a, b, c, "rnd(% * % + %)", "% * % + %"); }
static vd vd_two_product(vd a, vd b, vd *e) {
  const vd p = operation("product", a, b, a, "rnd(% * %)", "% * %");
  *e = operation("tail", a, b, p, "% * % - %", "0");
  return p;
}

/* A float64 in memory holds the index of a node. */
static vd vd_load(const double *p) { return (vd){(int)*p}; }
static vd vd_cosines_of(const double *pairs, int half) { return vd_load(pairs + 0 * half); }
static vd vd_sines_of(const double *pairs, int half) { return vd_load(pairs + 1 + 0 * half); }

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
vd vd_loadu(const double *), vd_ge(vd, vd), vd_and(vd, vd), vd_or(vd, vd);
void vd_store(double *, vd), vd_put(double *, vd, int), vd_store_interleaved(double *, vd, vd);
vp vp_join(vd, vd), vp_firsts(vp, vp), vp_seconds(vp, vp), vp_interleave_rotated(vd, vd, vd);
void vp_put(float *, vp, int), vh_put(uint16_t *, vh, int);
vh vp_to_bf16(vp), vp_to_f16(vp);
vu vp_bits(vp), vu_low_words(vd, vd), vu_load(const uint32_t *), vu_set1(uint32_t);
vu vu_add(vu, vu), vu_and(vu, vu), vu_or(vu, vu), vu_min(vu, vu);
int vh_equal(vh, vh), vu_equal(vu, vu), vu_any_below(vu, uint32_t, vu, uint32_t);

#include "angle_addition/single_rows.h"
#include "angle_addition/float64_rows.h"

/* Traces the product of two complex numbers, ahead and back, for each of the three functions that compute it. rotate_pairs()
 * computes each value in two lanes, perhaps negated in one. Only the sine's lane is traced. */
static void trace_product(const char *of) {
  const angle a = {input("a_sin"), input("a_cos")}, b = {input("b_sin"), input("b_cos")};
  const angle behind = {vd_sub(vd_set1(0.0), b.sin), b.cos}; /* as in angle_addition/steps.h */
  const double pairs[] = {b.cos.id, b.sin.id};
  angle ahead = a, back = a;
  if (strcmp(of, "rotated") == 0) {
    ahead = rotated(a, b);
    back = rotated(a, behind);
  } else if (strcmp(of, "rotate_pairs") == 0) {
    rotate_pairs(&ahead.sin, &ahead.cos, b.cos, b.sin, 1.0);
    rotate_pairs(&back.sin, &back.cos, b.cos, b.sin, -1.0);
  } else {
    const double sines[FACTOR + 1] = {[0] = a.sin.id, [FACTOR] = a.cos.id};
    const double cosines[FACTOR + 1] = {[0] = a.cos.id, [FACTOR] = vd_sub(vd_set1(0.0), a.sin).id};
    one_vector(pairs, 0, sines, &ahead.sin, &back.sin);
    one_vector(pairs, 0, cosines, &ahead.cos, &back.cos);
  }
  output("sin", ahead.sin), output("cos", ahead.cos);
  output("sin_back", back.sin), output("cos_back", back.cos);
}

int main(int argc, char **argv) {
  const char *of = argc > 1 ? argv[1] : "";
  const vd position = input("position"), hi = input("hi"), mid = input("mid");
#define PRINT(name) printf(#name " = %a;\n", (double)POSENC_BUDGET_##name)
  PRINT(ANGLE), PRINT(ANCHORED), PRINT(ERROR), PRINT(RELATIVE), PRINT(ALONE), PRINT(PLACE), PRINT(SINGLE);
  PRINT(SINGLE_RELATIVE), PRINT(WIDE);
  printf("CHECK_SMALL = %a;\nCHECK_BF16 = %a;\nCHECK_F16 = %a;\n", CHECK_SMALL, CHECK_BF16, CHECK_F16);
  printf("CHECK_WINDOW = %d;\nFUSED = %d;\n", CHECK_WINDOW, POSENC_FUSED);
  printf("NEAREST_COARSE = %a;\nMOST_MIDDLE = %a;\nMOST_STEP = %a;\n", coarse_of(0), part_of(FACTORS - 1),
      part_of(STEPS - 1));
  printf("STEP_MIDDLE = %d;\nSTEP_PART = %a;\nREACH = %a;\n", PARTS, part_of(PARTS - 1), furthest_of(0.0));
  if (strcmp(of, "angle_at") == 0) {
    angle_at(position, hi, mid);
  } else if (strcmp(of, "direct_angle") == 0) {
    vd quarters;
    direct_angle(position, hi, mid, &quarters);
  } else if (strcmp(of, "wide_angle") == 0) {
    wide sin, cos;
    wide_angle(position, hi, mid, &sin, &cos);
  } else if (strcmp(of, "rotated") == 0 || strcmp(of, "rotate_pairs") == 0 || strcmp(of, "one_vector") == 0) {
    trace_product(of);
  } else if (strcmp(of, "constants") != 0) {
    return 2;
  }
  return 0;
}

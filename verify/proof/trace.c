/* Prints what a function of impl/rotation computes, one definition a line, as Gappa and Sollya read them: a vd is the
 * name of an expression here, and this file is the member of impl/simd for that.
 *
 *   mul3 = rnd(mul2 * x);   the operation as the row rounds it, POSENC_FUSED or not
 *   E_mul3 = E_mul2 * E_x;  and without any rounding, of exact operands
 *
 * Three steps are exact, so they are printed without rnd, and E_ of the error that they compute is 0:
 *   vd_two_product    (Dekker, Numer. Math. 18, 1971)
 *   vd_product_plus   whose product and sum are: docs/exact.md
 *   Fast2Sum          b - ((a + b) - a) and its like, where |b| <= |a| (Dekker); known by its operands
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel.h"
#include "simd/budget.inc"
#define POSENC_SIMD_H /* in place of simd/simd.h */

typedef struct vd {
  int id;
} vd;
enum { VD_LANES = 1 };
enum { OTHER, SUM /* a + b, or a - b */, PART /* a SUM less its first operand, or that less the SUM */ };

static struct {
  char name[32];
  int kind, a, b;
} node[512];
static int nodes;

static vd named(int kind, vd a, vd b, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(node[nodes].name, sizeof node->name, format, arguments);
  va_end(arguments);
  node[nodes].kind = kind;
  node[nodes].a = a.id;
  node[nodes].b = b.id;
  return (vd){nodes++};
}
static const vd none = {-1};
static vd input(const char *name) {
  printf("E_%s = %s;\n", name, name);
  return named(OTHER, none, none, "%s", name);
}

/* `formula` has the operands as %, of which there are up to three. */
static void print(const char *name, const char *exact, const char *formula, vd a, vd b, vd c) {
  const vd of[] = {a, b, c};
  printf("%s%s = ", exact, name);
  for (int i = 0; *formula; formula++)
    if (*formula == '%') {
      const char *operand = node[of[i++].id].name;
      printf("%s%s", *operand == '(' ? "" : exact, operand);
    } else {
      putchar(*formula);
    }
  puts(";");
}

static int count(const char *kind) {
  static struct {
    const char *kind;
    int count;
  } counts[16];
  int i = 0;
  while (counts[i].kind && strcmp(counts[i].kind, kind) != 0)
    i++;
  counts[i].kind = kind;
  return ++counts[i].count;
}

static vd rounded_sum(const char *kind, vd a, vd b, const char *rounded, const char *formula) {
  const vd y = named(SUM, a, b, "%s%d", kind, count(kind));
  print(node[y.id].name, "", rounded, a, b, none);
  print(node[y.id].name, "E_", formula, a, b, none);
  return y;
}
/* Of Fast2Sum's second and third step. */
static vd exact_step(const char *kind, vd a, vd b, const char *formula, int is_part, vd of) {
  const vd y = is_part ? named(PART, of, b, "%s%d", kind, count(kind)) : named(OTHER, a, b, "%s%d", kind, count(kind));
  print(node[y.id].name, "", formula, a, b, none);
  if (is_part)
    print(node[y.id].name, "E_", formula, a, b, none);
  else
    printf("E_%s = 0;\n", node[y.id].name);
  return y;
}
static int is(vd a, int kind) { return node[a.id].kind == kind; }
/* Is y the second operand of the sum of which `part` is one? */
static int completes(vd part, vd y) { return is(part, PART) && node[node[part.id].a].b == y.id; }

static vd vd_set1(double x) { return named(OTHER, none, none, "(%a)", x); }
static vd vd_add(vd a, vd b) {
  return completes(a, b) ? exact_step("add", a, b, "% + %", 0, a) : rounded_sum("add", a, b, "rnd(% + %)", "% + %");
}
static vd vd_sub(vd a, vd b) {
  if (is(b, SUM) && node[b.id].a == a.id)
    return exact_step("sub", a, b, "% - %", 1, b);
  if (is(a, SUM) && node[a.id].a == b.id)
    return exact_step("sub", a, b, "% - %", 1, a);
  if (completes(a, b) || completes(b, a))
    return exact_step("sub", a, b, "% - %", 0, a);
  return rounded_sum("sub", a, b, "rnd(% - %)", "% - %");
}

static vd operation(const char *kind, vd a, vd b, vd c, const char *rounded, const char *formula) {
  const vd y = named(OTHER, a, b, "%s%d", kind, count(kind));
  print(node[y.id].name, "", rounded, a, b, c);
  print(node[y.id].name, "E_", formula, a, b, c);
  return y;
}
static vd vd_mul(vd a, vd b) { return operation("mul", a, b, none, "rnd(% * %)", "% * %"); }
static vd vd_abs(vd a) { return operation("abs", a, none, none, "|%|", "|%|"); }
static vd vd_round(vd a) { return operation("round", a, none, none, "int<ne>(%)", "%"); }

static vd vd_fma(vd a, vd b, vd c) {
  return operation("fma", a, b, c, POSENC_FUSED ? "rnd(% * % + %)" : "rnd(rnd(% * %) + %)", "% * % + %");
}
static vd vd_fms(vd a, vd b, vd c) {
  return operation("fms", a, b, c, POSENC_FUSED ? "rnd(% * % - %)" : "rnd(rnd(% * %) - %)", "% * % - %");
}
static vd vd_fnma(vd a, vd b, vd c) {
  return operation("fnma", a, b, c, POSENC_FUSED ? "rnd(-(% * %) + %)" : "rnd(-rnd(% * %) + %)", "-(% * %) + %");
}
static vd vd_product_plus(vd a, vd b, vd c) { return operation("plus", a, b, c, "rnd(% * % + %)", "% * % + %"); }
static vd vd_two_product(vd a, vd b, vd *e) {
  const vd p = operation("product", a, b, none, "rnd(% * %)", "% * %");
  *e = named(OTHER, a, b, "tail%s", node[p.id].name + strlen("product"));
  print(node[e->id].name, "", "% * % - %", a, b, p);
  printf("E_%s = 0;\n", node[e->id].name);
  return p;
}

/* What the headers name and is never called here. */
typedef struct vp {
  float sin, cos;
} vp;
typedef struct vx {
  int lanes;
} vx;
typedef struct rounding_test {
  int fails;
} rounding_test;
vd vd_load(const double *), vd_loadu(const double *), vd_ge(vd, vd), vd_and(vd, vd), vd_or(vd, vd);
void vd_store(double *, vd), vp_store(float *, vp), vp_store_part(float *, vp, int64_t, int64_t);
vp vd_pack_rotated(vd, vd, vd);
vx vx_of(vd);
rounding_test test_none(void);
void test_pairs(rounding_test *, vd, vd, vp, vx);
int test_failed(const rounding_test *);

#include "rotation/direct.h"
#include "rotation/wide.h"

_Static_assert((CHECK_WINDOW & (CHECK_WINDOW - 1)) == 0, "CHECK_FIELD is bits");

int main(int argc, char **argv) {
  const char *of = argc > 1 ? argv[1] : "";
  const vd position = input("position"), hi = input("hi"), mid = input("mid");
#define PRINT(name) printf(#name " = %a;\n", (double)POSENC_BUDGET_##name)
  PRINT(ANGLE);
  PRINT(ANCHORED);
  PRINT(ERROR);
  PRINT(RELATIVE);
  PRINT(ALONE);
  PRINT(PLACE);
  PRINT(SINGLE);
  PRINT(SINGLE_RELATIVE);
  PRINT(FLOAT);
  PRINT(FLOAT_NOT_FUSED);
  PRINT(FLOAT_RELATIVE);
  PRINT(WIDE);
  printf("CHECK_SMALL = %a;\nCHECK_WINDOW = %d;\nFUSED = %d;\n", CHECK_SMALL, CHECK_WINDOW, POSENC_FUSED);
  if (strcmp(of, "angle_at") == 0) {
    angle_at(position, hi, mid);
  } else if (strcmp(of, "direct_angle") == 0) {
    vd quarters;
    direct_angle(position, hi, mid, &quarters);
  } else if (strcmp(of, "wide_angle") == 0) {
    wide sin, cos;
    wide_angle(position, hi, mid, &sin, &cos);
  } else if (strcmp(of, "rotated") == 0) {
    const angle a = {input("a_sin"), input("a_cos")}, b = {input("b_sin"), input("b_cos")};
    rotated(a, b);
    rotated_back(a, b);
  } else if (strcmp(of, "constants") != 0) {
    return 2;
  }
  return 0;
}

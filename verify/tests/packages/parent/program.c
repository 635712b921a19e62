/* A program that uses posenc: prints the version, the implementations, and the sine and cosine of 1. */
#include <posenc.h>
#include <stdio.h>

int main(void) {
  float row[4];
  posenc_spec spec;
  posenc_spec_init(&spec, 4, NULL);
  posenc_plan *plan;
  printf("posenc %s:", posenc_version());
  for (size_t i = 0; i < posenc_impl_count(); i++)
    printf(" %s", posenc_impl_by_index(i)->name);
  const int failed = posenc_plan_create(&plan, &spec, NULL) || posenc_fill(plan, 1, 1, row, 4);
  printf("; %.9g %.9g\n", failed ? 0.0 : (double)row[0], failed ? 0.0 : (double)row[1]);
  posenc_plan_destroy(plan);
  return failed;
}

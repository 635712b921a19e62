/* The first rows of a table, in C, in memory that the library finds. posenc_fill() writes into memory of your own. */
#include <posenc.h>
#include <stdio.h>

int main(void)
{
  void *table = NULL;
  posenc_spec spec = posenc_spec_default(512);
  posenc_plan *plan;
  posenc_status status = posenc_plan_create(&plan, &spec, NULL); /* NULL: the default implementation */
  if (status == POSENC_OK)
    status = posenc_table_create(&table, plan, 0, 5000, 512);
  if (status != POSENC_OK) {
    fprintf(stderr, "posenc: %s\n", posenc_status_string(status));
    return 1;
  }
  const float *row = (const float *)table + 512;
  printf("posenc %s, %s: row 1 starts %.6f %.6f %.6f %.6f\n", posenc_version(), posenc_plan_impl(plan), (double)row[0],
         (double)row[1], (double)row[2], (double)row[3]);
  posenc_table_destroy(table);
  posenc_plan_destroy(plan);
  return 0;
}

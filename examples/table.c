/* A table in C, in your own memory and in memory that the library allocates, and in a file for NumPy. Build and run it
 * with an installed posenc:
 *
 *     cc table.c $(pkg-config --cflags --libs posenc) -o table && ./table pe.npy
 *     cc table.c $(pkg-config --static --cflags --libs posenc | sed 's/-lposenc/-l:libposenc.a/') -o table && ./table
 *
 * The second command links the static library. CMakeLists.txt does the same with CMake.
 */
#include <posenc.h>
#include <stdio.h>
#include <string.h>

static float table[5000 * 512];

/* Writes a table in NumPy's format: ten bytes, a header padded to 128 bytes, and the rows. Returns 0 on failure. */
static int write_npy(const char *path, const float *rows, int count, int d_model) {
  char header[118];
  FILE *file = fopen(path, "wb");
  if (!file)
    return 0;
  snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", count, d_model);
  fwrite("\x93NUMPY\1\0\x76\0", 1, 10, file);
  fprintf(file, "%-117s\n", header);
  fwrite(rows, sizeof *rows, (size_t)count * (size_t)d_model, file);
  const int failed = ferror(file);
  return fclose(file) == 0 && !failed;
}

int main(int count, char **arguments) {
  /* [part: fill] */
  posenc_spec spec;
  posenc_spec_init(&spec, 512, NULL); /* d_model 512, base 10000 */
  posenc_plan *plan;
  posenc_status status = posenc_plan_create(&plan, &spec, NULL); /* NULL: the default, or an implementation's name */
  if (status == POSENC_OK)
    status = posenc_fill(plan, 0, 5000, table, 512); /* float table[5000 * 512]: positions 0 to 4999 */
  /* [end: fill] */

  void *fresh = NULL;
  if (status == POSENC_OK) {
    /* [part: create] */
    status = posenc_table_create(&fresh, plan, 0, 5000, 512); /* void *fresh; in huge pages if the system has them */
    /* [end: create] */
  }
  if (status != POSENC_OK) {
    char message[256];
    posenc_last_error(message, sizeof message);
    fprintf(stderr, "table: %s\n", message);
    posenc_plan_destroy(plan);
    return 1;
  }
  const float *row = table + 4999 * 512;
  printf("posenc %s, %s: row 4999 starts %.9g %.9g %.9g %.9g\n", posenc_version(), posenc_plan_impl(plan),
      (double)row[0], (double)row[1], (double)row[2], (double)row[3]);
  printf("the two tables have %s bits\n", memcmp(table, fresh, sizeof table) == 0 ? "the same" : "different");
  posenc_table_destroy(fresh);
  posenc_plan_destroy(plan);
  if (count > 1 && !write_npy(arguments[1], table, 5000, 512)) {
    perror(arguments[1]);
    return 1;
  }
  return 0;
}

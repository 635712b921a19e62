/* A table in C:
 *     cc first.c $(pkg-config --cflags --libs posenc) -o first && ./first
 */
#include <posenc.h>
#include <stdio.h>

static float table[5000 * 512]; /* positions 0 to 4999, d_model 512 */

int main(void) {
  posenc_spec spec;
  posenc_spec_init(&spec, 512, NULL); /* NULL: the paper's; or "whisper", ... */
  if (posenc_fill_once(&spec, NULL, 0, 5000, table, 512) != POSENC_OK) {
    char why[256];
    posenc_last_error(why, sizeof why);
    fprintf(stderr, "first: %s\n", why);
    return 1;
  }
  printf("row 4999 starts %.9g %.9g\n", (double)table[4999 * 512], (double)table[4999 * 512 + 1]);
  return 0;
}

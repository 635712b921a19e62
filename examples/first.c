/*    cc first.c $(pkg-config --cflags --libs posenc) -o first && ./first */
#include <posenc.h>
#include <stdio.h>
int main(void) {
  /* [part: fill] */
  char error[256];
  static float table[5000 * 512]; /* positions 0 to 4999, d_model 512 */
  posenc_spec spec;
  posenc_spec_init(&spec, 512, NULL); /* NULL: the paper's formula; or a preset, such as "whisper" */
  if (posenc_fill_once(&spec, NULL, 0, 5000, table, 512) != POSENC_OK) {
    posenc_last_error(error, sizeof error);
    fprintf(stderr, "first: %s\n", error);
    return 1;
  }
  /* [end: fill] */
  printf("row 4999 starts %.9g %.9g\n", (double)table[4999 * 512], (double)table[4999 * 512 + 1]);
}

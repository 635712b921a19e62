/*    cc first.c $(pkg-config --cflags --libs posenc) -o first && ./first */
/* [part: fill] */
#include <posenc.h> /* cc first.c $(pkg-config --cflags --libs posenc) */
int main(void) {
  static float table[5000 * 512], cache[8192 * 128];
  posenc_spec paper, rope;
  posenc_spec_init(&paper, 512, NULL);  /* 512 columns */
  posenc_spec_init(&rope, 128, "rope"); /* rows of 64 cosines, then 64 sines */
  rope.base = 500000;
  return posenc_fill_once(&paper, NULL, 0, 5000, table, 512) != POSENC_OK || /* NULL: exact */
         posenc_fill_once(&rope, NULL, 0, 8192, cache, 128) != POSENC_OK;
}
/* [end: fill] */

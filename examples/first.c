/*    cc first.c $(pkg-config --cflags --libs posenc) -o first && ./first */
/* [part: fill] */
#include <posenc.h> /* cc first.c $(pkg-config --cflags --libs posenc) */
int main(void) {
  static float table[5000 * 512];
  posenc_spec spec;
  posenc_spec_init(&spec, 512, NULL);                                     /* 512 columns, the paper's formula */
  return posenc_fill_once(&spec, NULL, 0, 5000, table, 512) != POSENC_OK; /* NULL: the default, exact */
}
/* [end: fill] */

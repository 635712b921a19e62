/*    cc first.c $(pkg-config --cflags --libs posenc) -o first && ./first */
/* [part: fill] */
#include <posenc.h> /* cc first.c $(pkg-config --cflags --libs posenc) */
int main(void) {
  static float table[5000 * 512], cache[8192 * 128];
  posenc_spec spec;
  posenc_spec_init(&spec, 512, NULL);                                        /* 512 columns, the paper's formula */
  posenc_status status = posenc_fill_once(&spec, NULL, 0, 5000, table, 512); /* NULL: the default, exact */
  posenc_spec_init(&spec, 128, "rope"); /* Llama 3's heads; a row has 64 cosines, then 64 sines */
  spec.base = 500000;
  if (status == POSENC_OK)
    status = posenc_fill_once(&spec, NULL, 0, 8192, cache, 128);
  return status != POSENC_OK;
}
/* [end: fill] */

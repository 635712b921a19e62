/* The twiddle factors of an FFT, e^(-2 pi i k / N), as pairs of cosine and sine. A tone of f at a sample rate of r is
 * the same with r / f in place of N.
 *
 *     cc twiddle.c $(pkg-config --cflags --libs posenc) -lm -o twiddle && ./twiddle
 */
#include <math.h>
#include <posenc.h>
#include <stdio.h>

enum { N = 1000 };

static double factors[N][2];

int main(void) {
  /* [part: twiddle] */
  const double two_pi = 0x1.921fb54442d18p+2, two_pi_low = 0x1.1a62633145c07p-52; /* 2 pi, to 107 bits */
  const double freq = -two_pi / N, freq_low = -(fma(freq, N, two_pi) + two_pi_low) / N;
  posenc_spec spec;
  posenc_spec_init(&spec, 2, NULL);
  spec.order = POSENC_ORDER_COS_FIRST;
  spec.dtype = POSENC_DTYPE_F64;
  spec.freqs = &freq;
  spec.freqs_low = &freq_low;
  spec.n_freqs = 1;
  posenc_status status = posenc_fill_once(&spec, NULL, 0, N, factors, 2); /* double factors[N][2] */
  /* [end: twiddle] */
  if (status != POSENC_OK) {
    char message[256];
    posenc_last_error(message, sizeof message);
    fprintf(stderr, "twiddle: %s\n", message);
    return 1;
  }
  printf("factor %d: %.17g %.17g\n", N / 8, factors[N / 8][0], factors[N / 8][1]);
  return 0;
}

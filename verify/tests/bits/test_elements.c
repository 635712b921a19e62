/* Random calls. In each of them
 *   - each element has the bits that it has in a call for its row alone, whatever the call, its division into several
 *     calls, the width, stride, alignment, layout, order of positions and dtype;
 *   - a new table is zero between its rows;
 *   - nothing else is written;
 *   - all members of a family agree.
 * Cases for which kernels have code of their own are drawn often.
 *
 *   test_elements [SEED [CASES]]     CASES: their number, or "large" for tables that are written around the caches
 */
#define _DEFAULT_SOURCE
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "call.h"
#include "columns.h"
#include "family.h"
#include "formats.h"
#include "thinned.h"

static uint64_t seed = 20170612;
static int cases = THINNED ? 150 : 600;

enum { MOST_ROWS = 9000, MOST_PAIRS = 8300, MOST_WIDTH = 2 * MOST_PAIRS, BYTES = 1 << 28, AROUND = 64, CANARY = 0x5a };

enum { ZERO = -1, UNTOUCHED = -2 };

static struct {
  posenc_spec spec, alone; /* alone: the same frequencies, and some more, as interleaved pairs */
  double freqs[MOST_PAIRS];
  call call;
  int cuts; /* 1: fill with several calls */
  int64_t first, count;
  int64_t positions[MOST_ROWS];
  double reals[MOST_ROWS];
  int64_t width;              /* columns of a row of out, up to the last that is written */
  int64_t source[MOST_WIDTH]; /* the expected column of the row alone, or ZERO or UNTOUCHED */
  int64_t cosines;            /* for PAIR: the first column of cosines; if that is 0, sines follow the cosines */
  int64_t offset;             /* elements of out behind a cache line; -1: they end where unreadable memory begins */
  int64_t row_stride;
} c;

#define PICK(list) (list)[next_random(&seed) % (sizeof(list) / sizeof *(list))]
static int one_in(uint64_t n) { return next_random(&seed) % n == 0; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static size_t element_size(void) { return format_of(c.spec.dtype)->size; }

/* ---- memory between inaccessible pages ---- */

static unsigned char *arena;

static unsigned char *place_array(int64_t elements) {
  if (!arena) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *map = mmap(NULL, BYTES + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(map != MAP_FAILED && mprotect(map + page, BYTES, PROT_READ | PROT_WRITE) == 0);
    arena = (unsigned char *)map + page;
  }
  const int64_t bytes = elements * (int64_t)element_size();
  assert_true(bytes + 3 * AROUND < BYTES);
  return arena + (c.offset < 0 ? BYTES - bytes : c.offset ? AROUND + c.offset * (int64_t)element_size() : 0);
}

/* ---- one case ---- */

static void fail_at(const char *impl, int64_t element, const void *got, const void *want) {
  fail_msg("%s, %s: d_model %lld, base %g%s, %s, %s, %s, odd %s, scale %g, first %lld, %lld rows, row_stride %lld, "
           "offset %lld: element %lld is %a, not %a",
      impl, c.cuts ? "posenc_fill in several calls" : call_names[c.call], (long long)c.spec.d_model, c.spec.base,
      c.spec.freqs ? ", given frequencies" : "", dtype_name(c.spec.dtype), layout_name(c.spec.layout),
      order_name(c.spec.order), odd_name(c.spec.odd), c.spec.position_scale, (long long)c.first, (long long)c.count,
      (long long)c.row_stride, (long long)c.offset, (long long)element, element_value(c.spec.dtype, got),
      element_value(c.spec.dtype, want));
}

/* All rows, each filled by its own call. */
static unsigned char *rows_alone(const char *impl) {
  const int64_t row_bytes = c.alone.d_model * (int64_t)element_size();
  unsigned char *rows = malloc((size_t)(c.count * row_bytes) + 1);
  posenc_plan *plan = plan_of(&c.alone, impl);
  for (int64_t i = 0; i < c.count; i++) {
    const double real = c.reals[i];
    const int integer = real == (double)c.positions[i] && !(real == 0 && signbit(real));
    assert_int_equal(integer ? posenc_fill(plan, c.positions[i], 1, rows + i * row_bytes, c.alone.d_model)
                             : posenc_fill_at_real(plan, &real, 1, rows + i * row_bytes, c.alone.d_model),
        POSENC_OK);
  }
  posenc_plan_destroy(plan);
  return rows;
}

/* Makes a table, copies its rows into out, and dirties its memory, which the next table may get. */
static void copy_table(arguments *a, unsigned char *out) {
  const int64_t size = (int64_t)element_size();
  if (a->row_stride == c.width && one_in(2))
    a->row_stride = 0;
  assert_int_equal(make_call(a), POSENC_OK);
  for (int64_t i = 0; i < c.count; i++) {
    const unsigned char *const row = (unsigned char *)a->table + i * c.row_stride * size;
    memcpy(out + i * c.row_stride * size, row, (size_t)(c.width * size));
    for (int64_t byte = c.width * size; byte < c.row_stride * size; byte++)
      assert_int_equal(row[byte], 0);
  }
  memset(a->table, CANARY, (size_t)(c.count * c.row_stride * size));
  posenc_table_destroy(a->table);
}

static void call_library(const posenc_plan *plan, unsigned char *out) {
  const int64_t size = (int64_t)element_size(), second = c.width - spec_count(&c.spec);
  arguments a = {c.call, plan, c.first, c.count, c.positions, c.reals, out, out + c.cosines * size, c.row_stride, NULL};
  if (c.call == PAIR && !c.cosines)
    a.out = out + second * size;
  if (c.call == TABLE) {
    copy_table(&a, out);
    return;
  }
  for (int64_t done = 0; done < c.count; done += a.count) {
    a.first = c.first + done;
    a.count = c.cuts ? random_between(&seed, 1, smaller(c.count - done, 200)) : c.count;
    a.out = c.cuts ? out + done * c.row_stride * size : a.out;
    assert_int_equal(make_call(&a), POSENC_OK);
  }
}

/* The number of columns from j on that are consecutive columns of the row alone too. */
static int64_t columns_together(int64_t j) {
  int64_t n = 1;
  while (j + n < c.width && c.source[j] >= 0 && c.source[j + n] == c.source[j] + n)
    n++;
  return n;
}

/* Writes the expected elements over the old contents of out. */
static void write_expected(unsigned char *want, const unsigned char *rows) {
  const int64_t size = (int64_t)element_size();
  for (int64_t j = 0, n; j < c.width; j += n) {
    n = columns_together(j);
    for (int64_t i = 0; i < c.count && c.source[j] != UNTOUCHED; i++) {
      unsigned char *const to = want + (i * c.row_stride + j) * size;
      if (c.source[j] == ZERO)
        memset(to, 0, (size_t)size);
      else
        memcpy(to, rows + (i * c.alone.d_model + c.source[j]) * size, (size_t)(n * size));
    }
  }
}

static void compare_with_alone(const char *impl, const unsigned char *rows) {
  const int64_t size = (int64_t)element_size(), elements = (c.count - 1) * c.row_stride + c.width;
  unsigned char *const out = place_array(elements);
  unsigned char *from = out - AROUND, *to = out + elements * size + AROUND;
  from = from < arena ? arena : from;
  to = to > arena + BYTES ? arena + BYTES : to;
  memset(from, CANARY, (size_t)(to - from));
  unsigned char *want = malloc((size_t)(to - from));
  memcpy(want, from, (size_t)(to - from));
  write_expected(want + (out - from), rows);
  posenc_plan *plan = plan_of(&c.spec, impl);
  call_library(plan, out);
  posenc_plan_destroy(plan);
  if (memcmp(from, want, (size_t)(to - from)) != 0)
    for (const unsigned char *got = from + (out - from) % size; got < to; got += size) {
      const unsigned char *const should = want + (got - from);
      if (memcmp(got, should, (size_t)size) != 0)
        fail_at(impl, (got - out) / size, got, should);
    }
  free(want);
}

/* Runs the case with every implementation that offers it. Members of a family that promises its bits must agree. Large
 * cases are run with the SIMD members of these families only. */
static void compare_all(int large) {
  static const char *const promised[] = {"exact", "anchored"};
  const posenc_spec with_more = c.alone;
  unsigned char *of_family[2] = {NULL, NULL};
  for (size_t m = 0; runnable(m); m++) {
    const char *const family = runnable(m)->family;
    const int f = strcmp(family, promised[0]) == 0 ? 0 : strcmp(family, promised[1]) == 0 ? 1 : 2;
    if (large && (f == 2 || strstr(runnable(m)->name, "scalar")))
      continue;
    c.alone = with_more;
    if (f == 2) { /* if an angle of a vector is large, SLEEF reduces all of them in another way, so `alone` has
                     no more columns */
      c.alone.d_model = 2 * spec_count(&c.spec);
      c.alone.n_freqs = c.spec.n_freqs;
      if (!is_offered(&c.alone, runnable(m)->name))
        continue;
    }
    unsigned char *rows = rows_alone(runnable(m)->name);
    if (f < 2 && of_family[f] && memcmp(rows, of_family[f], (size_t)(c.count * c.alone.d_model) * element_size()) != 0)
      fail_msg("%s: single rows differ from those of its family, d_model %lld, first %lld", runnable(m)->name,
          (long long)c.alone.d_model, (long long)c.first);
    compare_with_alone(runnable(m)->name, rows);
    if (f < 2 && !of_family[f])
      of_family[f] = rows;
    else
      free(rows);
  }
  free(of_family[0]);
  free(of_family[1]);
}

/* ---- drawing a case ---- */

/* Positions around anchors (32 mod 64), around 0, and at the ends of the domain. */
static void draw_positions(int far_apart) {
  static const int64_t around[] = {0, 0, 32, 96, -32, 4064, 4064, 4096, -4128, 8192 * 15 + 4064, 131071, 1000003, -70,
      POSENC_MAX_POSITION, -POSENC_MAX_POSITION};
  const int64_t far = POSENC_MAX_POSITION, count = c.count;
  c.first = PICK(around) - random_between(&seed, 0, count);
  c.first = c.first < -far ? -far : c.first + count - 1 > far ? far - count + 1 : c.first;
  const int64_t span = far_apart || one_in(3) ? 2 * far : one_in(2) ? 300000 : count + 20;
  const int kind = far_apart ? 0 : (int)random_between(&seed, 0, 3);
  for (int64_t i = 0; i < count; i++) {
    int64_t p = c.first + i;
    if ((c.call == AT || c.call == AT_REAL) && i > 0 && (kind == 0 || one_in(3)))
      p = kind == 1 ? c.positions[random_between(&seed, 0, i - 1)] : c.first + random_between(&seed, -span, span);
    else if (c.call == AT && i > 0 && kind == 2)
      p = c.positions[i - 1] + 1;
    c.positions[i] = p < -far ? -far : p > far ? far : p;
    c.reals[i] = (double)c.positions[i];
    if (c.call == AT_REAL && c.positions[i] < far && c.positions[i] > -far && one_in(2)) {
      c.reals[i] = one_in(20)   ? -0.0
                   : one_in(20) ? 1e-300
                                : c.reals[i] + ldexp((double)random_between(&seed, -63, 63),
                                                   -6 - (int)random_between(&seed, 0, 20));
      c.positions[i] = (int64_t)c.reals[i];
    }
  }
}

/* A frequency whose output in some row is next to a midpoint of two numbers of the dtype, which only the recheck or the
 * fallback decides. */
static double midpoint_frequency(int64_t k) {
  const int digits = c.spec.dtype == POSENC_DTYPE_F64 ? 24 : format_of(c.spec.dtype)->digits;
  const double size = (double)random_between(&seed, INT64_C(1) << (digits - 1), (INT64_C(1) << digits) - 1) + 0.5;
  const double beside = ldexp((double)random_between(&seed, -1, 1), -(int)random_between(&seed, 20, 50));
  const double y = ldexp(size, -digits - (k % 3 ? 0 : (int)random_between(&seed, 0, 18))) * (1 + beside);
  const double position = c.reals[random_between(&seed, 0, c.count - 1)];
  return ((k % 2 ? acos(y) : asin(y)) + (k % 5 == 1 ? 0x1.921fb54442d18p+2 : 0)) /
         (fabs(position) < 0.5 ? 1 : position);
}

/* A tiny frequency, or one with a sine next to 0, in the same strip or behind it. The exemption from the rounding
 * test must be that of the right strip. */
static double zero_crossing_frequency(int64_t k, int64_t n) {
  if (n % 2 ? k % 3 != 0 : k < n / 2)
    return ldexp(0x1.0001p0, -70 - (int)(k % 32));
  const double position = c.reals[random_between(&seed, 0, c.count - 1)];
  return 0x1.921fb54442d18p+1 * (double)(1 + k % 5) / (fabs(position) < 0.5 ? (double)(k + 5) : position);
}

static void draw_frequencies(int64_t n) {
  static const double bases[] = {2, 500000, 1e12, 1.0000001, 1e30, 1e80, 0.01};
  const uint64_t kind = next_random(&seed) % 8;
  int64_t more = kind < 4 || kind > 4 || n == 0 ? random_between(&seed, 1, 8) : 0;
  more = smaller(more, MOST_PAIRS - n);
  if (kind == 4 && n > 0) {
    c.spec.base = PICK(bases);
  } else if (kind > 4 && n > 0) {
    for (int64_t k = 0; k < n + more; k++) {
      const double any =
          ldexp((double)(next_random(&seed) >> 11), -53 - (int)random_between(&seed, -3, k % 3 ? 40 : 160));
      double w = kind == 5   ? zero_crossing_frequency(k, n)
                 : kind == 6 ? midpoint_frequency(k)
                             : (k % 7 ? any : 0) * (k % 5 ? 1 : -1);
      c.freqs[k] = w != 0 && !(fabs(w) >= 0x1p-1022 && fabs(w) <= 0x1p64) ? 1 : w;
    }
    c.spec.freqs = c.freqs;
    c.spec.n_freqs = n;
  }
  c.alone = c.spec;
  c.alone.denominator = c.spec.freqs ? 0 : spec_denominator(&c.spec);
  c.alone.position_scale = spec_scale(&c.spec);
  c.alone.d_model = 2 * (n + more);
  c.alone.n_freqs = c.spec.freqs ? n + more : 0;
  c.alone.layout = c.alone.order = c.alone.odd = 0;
}

static int64_t draw_row_stride(int64_t width) {
  const int64_t line = 64 / (int64_t)element_size(), at_lines = (width + line - 1) / line * line;
  const uint64_t kind = next_random(&seed) % 20;
  return kind < 8    ? width
         : kind < 14 ? at_lines
         : kind < 16 ? at_lines + line
         : kind < 19 ? width + random_between(&seed, 1, 9)
                     : width + 3000;
}

static void place_columns(void) {
  const int64_t n = spec_count(&c.spec);
  c.width = c.spec.d_model;
  if (c.call == PAIR) {
    const int64_t between = n + (one_in(2) ? random_between(&seed, 0, 9) : 0);
    c.width = between + n;
    c.cosines = one_in(2) ? between : 0;
  }
  for (int64_t j = 0; j < c.width; j++) {
    const place here = place_of(&c.spec, j);
    const int64_t of_second = j - (c.width - n);
    c.source[j] = c.call != PAIR   ? (here.k < 0 ? ZERO : 2 * here.k + here.cosine)
                  : j < n          ? 2 * j + (c.cosines == 0)
                  : of_second >= 0 ? 2 * of_second + (c.cosines != 0)
                                   : UNTOUCHED;
  }
}

static void set_spec(int64_t d, int32_t dtype) {
  c.spec = paper_spec(d);
  c.spec.dtype = dtype;
  c.cuts = 0;
  c.cosines = 0;
}

static void draw(int i) {
  static const int64_t widths[] = {1, 1, 2, 2, 3, 6, 7, 15, 16, 17, 31, 32, 33, 62, 63, 64, 65, 66, 96, 127, 128, 130,
      192, 193, 205, 255, 256, 258, 498, 512, 513, 1024, 1030, 1031, 1056, 2051, 8200, 16390};
  static const int64_t counts[] = {
      1, 2, 3, 6, 7, 8, 9, 12, 16, 41, 63, 64, 65, 70, 100, 130, 191, 192, 193, 300, 400, 2100};
  static const int64_t table_widths[] = {16, 48, 64, 66, 96, 128, 192, 256},
                       table_counts[] = {150, 191, 192, 193, 210, 300};
  static const int32_t dtypes[] = {POSENC_DTYPE_F32, POSENC_DTYPE_F32, POSENC_DTYPE_F32, POSENC_DTYPE_BF16,
      POSENC_DTYPE_BF16, POSENC_DTYPE_F16, POSENC_DTYPE_F64};
  static const double scales[] = {-1, 0.5, 0, 0.3};
  const int table = i % 3 == 0;      /* tables that kernels write by whole cache lines */
  const int far_apart = i % 30 == 1; /* positions in no order, anywhere in the domain */
  const int wide = i % 30 == 2;      /* wider than plans keep rotations for */
  const int laid_out = i % 6 == 4;   /* the other layouts that kernels write themselves */
  set_spec(table       ? PICK(table_widths)
           : one_in(3) ? random_between(&seed, 1, 140)
                       : PICK(widths),
      table ? (i % 9 ? POSENC_DTYPE_F32 : POSENC_DTYPE_BF16) : PICK(dtypes));
  if (far_apart)
    set_spec(random_between(&seed, 1, 70), POSENC_DTYPE_F32);
  if (laid_out)
    set_spec(random_between(&seed, 1, 140), POSENC_DTYPE_F32);
  if (wide)
    set_spec(one_in(2) ? 8448 : 8200, i % 60 == 2 ? PICK(dtypes) : POSENC_DTYPE_F32); /* rows of whole KiB or not */
  c.call = table || laid_out ? FILL : far_apart ? AT : (call)random_between(&seed, 0, CALLS - 1);
  c.cuts = c.call == FILL && one_in(2);
  if (laid_out || (!table && one_in(2))) {
    c.spec.layout = (int32_t)random_between(&seed, 0, 1);
    c.spec.order = (int32_t)random_between(&seed, 0, 1);
    c.spec.odd = (int32_t)random_between(&seed, 0, 1);
  }
  if (!table && one_in(5))
    c.spec.position_scale = PICK(scales);
  const int64_t d = c.spec.d_model, most = THINNED ? 15000 : 60000;
  c.count = smaller(table || laid_out ? PICK(table_counts) : PICK(counts), most / d > 0 ? most / d : 1);
  if ((c.call == AT || c.call == AT_REAL) && d < 8)
    c.count = random_between(&seed, 1, MOST_ROWS);
  if (far_apart)
    c.count = random_between(&seed, 150, 700);
  if (d > 8000)
    c.count = wide ? 9 : random_between(&seed, 1, 9);
  draw_positions(far_apart);
  draw_frequencies(spec_count(&c.spec));
  place_columns();
  const int64_t line = 64 / (int64_t)element_size();
  const uint64_t kind = next_random(&seed) % 10;
  c.offset = kind < 2   ? 0
             : kind < 6 ? 2 * random_between(&seed, 0, line / 2 - 1)
             : kind < 9 ? random_between(&seed, 0, line - 1)
                        : -1;
  c.row_stride = table && one_in(2) ? c.width : draw_row_stride(c.width);
  if (c.count == 1 && c.call != TABLE && one_in(2)) /* a single row ignores its stride */
    c.row_stride = INT64_MAX;
}

static void random_cases(void **state) {
  (void)state;
  for (int i = 0; i < cases; i++) {
    draw(i);
    compare_all(0);
  }
}

/* Tables larger than the caches, by dtype: rows that begin at cache lines, rows that share lines, and rows
 * that never begin at one. */
static void large_cases(void **state) {
  (void)state;
  static const struct {
    int32_t dtype;
    int64_t d, rows, gap, offset;
  } tables[] = {
      {POSENC_DTYPE_F32, 1024, 6500, 0, 0},
      {POSENC_DTYPE_F32, 754, 8900, 14, 4},
      {POSENC_DTYPE_F32, 768, 8900, 0, 10},
      {POSENC_DTYPE_F32, 770, 8900, 3, 0},
      {POSENC_DTYPE_BF16, 1440, 8900, 0, 6},
      {POSENC_DTYPE_BF16, 1440, 8900, 32, 30},
  };
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
    for (int layout = 0; layout < (i ? 1 : 4); layout++) {
      set_spec(tables[i].d, tables[i].dtype);
      c.spec.order = layout % 2;
      c.spec.layout = layout / 2;
      for (int64_t k = 0; i == 0 && k < tables[i].d / 2; k++) /* near 0: rechecked after the stores */
        c.freqs[k] = 0x1.921fb54442d18p+2 / (double)(3 + k);
      c.spec.freqs = i == 0 ? c.freqs : NULL;
      c.spec.n_freqs = i == 0 ? tables[i].d / 2 : 0;
      c.call = FILL;
      c.count = tables[i].rows;
      c.first = -700;
      for (int64_t row = 0; row < c.count; row++)
        c.reals[row] = (double)(c.positions[row] = c.first + row);
      c.alone = c.spec;
      c.alone.layout = c.alone.order = 0;
      c.alone.d_model += c.spec.d_model % 2;
      c.alone.denominator = spec_denominator(&c.spec);
      place_columns();
      c.offset = tables[i].offset;
      c.row_stride = tables[i].d + tables[i].gap;
      compare_all(1);
    }
}

int main(int argc, char **argv) {
  const int large = argc > 2 && strcmp(argv[2], "large") == 0;
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 0);
  if (argc > 2)
    cases = atoi(argv[2]); /* NOLINT(cert-err34-c): text that is no number gives 0 cases */
  printf("seed %llu, %d cases (arguments set them)\n", (unsigned long long)seed, cases);
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_cases)}, of_large[] = {cmocka_unit_test(large_cases)};
  return large ? cmocka_run_group_tests_name("elements", of_large, NULL, NULL)
               : cmocka_run_group_tests_name("elements", tests, NULL, NULL);
}

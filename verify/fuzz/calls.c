/* Fills, sums and tables: refused as the header says, or every value right, and nothing else written. */
#include <stdlib.h>

#include "../campaign/family.h"
#include "../reference/formats.h"
#include "../reference/random.h"
#include "fuzz.h"
#include "state.h"

/* Elements that a call may really be given memory for. */
enum { MOST_ELEMENTS = 40000 };

/* ---- arrays: at an element's alignment and no more, ending where the array does, filled with a pattern */

typedef struct array {
  unsigned char *memory, *before, *start;
  size_t bytes;
} array;

/* `size` bytes from `offset` bytes behind a multiple of 64. */
static array array_of(size_t size, size_t offset) {
  array a = {.bytes = offset + size};
  void *memory = NULL;
  if (posix_memalign(&memory, 64, a.bytes > 0 ? a.bytes : 1) != 0)
    complain("no memory for the target itself");
  a.memory = memory;
  a.before = malloc(a.bytes + 1);
  memset(a.memory, 0x5a, a.bytes);
  memset(a.before, 0x5a, a.bytes);
  a.start = a.memory + offset;
  return a;
}

static void array_judge(const char *what, const array *a) {
  for (size_t i = 0; i < a->bytes; i++)
    if (a->memory[i] != a->before[i])
      complain("%s: byte %td from the array's start was written", what, a->memory + i - a->start);
}

static void array_free(const array *a) {
  free(a->memory);
  free(a->before);
}

/* The start, or as `broken` has it NULL or an odd number of bytes behind: `null` and the few below it mean that. */
static unsigned char *broken_pointer(unsigned char *start, unsigned broken, unsigned null) {
  const unsigned below = null - broken;
  return below == 0 ? NULL : below <= 5 ? start + 2 * below - 1 : start;
}

/* ---- calls */

typedef struct call {
  enum { FILL, FILL_AT, FILL_AT_REAL, FILL_PAIR, ADD, ADD_BATCH } kind;
  unsigned state;
  bool in_place;
  int64_t first, width, count, batch;
  posenc_strides x, out;
  double scale;
  int64_t *positions; /* positions and reals are to be freed */
  double *reals;
  unsigned char *x_at, *out_at, *cosines_at;
} call;

static const char *const names[] = {
    "posenc_fill", "posenc_fill_at", "posenc_fill_at_real", "posenc_fill_pair", "posenc_add", "posenc_add_batch"};

/* The call, of fills `count` rows from the row `from` of it. */
static posenc_status perform(const posenc_plan *plan, const call *c, int64_t from, int64_t count) {
  const int64_t *positions = c->positions ? c->positions + from : NULL;
  const double *reals = c->reals ? c->reals + from : NULL;
  switch (c->kind) {
  case FILL:
    return posenc_fill(plan, c->first + from, count, c->out_at, c->out.row);
  case FILL_AT:
    return posenc_fill_at(plan, positions, count, c->out_at, c->out.row);
  case FILL_AT_REAL:
    return posenc_fill_at_real(plan, reals, count, c->out_at, c->out.row);
  case FILL_PAIR:
    return posenc_fill_pair(plan, c->first + from, count, c->out_at, c->cosines_at, c->out.row);
  case ADD:
    return posenc_add(plan, c->first, count, c->x_at, c->x.row, c->scale, c->out_at, c->out.row);
  default:
    return posenc_add_batch(plan, c->first, count, c->batch, c->x_at, c->x, c->scale, c->out_at, c->out);
  }
}

static bool has_list(const call *c) { return c->kind == FILL_AT || c->kind == FILL_AT_REAL; }

static double position_of(const call *c, int64_t i) {
  return c->kind == FILL_AT_REAL ? c->reals[i] : (double)(c->kind == FILL_AT ? c->positions[i] : c->first + i);
}

/* ---- what to call */

/* Numbers of rows and strides, from the ordinary to the impossible. */
static int64_t take_count(bytes *b, int64_t width) {
  static const int64_t edges[] = {-1, INT64_MIN, INT64_MAX, INT64_C(1) << 33, (INT64_C(1) << 33) + 1, INT64_C(1) << 62};
  enum { EDGES = sizeof edges / sizeof edges[0] };
  const unsigned how = take_byte(b);
  const int64_t count = how < 170 ? how % 17 : how < 228 ? how - 158 : (int64_t)take_bits(b, 2) % 1300;
  if (how >= 256 - EDGES)
    return edges[how - (256 - EDGES)];
  const int64_t most = MOST_ELEMENTS / 2 / width; /* more than 192 rows of 64 columns: those may share lines */
  return count > most ? most + 1 : count;
}

static int64_t take_stride(bytes *b, int64_t width, size_t size) {
  const int64_t edges[] = {0, -width, INT64_MAX, INT64_MIN, INT64_C(1) << 60, PTRDIFF_MAX / (int64_t)size,
      INT64_C(1) << 40, PTRDIFF_MAX / (int64_t)size / 2 + 1};
  enum { EDGES = sizeof edges / sizeof edges[0] };
  const unsigned how = take_byte(b);
  if (how >= 256 - EDGES)
    return edges[how - (256 - EDGES)];
  return how < 100   ? width
         : how < 120 ? width - 1
         : how < 200 ? width + how % 20
                     : (width + 15) / 16 * 16 + 16 * (how % 3);
}

static posenc_strides take_strides(bytes *b, const subject *s, const call *c) {
  const int64_t d = c->width;
  posenc_strides t = {d, take_stride(b, d, s->size)};
  if (c->kind != ADD_BATCH)
    return t;
  const unsigned how = take_byte(b);
  const bool small = t.row >= d && t.row < 2 * d + 64 && c->count >= 0 && c->count < 4096 && c->batch < 4096;
  if (how < 100) { /* (batch, count, d_model) */
    t.batch = small ? c->count * t.row + how % 4 : d;
  } else if (how < 200) { /* (count, batch, d_model) */
    t.batch = t.row;
    t.row = small && c->batch > 0 ? c->batch * t.batch : d;
  } else {
    t.batch = take_stride(b, d, s->size); /* and perhaps rows on rows */
  }
  return t;
}

/* A list of positions, of its very size; NULL now and then. Behind the bytes' end the list is a walk. */
static void take_list(bytes *b, call *c) {
  const unsigned how = take_byte(b);
  if (c->count > 1300)
    c->count = 1300; /* a list that long is for tests of limits */
  if (how == 255 || c->count < 0)
    return;
  const size_t n = c->count > 0 ? (size_t)c->count : 1;
  const int64_t step = how % 8 == 0 ? 1 : how % 8 == 1 ? -1 : how % 8 == 2 ? 64 : how % 8 == 3 ? 0 : (int)how;
  c->positions = malloc(n * sizeof *c->positions);
  c->reals = malloc(n * sizeof *c->reals);
  int64_t p = 0;
  double x = 0;
  for (size_t i = 0; i < n; i++) {
    const bool given = b->end - b->at > 24 || (i == 0 && b->at < b->end);
    p = given && c->kind == FILL_AT ? take_position(b) : p > INT64_MAX - 256 || p < INT64_MIN + 256 ? 0 : p + step;
    x = given && c->kind == FILL_AT_REAL ? take_real(b) : fabs(x) < 0x1p31 ? x + (double)step / 4 : 0.375;
    c->positions[i] = p;
    c->reals[i] = x;
  }
}

static call take_call(bytes *b, const subject *s, bool adds) {
  const int64_t d = s->spec->d_model;
  const unsigned how = take_byte(b);
  call c = {.state = take_byte(b), .width = d, .batch = 1};
  c.kind = adds ? (how & 1 ? ADD_BATCH : ADD) : how % 4;
  c.in_place = adds && how & 2;
  c.count = take_count(b, c.kind == ADD_BATCH ? 4 * d : d);
  if (c.kind == ADD_BATCH) {
    const unsigned many = take_byte(b);
    c.batch = many < 240 ? many % 5 : take_position(b);
  }
  if (c.kind == FILL_PAIR)
    c.width = model_count(s->spec);
  c.x = take_strides(b, s, &c);
  c.out = adds && !c.in_place ? take_strides(b, s, &c) : c.x;
  if (has_list(&c))
    take_list(b, &c);
  else
    c.first = take_position(b);
  c.scale = adds ? take_real(b) : 1;
  return c;
}

static allowed allowed_call(const subject *s, const call *c, bool adds) {
  allowed a = {0, 0};
  const volatile float scale = (float)c->scale;
  if (adds && s->spec->dtype != POSENC_DTYPE_F32 && s->spec->dtype != POSENC_DTYPE_BF16)
    a.errors |= BIT(UNSUPPORTED);
  if (!isfinite(scale) || (has_list(c) && c->count > 0 && !c->positions))
    a.errors |= BIT(ARGUMENT);
  allowed_rows(&a, s->spec, (array_shape){c->width, c->count, c->batch, c->out, true}, c->out_at);
  if (adds)
    allowed_rows(&a, s->spec, (array_shape){c->width, c->count, c->batch, c->x, false}, c->x_at);
  if (c->kind == FILL_PAIR)
    allowed_rows(&a, s->spec, (array_shape){c->width, c->count, c->batch, c->out, true}, c->cosines_at);
  if (!has_list(c) && c->batch > 0)
    allowed_first(&a, s->spec, c->first, c->count);
  for (int64_t i = 0; has_list(c) && c->positions && i < c->count; i++)
    allowed_position(&a, s->spec, c->kind == FILL_AT ? (double)c->positions[i] : c->reals[i]);
  return a;
}

/* ---- what came of it */

/* Judges an output by the model. */
static void judge_element(const subject *s, meaning m, double position, int64_t column, double got) {
  double distance;
  const double want = model_value(s->spec, m, position, got, &distance);
  const double bound = posenc_impl_error_bound(s->impl, s->spec, position, column);
  if (s->exact && !same_number(got, want))
    complain("%s, d_model %lld, position %a, column %lld: %a instead of %a", s->impl->name, (long long)s->spec->d_model,
        position, (long long)column, got, want);
  const bool angle_is_zero = m.function != ZERO && (position == 0 || (s->spec->freqs && s->spec->freqs[m.k] == 0));
  if (!(distance <= (angle_is_zero || m.function == ZERO ? 0 : bound)))
    complain("%s, d_model %lld, position %a, column %lld: %a is %a away from %a; the bound is %a", s->impl->name,
        (long long)s->spec->d_model, position, (long long)column, got, distance, want, bound);
}

static double value_at(const subject *s, const void *start, int64_t element) {
  return element_value(s->spec->dtype, (const unsigned char *)start + (size_t)element * s->size);
}

/* A column of that frequency, whichever function: their bounds are the same. */
static int64_t column_of(const posenc_spec *spec, int64_t k) {
  int64_t column = 0;
  while (column < spec->d_model - 1 && model_column(spec, column).k != k)
    column++;
  return column;
}

/* A row of a fill: the first columns, the last, and any others. */
static void judge_row(const subject *s, const call *c, int64_t row, uint64_t *seed) {
  enum { WIDE = 96 };
  const bool pair = c->kind == FILL_PAIR;
  const int64_t columns = pair ? 2 * c->width : c->width, n = columns < WIDE ? columns : WIDE / 2;
  for (int64_t i = 0; i < n; i++) {
    const int64_t any = random_between(seed, 0, columns - 1);
    const int64_t column = n == columns || i < 4 ? i : i < 8 ? columns - 1 - (i - 4) : any;
    const bool cosine = pair && column >= c->width;
    const int64_t k = cosine ? column - c->width : column;
    const double got = value_at(s, cosine ? c->cosines_at : c->out_at, row * c->out.row + k);
    const meaning m = pair ? (meaning){cosine ? COSINE : SINE, k} : model_column(s->spec, column);
    judge_element(s, m, position_of(c, row), pair ? column_of(s->spec, k) : column, got);
  }
}

/* A plan of the same spec, by another member of the family where all members promise the same bits. */
static posenc_plan *other_plan(bytes *b, const subject *s) {
  char family[FAMILY_SIZE];
  posenc_plan *plan = NULL;
  family_of(s->impl, family);
  const posenc_impl *other = family_member(family, take_byte(b) % 4);
  const char *name = s->rotated && other ? other->name : s->impl->name;
  if (posenc_plan_create(&plan, s->spec, name) != POSENC_OK)
    complain("%s has no plan of a spec that %s has one of", name, s->impl->name);
  return plan;
}

/* By the model as many rows as its patience allows, the first and the last among them; all of them against calls of one
 * row, by another member perhaps. */
static void judge_fill(bytes *b, const subject *s, const call *c) {
  enum { PATIENCE = 260 };
  const bool pair = c->kind == FILL_PAIR;
  const int64_t most = PATIENCE / (pair ? 2 * c->width : c->width) + 2, judged = c->count < most ? c->count : most;
  const size_t length = (size_t)c->width * s->size;
  uint64_t seed = take_byte(b);
  for (int64_t i = 0; i < judged; i++) {
    const int64_t any = random_between(&seed, 0, c->count - 1);
    judge_row(s, c, judged == c->count || i == 0 ? i : i == 1 ? c->count - 1 : any, &seed);
  }
  posenc_plan *plan = other_plan(b, s);
  call one = *c;
  one.out_at = malloc(2 * length);
  one.cosines_at = one.out_at + length;
  one.out.row = c->width;
  for (int64_t i = 0; i < c->count; i++) {
    const size_t at = (size_t)(i * c->out.row) * s->size;
    if (perform(plan, &one, i, 1) != POSENC_OK || memcmp(one.out_at, c->out_at + at, length) != 0 ||
        (pair && memcmp(one.cosines_at, c->cosines_at + at, length) != 0))
      complain("%s by %s, d_model %lld: row %lld of %lld, position %a, is another alone by %s", names[c->kind],
          s->impl->name, (long long)s->spec->d_model, (long long)i, (long long)c->count, position_of(c, i),
          posenc_plan_impl(plan));
  }
  posenc_plan_destroy(plan);
  free(one.out_at);
}

/* Each step rounded to float32, and of bfloat16 to that. */
static double sum(int32_t dtype, double scale, double x, double pe) {
  const volatile float product = (float)scale * (float)x;
  const format *f = format_of(dtype);
  const volatile float rounded = (float)format_nearest(f, (double)product);
  const volatile float total = rounded + (float)pe;
  return (double)(float)format_nearest(f, (double)total);
}

/* x: what the sums were made of. */
static void judge_sums(const subject *s, const call *c, const unsigned char *x) {
  const int64_t d = c->width;
  unsigned char *pe = calloc((size_t)(c->count * d), s->size);
  if (posenc_fill(s->plan, c->first, c->count, pe, d) != POSENC_OK)
    complain("posenc_fill refuses the rows of a sum");
  for (int64_t i = 0; i < c->count * d; i++) {
    const int64_t row = i / d, column = i % d;
    const double term = value_at(s, pe, i);
    if (row == 0 && column < 8)
      judge_element(s, model_column(s->spec, column), (double)c->first, column, term);
    for (int64_t batch = 0; batch < c->batch; batch++) {
      const double from = value_at(s, x, batch * c->x.batch + row * c->x.row + column);
      const double got = value_at(s, c->out_at, batch * c->out.batch + row * c->out.row + column);
      const double want = sum(s->spec->dtype, c->scale, from, term);
      if (!same_number(got, want))
        complain("a sum by %s, d_model %lld, batch %lld, row %lld, column %lld: %a * %a + %a is %a, not %a",
            s->impl->name, (long long)d, (long long)batch, (long long)row, (long long)column, c->scale, from, term,
            want, got);
    }
  }
  free(pe);
}

/* Elements from the first to behind the last; -1 for more than are given memory. */
static int64_t extent(const call *c, posenc_strides t) {
  if (c->count <= 0 || c->batch <= 0 || t.row < c->width || (c->batch > 1 && t.batch < c->width))
    return 0;
  const wide elements = (wide)(c->count - 1) * t.row + (c->batch > 1 ? (wide)(c->batch - 1) * t.batch : 0) + c->width;
  return elements <= 4 * MOST_ELEMENTS ? (int64_t)elements : -1;
}

/* Ordinary numbers, and what is none: zeros, subnormals, infinities, NaNs, as bits. */
static void put_numbers(bytes *b, const subject *s, array *x) {
  const unsigned how = take_byte(b);
  uint64_t seed = how;
  for (size_t i = 0; i + s->size <= x->bytes; i += s->size) {
    uint64_t bits = next_random(&seed);
    if (how < 128) { /* between 2^-7 and 2^8 */
      const float value = ldexpf((float)(int32_t)bits, (int)(bits >> 40) % 16 - 38);
      uint32_t its;
      memcpy(&its, &value, sizeof its);
      bits = s->size == 2 ? its >> 16 : its;
    }
    memcpy(x->memory + i, &bits, s->size);
  }
  memcpy(x->before, x->memory, x->bytes);
}

/* What the call may have changed is taken for right: the rows of `at`, in that array. */
static void accept(const subject *s, const call *c, array *a, const unsigned char *at) {
  for (int64_t i = 0; i < c->batch * c->count; i++) {
    const unsigned char *row = at + (size_t)(i / c->count * c->out.batch + i % c->count * c->out.row) * s->size;
    memcpy(a->before + (row - a->memory), row, (size_t)c->width * s->size);
  }
}

void fuzz_rows(bytes *b, const subject *s, bool adds) {
  call c = take_call(b, s, adds);
  const unsigned offset = take_byte(b), broken = take_byte(b);
  const int64_t x_extent = adds ? extent(&c, c.x) : 0, out_extent = extent(&c, c.out);
  const wide rows = (wide)c.count * (c.batch > 0 ? c.batch : 1);
  const bool real = x_extent >= 0 && out_extent >= 0 && rows <= MOST_ELEMENTS / s->spec->d_model;
  /* Of a pair the halves of one array, or two arrays one behind the other. */
  const bool pair = c.kind == FILL_PAIR;
  const int64_t reach = real ? out_extent : 0, cosines = pair && c.out.row >= 2 * c.width ? c.width : reach + 3;
  array x = array_of((size_t)(real ? x_extent : 0) * s->size, (size_t)(offset & 15) * s->size);
  array out = array_of(
      (size_t)(pair ? reach + cosines : reach) * s->size, (size_t)(adds ? offset >> 4 : offset % 32) * s->size);
  if (adds)
    put_numbers(b, s, &x);
  c.x_at = broken_pointer(x.start, broken, 255);
  c.out_at = c.in_place ? c.x_at : broken_pointer(out.start, broken, adds ? 249 : 255);
  c.cosines_at = pair ? broken_pointer(out.start + (size_t)cosines * s->size, broken, 249) : NULL;
  unsigned char *old = memcpy(malloc(x.bytes + 1), x.memory, x.bytes);

  message m;
  posenc_status status;
  message_clear(&m, b);
  const allowed a = allowed_call(s, &c, adds);
  if (real || a.errors) { /* what may be allowed and is too large has no memory here */
    IN_STATE(c.state, status = perform(s->plan, &c, 0, c.count));
    const bool fine = judge_refusal(names[c.kind], &m, status, a);
    const bool wrote = fine && c.count > 0 && c.batch > 0 && c.width > 0;
    if (wrote)
      accept(s, &c, c.in_place ? &x : &out, c.out_at);
    if (wrote && pair)
      accept(s, &c, &out, c.cosines_at);
    array_judge(names[c.kind], &out);
    array_judge("the x of posenc_add", &x);
    if (wrote && adds)
      judge_sums(s, &c, old + (x.start - x.memory));
    else if (wrote)
      judge_fill(b, s, &c);
  }
  free(old);
  array_free(&x);
  array_free(&out);
  free(c.positions);
  free(c.reals);
}

/* A table of its own memory: the rows of posenc_fill, zeros between and behind them. */
void fuzz_table(bytes *b, const subject *s) {
  const int64_t first = take_position(b), count = take_count(b, s->spec->d_model), d = s->spec->d_model;
  const int64_t given = take_byte(b) < 64 ? 0 : take_stride(b, d, s->size), stride = given ? given : d;
  allowed a = {0, 0};
  if (count < 0 || stride < d)
    a.errors |= BIT(ARGUMENT);
  else if ((wide)count * stride > PTRDIFF_MAX / (int64_t)s->size)
    a.errors |= BIT(SIZE);
  allowed_first(&a, s->spec, first, count);
  message m;
  message_clear(&m, b);
  if (!a.errors && (wide)count * stride > 4 * MOST_ELEMENTS)
    return;
  void *table = &m;
  const posenc_status status = posenc_table_create(&table, s->plan, first, count, given);
  const bool fine = judge_refusal("posenc_table_create", &m, status, a);
  if (fine != (table != NULL))
    complain("posenc_table_create returns %d and %s", (int)status, table ? "a table" : "NULL");
  if (!fine)
    return;
  const size_t length = (size_t)(count * stride) * s->size;
  unsigned char *rows = calloc(length + 1, 1);
  posenc_fill(s->plan, first, count, rows, stride);
  if ((uintptr_t)table % 64 != 0 || memcmp(rows, table, length) != 0)
    complain("posenc_table_create by %s: not the rows of posenc_fill between zeros", s->impl->name);
  free(rows);
  posenc_table_destroy(table);
}

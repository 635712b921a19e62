#include "calls.h"

#include <stdlib.h>
#include <string.h>

#include "../reference/columns.h"
#include "../reference/formats.h"
#include "../tools/call.h"
#include "../tools/memory.h"
#include "../tools/random.h"

/* The list has LISTED rows; fewer if they have more than OUTPUTS elements, but not fewer than LEAST. */
enum { LISTED = 64, LEAST = 8, OUTPUTS = 1 << 20, SAMPLES = 4, THE_LIST = -1 /* instead of a first row */ };

typedef struct comparison {
  const segment *s;
  const unsigned char *rows; /* those that were judged */
  const char *volatile *now;
  disagreement *found;
  arguments a;          /* with memory for the rows of a call in each array */
  int64_t bytes;        /* of a row of each array, at most */
  int64_t list[LISTED]; /* rows of the segment */
  int64_t listed;
} comparison;

/* The element that a call has written for a column; NULL if the call has no such column. */
static const unsigned char *written(const comparison *c, int64_t row, int64_t column) {
  const component it = component_of(&c->s->spec, column);
  const bool is_pair = c->a.call == PAIR;
  const unsigned char *const array = is_pair && it.cosine ? c->a.cosines : c->a.call == TABLE ? c->a.table : c->a.out;
  const int64_t element = row * c->a.row_stride + (is_pair ? it.k : column);
  return is_pair && it.k < 0 ? NULL : array + (size_t)element * format_of(c->s->spec.dtype)->size;
}

/* Compares a row of a call with a judged row. */
static void compare_row(const comparison *c, int64_t row, int64_t judged) {
  const posenc_spec *const spec = &c->s->spec;
  const size_t size = format_of(spec->dtype)->size;
  for (int64_t column = 0; column < spec->d_model && !c->found->call; column++) {
    const unsigned char *const got = written(c, row, column);
    const unsigned char *const want = c->rows + (size_t)(judged * spec->d_model + column) * size;
    if (got && memcmp(got, want, size) != 0)
      *c->found = (disagreement){call_names[c->a.call], c->a.count, c->s->positions[judged], column,
          element_value(spec->dtype, got), element_value(spec->dtype, want)};
  }
}

/* Makes one call, for `count` rows of the segment from `first` on, or for THE_LIST. */
static posenc_status compare(comparison *c, call kind, int64_t first, int64_t count) {
  const posenc_spec *const spec = &c->s->spec;
  int64_t positions[LISTED];
  double reals[LISTED];
  for (int64_t i = 0; first == THE_LIST && i < count; i++)
    reals[i] = (double)(positions[i] = c->s->positions[c->list[i]]);
  c->a.call = kind;
  c->a.first = first == THE_LIST ? 0 : c->s->positions[first];
  c->a.count = count;
  c->a.positions = first == THE_LIST ? positions : c->s->positions + first;
  c->a.reals = reals;
  c->a.row_stride = kind == PAIR ? spec_count(spec) : spec->d_model;
  c->a.table = NULL;
  *c->now = call_names[kind];
  memset(c->a.out, 0xff, (size_t)(count * c->bytes)); /* NaN in every dtype */
  memset(c->a.cosines, 0xff, (size_t)(count * c->bytes));
  const posenc_status status = make_call(&c->a);
  for (int64_t i = 0; i < count && status == POSENC_OK; i++)
    compare_row(c, i, first == THE_LIST ? c->list[i] : first + i);
  posenc_table_destroy(c->a.table);
  return status;
}

static posenc_status compare_all(comparison *c) {
  static const call singly[] = {FILL, PAIR, ONCE}, consecutive[] = {AT, PAIR, ONCE, TABLE};
  const segment *const s = c->s;
  posenc_status status = compare(c, AT, THE_LIST, c->listed);
  if (status == POSENC_OK)
    status = compare(c, AT_REAL, THE_LIST, c->listed);
  for (int i = 0; i < 3; i++)
    for (int64_t row = 0; row < c->listed && status == POSENC_OK; row++)
      status = compare(c, singly[i], c->list[row], 1);
  for (int64_t r = 0, row = 0; r < s->n_samples; row += s->samples[r++].count)
    for (int i = 0; i < 4 && r % (s->n_samples / SAMPLES + 1) == 0 && status == POSENC_OK; i++)
      status = compare(c, consecutive[i], row, s->samples[r].count);
  return status;
}

posenc_status compare_calls(const segment *s, const posenc_plan *plan, const unsigned char *rows,
    const char *volatile *now, disagreement *found) {
  const int64_t fit = OUTPUTS / s->spec.d_model, listed = fit < LEAST ? LEAST : fit > LISTED ? LISTED : fit;
  comparison c = {s, rows, now, found, .listed = listed};
  int64_t most = listed;
  uint64_t random = 1;
  for (int64_t i = 0; i < listed; i++) /* consecutive rows, the same once more in falling order, then any rows */
    c.list[i] = i < listed / 4   ? i % s->n_rows
                : i < listed / 2 ? (listed / 2 - 1 - i) % s->n_rows
                                 : random_between(&random, 0, s->n_rows - 1);
  for (int64_t r = 0; r < s->n_samples; r++)
    most = s->samples[r].count > most ? s->samples[r].count : most;
  c.bytes = s->spec.d_model * (int64_t)format_of(s->spec.dtype)->size;
  unsigned char *const memory = must_calloc(2 * most, (size_t)c.bytes);
  c.a = (arguments){.plan = plan, .out = memory, .cosines = memory + most * c.bytes};
  const posenc_status status = compare_all(&c);
  free(memory);
  return status;
}

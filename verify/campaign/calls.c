#include "calls.h"

#include <stdlib.h>
#include <string.h>

#include "../reference/columns.h"
#include "../reference/formats.h"
#include "../tools/call.h"
#include "../tools/memory.h"
#include "../tools/random.h"

/* The list has MOST_LISTED rows; fewer if they have more than MOST_OUTPUTS elements, but not fewer than LEAST_LISTED. */
enum { MOST_LISTED = 64, LEAST_LISTED = 8, MOST_OUTPUTS = 1 << 20 };

enum { WHOLE_SAMPLES = 4, THE_LIST = -1 /* instead of a first row */ };

typedef struct comparison {
  const segment *s;
  const unsigned char *rows; /* all rows of the segment, as posenc_fill() has written them */
  const char *volatile *now;
  disagreement *found;
  arguments a;               /* with memory for the rows of a call in each array */
  int64_t bytes;             /* of a row of each array, at most */
  int64_t list[MOST_LISTED]; /* rows of the segment */
  int64_t listed;
} comparison;

/* The element that a call has written for a column; NULL if the call has no such column. */
static const unsigned char *written(const comparison *c, int64_t row, int64_t column) {
  const component it = component_of(&c->s->spec, column);
  const bool is_pair = c->a.kind == CALL_PAIR;
  const unsigned char *const array = is_pair && it.cosine      ? c->a.cosines
                                     : c->a.kind == CALL_TABLE ? c->a.table
                                                               : c->a.out;
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
      *c->found = (disagreement){call_names[c->a.kind], c->a.count, c->s->positions[judged], column,
          element_value(spec->dtype, got), element_value(spec->dtype, want)};
  }
}

/* Makes one call, for `count` rows of the segment from `first` on, or for THE_LIST. */
static posenc_status compare(comparison *c, call_kind kind, int64_t first, int64_t count) {
  const posenc_spec *const spec = &c->s->spec;
  int64_t positions[MOST_LISTED];
  double reals[MOST_LISTED];
  for (int64_t i = 0; first == THE_LIST && i < count; i++)
    reals[i] = (double)(positions[i] = c->s->positions[c->list[i]]);
  c->a.kind = kind;
  c->a.first = first == THE_LIST ? 0 : c->s->positions[first];
  c->a.count = count;
  c->a.positions = first == THE_LIST ? positions : c->s->positions + first;
  c->a.reals = reals;
  c->a.row_stride = kind == CALL_PAIR ? spec_count(spec) : spec->d_model;
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
  static const call_kind of_a_row[] = {CALL_FILL, CALL_PAIR, CALL_ONCE};
  static const call_kind of_a_sample[] = {CALL_AT, CALL_PAIR, CALL_ONCE, CALL_TABLE};
  enum { OF_A_ROW = sizeof of_a_row / sizeof *of_a_row, OF_A_SAMPLE = sizeof of_a_sample / sizeof *of_a_sample };
  const segment *const s = c->s;
  posenc_status status = compare(c, CALL_AT, THE_LIST, c->listed);
  if (status == POSENC_OK)
    status = compare(c, CALL_AT_REAL, THE_LIST, c->listed);
  for (int i = 0; i < OF_A_ROW; i++)
    for (int64_t row = 0; row < c->listed && status == POSENC_OK; row++)
      status = compare(c, of_a_row[i], c->list[row], 1);
  for (int64_t r = 0, row = 0; r < s->n_samples; row += s->samples[r++].count)
    for (int i = 0; i < OF_A_SAMPLE && r % (s->n_samples / WHOLE_SAMPLES + 1) == 0 && status == POSENC_OK; i++)
      status = compare(c, of_a_sample[i], row, s->samples[r].count);
  return status;
}

posenc_status compare_calls(const segment *s, const posenc_plan *plan, const unsigned char *rows,
    const char *volatile *now, disagreement *found) {
  const int64_t fit = MOST_OUTPUTS / s->spec.d_model;
  const int64_t listed = fit < LEAST_LISTED ? LEAST_LISTED : fit > MOST_LISTED ? MOST_LISTED : fit;
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

/* A fuzz target: bytes as an .npy file. posenc-table's reader takes it exactly when the model does, with the same shape and
 * values; else it says in one line what is wrong, whatever room it has for that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../formats.h"
#include "../table/npy.h"
#include "../table/table.h"
#include "complain.h"
#include "npy_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 300 };

static bool read_it(const uint8_t *data, size_t size, npy_array *array, char message[ROOM], size_t room)
{
  memset(message, 0x5a, ROOM);
  FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
  if (!file)
    complain("the target itself cannot open %zu bytes as a file", size);
  const bool good = npy_read_from(file, array, message, room);
  fclose(file);
  for (size_t i = good ? 0 : room; i < ROOM; i++)
    if (message[i] != 0x5a)
      complain("byte %zu of a message of %zu was written", i, room);
  return good;
}

static void judge_refusal(const uint8_t *data, size_t size, const char *message)
{
  const size_t length = strnlen(message, ROOM);
  if (length == 0 || length == ROOM)
    complain("refused, and the message is empty or not terminated");
  for (size_t i = 0; i < length; i++)
    if (message[i] < ' ' || message[i] > '~')
      complain("refused with a message that is not one line of text: %s", message);
  char cut[ROOM];
  npy_array array;
  const size_t room = 1 + size % 40;
  if (read_it(data, size, &array, cut, room))
    complain("what was refused is read with a message of %zu bytes", room);
  if (strlen(cut) >= room || strncmp(cut, message, strlen(cut)) != 0)
    complain("a message cut to %zu bytes is not the start of the whole one", room);
}

/* What is written with the array's shape is understood the same way. */
static void judge_header(const npy_layout *wanted)
{
  char header[NPY_HEADER_SIZE], message[ROOM];
  npy_layout layout;
  npy_header(header, wanted->dtype, wanted->rows, wanted->columns);
  if (!npy_parse(header + 10, NPY_HEADER_SIZE - 10, &layout, message, sizeof message) || layout.dtype != wanted->dtype ||
      layout.rows != wanted->rows || layout.columns != wanted->columns || layout.big_endian || layout.fortran)
    complain("a header written for %lld x %lld is not understood so", (long long)wanted->rows, (long long)wanted->columns);
}

static void judge_array(const npy_array *array, const npy_model *model)
{
  const npy_layout *l = &array->layout;
  if ((int32_t)l->dtype != model->dtype || l->big_endian != model->turned || l->fortran != model->by_columns ||
      (uint64_t)l->rows != model->rows || (uint64_t)l->columns != model->columns)
    complain("read as %lld x %lld of dtype %d; the file has %llu x %llu of %d", (long long)l->rows, (long long)l->columns,
             (int)l->dtype, (unsigned long long)model->rows, (unsigned long long)model->columns, (int)model->dtype);
  bool finite = true;
  for (int64_t row = 0; row < l->rows; row++)
    for (int64_t column = 0; column < l->columns; column++) {
      const double want = npy_model_at(model, (uint64_t)row, (uint64_t)column), got = npy_at(array, row, column);
      finite = finite && isfinite(want);
      if (!same_number(got, want))
        complain("row %lld, column %lld is read as %a; it is %a", (long long)row, (long long)column, got, want);
    }
  char message[ROOM];
  if (npy_finite(array, message, sizeof message) != finite)
    complain("npy_finite says %d of what is %d", !finite, finite);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  npy_model model;
  npy_array array;
  char message[ROOM];
  const bool wanted = npy_model_of(data, size, &model), got = read_it(data, size, &array, message, ROOM);
  if (got != wanted)
    complain(got ? "the reader takes what is no table's file" : "the reader refuses a table's file: %s", message);
  if (!got) {
    judge_refusal(data, size, message);
    return 0;
  }
  judge_header(&array.layout);
  judge_array(&array, &model);
  if (npy_finite(&array, message, sizeof message)) {
    const table t = table_of(array); /* the first look of posenc-table --identify */
    if (t.rows != array.layout.rows || t.columns != array.layout.columns || t.blank >= t.rows)
      complain("table_of changes the shape");
  }
  npy_free(&array);
  return 0;
}

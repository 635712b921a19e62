/* Reading an .npy file. Memory grows with what the file has, never with what its header promises. */
#include "npy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

enum { LONGEST_HEADER = 1 << 16 }; /* NumPy itself reads no more without being asked to */

static bool say(char *message, size_t size, const char *text)
{
  snprintf(message, size, "%s", text);
  return false;
}

/* fread() of the whole length; false where the file ends before, or cannot be read. */
static bool take(FILE *file, void *bytes, size_t length, char *message, size_t size, const char *what)
{
  if (fread(bytes, 1, length, file) == length)
    return true;
  if (ferror(file))
    snprintf(message, size, "cannot be read: %s", strerror(errno));
  else
    snprintf(message, size, "it ends inside %s", what);
  return false;
}

static bool read_header(FILE *file, npy_layout *layout, char *message, size_t size)
{
  unsigned char start[8], lengths[4];
  const size_t got = fread(start, 1, sizeof start, file);
  if (ferror(file)) {
    snprintf(message, size, "cannot be read: %s", strerror(errno));
    return false;
  }
  if (got == 0)
    return say(message, size, "the file is empty");
  if (memcmp(start, "\x93NUMPY", got < 6 ? got : 6) != 0)
    return say(message, size, "not an .npy file: it does not begin with \\x93NUMPY");
  if (got < sizeof start)
    return say(message, size, "it ends inside its magic string");
  if (start[6] < 1 || start[6] > 3 || start[7] != 0) {
    snprintf(message, size, "version %d.%d of the format; 1.0, 2.0 and 3.0 are known", start[6], start[7]);
    return false;
  }
  const size_t n = start[6] == 1 ? 2 : 4;
  size_t length = 0;
  if (!take(file, lengths, n, message, size, "its header"))
    return false;
  for (size_t i = n; i-- > 0;)
    length = length << 8 | lengths[i];
  if (length > LONGEST_HEADER) {
    snprintf(message, size, "a header of %zu bytes; at most %d are known", length, LONGEST_HEADER);
    return false;
  }
  char *text = malloc(length + 1);
  if (!text)
    return say(message, size, "out of memory");
  const bool good = take(file, text, length, message, size, "its header") && npy_parse(text, length, layout, message, size);
  free(text);
  return good;
}

static bool read_elements(FILE *file, npy_array *array, char *message, size_t size)
{
  const npy_layout *l = &array->layout;
  const size_t need = (size_t)l->rows * (size_t)l->columns * posenc_dtype_size(l->dtype);
  size_t have = 0, room = 0;
  while (have < need) {
    if (have == room) {
      room = room == 0 ? (size_t)1 << 20 : 2 * room;
      if (room > need)
        room = need;
      unsigned char *more = realloc(array->elements, room);
      if (!more) {
        snprintf(message, size, "out of memory for its %zu bytes", need);
        return false;
      }
      array->elements = more;
    }
    const size_t got = fread(array->elements + have, 1, room - have, file);
    have += got;
    if (got == 0) {
      if (ferror(file))
        snprintf(message, size, "cannot be read: %s", strerror(errno));
      else
        snprintf(message, size, "truncated: %zu bytes of elements instead of the %zu of %lld x %lld %s", have, need,
                 (long long)l->rows, (long long)l->columns, number_kinds[l->dtype].name);
      return false;
    }
  }
  if (fgetc(file) != EOF) {
    snprintf(message, size, "there is more behind the %lld x %lld %s that its header announces", (long long)l->rows,
             (long long)l->columns, number_kinds[l->dtype].name);
    return false;
  }
  return true;
}

bool npy_finite(const npy_array *array, char *message, size_t size)
{
  for (int64_t row = 0; row < array->layout.rows; row++)
    for (int64_t column = 0; column < array->layout.columns; column++) {
      const double x = npy_at(array, row, column);
      if (!isfinite(x)) {
        snprintf(message, size, "row %lld, column %lld is %s; a table is finite", (long long)row, (long long)column,
                 isnan(x) ? "NaN" : "infinite");
        return false;
      }
    }
  return true;
}

static FILE *open_file(const char *path, char *message, size_t size)
{
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  if (!file)
    snprintf(message, size, "cannot be opened: %s", strerror(errno));
  return file;
}

bool npy_read_layout(const char *path, npy_layout *layout, char *message, size_t size)
{
  FILE *file = open_file(path, message, size);
  if (!file)
    return false;
  const bool good = read_header(file, layout, message, size);
  fclose(file);
  return good;
}

bool npy_read_from(FILE *file, npy_array *array, char *message, size_t size)
{
  *array = (npy_array){.elements = NULL};
  const bool good = read_header(file, &array->layout, message, size) && read_elements(file, array, message, size);
  if (!good)
    npy_free(array);
  return good;
}

bool npy_read(const char *path, npy_array *array, char *message, size_t size)
{
  *array = (npy_array){.elements = NULL};
  FILE *file = open_file(path, message, size);
  if (!file)
    return false;
  const bool good = npy_read_from(file, array, message, size);
  if (file != stdin)
    fclose(file);
  return good;
}

void npy_free(npy_array *array)
{
  free(array->elements);
  array->elements = NULL;
}

double npy_at(const npy_array *array, int64_t row, int64_t column)
{
  const npy_layout *l = &array->layout;
  const size_t bytes = posenc_dtype_size(l->dtype);
  const int64_t i = l->fortran ? column * l->rows + row : row * l->columns + column;
  const unsigned char *element = array->elements + (size_t)i * bytes;
  if (!l->big_endian)
    return number_read(l->dtype, element);
  unsigned char turned[8];
  for (size_t b = 0; b < bytes && b < sizeof turned; b++)
    turned[b] = element[bytes - 1 - b];
  return number_read(l->dtype, turned);
}

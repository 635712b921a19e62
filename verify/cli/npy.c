#include "npy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../reference/formats.h"
#include "../tools/spec.h"

enum { START = 10, LONGEST_HEADER = 4096 };

static bool parse_descr(const char *descr, npy *file, char *message, size_t size) {
  const bool two_bytes = strcmp(descr, "|V2") == 0 || strcmp(descr, "<V2") == 0; /* as ml_dtypes' bfloat16 is saved */
  const char *const kept = two_bytes ? "<u2" : descr;
  for (file->dtype = 0; file->dtype < FORMATS; file->dtype++)
    if (strcmp(kept, format_of(file->dtype)->descr) == 0)
      return true;
  snprintf(
      message, size, "elements of type '%s'; allowed: '<f4', '<f8', '<f2', and '<u2' or '|V2' for bfloat16", descr);
  return false;
}

/* The numbers after the parenthesis, at most four of them. */
static bool parse_shape(const char *text, npy *file, char *message, size_t size) {
  long long axes[4] = {0};
  int n = 0;
  for (int used; n < 4 && sscanf(text, "%lld%n", &axes[n], &used) == 1 && axes[n] >= 0; n++)
    text += used + (int)strspn(text + used, ", ");
  if (n == 0 || (*text != ')' && n < 4)) {
    snprintf(message, size, "the shape in its header is not a tuple of sizes");
    return false;
  }
  if (n > 3 || (n == 3 && axes[0] != 1 && axes[1] != 1)) {
    snprintf(message, size,
        "an array of %d axes; allowed: (rows, columns), (1, rows, columns), (rows, 1, columns) and one row", n);
    return false;
  }
  file->columns = axes[n - 1];
  file->rows = n == 1 ? 1 : n == 2 || axes[0] != 1 ? axes[0] : axes[1];
  if (file->rows < 1 || file->columns < 1 || file->columns > POSENC_MAX_D_MODEL) {
    snprintf(message, size, "%lld rows of %lld columns; allowed: 1 or more rows of 1 to %lld columns",
        (long long)file->rows, (long long)file->columns, (long long)POSENC_MAX_D_MODEL);
    return false;
  }
  return true;
}

static bool parse_header(npy *file, char *message, size_t size) {
  const unsigned char *bytes = file->map;
  if (file->map_size < START || memcmp(bytes, "\x93NUMPY", 6) != 0) {
    snprintf(message, size, "not an .npy file: it does not begin with \\x93NUMPY");
    return false;
  }
  const size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
  if (bytes[6] != 1 || bytes[7] != 0 || length > LONGEST_HEADER || START + length > file->map_size) {
    snprintf(message, size,
        "version %d.%d of the format, with a header of %zu bytes; allowed: 1.0, and a whole header of at most %d",
        bytes[6], bytes[7], length, LONGEST_HEADER);
    return false;
  }
  char text[LONGEST_HEADER + 1], descr[8] = "", order[6] = "";
  memcpy(text, bytes + START, length);
  text[length] = '\0';
  int used = 0;
  const int got =
      sscanf(text, " { 'descr' : '%7[^']' , 'fortran_order' : %5[a-zA-Z] , 'shape' : ( %n", descr, order, &used);
  file->fortran = strcmp(order, "True") == 0;
  if (got != 2 || used == 0 || !(file->fortran || strcmp(order, "False") == 0)) {
    snprintf(message, size, "its header is not what np.save() writes for an array of plain numbers");
    return false;
  }
  if (!parse_descr(descr, file, message, size) || !parse_shape(text + used, file, message, size))
    return false;
  int64_t need;
  const int64_t have = (int64_t)(file->map_size - START - length);
  const bool fits = !__builtin_mul_overflow(file->rows, file->columns * (int64_t)format_of(file->dtype)->size, &need);
  file->elements = bytes + START + length;
  if (fits && need == have)
    return true;
  snprintf(message, size, "%s: it has %lld bytes of elements, which is not %lld x %lld %s",
      fits && have > need ? "extra bytes after its array" : "truncated", (long long)have, (long long)file->rows,
      (long long)file->columns, dtype_name(file->dtype));
  return false;
}

bool npy_open(const char *path, npy *file, char *message, size_t size) {
  *file = (npy){.map = MAP_FAILED};
  struct stat there;
  const int fd = open(path, O_RDONLY);
  if (fd < 0 || fstat(fd, &there) != 0) {
    snprintf(message, size, "cannot be opened: %s", strerror(errno));
    return false;
  }
  const char *wrong = !S_ISREG(there.st_mode) ? "not a regular file" : "not an .npy file: it is empty";
  if (S_ISREG(there.st_mode) && there.st_size > 0) {
    file->map_size = (size_t)there.st_size;
    file->map = mmap(NULL, file->map_size, PROT_READ, MAP_PRIVATE, fd, 0);
    wrong = strerror(errno);
  }
  close(fd);
  if (file->map == MAP_FAILED) {
    snprintf(message, size, "%s", wrong);
    return false;
  }
  if (parse_header(file, message, size))
    return true;
  npy_close(file);
  return false;
}

void npy_close(npy *file) { munmap(file->map, file->map_size); }

double npy_at(const npy *file, int64_t row, int64_t column) {
  const int64_t i = file->fortran ? column * file->rows + row : row * file->columns + column;
  return element_value(file->dtype, file->elements + (size_t)i * format_of(file->dtype)->size);
}

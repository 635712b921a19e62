#include "npy_model.h"

#include <string.h>

#include "../formats.h"
#include "bytes.h"

/* The words of a header: a character of its punctuation, 's' for a string, 'n' for a number, 'w' for a word. */
typedef struct word {
  char kind;
  const char *text;
  size_t length;
} word;

enum { MOST_WORDS = 128 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t end_of_string(const char *text, size_t length)
{
  size_t n = 1;
  while (n < length && text[n] != text[0] && text[n] >= ' ' && text[n] <= '~')
    n++;
  return n < length && text[n] == text[0] && n <= 24 ? n : 0; /* at most 23 characters */
}

/* How many words; -1 for what has none, or too many. */
static int split(const char *text, size_t length, word *words)
{
  int n = 0;
  for (size_t i = 0, used; i < length; i += used) {
    const char c = text[i];
    used = 1;
    if (c && strchr(" \t\n\r", c))
      continue;
    word w = {c, text + i, 1};
    if (c == '\'' || c == '"') {
      used = end_of_string(text + i, length - i) + 1;
      if (used == 1)
        return -1;
      w = (word){'s', text + i + 1, used - 2};
    } else if (is_digit(c)) {
      while (i + used < length && is_digit(text[i + used]))
        used++;
      w = (word){'n', text + i, used};
      used += i + used < length && text[i + used] == 'L';
    } else if (c == 'T' || c == 'F') {
      used = c == 'T' ? 4 : 5;
      if (length - i < used || memcmp(text + i, c == 'T' ? "True" : "False", used) != 0)
        return -1;
      w = (word){'w', text + i, used};
    } else if (!c || !strchr("{}():,", c)) {
      return -1;
    }
    if (n == MOST_WORDS)
      return -1;
    words[n++] = w;
  }
  return n;
}

static bool is_string(const word *w, const char *text)
{
  return w->kind == 's' && w->length == strlen(text) && memcmp(w->text, text, w->length) == 0;
}

static bool descr(const word *w, npy_model *m)
{
  static const struct {
    const char *text;
    int32_t dtype;
  } types[] = {{"f4", POSENC_F32}, {"f8", POSENC_F64}, {"f2", POSENC_F16}, {"u2", POSENC_BF16}, {"V2", POSENC_BF16}};
  if (w->kind != 's' || w->length < 2 || w->length > 3 || (w->length == 3 && !strchr("<>=|", w->text[0])))
    return false;
  const bool marked = w->length == 3;
  m->turned = marked && w->text[0] == '>';
  for (int i = 0; i < 5; i++)
    if (memcmp(w->text + marked, types[i].text, 2) == 0) {
      m->dtype = types[i].dtype;
      return !marked || w->text[0] != '|' || i == 4; /* bytes without an order are no numbers */
    }
  return false;
}

static bool number(const word *w, uint64_t *value)
{
  *value = 0;
  for (size_t i = 0; i < w->length; i++) {
    *value = 10 * *value + (uint64_t)(w->text[i] - '0');
    if (*value > INT64_MAX / 16 - 16 && i + 1 < w->length) /* far beyond any file; leading zeros do no harm */
      return false;
  }
  return w->kind == 'n' && *value > 0;
}

/* "(" numbers with commas between, and perhaps behind, ")"; the words used, or 0. */
static int shape(const word *w, int left, npy_model *m)
{
  uint64_t axes[3];
  int n = 0, i = 1;
  if (left < 3 || w[0].kind != '(')
    return 0;
  while (i < left && w[i].kind != ')') {
    if (n == 3 || !number(&w[i], &axes[n++]) || i + 1 == left)
      return 0;
    i++;
    if (w[i].kind == ',')
      i++;
    else if (w[i].kind != ')')
      return 0;
  }
  if (i >= left || n == 0 || (n == 3 && axes[0] != 1 && axes[1] != 1))
    return 0;
  m->columns = axes[n - 1];
  m->rows = n == 1 ? 1 : n == 2 ? axes[0] : axes[0] * axes[1];
  return i + 1;
}

static bool header(const char *text, size_t length, npy_model *m)
{
  word words[MOST_WORDS];
  const int n = split(text, length, words);
  bool has[3] = {false, false, false};
  int i = 1;
  if (n < 2 || words[0].kind != '{' || words[n - 1].kind != '}')
    return false;
  while (i < n - 1) {
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    int key = 0, used = 1;
    while (key < 3 && !is_string(&words[i], keys[key]))
      key++;
    if (key == 3 || has[key] || n - i < 4 || words[i + 1].kind != ':')
      return false;
    has[key] = true;
    i += 2;
    if (key == 0 && !descr(&words[i], m))
      return false;
    if (key == 1 && words[i].kind != 'w')
      return false;
    if (key == 1)
      m->by_columns = words[i].text[0] == 'T';
    if (key == 2 && (used = shape(words + i, n - 1 - i, m)) == 0)
      return false;
    i += used;
    if (i < n - 1 && words[i].kind != ',')
      return false;
    i++;
  }
  return has[0] && has[1] && has[2];
}

bool npy_model_of(const uint8_t *file, size_t size, npy_model *m)
{
  if (size < 10 || memcmp(file, "\x93NUMPY", 6) != 0 || file[6] < 1 || file[6] > 3 || file[7] != 0)
    return false;
  const size_t start = file[6] == 1 ? 10 : 12;
  if (size < start)
    return false;
  size_t length = file[8] + 256u * file[9];
  if (start == 12)
    length += 65536u * file[10] + 16777216u * (size_t)file[11];
  if (length > 65536 || length > size - start || !header((const char *)file + start, length, m))
    return false;
  m->elements = file + start + length;
  const size_t left = size - start - length, element = m->dtype == POSENC_F64 ? 8 : m->dtype == POSENC_F32 ? 4 : 2;
  return m->columns <= 1048576 && m->rows <= left && (wide)m->rows * (wide)m->columns * (wide)element == (wide)left;
}

double npy_model_at(const npy_model *m, uint64_t row, uint64_t column)
{
  const size_t element = m->dtype == POSENC_F64 ? 8 : m->dtype == POSENC_F32 ? 4 : 2;
  const uint8_t *from = m->elements + (m->by_columns ? column * m->rows + row : row * m->columns + column) * element;
  uint8_t digits[8];
  for (size_t i = 0; i < element; i++)
    digits[i] = from[m->turned ? element - 1 - i : i];
  return element_value(m->dtype, digits);
}

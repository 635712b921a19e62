/* The header of an .npy file, written and understood: a dictionary as Python prints one, with the keys 'descr',
 * 'fortran_order' and 'shape'. */
#include "npy.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "numbers.h"

void npy_header(char header[NPY_HEADER_SIZE], posenc_dtype dtype, int64_t rows, int64_t columns)
{
  enum { LENGTH = NPY_HEADER_SIZE - 10 };
  char text[LENGTH + 1];
  const int used = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%lld, %lld), }",
                            number_kinds[dtype].descr, (long long)rows, (long long)columns);
  memset(text + used, ' ', (size_t)(LENGTH - used));
  text[LENGTH - 1] = '\n';
  memcpy(header, "\x93NUMPY\x01\x00", 8); /* NOLINT(bugprone-not-null-terminated-result): bytes, no string */
  header[8] = (char)(LENGTH & 255);
  header[9] = (char)(LENGTH >> 8);
  memcpy(header + 10, text, LENGTH);
}

enum { MOST_AXES = 8, WORD = 24 };

typedef struct parser {
  const char *at, *end;
  char *message;
  size_t size;
} parser;

static bool wrong(parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(parser *p, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(p->message, p->size, format, arguments);
  va_end(arguments);
  return false;
}

static void skip_space(parser *p)
{
  while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
    p->at++;
}

static bool accept(parser *p, char c)
{
  skip_space(p);
  if (p->at == p->end || *p->at != c)
    return false;
  p->at++;
  return true;
}

/* A quoted word of printable characters. */
static bool string(parser *p, char word[WORD])
{
  skip_space(p);
  if (p->at == p->end || (*p->at != '\'' && *p->at != '"'))
    return false;
  const char quote = *p->at++;
  for (size_t n = 0; p->at < p->end; n++) {
    const char c = *p->at++;
    if (c == quote) {
      word[n] = '\0';
      return true;
    }
    if (n == WORD - 1 || c < ' ' || c > '~')
      return false;
    word[n] = c;
  }
  return false;
}

static bool integer(parser *p, int64_t *value)
{
  skip_space(p);
  const char *start = p->at;
  *value = 0;
  for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++)
    if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, *p->at - '0', value))
      return wrong(p, "the header's shape is beyond 64 bits");
  if (p->at == start)
    return wrong(p, "the header's shape is no tuple of sizes");
  if (p->at < p->end && *p->at == 'L') /* Python 2 */
    p->at++;
  return true;
}

static bool parse_descr(parser *p, npy_layout *layout)
{
  static const struct {
    const char *type;
    posenc_dtype dtype;
  } types[] = {{"f4", POSENC_F32}, {"f8", POSENC_F64}, {"f2", POSENC_F16}, {"u2", POSENC_BF16}, {"V2", POSENC_BF16}};
  char word[WORD];
  if (!string(p, word))
    return wrong(p, "the elements are no plain numbers; float64, float32, float16, or bfloat16 as u2 or V2 is needed");
  const bool marked = word[0] == '<' || word[0] == '>' || word[0] == '|' || word[0] == '=';
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(word + marked, types[i].type) == 0 && (word[0] != '|' || word[1] == 'V')) {
      layout->dtype = types[i].dtype;
      layout->big_endian = word[0] == '>';
      return true;
    }
  return wrong(p, "elements of type '%s'; float64 (f8), float32 (f4), float16 (f2), or bfloat16 as u2 or V2 is needed", word);
}

static bool parse_order(parser *p, npy_layout *layout)
{
  skip_space(p);
  const size_t left = (size_t)(p->end - p->at);
  layout->fortran = left >= 4 && memcmp(p->at, "True", 4) == 0;
  if (!layout->fortran && !(left >= 5 && memcmp(p->at, "False", 5) == 0))
    return wrong(p, "the header's fortran_order is neither True nor False");
  p->at += layout->fortran ? 4 : 5;
  return true;
}

/* (columns,), (rows, columns), (1, rows, columns) or (rows, 1, columns) */
static bool parse_shape(parser *p, npy_layout *layout)
{
  int64_t axes[MOST_AXES];
  int n = 0;
  if (!accept(p, '('))
    return wrong(p, "the header's shape is no tuple of sizes");
  while (!accept(p, ')')) {
    if (n == MOST_AXES)
      return wrong(p, "an array of more than %d axes; a table has rows and columns", MOST_AXES);
    if (!integer(p, &axes[n++]))
      return false;
    if (!accept(p, ',')) {
      if (accept(p, ')'))
        break;
      return wrong(p, "the header's shape is no tuple of sizes");
    }
  }
  for (int i = 0; i < n; i++)
    if (axes[i] == 0)
      return wrong(p, "the array is empty");
  if (n == 0 || n > 3 || (n == 3 && axes[0] != 1 && axes[1] != 1))
    return wrong(p, "an array of %d axes; (rows, columns), (1, rows, columns), (rows, 1, columns) or one row is needed", n);
  layout->columns = axes[n - 1];
  layout->rows = n == 1 ? 1 : n == 2 ? axes[0] : axes[0] == 1 ? axes[1] : axes[0];
  if (layout->columns > POSENC_MAX_D_MODEL)
    return wrong(p, "%lld columns; at most %lld are known", (long long)layout->columns, (long long)POSENC_MAX_D_MODEL);
  int64_t bytes;
  if (__builtin_mul_overflow(layout->rows, layout->columns * 8, &bytes))
    return wrong(p, "%lld rows of %lld columns: no file is that large", (long long)layout->rows, (long long)layout->columns);
  return true;
}

bool npy_parse(const char *text, size_t length, npy_layout *layout, char *message, size_t size)
{
  static const struct {
    const char *key;
    bool (*parse)(parser *, npy_layout *);
  } entries[] = {{"descr", parse_descr}, {"fortran_order", parse_order}, {"shape", parse_shape}};
  parser p = {text, text + length, message, size};
  bool seen[3] = {false, false, false};
  if (!accept(&p, '{'))
    return wrong(&p, "the header is no dictionary");
  while (!accept(&p, '}')) {
    char key[WORD];
    size_t i = 0;
    if (!string(&p, key) || !accept(&p, ':'))
      return wrong(&p, "the header is no dictionary of 'descr', 'fortran_order' and 'shape'");
    while (i < 3 && strcmp(key, entries[i].key) != 0)
      i++;
    if (i == 3 || seen[i])
      return wrong(&p, "the header has %s '%s'", i == 3 ? "an unknown key" : "two of the key", key);
    seen[i] = true;
    if (!entries[i].parse(&p, layout))
      return false;
    if (!accept(&p, ',')) {
      if (accept(&p, '}'))
        break;
      return wrong(&p, "the header is no dictionary of 'descr', 'fortran_order' and 'shape'");
    }
  }
  for (size_t i = 0; i < 3; i++)
    if (!seen[i])
      return wrong(&p, "the header lacks '%s'", entries[i].key);
  skip_space(&p);
  return p.at == p.end || wrong(&p, "the header has something behind its dictionary");
}

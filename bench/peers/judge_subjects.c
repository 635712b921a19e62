/* Who is judged: of the names that were given, or of all there are. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../../verify/columns.h"
#include "../../verify/memory.h"
#include "../../verify/table/npy.h"
#include "judge.h"

enum { TABLES_END = 1048576 }; /* of those that are no files */

bool names_file(const char *name)
{
  const size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".npy") == 0;
}

/* Mistakes that are not the command line's form: one line is enough. */
static _Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
static _Noreturn void refuse(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fputs("posenc-judge: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(2);
}

static subject *add_subject(judge_options *o, const char *name)
{
  const bool all = o->shape.from >= o->shape.to; /* no --positions */
  subject *s = &o->subjects[o->n_subjects++];
  *s = (subject){.spec = o->shape.spec, .from = all ? 0 : o->shape.from, .to = all ? TABLES_END : o->shape.to};
  if (!(s->name = strdup(name))) {
    fputs("out of memory: names\n", stderr);
    exit(2);
  }
  return s;
}

static void add_file(judge_options *o, const char *path)
{
  npy_layout layout;
  char message[512];
  if (!npy_read_layout(path, &layout, message, sizeof message))
    refuse("%s: %s", path, message);
  if (layout.columns != o->shape.spec.d_model)
    refuse("%s: %lld columns where d_model is %lld", path, (long long)layout.columns, (long long)o->shape.spec.d_model);
  if (o->shape.from < o->shape.to && layout.rows != o->shape.to - o->shape.from)
    refuse("%s: %lld rows, not the %lld of --positions %lld:%lld", path, (long long)layout.rows,
           (long long)(o->shape.to - o->shape.from), (long long)o->shape.from, (long long)o->shape.to);
  if ((double)(layout.rows - 1) * fabs(spec_scale(&o->shape.spec)) > (double)POSENC_MAX_POSITION)
    refuse("%s: %lld rows lead beyond position 2^32", path, (long long)layout.rows);
  const char *slash = strrchr(path, '/');
  subject *s = add_subject(o, slash ? slash + 1 : path);
  s->name[strlen(s->name) - strlen(".npy")] = '\0';
  s->file = path;
  s->to = s->from + layout.rows;
  s->dtype_is_given = o->shape.texts[SPEC_OPTIONS - 1]; /* the last one is --dtype */
  if (!s->dtype_is_given)
    s->spec.dtype = (int32_t)layout.dtype;
}

/* Absences of what was named are refused, others are noted. */
static void note_absence(judge_options *o, bool named, const char *name, const char *reason)
{
  if (named)
    refuse("%s: %s", name, reason);
  absence *grown = realloc(o->absences, (o->n_absences + 1) * sizeof *grown);
  char *copy = strdup(reason);
  if (!grown || !copy) {
    fputs("out of memory: names\n", stderr);
    exit(2);
  }
  o->absences = grown;
  grown[o->n_absences++] = (absence){name, copy};
}

static void add_peer(judge_options *o, const peer *p, bool named)
{
  const char *lack = p->lacks();
  if (lack)
    note_absence(o, named, p->name, lack);
  else if (!is_paper(&o->shape.spec))
    note_absence(o, named, p->name, "it writes the paper's table in float32 alone, of an even width");
  else
    add_subject(o, p->name)->peer = p;
}

static void add_impl(judge_options *o, const char *name, const posenc_impl *impl, bool named)
{
  char message[512];
  if (posenc_plan_check(&o->shape.spec, impl->name, message, sizeof message) != POSENC_OK)
    note_absence(o, named, name, message);
  else
    add_subject(o, name)->impl = impl;
}

static void refuse_missing(const char *name, const char *reason, void *data)
{
  if (strcmp(name, data) == 0)
    refuse("%s: %s", name, reason);
}

static void add_named(judge_options *o, const char *name)
{
  const peer *p = peer_find(name);
  const posenc_impl *impl = p ? NULL : posenc_impl_find(name);
  if (names_file(name)) {
    add_file(o, name);
  } else if (p) {
    add_peer(o, p, true);
  } else if (impl) {
    add_impl(o, name, impl, true);
  } else {
    peer_each_missing(refuse_missing, (void *)name);
    refuse("%s: no peer, no implementation and no .npy file; --list says what there is", name);
  }
}

static void note_missing(const char *name, const char *reason, void *data)
{
  note_absence(data, false, name, reason);
}

static void add_all(judge_options *o)
{
  static const char *const ours[] = {"exact", "anchored"};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    add_impl(o, ours[i], posenc_impl_find(ours[i]), false);
  for (size_t i = 0; i < peer_count(); i++)
    add_peer(o, peer_at(i), false);
  peer_each_missing(note_missing, o);
  if (o->n_subjects == 0)
    refuse("nothing here writes this table; name an implementation or an .npy file");
}

void judge_subjects(judge_options *o, const char *const *names, size_t n_names)
{
  o->subjects = must_calloc((int64_t)(n_names ? n_names : peer_count() + 2), sizeof *o->subjects);
  for (size_t i = 0; i < n_names; i++)
    add_named(o, names[i]);
  if (n_names == 0)
    add_all(o);
}

void judge_options_destroy(judge_options *o)
{
  for (size_t i = 0; i < o->n_subjects; i++)
    free(o->subjects[i].name);
  for (size_t i = 0; i < o->n_absences; i++)
    free(o->absences[i].reason);
  free(o->subjects);
  free(o->absences);
}

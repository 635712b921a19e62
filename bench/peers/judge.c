/* posenc-judge: tables by whoever made them against the truth, range of positions by range of positions. */
#include "judge.h"

#include <stdlib.h>
#include <string.h>

#include "../../verify/memory.h"

/* Files first: one that cannot be read must not cost the time of the others, nor leave half a report. */
static bool take_all_files(const judge_options *o, taken *all)
{
  char message[512];
  for (size_t i = 0; i < o->n_subjects; i++)
    if (o->subjects[i].file && !take(&o->subjects[i], o->rows, &all[i], message, sizeof message)) {
      fprintf(stderr, "posenc-judge: %s: %s\n", o->subjects[i].file, message);
      return false;
    }
  return true;
}

static bool judge_all(const judge_options *o, taken *all, judgement *judgements)
{
  truths *shared = truths_create();
  bool good = true;
  for (size_t i = 0; i < o->n_subjects && good; i++) {
    subject *s = &o->subjects[i];
    char message[512];
    fprintf(stderr, "[%zu/%zu] %s\n", i + 1, o->n_subjects, s->file ? s->file : s->name);
    good = s->file || take(s, o->rows, &all[i], message, sizeof message);
    if (good)
      judgements[i] = judgement_of(s, &all[i], shared);
    else
      fprintf(stderr, "posenc-judge: %s: %s\n", s->name, message);
    taken_destroy(&all[i]); /* here, or the rows of all would be held at once */
  }
  truths_destroy(shared);
  return good;
}

static int write_all(const judge_options *o, const judgement *all, FILE *json)
{
  int status = 0;
  for (size_t i = 0; i < o->n_subjects; i++)
    if (!all[i].right)
      status = 1;
  if (!judge_text(json == stdout ? stderr : stdout, o, all)) {
    fputs("posenc-judge: the report could not be written\n", stderr);
    status = 2;
  }
  if (json) {
    bool written = judge_json(json, o, all);
    if (json != stdout)
      written = fclose(json) == 0 && written;
    if (!written) {
      fprintf(stderr, "posenc-judge: --json %s: could not be written\n", o->json);
      status = 2;
    }
  }
  return status;
}

static int run(const judge_options *o, taken *all, judgement *judgements)
{
  if (!take_all_files(o, all))
    return 2;
  FILE *json = !o->json ? NULL : strcmp(o->json, "-") == 0 ? stdout : fopen(o->json, "w");
  if (o->json && !json) { /* now, not after the work */
    fprintf(stderr, "posenc-judge: --json: ");
    perror(o->json);
    return 2;
  }
  return judge_all(o, all, judgements) ? write_all(o, judgements, json) : 2;
}

int main(int argc, char **argv)
{
  judge_options o = judge_options_parse(argc, argv);
  taken *all = must_calloc((int64_t)o.n_subjects, sizeof *all);
  judgement *judgements = must_calloc((int64_t)o.n_subjects, sizeof *judgements);
  const int status = run(&o, all, judgements);

  for (size_t i = 0; i < o.n_subjects; i++) {
    free(judgements[i].ranges);
    taken_destroy(&all[i]);
  }
  free(judgements);
  free(all);
  judge_options_destroy(&o);
  return status;
}

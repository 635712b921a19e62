#include "trial.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../reference/formats.h"
#include "../tools/memory.h"

/* The child writes these as it runs, so that the parent can say where it died. */
struct trial_state {
  volatile enum { PLANNING, CALLING, DONE } step;
  const char *volatile now; /* the call that runs, one of the strings of this program */
  volatile posenc_status status;
  disagreement found;
};

static size_t count_of(const segment *s) { return (size_t)((s->n_rows + SEGMENT_REALS) * s->spec.d_model); }

static void *shared_memory(size_t size) {
  void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED)
    out_of_memory("for the outputs of a segment");
  return map;
}

trial trial_create(const segment *s) {
  trial t = {.s = s, .size = format_of(s->spec.dtype)->size};
  t.state = shared_memory(sizeof *t.state);
  t.found = &t.state->found;
  t.outputs = shared_memory(count_of(s) * t.size);
  t.bounds = shared_memory(count_of(s) * sizeof *t.bounds);
  return t;
}

void trial_destroy(trial *t) {
  munmap(t->state, sizeof *t->state);
  munmap(t->outputs, count_of(t->s) * t->size);
  munmap(t->bounds, count_of(t->s) * sizeof *t->bounds);
}

/* Runs in the child. Returns the first status that is not POSENC_OK. */
static posenc_status run_all(trial *t, const posenc_impl *impl) {
  const segment *s = t->s;
  posenc_plan *plan;
  posenc_status status = posenc_plan_create(&plan, &s->spec, impl->name);
  if (status != POSENC_OK)
    return status;

  t->state->step = CALLING;
  t->state->now = "posenc_fill";
  for (int64_t r = 0, row = 0; r < s->n_samples && status == POSENC_OK; row += s->samples[r++].count)
    status = posenc_fill(plan, s->samples[r].first, s->samples[r].count, trial_output(t, row, 0), s->spec.d_model);
  if (status == POSENC_OK)
    status = compare_calls(s, plan, t->outputs, &t->state->now, t->found);
  if (status == POSENC_OK) {
    t->state->now = "posenc_fill_at_real";
    status = posenc_fill_at_real(plan, s->reals, SEGMENT_REALS, trial_output(t, s->n_rows, 0), s->spec.d_model);
  }
  if (status == POSENC_OK)
    t->state->now = "posenc_plan_destroy";
  posenc_plan_destroy(plan);
  if (status != POSENC_OK)
    return status;

  t->state->now = "posenc_impl_error_bound";
  for (int64_t row = 0, i = 0; row < s->n_rows + SEGMENT_REALS; row++)
    for (int64_t column = 0; column < s->spec.d_model; column++, i++)
      t->bounds[i] = posenc_impl_error_bound(impl, &s->spec, segment_position(s, row), column);
  t->state->step = DONE;
  return POSENC_OK;
}

static _Noreturn void child(trial *t, const posenc_impl *impl, unsigned seconds) {
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* a crash here is a result, not something to debug */
  /* Handlers of the parent (a test framework, a sanitizer) would turn a crash into something else. */
  static const int ends[] = {SIGALRM, SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
    signal(ends[i], SIG_DFL);
  alarm(seconds);
  t->state->status = run_all(t, impl);
  _exit(0); /* neither writes the parent's buffered output nor calls its exit handlers */
}

trial_outcome trial_run(trial *t, const posenc_impl *impl, unsigned seconds, char *reason, size_t size) {
  memset(t->outputs, 0xff, count_of(t->s) * t->size); /* NaN in every dtype */
  t->state->step = PLANNING;
  t->state->now = "posenc_plan_create";
  t->state->status = POSENC_OK;
  t->found->call = NULL;

  const pid_t pid = fork();
  if (pid == 0)
    child(t, impl, seconds);
  int how = 0;
  if (pid < 0) {
    snprintf(reason, size, "could not be started: %s", strerror(errno));
    return TRIAL_FAILED;
  }
  while (waitpid(pid, &how, 0) < 0)
    if (errno != EINTR) {
      snprintf(reason, size, "could not be awaited: %s", strerror(errno));
      return TRIAL_FAILED;
    }

  const char *where = t->state->now;
  const posenc_status status = t->state->status;
  if (WIFSIGNALED(how) && WTERMSIG(how) == SIGALRM) {
    snprintf(reason, size, "not finished after %u seconds, in %s", seconds, where);
  } else if (WIFSIGNALED(how)) {
    const char *name = sigabbrev_np(WTERMSIG(how));
    snprintf(reason, size, "crashed: SIG%s in %s", name ? name : "?", where);
  } else if (WEXITSTATUS(how) != 0) {
    snprintf(reason, size, "ended the process with status %d, in %s", WEXITSTATUS(how), where);
  } else if (status == POSENC_ERROR_UNSUPPORTED && t->state->step == PLANNING) {
    return TRIAL_NOT_OFFERED;
  } else if (status != POSENC_OK) {
    snprintf(reason, size, "%s returned an error: %s", where, posenc_status_string(status));
  } else if (t->state->step != DONE) {
    snprintf(reason, size, "ended the process in %s", where);
  } else {
    return TRIAL_DONE;
  }
  return TRIAL_FAILED;
}

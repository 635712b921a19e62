/* What goes wrong around examples/mapped.*, for LD_PRELOAD; FAULT says which: "fork" is refused the third
 * time, and all but the first process are "kill"ed or have their fill "refuse"d. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <posenc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int asked(const char *fault) {
  const char *wanted = getenv("FAULT");
  return wanted && strcmp(wanted, fault) == 0;
}

pid_t fork(void) {
  static int calls;
  pid_t (*const real)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
  if (asked("fork") && ++calls == 3) {
    errno = EAGAIN;
    return -1;
  }
  return real();
}

posenc_status posenc_fill(const posenc_plan *plan, int64_t first, int64_t count, void *out, int64_t row_stride) {
  posenc_status (*const real)(const posenc_plan *, int64_t, int64_t, void *, int64_t) =
      (posenc_status(*)(const posenc_plan *, int64_t, int64_t, void *, int64_t))dlsym(RTLD_NEXT, "posenc_fill");
  if (asked("kill") && first > 0)
    raise(SIGKILL);
  if (asked("refuse") && first > 0)
    return POSENC_ERROR_MEMORY;
  return real(plan, first, count, out, row_stride);
}

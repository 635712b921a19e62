"""The driver's end of a worker: starts it, asks, and says why it went."""
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import time

from subjects import BY_NAME

WORKER = pathlib.Path(__file__).resolve().with_name("worker.py")
PATIENCE = 300  # seconds for one answer; compilers take their time on a small machine


class Gone(Exception):
    """The worker has ended, or was ended; the message says why."""


class Failed(Exception):
    """The request failed, and the worker goes on."""


def environment(threads, cache):
    """Set before any library is loaded, since most of them count processors only once."""
    count = str(threads)
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    return {
        **os.environ, **dict.fromkeys(names, count),
        "TORCHINDUCTOR_CACHE_DIR": cache, "TORCHINDUCTOR_COMPILE_THREADS": "1",  # nothing of an earlier run, no helpers left
        "KMP_BLOCKTIME": "0",  # Intel's OpenMP would keep a processor busy for 200 ms after its work, in somebody else's turn
        "HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error", "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip


class Process:
    """One subject with one number of threads. `processors`: those it may run on."""

    def __init__(self, name, threads, processors, cache):
        self.errors = tempfile.TemporaryFile()
        self.rest = b""
        pinned = threads == 1 and BY_NAME[name].pinned
        os.sched_setaffinity(0, sorted(processors)[:1] if pinned else processors)  # what the child begins with
        try:
            self.child = subprocess.Popen(
                [sys.executable, "-B", str(WORKER), name, str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=self.errors, env=environment(threads, cache),
            )  # fmt: skip
        finally:
            os.sched_setaffinity(0, processors)

    def last_words(self):
        self.errors.seek(0)
        lines = [line.strip() for line in self.errors.read().decode(errors="replace").splitlines() if line.strip()]
        return lines[-1] if lines else "no message"

    def answer(self):
        """The next line, which may be the first one: what the worker says of itself."""
        until = time.monotonic() + PATIENCE
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.child.stdout], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                self.end()
                raise Gone(f"no answer within {PATIENCE} s")
            some = os.read(self.child.stdout.fileno(), 1 << 16)
            if not some:
                status = self.end()
                how = f"by signal {-status}" if status < 0 else f"with status {status}"
                raise Gone(f"the process ended {how}: {self.last_words()}")
            self.rest += some
        line, self.rest = self.rest.split(b"\n", 1)
        said = json.loads(line)
        if "not_here" in said:
            self.end()
            raise Gone(said["not_here"])
        if "error" in said:
            raise Failed(said["error"])
        return said

    def ask(self, do, **request):
        try:
            self.child.stdin.write(json.dumps({"do": do, **request}).encode() + b"\n")
            self.child.stdin.flush()
        except OSError:
            pass  # it has ended, and answer() tells how
        return self.answer()

    def close(self):
        """Ends its input, which ends a worker that waits for a request."""
        try:
            self.child.stdin.close()
        except OSError:
            pass  # it has ended with a request unread

    def end(self):
        """Its status. One that does not end by itself is killed."""
        self.close()
        try:
            self.child.wait(5)
        except subprocess.TimeoutExpired:
            self.child.kill()
        return self.child.wait()

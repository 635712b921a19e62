"""One subject, in a process of its own."""
import os
import signal
import statistics
import time

from subjects import BY_NAME, NotHere

CALLS = 2  # that are timed in a turn, at least, however long they take
SMALL = 1 << 22  # elements of a table that is compared with another of its kind, each with each


class Failed(Exception):
    """What a worker was asked for failed; the message says why."""


class Worker:
    def __init__(self, recipe, preset="paper"):
        self.recipe, self.preset = recipe, preset

    def describe(self):
        there = {"fresh": True, "refill": self.recipe.refill, "first": self.recipe.forget}
        jobs = [job for job, how in there.items() if how]
        return {"versions": self.recipe.versions, "member": self.recipe.member, "jobs": jobs, "process": os.getpid()}

    def call(self, job, n, d):
        """A function of no arguments that does the job once and returns the table."""
        if job != "refill":
            return lambda: self.recipe.fresh(n, d)
        table = self.recipe.empty(n, d)
        self.array(table, n, d).fill(float("nan"))  # it exists, and so do its pages; what is not refilled will show

        def refill():
            self.recipe.refill(table)
            return table

        return refill

    def ready(self, job):
        """What comes before a call and is no part of it."""
        if job == "first":
            self.recipe.forget()

    def prepare(self, job, n, d):
        """Calls for the first time, which is where compilers work, compares the table with the formula, and measures
        memory."""
        from formula import compare  # they import NumPy, which has to find the environment that start() sets
        from memory import beyond

        call = self.call(job, n, d)
        self.ready(job)
        table = self.array(call(), n, d)
        compare(self.preset, table)
        if job == "refill" and n * d <= SMALL and not (table == self.array(self.recipe.fresh(n, d), n, d)).all():
            raise ValueError(f"{n} x {d} refilled is not what it is when it is fresh")
        del table
        self.ready(job)
        return {"memory": beyond(call, 4 * n * d, job != "refill")[1]}

    def array(self, table, n, d):
        array = self.recipe.array(table)
        if array.shape != (n, d) or array.dtype != "float32":
            raise ValueError(
                f"the table has shape {array.shape} and dtype {array.dtype}; expected {(n, d)} and float32"
            )
        return array

    def turn(self, job, n, d, least):
        """The median of two calls or more, which take `least` seconds together, after one that is not timed. The table that a
        call made is freed after the clock is read, and before the next call, so that each gets its memory anew.

        The untimed call is a whole one however long it takes, for everybody: others have worked since this process did, so
        caches are theirs, threads sleep, and a virtual machine may have given free memory back to its host."""
        call, times = self.call(job, n, d), []
        self.timed(job, call)
        while len(times) < CALLS or sum(times) < least:
            times.append(self.timed(job, call))
        return statistics.median(times)

    def timed(self, job, call):
        self.ready(job)
        start = time.perf_counter()
        result = call()
        seconds = time.perf_counter() - start
        del result
        return seconds

    def judge(self, n, d, path):
        """Writes the table for posenc-verify."""
        import numpy

        numpy.save(path, self.array(self.recipe.fresh(n, d), n, d))
        return n


def described(error):
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), "no message")
    return text if isinstance(error, (NotHere, ImportError)) else f"{type(error).__name__}: {text}"


def start(name, threads, processors, cache):
    """The first call in a process: makes its one worker, and returns what that says of itself."""
    global worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver's to handle
    counts = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    os.environ |= dict.fromkeys(counts, str(threads)) | {
        "TORCHINDUCTOR_CACHE_DIR": cache, "TORCHINDUCTOR_COMPILE_THREADS": "1",  # nothing of an earlier run, no helpers left
        "KMP_BLOCKTIME": "0",  # Intel's OpenMP would keep a processor busy for 200 ms after its work, in somebody else's turn
        "HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error",
    }  # fmt: skip
    os.sched_setaffinity(0, sorted(processors)[:1] if threads == 1 and BY_NAME[name].pinned else processors)
    try:
        worker = Worker(BY_NAME[name].make(threads), BY_NAME[name].preset)
    except Exception as error:  # a package whose parts do not fit raises all sorts
        raise Failed(described(error)) from None
    return worker.describe()


def ask(do, request):
    try:
        return getattr(worker, do)(**request)
    except Exception as error:  # libraries' own exceptions cannot always be sent
        raise Failed(described(error)) from None

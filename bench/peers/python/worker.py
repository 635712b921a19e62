"""The code that runs in the process of a library: a worker for each of the library's subjects."""
import os
import signal
import statistics
import time

from subjects import BY_NAME

workers = {}  # of this process, by the names of their subjects
CALLS = 2  # least number of timed calls in a turn, however long they take


class Failed(Exception):
    """A worker failed; the message is the reason."""


class Worker:
    def __init__(self, recipe, preset="paper"):
        self.recipe, self.preset, self.kept = recipe, preset, {}

    def once(self, case):
        """Returns a function without arguments that does the job once, and returns the table if the job makes one."""
        if case.job == "fresh":
            return lambda: self.recipe.fresh(case.n, case.d)
        if case.job != "refill":
            if case not in self.kept:
                self.kept[case] = self.recipe.call(case)
            return self.kept[case]
        table = self.recipe.empty(case.n, case.d)
        self.checked(table, case).fill(float("nan"))  # makes the pages exist; NaN shows what a refill leaves out

        def refill():
            self.recipe.refill(table)
            return table

        return refill

    def prepare(self, case):
        """Makes the first call, during which compilers work, and refuses a table that is not the preset's."""
        from judged import refuse_another  # imported late, because NumPy must find the environment that begin() sets

        result = self.once(case)()
        if case.job in ("fresh", "refill"):
            refuse_another(self.preset, self.checked(result, case))
        return True

    def checked(self, table, case):
        array = self.recipe.array(table)
        if array.shape != (case.n, case.d) or array.dtype != "float32":
            raise ValueError(f"the table is {array.shape}, {array.dtype}; expected: {(case.n, case.d)}, float32")
        return array

    def turn(self, case, least):
        """Returns the median of two or more timed calls, which take at least `least` seconds together, after one
        untimed call. A call's table is freed after the clock is read and before the next call, so that each call gets
        new memory.

        The untimed call is a whole call for every subject, however long it takes. Other processes have worked since
        this one did, so the caches hold their data, threads sleep, and a virtual machine may have returned free memory
        to its host."""
        call, times = self.once(case), []
        seconds_of(call)
        while len(times) < CALLS or sum(times) < least:
            times.append(seconds_of(call))
        return statistics.median(times)

    def rows(self, case, positions):
        """Returns rows of a table."""
        import numpy

        if case.job == "rotary":  # cosines and sines, each (1, n, d); the two halves of a row are equal
            return numpy.hstack([part[0, :, : case.d // 2].numpy() for part in self.once(case)()])[positions]
        return self.checked(self.recipe.fresh(case.n, case.d), case)[positions]


def seconds_of(call):
    start = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - start
    del result
    return seconds


def described(error):
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), "no message")
    return text if isinstance(error, ImportError) else f"{type(error).__name__}: {text}"


def begin(library, threads, processors, cache):
    """Sets up a process. It is the first call there."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver handles it
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads)) | {
        "TORCHINDUCTOR_CACHE_DIR": cache,  # empty, so that no earlier run's code is used
        "TORCHINDUCTOR_COMPILE_THREADS": "1",  # leaves no helper processes
        "KMP_BLOCKTIME": "0",  # otherwise Intel's OpenMP keeps a processor busy for 200 ms, into another subject's turn
        "HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error",
    }  # fmt: skip
    pinned = library == "JAX" and threads == 1  # it uses one thread only if it has one processor
    os.sched_setaffinity(0, sorted(processors)[:1] if pinned else processors)


def make(name, threads):
    """Makes a subject's worker, and returns its description of itself."""
    try:
        worker = workers[name] = Worker(BY_NAME[name].started(threads), BY_NAME[name].preset)
    except Exception as error:  # an inconsistent package can raise anything
        raise Failed(described(error)) from None
    return {name: getattr(worker.recipe, name) for name in ("version", "member", "jobs", "compiles")}


def work(name, do, *arguments):
    try:
        return getattr(workers[name], do)(*arguments)
    except Exception as error:  # exceptions of libraries cannot always be sent to another process
        raise Failed(described(error)) from None

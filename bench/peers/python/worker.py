"""What runs in the process of a library: a worker for each of its subjects."""
import os
import signal
import statistics
import time

from subjects import BY_NAME

workers = {}  # of this process, by their subjects' names
CALLS = 2  # that are timed in a turn, at least, however long they take


class Failed(Exception):
    """What a worker was asked for failed; the message says why."""


class Worker:
    def __init__(self, recipe, preset="paper"):
        self.recipe, self.preset, self.kept = recipe, preset, {}

    def once(self, case):
        """A function of no arguments that does the job once; where that makes a table, it returns it."""
        if case.job == "fresh":
            return lambda: self.recipe.fresh(case.n, case.d)
        if case.job != "refill":
            if case not in self.kept:
                self.kept[case] = self.recipe.call(case)
            return self.kept[case]
        table = self.recipe.empty(case.n, case.d)
        self.checked(table, case).fill(float("nan"))  # it exists, and so do its pages; what is not refilled will show

        def refill():
            self.recipe.refill(table)
            return table

        return refill

    def prepare(self, case):
        """Calls for the first time, which is where compilers work, and compares a table with the formula."""
        from formula import compare  # it imports NumPy, which has to find the environment that begin() sets

        result = self.once(case)()
        if case.job in ("fresh", "refill"):
            compare(self.preset, self.checked(result, case))
        return True

    def checked(self, table, case):
        array = self.recipe.array(table)
        if array.shape != (case.n, case.d) or array.dtype != "float32":
            raise ValueError(f"the table is {array.shape}, {array.dtype}; expected: {(case.n, case.d)}, float32")
        return array

    def turn(self, case, least):
        """The median of two calls or more, which take `least` seconds together, after one that is not timed. The table
        that a call made is freed after the clock is read, and before the next call, so that each gets its memory anew.

        The untimed call is a whole one however long it takes, for everybody: others have worked since this process did,
        so caches are theirs, threads sleep, and a virtual machine may have given free memory back to its host."""
        call, times = self.once(case), []
        seconds_of(call)
        while len(times) < CALLS or sum(times) < least:
            times.append(seconds_of(call))
        return statistics.median(times)

    def save(self, case, path):
        """Writes the table for posenc-verify."""
        import numpy

        if case.job == "rotary":  # cosines and sines, each (1, n, d); the two halves of a row are equal
            table = numpy.hstack([part[0, :, : case.d // 2].numpy() for part in self.once(case)()])
        else:
            table = self.checked(self.recipe.fresh(case.n, case.d), case)
        path.parent.mkdir(exist_ok=True)
        numpy.save(path, table)
        return True


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
    """The first call in a process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver's to handle
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads)) | {
        "TORCHINDUCTOR_CACHE_DIR": cache, "TORCHINDUCTOR_COMPILE_THREADS": "1",  # nothing of an earlier run, no helpers left
        "KMP_BLOCKTIME": "0",  # Intel's OpenMP would keep a processor busy for 200 ms after its work, in somebody else's turn
        "HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error",
    }  # fmt: skip
    pinned = library == "JAX" and threads == 1  # it has one thread only where there is one processor
    os.sched_setaffinity(0, sorted(processors)[:1] if pinned else processors)


def make(name, threads):
    """A subject's first call: makes its worker, and returns what that says of itself."""
    try:
        worker = workers[name] = Worker(BY_NAME[name].started(threads), BY_NAME[name].preset)
    except Exception as error:  # a package whose parts do not fit raises all sorts
        raise Failed(described(error)) from None
    return {name: getattr(worker.recipe, name) for name in ("version", "member", "jobs", "compiles")}


def work(name, do, *arguments):
    try:
        return getattr(workers[name], do)(*arguments)
    except Exception as error:  # libraries' own exceptions cannot always be sent
        raise Failed(described(error)) from None

"""One subject in a process of its own: reads requests from standard input, a JSON object a line, and answers each with one.

    worker.py NAME THREADS

An answer is what was asked for, {"not_here": reason} at the start, or {"error": message}; after an error it goes on.
"""
import json
import os
import statistics
import sys
import time

sys.dont_write_bytecode = True
LONG = 0.3  # seconds of a call


def claim_output():
    """Answers go where standard output was, and what libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


class Worker:
    def __init__(self, recipe):
        self.recipe = recipe
        self.long = {}  # of the cases whose calls take long, the bytes that a call uses at most

    def describe(self):
        jobs = ["fresh", "refill"] if self.recipe.refill else ["fresh"]
        return {"versions": self.recipe.versions, "member": self.recipe.member, "jobs": jobs}

    def call(self, job, n, d):
        """A function of no arguments that does the job once; it returns the table, if it makes a new one."""
        if job == "fresh":
            return lambda: self.recipe.fresh(n, d)
        table = self.recipe.empty(n, d)
        self.recipe.array(table).fill(0)  # it exists, and so do its pages
        return lambda: self.recipe.refill(table)

    def prepare(self, job, n, d, budget):
        """Calls for the first time, which is where compilers work, and measures memory. With a budget, in seconds, rows are
        such that a call takes about that long."""
        rows = n
        if budget is not None:
            rows = min(n, 64)
            call = self.call(job, rows, d)
            call()
            seconds = min(self.timed(call) for _ in range(3))
            rows = max(rows, min(n, int(rows * budget / seconds)))
        call = self.call(job, rows, d)
        result = call()
        self.check(result, job, rows, d)
        del result
        start = time.perf_counter()
        _, memory, by = beyond(call, 4 * rows * d, job == "fresh")
        if memory is not None and time.perf_counter() - start > LONG:
            self.long[job, rows, d] = memory + (4 * rows * d if job == "fresh" else 0)
        return {"rows": rows, "memory": memory, "memory_by": by}

    def check(self, fresh, job, n, d):
        """That it is a float32 table of this shape; and of small ones, that what is refilled is what is made afresh."""
        if job == "fresh":
            self.array(fresh, n, d)
        elif n * d <= 1 << 22:
            expected = self.array(self.recipe.fresh(n, d), n, d)
            table = self.recipe.empty(n, d)
            self.array(table, n, d).fill(float("nan"))
            self.recipe.refill(table)
            if not (self.array(table, n, d) == expected).all():
                raise ValueError(f"{n} x {d} refilled is not what it is when it is fresh")

    def array(self, table, n, d):
        array = self.recipe.array(table)
        if array.shape != (n, d) or array.dtype != "float32":
            raise ValueError(f"the table has shape {array.shape} and dtype {array.dtype}; expected {(n, d)} and float32")
        return array

    def turn(self, job, n, d, least):
        """The median of calls that take `least` seconds together, after one that is not timed. What a call made is freed
        when it is no longer timed, and before the next, so that each gets its memory anew.

        A call that takes long is warmed up by touching as much memory as it will use. That is what the untimed call is for
        there: a virtual machine may have given free memory back to its host, and getting it again is nobody's work."""
        call, times = self.call(job, n, d), []
        if (job, n, d) in self.long:
            touch(self.long[job, n, d])
        else:
            call()
        while not times or sum(times) < least:
            times.append(self.timed(call))
        return {"seconds": statistics.median(times), "calls": len(times)}

    def timed(self, call):
        start = time.perf_counter()
        result = call()
        seconds = time.perf_counter() - start
        del result
        return seconds

    def judge(self, n, d, path):
        """Writes the table for posenc-judge."""
        import numpy

        numpy.save(path, self.array(self.recipe.fresh(n, d), n, d))
        return {"rows": n}


def main():
    answers, name, threads = claim_output(), sys.argv[1], int(sys.argv[2])
    try:
        worker = Worker(BY_NAME[name].make(threads))
        answer = worker.describe()
    except NotHere as error:
        answer, worker = {"not_here": str(error)}, None
    print(json.dumps(answer), file=answers, flush=True)
    for line in sys.stdin if worker else ():
        request = json.loads(line)
        try:
            answer = getattr(worker, request.pop("do"))(**request)
        except Exception as error:  # the driver decides what that means
            text = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
            answer = {"error": f"{type(error).__name__}: {text}".removesuffix(": ")}
        print(json.dumps(answer), file=answers, flush=True)


from memory import beyond, touch  # noqa: E402, after bytecode was switched off
from subjects import BY_NAME, NotHere  # noqa: E402

if __name__ == "__main__":
    main()

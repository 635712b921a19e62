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
CALLS = 2  # that are timed in a turn, at least, however long they take
SMALL = 1 << 22  # elements of a table that is compared with another of its kind, each with each


def claim_output():
    """Answers go where standard output was, and what libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


class Worker:
    def __init__(self, recipe, preset="paper"):
        self.recipe, self.preset = recipe, preset

    def describe(self):
        there = {"fresh": True, "refill": self.recipe.refill, "first": self.recipe.forget}
        jobs = [job for job, how in there.items() if how]
        return {"versions": self.recipe.versions, "member": self.recipe.member, "jobs": jobs}

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

    def prepare(self, job, n, d, budget):
        """Calls for the first time, which is where compilers work, compares what came of it with the formula, and measures
        memory. With a budget, in seconds, rows are such that a call takes about that long."""
        rows = n
        if budget is not None:
            rows = min(n, 64)
            call = self.call(job, rows, d)
            call()
            seconds = min(self.timed(job, call) for _ in range(3))
            rows = max(rows, min(n, int(rows * budget / seconds)))
        call = self.call(job, rows, d)
        self.ready(job)
        table = call()
        self.check(table, job, rows, d)
        del table
        self.ready(job)
        _, memory, by = beyond(call, 4 * rows * d, job != "refill")
        return {"rows": rows, "memory": memory, "memory_by": by}

    def check(self, table, job, n, d):
        """That it is a float32 table of this shape and the formula's; and of small ones, that what is refilled is, in every
        element, what is made afresh."""
        array = self.array(table, n, d)
        compare(self.preset, array)
        if job == "refill" and n * d <= SMALL and not (array == self.array(self.recipe.fresh(n, d), n, d)).all():
            raise ValueError(f"{n} x {d} refilled is not what it is when it is fresh")

    def array(self, table, n, d):
        array = self.recipe.array(table)
        if array.shape != (n, d) or array.dtype != "float32":
            raise ValueError(
                f"the table has shape {array.shape} and dtype {array.dtype}; expected {(n, d)} and float32"
            )
        return array

    def turn(self, job, n, d, least):
        """The median of two calls or more, which take `least` seconds together, after one that is not timed. What a call made
        is freed when it is no longer timed, and before the next, so that each gets its memory anew.

        The untimed call is a whole one however long it takes, for everybody: others have worked since this process did, so
        caches are theirs, threads sleep, and a virtual machine may have given free memory back to its host."""
        call, times = self.call(job, n, d), []
        self.timed(job, call)
        while len(times) < CALLS or sum(times) < least:
            times.append(self.timed(job, call))
        return {"seconds": statistics.median(times), "calls": len(times)}

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
        return {"rows": n}


def main():
    answers, name, threads = claim_output(), sys.argv[1], int(sys.argv[2])
    try:
        subject = BY_NAME[name]
        worker = Worker(subject.make(threads), subject.preset)
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


from formula import compare  # noqa: E402, after bytecode was switched off
from memory import beyond  # noqa: E402
from subjects import BY_NAME, NotHere  # noqa: E402

if __name__ == "__main__":
    main()

"""Turns: in each turn every subject does every case once, in random order, one at a time. Times are compared within a
turn, so that other work on the machine affects all subjects alike."""
import concurrent.futures
import multiprocessing
import random
import sys
import time

import numpy
from judged import judged, sample
from subjects import BY_NAME
from worker import Failed, begin, make, work

SPAWN = multiprocessing.get_context("spawn")  # most libraries count processors once, when they are loaded
CALLS_TAKE = 0.02  # least seconds of the timed calls in a turn
SLOW_ROWS = 128  # rows of a slow subject's table
LARGE, LARGE_TURNS = 64 << 20, 3  # bytes; a larger table has at most LARGE_TURNS turns
SEED = 1


def say(message):
    print(f"peers_python: {message}", file=sys.stderr, flush=True)


class Run:
    """All processes, one for each library and number of threads, and their measurements.

    said: {(name, threads): the subject's description of itself}
    seconds: {(case, name): [seconds in each turn]}, in the order of the turns
    failed: {(case, name): reason}; not_run: {name: reason}; began: the names of subjects that started
    """

    def __init__(self, names, cases, processors, cache):
        self.names, self.cases = names, cases
        self.said, self.seconds, self.failed, self.not_run = {}, {}, {}, {}
        counts = sorted({case.threads for case in cases})
        wanted = [(name, threads) for name in names for threads in (counts if BY_NAME[name].threads else [1])]
        self.processes = {}
        for library, threads in dict.fromkeys((BY_NAME[name].library, threads) for name, threads in wanted):
            self.processes[library, threads] = concurrent.futures.ProcessPoolExecutor(1, SPAWN)
            self.processes[library, threads].submit(begin, library, threads, processors, cache).result()
        for name, threads in wanted:
            try:
                self.said[name, threads] = self.ask(name, threads, make, name, threads)
            except Failed as failed:
                self.miss(name, failed)
        self.began = {name for name, _ in self.said}

    def miss(self, name, reason):
        say(f"{name} not run: {reason}")
        self.not_run[name] = str(reason)

    def ask(self, name, threads, function, *arguments):
        """Returns the answer of the process. Raises Failed if the process has ended."""
        key = BY_NAME[name].library, threads
        try:
            return self.processes[key].submit(function, *arguments).result()
        except concurrent.futures.BrokenExecutor as gone:
            self.processes.pop(key).shutdown()
            for who in [who for who, count in self.said if (BY_NAME[who].library, count) == key]:
                self.miss(who, gone)
            raise Failed(str(gone)) from None
        except KeyError:
            raise Failed("its process ended") from None

    def does(self, name, case, do, *arguments):
        """Returns the answer, or None after a failure; then this case is not measured again."""
        try:
            return self.ask(name, case.threads, work, name, do, *arguments)
        except Failed as failed:
            say(f"{case.name(name)} failed: {failed}")
            self.seconds.pop((case, name), None)
            if (BY_NAME[name].library, case.threads) in self.processes:
                self.failed[case, name] = str(failed)

    def described(self, name, case):
        """Returns the fields of the case in the results. posenc is named with the instruction set that ran."""
        who = self.said[name, case.threads]["member"] or name
        found = {"run_name": case.name(who), "run_type": "iteration", "label": case.label(who)}
        return found | {"positions": case.n, "columns": case.d, "rows": self.part(name, case).n, "wall": 1}

    def part(self, name, case):
        """Returns the case with the rows that are computed; a slow subject computes only some."""
        return case._replace(n=min(case.n, SLOW_ROWS)) if BY_NAME[name].slow else case

    def first_calls(self):
        for case in self.cases:
            say(f"first calls: {case.name('*')}")
            for name in self.names:
                said = self.said.get((name, case.threads), {"jobs": ()})
                able = case.job in said["jobs"] and (said["compiles"] or not case.compiled)
                if able and self.does(name, case, "prepare", self.part(name, case)):
                    self.seconds[case, name] = []

    def turns(self, count):
        order, start = random.Random(SEED), time.monotonic()
        for turn in range(count):
            cases = [case for case in self.cases if turn < LARGE_TURNS or 4 * case.n * case.d <= LARGE]
            say(f"turn {turn + 1} of {count}: {len(cases)} cases, {time.monotonic() - start:.0f} s so far")
            for case in order.sample(cases, len(cases)):
                for name in order.sample(self.names, len(self.names)):
                    part = self.part(name, case)
                    seconds = (case, name) in self.seconds and self.does(name, case, "turn", part, CALLS_TAKE)
                    if seconds:
                        self.seconds[case, name].append(seconds)

    def judged(self, name, case, preset):
        """Returns the verdicts on a table, computed by as many threads as the subject can use, in a list, or none."""
        threads = [count for who, count in self.said if who == name]
        if threads and case.job in self.said[name, threads[0]]["jobs"]:
            say(f"a table to be judged: {name}, {case.n} x {case.d}")
            positions = sample(case.n)
            rows = self.does(name, case._replace(threads=max(threads)), "rows", case, numpy.concatenate(positions))
            return [] if rows is None else [judged(name, preset, positions, rows)]
        return []

    def end(self):
        for process in self.processes.values():
            process.shutdown()

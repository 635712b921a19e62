"""Turns: in each, everyone does every case once, in random order, one process working at a time. What is compared was
measured in the same turn, so that what the machine does meanwhile falls on all alike."""
import random
import sys
import time
from typing import NamedTuple

from process import Failed, Gone, Process
from subjects import BY_NAME

CALLS_TAKE = 0.02  # seconds in a turn, at least
SLOW_CALL = 0.1  # seconds that a slow one's call takes, by the number of its rows
ENOUGH = 3  # turns that have a spread
LARGE, LARGE_TURNS = 64 << 20, ENOUGH  # tables of more bytes have no more turns than that
FIRST = 5000 * 512  # elements of a table for whose first call it matters what was kept of another


class Case(NamedTuple):
    job: str
    n: int
    d: int
    threads: int

    def __str__(self):
        return f"{self.n} x {self.d}, {self.job}, {self.threads} thread{'s' if self.threads > 1 else ''}"


class Measured:
    """One subject's turns of one case: seconds for the whole table, by turn."""

    def __init__(self, prepared):
        self.prepared = prepared
        self.rows, self.memory, self.memory_by = prepared["rows"], prepared["memory"], prepared["memory_by"]
        self.seconds = {}


def say(message, end="\n"):
    print(f"peers_python: {message}", file=sys.stderr, end=end, flush=True)


class Run:
    """All processes, and what they have measured."""

    def __init__(self, names, thread_counts, sizes, processors, cache):
        self.names, self.thread_counts, self.sizes = names, thread_counts, sizes
        self.processes, self.said, self.measured, self.not_run = {}, {}, {}, []
        self.judged = {}
        for name in names:
            for threads in thread_counts if BY_NAME[name].threads else [1]:
                self.processes[name, threads] = Process(name, threads, processors, cache)
        say(f"{len(self.processes)} processes load their libraries")
        for name, threads in list(self.processes):
            try:
                self.said[name, threads] = self.processes[name, threads].answer()
            except Gone as gone:
                self.lose(name, threads, str(gone))
        for name, _ in [key for key in self.processes if not BY_NAME[key[0]].threads]:
            for threads in thread_counts:  # the same process is its best with more
                self.processes[name, threads], self.said[name, threads] = self.processes[name, 1], self.said[name, 1]

    def lose(self, name, threads, reason):
        """A process that is no more; what it measured until then stays where it has turns enough for a spread."""
        gone = self.processes[name, threads]
        lost = {key for key, process in self.processes.items() if process is gone}
        for key in lost:
            del self.processes[key]
        for case, measured in self.measured.items():
            if (name, case.threads) in lost and name in measured and len(measured[name].seconds) < ENOUGH:
                del measured[name]
        self.miss(name, reason)

    def miss(self, name, reason):
        if {"name": name, "reason": reason} not in self.not_run:
            say(f"{name} not run: {reason}")
            self.not_run.append({"name": name, "reason": reason})

    def ask(self, name, case, do, **request):
        """The answer, or None and the reason in not_run: then this case is not measured again."""
        try:
            return self.processes[name, case.threads].ask(do, **request)
        except Failed as failed:
            self.miss(name, f"{case}: {failed}")
        except Gone as gone:
            self.lose(name, case.threads, f"{case}: {gone}")
        self.measured.get(case, {}).pop(name, None)
        return None

    def prepare(self):
        """Every case for the first time, small ones first."""
        for threads in self.thread_counts:
            for n, d in sorted(self.sizes, key=lambda size: size[0] * size[1]):
                for job in ("fresh", "refill", "first") if threads == 1 and n * d <= FIRST else ("fresh", "refill"):
                    case = Case(job, n, d, threads)
                    say(f"first calls: {case}")
                    self.prepare_case(case)

    def prepare_case(self, case):
        self.measured[case] = {}
        for name in [name for name in self.names if (name, case.threads) in self.processes]:
            if case.threads > 1 and not BY_NAME[name].threads:  # its process has answered that
                known = self.measured[case._replace(threads=1)].get(name)
                if known:
                    self.measured[case][name] = Measured(known.prepared)
            elif case.job in self.said[name, case.threads]["jobs"]:
                budget = SLOW_CALL if BY_NAME[name].slow else None
                prepared = self.ask(name, case, "prepare", job=case.job, n=case.n, d=case.d, budget=budget)
                if prepared:
                    self.measured[case][name] = Measured(prepared)

    def turns(self, turns, seed):
        order = random.Random(seed)
        start = time.monotonic()
        for turn in range(turns):
            cases = [case for case in self.measured if turn < LARGE_TURNS or 4 * case.n * case.d <= LARGE]
            if not cases:
                break
            say(f"turn {turn + 1} of {turns}: {len(cases)} cases, {time.monotonic() - start:.0f} s so far")
            for case in order.sample(cases, len(cases)):
                names = list(self.measured[case])
                for name in order.sample(names, len(names)):
                    self.turn(turn, case, name)

    def turn(self, turn, case, name):
        if name not in self.measured[case] or (name, case.threads) not in self.processes:
            return  # lost since
        rows = self.measured[case][name].rows
        answer = self.ask(name, case, "turn", job=case.job, n=rows, d=case.d, least=CALLS_TAKE)
        if answer:
            self.measured[case][name].seconds[turn] = answer["seconds"] * case.n / rows

    def judge(self, names, rows_of, d, directory):
        """A table of each for posenc-verify, by as many threads as it can use."""
        for name in names:
            counts = [threads for who, threads in self.processes if who == name]
            if not counts:
                continue
            case = Case("judged", rows_of(name), d, max(counts))
            say(f"a table to be judged: {name}, {case.n} x {d}")
            answer = self.ask(name, case, "judge", n=case.n, d=d, path=str(directory / f"{name}.npy"))
            if answer:
                self.judged[name] = answer["rows"]

    def end(self):
        for process in self.processes.values():
            process.close()  # all of them end at once
        for process in self.processes.values():
            process.end()

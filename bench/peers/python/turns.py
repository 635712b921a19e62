"""Turns: in each, everyone does every case once, in random order, one process working at a time. What is compared was
measured in the same turn, so that what the machine does meanwhile falls on all alike."""
import concurrent.futures
import dataclasses
import multiprocessing
import os
import random
import signal
import sys
import time
from typing import NamedTuple

from subjects import BY_NAME
from worker import Failed, ask, start

PATIENCE = 300  # seconds for one answer; compilers take their time on a small machine
GONE = (concurrent.futures.BrokenExecutor, concurrent.futures.TimeoutError)
SPAWN = multiprocessing.get_context("spawn")  # most libraries count processors once, when they are loaded
CALLS_TAKE = 0.02  # seconds in a turn, at least
SLOW_ROWS = 128  # of a slow one's table; its times are scaled to the whole
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


@dataclasses.dataclass
class Measured:
    """One subject's turns of one case."""

    rows: int
    memory: int | None
    seconds: dict = dataclasses.field(default_factory=dict)  # for the whole table, by turn


def say(message):
    print(f"peers_python: {message}", file=sys.stderr, flush=True)


class Run:
    """All processes, and what they have measured."""

    def __init__(self, names, thread_counts, sizes, processors, cache):
        self.names, self.said, self.measured, self.not_run, self.judged = names, {}, {}, [], {}
        sizes = sorted(sizes, key=lambda size: size[0] * size[1])
        self.cases = [
            Case(job, n, d, threads)
            for threads in thread_counts
            for n, d in sizes
            for job in ("fresh", "refill", "first")
            if job != "first" or (threads == 1 and n * d <= FIRST)
        ]
        self.processes = {
            (name, threads): concurrent.futures.ProcessPoolExecutor(1, SPAWN)
            for name in names
            for threads in (thread_counts if BY_NAME[name].threads else [1])
        }
        say(f"{len(self.processes)} processes load their libraries")
        pending = {key: pool.submit(start, *key, processors, cache) for key, pool in self.processes.items()}
        for key, answer in pending.items():
            try:
                self.said[key] = answer.result(PATIENCE)
            except (Failed, *GONE) as error:
                self.lose(*key, str(error) or f"no answer within {PATIENCE} s")

    def lose(self, name, threads, reason):
        """Forgets a process that ended, and what it measured."""
        self.processes.pop((name, threads)).shutdown(wait=False)
        try:
            os.kill(self.said[name, threads]["process"], signal.SIGKILL)  # one that gave no answer in time
        except (KeyError, ProcessLookupError):
            pass
        for case, who in list(self.measured):
            if (who, case.threads) == (name, threads):
                del self.measured[case, who]
        self.miss(name, reason)

    def miss(self, name, reason):
        entry = {"name": name, "reason": reason}
        if entry not in self.not_run:
            say(f"{name} not run: {reason}")
            self.not_run.append(entry)

    def ask(self, name, case, do, **request):
        """The answer, or None and the reason in not_run: then this case is not measured again."""
        try:
            return self.processes[name, case.threads].submit(ask, do, request).result(PATIENCE)
        except Failed as failed:
            self.measured.pop((case, name), None)
            self.miss(name, f"{case}: {failed}")
        except GONE as gone:
            self.lose(name, case.threads, f"{case}: {str(gone) or f'no answer within {PATIENCE} s'}")
        return None

    def prepare(self):
        """Every case for the first time, small ones first."""
        for case in self.cases:
            say(f"first calls: {case}")
            for name, threads in list(self.processes):
                if threads == case.threads and case.job in self.said[name, threads]["jobs"]:
                    rows = min(case.n, SLOW_ROWS) if BY_NAME[name].slow else case.n
                    prepared = self.ask(name, case, "prepare", job=case.job, n=rows, d=case.d)
                    if prepared:
                        self.measured[case, name] = Measured(rows, **prepared)

    def turns(self, turns, seed):
        order = random.Random(seed)
        start = time.monotonic()
        for turn in range(turns):
            cases = [case for case in self.cases if turn < LARGE_TURNS or 4 * case.n * case.d <= LARGE]
            say(f"turn {turn + 1} of {turns}: {len(cases)} cases, {time.monotonic() - start:.0f} s so far")
            for case in order.sample(cases, len(cases)):
                for name in order.sample(self.names, len(self.names)):
                    if (case, name) in self.measured:
                        self.turn(turn, case, name, self.measured[case, name])

    def turn(self, turn, case, name, measured):
        seconds = self.ask(name, case, "turn", job=case.job, n=measured.rows, d=case.d, least=CALLS_TAKE)
        if seconds:
            measured.seconds[turn] = seconds * case.n / measured.rows

    def judge(self, names, rows_of, d, directory):
        """A table of each for posenc-verify, by as many threads as it can use."""
        for name, threads in {name: threads for name, threads in sorted(self.processes) if name in names}.items():
            case = Case("judged", rows_of(name), d, threads)
            say(f"a table to be judged: {name}, {case.n} x {d}")
            if self.ask(name, case, "judge", n=case.n, d=d, path=str(directory / f"{name}.npy")):
                self.judged[name] = case.n

    def end(self):
        for process in self.processes.values():
            process.shutdown()
        for child in multiprocessing.active_children():  # one that never answered
            child.kill()

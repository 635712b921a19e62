"""`threads=`: which thread writes which rows, and what ends a call early. C's tests run under ThreadSanitizer.

Most tests have a clock of their own, since the time of the first rows decides about other threads."""

import itertools
import os
import pathlib
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from reference import halves

import posenc
from posenc import _arrays
from posenc._plan import Plan

WORTH = 500_000  # nanoseconds
ALL = 1 << 40  # rows of a piece, so that a thread writes its part at once


class Work:
    """Rows that each take the same time, and a record of the threads that wrote them."""

    def __init__(self, nanoseconds, status=lambda first: 0):
        self.now, self.each, self.status = 0, nanoseconds, status
        self.parts = []

    def write(self, first, rows):
        self.parts.append((first, rows, threading.get_ident()))
        self.now += rows * self.each
        return self.status(first)

    def rows(self):
        """The rows that were written, in order, with repetitions."""
        return sorted(row for first, rows, _ in self.parts for row in range(first, first + rows))

    def others(self):
        return [part[:2] for part in self.parts if part[2] != threading.get_ident()]


@pytest.fixture
def share(monkeypatch):
    monkeypatch.setattr(_arrays, "WORTH_A_THREAD", WORTH)

    def share(work, threads, count, piece=ALL):
        monkeypatch.setattr(_arrays, "perf_counter_ns", lambda: work.now)
        return _arrays.in_parts(threads, count, piece, work.write)

    return share


def test_the_limit_is_what_the_documentation_says():
    source = pathlib.Path(_arrays.__file__).read_text()  # conftest.py sets the value for all tests
    assert "\nWORTH_A_THREAD = 500_000\n" in source and "half a millisecond of work" in posenc.table.__doc__


@pytest.mark.parametrize(
    "threads, count, nanoseconds, piece, mine, others",  # the parts that the calling thread and other threads write
    [
        (1, 1000, 10**6, ALL, [(0, 1000)], []),
        (np.int64(2), 63, 1000, ALL, [(0, 1), (1, 62)], []),
        (300, 6400, 158, ALL, [(0, 100), (100, 6300)], []),  # 6300 rows for 0.9954 ms, where 159 ns would be 1.0017
        (2, 6400, 159, ALL, [(0, 100), (100, 3150)], [(3250, 3150)]),
        (300, 6400, 239, ALL, [(0, 100), (100, 2100)], [(2200, 2100), (4300, 2100)]),  # 1.5057 ms
        (2, 66, 10**6, ALL, [(0, 1), (1, 33)], [(34, 32)]),
        (4, 6, 10**9, ALL, [(0, 1), (1, 2)], [(3, 2), (5, 1)]),
        (1, 150, 10**6, 64, [(0, 64), (64, 50), (114, 36)], []),  # a piece takes 50 ms, as far as the last one tells
    ],
)
def test_parts(share, threads, count, nanoseconds, piece, mine, others):
    work = Work(nanoseconds)
    assert share(work, threads, count, piece) == 0
    written = [part[:2] for part in work.parts]
    assert sorted(work.others()) == others and [part for part in written if part not in others] == mine


@pytest.mark.parametrize("threads, fails, written", [(1, 2, 3), (3, 0, 1), (3, 1, 100), (3, 67, 100)])
def test_a_status_is_returned(share, threads, fails, written):
    """The thread that fails writes nothing more. With three threads, each writes all its rows in one call."""
    work = Work(10**9 if threads == 1 else 10**6, lambda first: 8 if first == fails else 0)
    assert share(work, threads, 100, piece=1 if threads == 1 else ALL) == 8
    assert work.rows() == list(range(written))


def test_the_caller_writes_what_no_thread_can(share, monkeypatch):
    start, started = threading.Thread.start, []

    def refuse(self):
        if started:
            raise RuntimeError("can't start new thread")
        started.append(self)
        start(self)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    work = Work(10**6)
    assert share(work, 4, 101) == 0
    assert work.rows() == list(range(101)) and work.others() == [(26, 25)]


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np, posenc

threads = int(sys.argv[1]) or None
signal.signal(signal.SIGINT, signal.default_int_handler)
out = np.zeros((1 << 18, 1024), np.float32)  # pages that are not written take no memory
first = len(out) // 64
begun = 5000  # a row that the first call does not write
if threads:
    begun += first + (len(out) - first) // 2  # and that the calling thread does not write

def interrupt():
    while not out[begun].any():
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    posenc.table(*out.shape, first=1, impl="naive", out=out, threads=threads)
except KeyboardInterrupt:
    assert not out[-1].any(), "it went on to the end"
    assert not any(thread.name == "posenc" for thread in threading.enumerate())
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT as on POSIX")
@pytest.mark.parametrize("threads", [0, 2])
def test_a_long_fill_is_interrupted(threads):
    run = subprocess.run([sys.executable, "-c", INTERRUPTED, str(threads)], capture_output=True, text=True, timeout=600)
    assert run.stdout == "interrupted\n", run.stderr


def test_a_thread_that_fails_is_not_taken_for_one_that_wrote(share, monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda arguments: None)
    caller = threading.get_ident()

    def status(first):
        if threading.get_ident() != caller:
            raise MemoryError
        return 0

    assert share(Work(10**6, status), 2, 65) == 8


CALLS = {
    "table": lambda threads: posenc.table(500, 48, threads=threads),
    "table of": lambda threads: posenc.table(positions=np.arange(500), d_model=48, threads=threads),
    "out": lambda threads: posenc.table(500, 48, out=np.empty((500, 48), np.float32), threads=threads),
    "reals": lambda threads: posenc.table(positions=np.arange(500) / 2, d_model=48, threads=threads),
    "pair": lambda threads: np.hstack(halves(posenc.pair(500, 96, threads=threads))),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("tick, others", [(0, 0), (WORTH, 2)])
def test_calls(call, tick, others, monkeypatch):
    """With a clock that stands still, threads=3 starts no thread; with a fast clock, it starts two."""
    want, start, started = CALLS[call](None), threading.Thread.start, []
    times = itertools.count(0, tick and tick + 1)

    def counted(self):
        started.append(self)
        start(self)

    monkeypatch.setattr(_arrays, "WORTH_A_THREAD", WORTH)
    monkeypatch.setattr(_arrays, "perf_counter_ns", lambda: next(times))
    monkeypatch.setattr(threading.Thread, "start", counted)
    assert np.array_equal(CALLS[call](3), want) and len(started) == others
    assert not any(thread.is_alive() for thread in started)


def test_parts_know_the_whole_table(monkeypatch):
    """The library uses it to decide whether rows are written around the caches. One plan serves all such calls."""
    want, made, for_parts = posenc.table(500, 48), [], Plan.for_parts
    monkeypatch.setattr(_arrays, "_LARGE", want.nbytes)
    monkeypatch.setitem(_arrays._FIRST_PIECE, "float32", 4800)
    monkeypatch.setattr(Plan, "for_parts", lambda self, rows: made.append(for_parts(self, rows)) or made[-1])
    for count, threads in (500, 3), (499, 3), (100, None), (500, 1), (500, None):
        assert np.array_equal(posenc.table(count, 48, threads=threads), want[:count])
    assert [(p.spec().table_rows, p.d_model, p.dtype) for p in made] == [(500, 48, "float32")] * 3
    assert made[0] is made[1] is made[2]


FORK = """
import os, signal, threading, torch
import posenc.torch

Encoding = posenc.torch.SinusoidalPositionalEncoding
torch.set_num_threads(1)  # PyTorch's own threads do not survive a fork
encode = Encoding(8, 0, max_len=4)
rows, growing, go_on = Encoding._rows, threading.Event(), threading.Event()

def wait(*arguments):
    growing.set()
    go_on.wait(300)
    return rows(*arguments)

Encoding._rows = wait
thread = threading.Thread(target=encode.reserve, args=(9,))
thread.start()
assert growing.wait(300)
child = os.fork()
if child == 0:
    signal.alarm(300)  # ends a child that hangs
    Encoding._rows = rows
    right = torch.equal(encode(torch.zeros(20, 1, 8))[:, 0], posenc.torch.table(20, 8))
    os._exit(0 if right else 1)
status = os.waitpid(child, 0)[1]
go_on.set()
thread.join()
assert status == 0, status
assert torch.equal(encode.pe[:, 0], posenc.torch.table(len(encode.pe), 8)) and len(encode.pe) >= 9
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork()")
def test_a_child_forked_while_another_thread_grows_a_table():
    pytest.importorskip("torch")
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr

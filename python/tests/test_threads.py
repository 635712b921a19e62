"""`threads=`: when threads are started, and what ends a call early. C's tests run under ThreadSanitizer.

Most tests have a clock of their own, since the time of the first rows decides about other threads."""

import itertools
import os
import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest
from reference import halves

import posenc
from posenc import _arrays, _library
from posenc._plan import Plan

WORTH = 500_000  # nanoseconds


def test_the_limit_is_what_the_documentation_says():
    source = pathlib.Path(_arrays.__file__).read_text()  # conftest.py sets the value for all tests
    assert "\nWORTH_A_THREAD = 500_000\n" in source and "half a millisecond of work" in posenc.table.__doc__


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


CALLS = {
    "table": lambda threads: posenc.table(500, 48, threads=threads),
    "table of": lambda threads: posenc.table(positions=np.arange(500), d_model=48, threads=threads),
    "out": lambda threads: posenc.table(500, 48, out=np.full((500, 48), np.nan, np.float32), threads=threads),
    "reals": lambda threads: posenc.table(positions=np.arange(500) / 2, d_model=48, threads=threads),
    "pair": lambda threads: np.hstack(halves(posenc.pair(500, 96, threads=threads))),
}


@pytest.fixture
def started(monkeypatch):
    """Returns a function that sets the nanoseconds between two readings of the clock, and lists the threads from then on."""

    def clock(tick):
        start, threads, times = threading.Thread.start, [], itertools.count(0, tick)

        def counted(self):
            start(self)
            threads.append(self)

        monkeypatch.setattr(_arrays, "WORTH_A_THREAD", WORTH)
        monkeypatch.setattr(_arrays, "perf_counter_ns", lambda: next(times))
        monkeypatch.setattr(threading.Thread, "start", counted)
        return threads

    return clock


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("tick, others", [(0, 0), (4732, 0), (4733, 1), (WORTH, 2)])
def test_calls(call, tick, others, started):
    """The clock is read at both ends of the first 7 rows, twice. So 4733 ns give 1.00002 ms for the other 493 rows."""
    want, threads = CALLS[call](None), started(tick)
    assert np.array_equal(CALLS[call](np.int64(3)), want) and len(threads) == others
    assert not any(thread.is_alive() for thread in threads)


def test_the_caller_writes_what_no_thread_can(started, monkeypatch):
    want, threads = posenc.table(500, 48), started(WORTH)
    start = threading.Thread.start

    def refuse(self):
        if threads:
            raise RuntimeError("can't start new thread")
        start(self)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert np.array_equal(posenc.table(500, 48, threads=4, out=np.full((500, 48), np.nan, "f4")), want)
    assert len(threads) == 1


def test_a_thread_that_fails_is_not_taken_for_one_that_wrote(started, monkeypatch):
    fill, caller = _library.library.posenc_fill_at, threading.get_ident()

    def failing(*arguments):
        if threading.get_ident() != caller:
            raise MemoryError
        return fill(*arguments)

    started(WORTH)
    monkeypatch.setattr(threading, "excepthook", lambda arguments: None)
    monkeypatch.setattr(_library.library, "posenc_fill_at", failing)
    with pytest.raises(MemoryError):
        posenc.table(positions=np.arange(500), d_model=48, threads=2)


def test_parts_know_the_whole_table(monkeypatch):
    """The library uses it to decide whether rows are written around the caches. One plan serves all such calls."""
    want, plans, for_parts = posenc.table(500, 48), [], Plan.for_parts
    monkeypatch.setattr(_arrays, "_LARGE", want.nbytes)
    monkeypatch.setitem(_arrays._FIRST_PIECE, "float32", 4800)
    monkeypatch.setattr(Plan, "for_parts", lambda self, rows: plans.append(for_parts(self, rows)) or plans[-1])
    for count, threads in (500, 3), (499, 3), (100, None), (500, 1), (500, None):
        assert np.array_equal(posenc.table(count, 48, threads=threads), want[:count])
    assert [(p.spec().table_rows, p.d_model, p.dtype) for p in plans] == [(500, 48, "float32")] * 3
    assert plans[0] is plans[1] is plans[2]


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

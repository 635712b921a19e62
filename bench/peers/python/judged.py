"""Judges tables of peers and of posenc by sampled rows. The peers in C and C++ are called in the library that CMake
builds from bench/peers."""
import concurrent.futures
import ctypes
import itertools

import numpy

COLUMNS, POSITIONS = 512, 1 << 20  # of the tables of posenc and of the peers in C
CHECKED = 18  # rows of every table that is timed: the first, the last, and evenly spaced ones between them
RUN, RUNS, SEED = 8, 32, 1  # consecutive rows of a run, and the runs in each range of positions


class Peer(ctypes.Structure):
    """The struct of peer.h."""

    _fields_ = [(name, ctypes.c_char_p) for name in ("name", "what", "library")] + [
        ("create", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64, ctypes.c_double)),
        ("destroy", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("fill", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)),
        ("lacks", ctypes.CFUNCTYPE(ctypes.c_char_p)),
    ]


def peers(library):
    """Yields the peers of the library that run here."""
    first = ctypes.POINTER(Peer).in_dll(ctypes.CDLL(library), "peers")
    pointers = ctypes.cast(ctypes.addressof(first), ctypes.POINTER(ctypes.POINTER(Peer)))
    for peer in itertools.takewhile(bool, (pointers[i] for i in itertools.count())):
        if not peer.contents.lacks():
            yield peer.contents


def rows_in_c(library, positions):
    """Returns {name: the rows at these positions, which are runs}."""
    found = {}
    for peer in peers(library):
        rows = found[peer.name.decode()] = numpy.full((len(positions), COLUMNS), numpy.nan, numpy.float32)
        table = peer.create(COLUMNS, 10000.0)
        if table is None:
            raise MemoryError
        for i in range(0, len(positions), RUN):
            peer.fill(table, int(positions[i]), RUN, rows[i:].ctypes.data)
        peer.destroy(table)
    return found


def sample(count):
    """Returns sampled positions below count for each range of posenc's verdicts: runs at both ends and between them."""
    from posenc._judge import ranges

    random, found = numpy.random.default_rng(SEED), []
    for low, high in ranges(0, count):
        cuts = numpy.linspace(low, high, RUNS + 1).astype(numpy.int64)
        starts = random.integers(cuts[:-1], cuts[1:] - RUN, endpoint=True)
        starts[0], starts[-1] = low, high - RUN
        found.append((starts[:, None] + numpy.arange(RUN)).ravel())
    return found


def judged(name, preset, positions, rows):
    """positions: what sample() has returned. rows: at all of them."""
    from posenc._judge import judge

    blocks = zip(positions, numpy.split(rows, numpy.cumsum([len(p) for p in positions])[:-1]))
    verdicts = judge(blocks, rows.shape[1], "float32", {"preset": preset})
    return {"name": name, "preset": preset, "d_model": rows.shape[1], "dtype": "float32", **verdicts}


def refuse_another(preset, table):
    """Raises ValueError if some rows of a table from position 0 are not the preset's, as float32 programs compute them."""
    from posenc._judge import judge

    count, columns = table.shape
    rows = numpy.unique(numpy.linspace(0, count - 1, CHECKED).astype(numpy.int64))
    verdict = judge(((rows[[i]], table[rows[[i]]]) for i in range(len(rows))), columns, "float32", {"preset": preset})
    for found in verdict["ranges"]:
        if found["word"] in ("drifting", "wrong"):
            worst = found["worst"]
            raise ValueError(
                f"the table is not {preset}'s: at position {worst['position']} in column {worst['column']} it has "
                f"{worst['got']} instead of {worst['want']}"
            )


def judged_in_c(library, context, ours):
    """Judges the peers of the library, in a process of its own, and these implementations of posenc."""
    import posenc
    from turns import say

    positions = sample(POSITIONS)
    every = numpy.concatenate(positions)
    found = {}
    with concurrent.futures.ProcessPoolExecutor(1, context) as process:
        try:
            found = process.submit(rows_in_c, library, every).result()
        except (concurrent.futures.BrokenExecutor, MemoryError) as error:
            say(f"the tables of the peers in C are not judged: {error or 'no memory'}")
    found |= {name: posenc.table(positions=every, d_model=COLUMNS, impl=name) for name in ours}
    return [judged(name, "paper", positions, rows) for name, rows in found.items()]

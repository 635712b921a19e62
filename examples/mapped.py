"""Many processes fill one table in a file, which all of them map. Here 4 processes fill 5000 rows of 512 columns:

    python3 mapped.py pe.npy 5000 512 4

A row depends on its position alone, so the file has the same bits for any number of processes.
"""

import argparse
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import posenc


# [part: fill]
def fill(path: str, first: int, end: int) -> None:
    """Fills rows first to end - 1 of the file, in one of the processes."""
    table = np.load(path, mmap_mode="r+")
    posenc.table(end - first, table.shape[1], first=first, out=table[first:end])


# [end: fill]


# [part: share]
def share(path: str, rows: int, d_model: int, processes: int) -> None:
    """Writes the table to a file. Each process writes its share of the rows."""
    np.lib.format.open_memmap(path, "w+", np.float32, (rows, d_model))
    with open(path, "r+b") as file:
        os.posix_fallocate(file.fileno(), 0, os.path.getsize(path))  # a full disk is an error here, not a signal later
        cuts = [rows * i // processes for i in range(processes + 1)]
        with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
            list(pool.map(fill, [path] * processes, cuts[:-1], cuts[1:]))  # list() raises the error of a process
        os.fsync(file.fileno())


# [end: share]


def at_least_one(text: str) -> int:
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}; allowed: 1 and more")
    return int(text)


def main() -> None:
    options = argparse.ArgumentParser(usage="mapped.py FILE.npy ROWS D_MODEL PROCESSES")
    options.add_argument("file")
    for name in ("rows", "d_model", "processes"):
        options.add_argument(name, type=at_least_one)
    given = options.parse_args()
    part = f"{given.file}.{os.getpid()}.part"  # the name until the file is complete
    try:
        share(part, given.rows, given.d_model, given.processes)
        os.replace(part, given.file)
    except (OSError, ValueError, RuntimeError) as error:
        if os.path.exists(part):
            os.unlink(part)
        sys.exit(f"mapped.py: {given.file}: {error}")
    print(f"{given.file}: {given.rows} x {given.d_model} float32, written by {given.processes} processes")


if __name__ == "__main__":
    main()

"""Many processes fill one table in a file, which all of them map. Here 4 processes fill 5000 rows of 512 columns:

    python3 mapped.py pe.npy 5000 512 4

A row depends on its position alone, so the file has the same bits for any number of processes.
"""

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
    """Writes the table to an .npy file of this shape. Each process writes its share of the rows."""
    with open(path, "r+b") as file:
        os.posix_fallocate(file.fileno(), 0, os.path.getsize(path))  # a full disk is an error here, not a signal later
        cuts = [rows * i // processes for i in range(processes + 1)]
        with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
            list(pool.map(fill, [path] * processes, cuts[:-1], cuts[1:]))  # list() raises the error of a process
        os.fsync(file.fileno())


# [end: share]


def main() -> None:
    if len(sys.argv) != 5:
        sys.exit("usage: mapped.py FILE.npy ROWS D_MODEL PROCESSES")
    path, (rows, d_model, processes) = sys.argv[1], map(int, sys.argv[2:])
    if min(rows, d_model, processes) < 1:
        sys.exit("mapped.py: ROWS, D_MODEL and PROCESSES must be 1 or more")
    try:
        np.lib.format.open_memmap(path, "w+", np.float32, (rows, d_model))
        share(path, rows, d_model, processes)
    except (OSError, ValueError, RuntimeError) as error:  # the file is then not complete
        sys.exit(f"mapped.py: {path}: {error}")
    print(f"{path}: {rows} x {d_model} float32, written by {processes} processes")


if __name__ == "__main__":
    main()

"""When memory runs out, MemoryError has the library's message, nothing leaks, and later calls work."""

import subprocess
import sys

import pytest

if sys.platform != "linux":
    pytest.skip("memory is limited and counted as on Linux", allow_module_level=True)

SCRIPT = """
import mmap, resource, sys
import numpy as np
import posenc

def mapped():
    return int(open("/proc/self/statm").read().split()[0]) * mmap.PAGESIZE

def limited(room):
    resource.setrlimit(resource.RLIMIT_AS, (mapped() + room, resource.RLIM_INFINITY))
    try:
        mmap.mmap(-1, 2 * room)
    except OSError:
        return
    print("no limit is kept")
    sys.exit(0)

want = posenc.table(10, 64)
limited(1 << 23)  # a plan of 16 MiB
try:
    posenc.table(1, 1 << 20)
except MemoryError as error:
    assert str(error) == "out of memory", error
else:
    raise AssertionError("there was room")
assert np.array_equal(posenc.table(10, 64), want)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

limited(1 << 28)
before = None
for i in range(20):
    for call in (
        lambda: posenc.table(1 << 20, 1024),
        lambda: posenc.table(1 << 20, 1024, threads=2),
        lambda: posenc.table(positions=np.arange(1 << 20), d_model=1024),
        lambda: posenc.pair(1 << 20, 1024),
    ):
        try:
            call()
        except MemoryError as error:
            message = str(error)
            assert "memory" in message or "allocate" in message, message
        else:
            raise AssertionError("there was room")
    if i == 1:
        before = mapped()
assert mapped() <= before + (1 << 22), (before, mapped())
assert np.array_equal(posenc.table(10, 64), want)

print("fine")
"""


def test_memory_runs_out():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    if done.stdout != "fine\n":
        pytest.skip(done.stdout.strip())

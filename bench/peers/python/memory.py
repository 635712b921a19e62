"""How much memory a call uses at most, as the kernel counts it: the whole process, so libraries' own memory too."""
import ctypes
import gc

LEAST = 8 << 20  # what the kernel's counts tell from nothing; they are exact to some hundred kilobytes a processor


def status(field):
    """Bytes of a line of /proc/self/status."""
    with open("/proc/self/status", encoding="ascii") as f:
        return next(int(line.split()[1]) << 10 for line in f if line.startswith(field + ":"))


def growth(call):
    """(result, bytes): the most that the process had more than before, while it ran. None where the kernel does not say."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # or a call could take freed memory from a heap that was counted before
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as f:
            f.write("5")  # the high-water mark starts again
        before = status("VmRSS")
    except OSError:
        return call(), None
    result = call()
    return result, status("VmHWM") - before


def beyond(call, table_bytes, fresh):
    """(result, bytes beyond the table itself or None). The table of a fresh call is among what it allocates."""
    result, grown = growth(call)
    if grown is None or max(grown, table_bytes) < LEAST:
        return result, None
    return result, max(0, grown - (table_bytes if fresh else 0))

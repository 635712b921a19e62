"""How much memory a call uses at most, as the kernel counts it: the whole process, so libraries' own memory too."""
import ctypes
import gc
import resource

LEAST = 8 << 20  # what the kernel's counts tell from nothing; they are exact to some hundred kilobytes a processor


def status(field):
    """Bytes of a line of /proc/self/status, or None."""
    try:
        with open("/proc/self/status", encoding="ascii") as f:
            return next((int(line.split()[1]) << 10 for line in f if line.startswith(field + ":")), None)
    except OSError:
        return None


def trim():
    """Gives what was freed back to the system, so that a call cannot take it from a heap that was counted before."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except AttributeError:  # a C library without it
        pass


def growth(call):
    """(result, bytes or None, who counted). The bytes are the most that the process had more than before, while it ran."""
    trim()
    before, most = status("VmRSS"), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    by = "VmHWM"
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as f:
            f.write("5")  # the high-water mark starts again
    except OSError:
        by = "ru_maxrss"
    result = call()
    if before is None:
        return result, None, None
    if by == "VmHWM":
        return result, status("VmHWM") - before, by
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return result, (after << 10) - before if after > most else None, by  # an earlier, higher mark hides this one


def beyond(call, table_bytes, fresh):
    """(result, bytes beyond the table itself or None, who counted). The table of a fresh call is among what it allocates."""
    result, grown, by = growth(call)
    if grown is None or max(grown, table_bytes) < LEAST:
        return result, None, None
    return result, max(0, grown - (table_bytes if fresh else 0)), by

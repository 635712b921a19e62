"""The warnings above the answer: what makes the figures less reliable, and by how much."""
import statistics

from .formats import plural
from .processors import processor
from .speeds import ENOUGH

NOISE = 0.05  # a warning if the median of the tables' relative interquartile ranges is larger
CLOCK = 1.05  # a warning if the slowest time divided by the fastest one is larger


def of_speeds(speeds):
    """Warnings about one run of posenc-bench."""
    context, spreads = speeds.context, [r.spread for case, r in speeds.results.items() if case.is_table]
    build, known = context.get("build_type"), [spread for spread in spreads if spread is not None]
    if build != "Release":
        yield f"the build type of posenc-bench is {build or 'not known'}; ./scripts/bench makes a Release build"
    if known and statistics.median_low(known) > NOISE:
        percent = f"{100 * statistics.median_low(known):.0f} %"
        yield f"a noisy machine: half of the fills vary by {percent} or more; run again when it is idle"
    if None in spreads:
        yield f"fewer than {ENOUGH} turns were made, so no spread is known"
    # Both: one minute is still full of posenc-verify, which runs just before; five outlast what has ended.
    load, cpus = (context.get("load_avg") or [])[:2], context.get("num_cpus")
    if load and cpus and min(load) > cpus / 2:
        yield f"a busy machine: load {min(load):.1f} at the start, with {plural(cpus, 'CPU')}; run again when it is idle"
    times = sorted(speeds.clock)[1:-1]  # without the ends, which single interrupts make
    if times and times[-1] > CLOCK * times[0]:
        yield f"the processor's clock varied by {100 * (times[-1] / times[0] - 1):.0f} % during the run"
    if context.get("cpu_scaling_enabled"):
        yield "CPU frequency scaling is enabled, so speeds depend on the load"


def of_accuracy(accuracy):
    """Warnings about one report of posenc-verify."""
    build = accuracy.machine["build_type"]
    if build != "Release":
        yield f"the build type of posenc-verify is {build}; the errors of a Release build may differ"
    if not accuracy.report["float64_reference"]["law_holds"]:
        yield "MPFR and the formula in float64 differ by more than the formula's error law: do not trust the errors"


def of_run(run):
    if run.emulated:
        yield "the processor was emulated: the errors are right, the speeds say nothing, and nothing is picked"
    yield from of_accuracy(run.accuracy)
    if run.speeds.context:
        yield from of_speeds(run.speeds)
        if run.mismatch and not run.emulated:
            yield f"nothing is ranked: the errors are of another table than the speeds ({run.mismatch})"
        verified, measured = processor(run.accuracy.machine), processor(run.speeds.context)
        if verified != measured:
            yield f"two processors: {verified} was verified, {measured} was measured"

"""The warnings above the box and the report: what makes the figures less reliable, and by how much."""
import statistics

from .processors import processor
from .stats import ENOUGH, nanoseconds, noise
from .words import number, plural

NOISE = 0.05  # of the fills' relative interquartile ranges, the median
# The 90th percentile of the times of the clock's cases by the 10th: a single interrupt is no change of clock.
CLOCK = 1.05


def clock(bench):
    """Nanoseconds of every repetition of the fixed chain of operations."""
    runs = [b for b in bench.get("benchmarks", []) if b.get("run_type") == "iteration" and not b.get("error_occurred")]
    return [nanoseconds(b) for b in runs if b["label"].startswith("harness ")]


def of_bench(bench, rows):
    """About one run of posenc-bench; rows as read_bench() has them."""
    context, spread = bench.get("context", {}), noise(rows)
    build = context.get("build_type")
    if build != "Release":
        yield f"The build type of posenc-bench is {build or 'not known'}. Release builds are faster; ./scripts/bench makes one."
    if spread is not None and spread > NOISE:
        said = f"half of the fills have an interquartile range of {100 * spread:.1f} % or more"
        yield f"The machine was noisy: {said}. Smaller differences are unreliable; run again on an idle machine."
    if any(case.is_table and row.spread is None for case, row in rows.items()):
        yield f"Fewer than {ENOUGH} repetitions were made, so no spread is known. Run again with 9 repetitions."
    # Both: one minute is still full of posenc-verify, which runs just before; five outlast what has ended.
    load, cpus = (context.get("load_avg") or [])[:2], context.get("num_cpus")
    if load and cpus and min(load) > cpus / 2:
        said = f"the load average was {min(load):.1f} at the start, with {plural(cpus, 'CPU')}"
        yield f"The machine was busy: {said}. Run again on an idle machine."
    times = clock(bench)
    tenths = statistics.quantiles(times, n=10, method="inclusive") if len(times) >= ENOUGH else [1]
    if tenths[-1] > CLOCK * tenths[0]:
        varied = f"{100 * (tenths[-1] / tenths[0] - 1):.0f} %"
        said = f"varied by {varied} during the run. Differences below {varied} are unreliable"
        yield f"The processor's speed {said}; run again on an idle machine for finer ones."
    if context.get("cpu_scaling_enabled"):
        yield "CPU frequency scaling is enabled, so speeds depend on the load. Fix the frequency and run again."


def of_verify(verify):
    """About one report of posenc-verify."""
    build = (verify.get("machine") or {}).get("build_type", "Release")
    if build != "Release":
        yield f"The build type of posenc-verify is {build}. The errors of a Release build may differ."
    if (verify.get("float64_reference") or {}).get("law_holds") is False:
        yield "MPFR and the formula in float64 differ by more than the formula's error law. Do not trust the errors."
    for entry in verify["implementations"]:
        if entry.get("supported", True) and entry.get("verified") is not True and entry.get("failure"):
            largest = max((r["max_abs"] for r in entry.get("ranges", []) if r.get("max_abs") is not None), default=None)
            measured = "" if largest is None else f"; its largest error is {number(largest)}"
            yield f"{entry['name']} failed verification: {entry['failure']}{measured}. It is neither ranked nor picked."


def of_run(run):
    if run.emulated:
        said = (
            "Errors are those of the real instructions. Speeds say nothing about a real machine, so nothing is ranked"
        )
        yield f"The run was emulated: software imitated the processor. {said} or picked. Measure on a real processor."
    yield from of_verify(run.verify)
    if run.bench:
        yield from of_bench(run.bench, run.rows)
        if run.errors:
            yield f"{plural(len(run.errors), 'case')} of the benchmark failed."
        if run.another_table() and run.ran and not run.emulated:
            found = f"errors of {run.another_table()}, speeds of {run.measured_table()}"
            yield f"Errors and speeds are of different tables: {found}. Nothing is ranked or picked: verify the measured table."
        names = [processor(m) for m in (run.machine, run.context) if m.get("cpu") or m.get("implementer")]
        if len({*names}) == 2:
            yield f"Errors and speeds are of two processors: {names[0]} was verified, {names[1]} was measured. Run both on one."

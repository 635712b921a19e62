"""The warnings at the top of a page: what makes its figures less reliable, and by how much."""
import statistics

from .stats import ENOUGH, NANOSECONDS, noise
from .words import listed, number, plural

NOISE = 0.05  # of the fills' relative interquartile ranges, the median
# The 90th percentile of the times of harness/clock by the 10th: a single interrupt is no change of clock.
CLOCK = 1.05


def clock(bench):
    """Nanoseconds of every repetition of the fixed chain of operations."""
    return [
        b["cpu_time"] * NANOSECONDS[b["time_unit"]]
        for b in bench.get("benchmarks", [])
        if b.get("run_name", "").startswith("harness/clock/")
        and b.get("run_type") == "iteration"
        and not b.get("error_occurred")
    ]


def of_bench(bench, rows):
    """About one run of posenc-bench; rows as read_bench() has them."""
    context, spread = bench.get("context", {}), noise(rows)
    build = context.get("build_type")
    if build != "Release":
        yield f"The benchmark's build type is {build or 'not known'}, not Release: a release is faster."
    if spread is not None and spread > NOISE:
        yield f"The machine was noisy: half of the fills have an interquartile range of {100 * spread:.1f} % or more."
    if any(k[0] == "fill" and r.spread is None for k, r in rows.items()):
        yield f"Fewer than {ENOUGH} repetitions: no spread."
    # Both: one minute is still full of posenc-verify, which runs just before; five outlast what has ended.
    load, cpus = (context.get("load_avg") or [])[:2], context.get("num_cpus")
    if load and cpus and min(load) > cpus / 2:
        yield f"The machine was busy: a load average of {min(load):.1f} when the run began, with {plural(cpus, 'CPU')}."
    times = clock(bench)
    tenths = statistics.quantiles(times, n=10, method="inclusive") if len(times) >= ENOUGH else [1]
    if tenths[-1] > CLOCK * tenths[0]:
        yield (
            "The processor's clock changed during the run: the same chain of operations took "
            f"{100 * (tenths[-1] / tenths[0] - 1):.0f} % longer in its slowest tenth than in its quickest."
        )
    if context.get("cpu_scaling_enabled"):
        yield "CPU frequency scaling is enabled: the clock follows the load, and speeds with it."


def of_verify(verify):
    """About one report of posenc-verify."""
    build = (verify.get("machine") or {}).get("build_type", "Release")
    if build != "Release":
        yield f"posenc-verify's build type is {build}, not Release: errors of a release may differ."
    if (verify.get("float64_reference") or {}).get("law_holds") is False:
        yield "The float64 reference broke its own error law: what was judged by it is not to be trusted."
    for entry in verify["implementations"]:
        if entry.get("supported", True) and entry.get("verified") is not True and entry.get("failure"):
            largest = max((r["max_abs"] for r in entry.get("ranges", []) if r.get("max_abs") is not None), default=None)
            measured = "" if largest is None else f"; its largest error is {number(largest)}"
            yield f"{entry['name']} failed verification: {entry['failure']}{measured}. It is neither ranked nor picked."


def of_run(run):
    if run.emulated:
        yield (
            "Emulated: the processor was imitated by software. Errors are those of the real instructions; speeds say "
            "nothing about a real machine, and nothing is ranked or picked by them."
        )
    yield from of_verify(run.verify)
    if run.bench:
        yield from of_bench(run.bench, run.rows)
        if run.errors:
            yield f"{plural(len(run.errors), 'case')} of the benchmark failed."
        if run.another_table() and run.ran and not run.emulated:
            yield (
                f"Errors are those of another table ({listed(run.another_table())}) than the speeds of "
                f"{run.size[0]} × {run.size[1]}: nothing is ranked or picked."
            )
        cpus = run.machine.get("cpu"), run.context.get("cpu")
        if None not in cpus and cpus[0] != cpus[1]:
            yield f"Errors and speeds are of two machines: {cpus[0]} was verified, {cpus[1]} was measured."

"""The warnings at the top of a page: what makes its figures less reliable, and by how much."""
import statistics

from .stats import ENOUGH, NANOSECONDS
from .words import listed, noise, number, plural

NOISE = 0.05  # of the fills' relative interquartile ranges, the median
CLOCK = (
    1.05  # of the 90th percentile by the 10th of the times of harness/clock: a single interrupt is no change of clock
)


def clock(bench):
    """Nanoseconds of every repetition of the fixed chain of operations."""
    return [
        b["cpu_time"] * NANOSECONDS[b["time_unit"]]
        for b in bench.get("benchmarks", [])
        if b.get("run_name", "").startswith("harness/clock/")
        and b.get("run_type") == "iteration"
        and not b.get("error_occurred")
    ]


def clock_ratio(times):
    """By how much the slow tenth of the repetitions took longer than the quick one; 1 where there are too few."""
    if len(times) < ENOUGH:
        return 1.0
    tenths = statistics.quantiles(times, n=10, method="inclusive")
    return tenths[-1] / tenths[0]


def of_bench(bench, rows):
    """About one run of posenc-bench; rows as read_bench() has them."""
    context = bench.get("context", {})
    build = context.get("build_type")
    if build != "Release":
        yield f"The benchmark's build type is {build or 'not known'}, not Release: these are not the speeds of a release."
    spread = noise(rows)
    if spread is not None and spread > NOISE:
        yield (
            f"The machine was noisy: half of the tables' speeds have an interquartile range of {100 * spread:.1f} % or "
            f"more of their median (a quiet machine stays below {100 * NOISE:.0f} %)."
        )
    few = {len(r.values) for k, r in rows.items() if k[0] == "fill" and r.spread is None}
    if few:
        yield f"{plural(max(few), 'repetition')}: no spread, which takes {ENOUGH}; so there is no ± and are no bars."
    # Both: one minute is still full of posenc-verify, which runs just before; five outlast what has ended.
    load, cpus = (context.get("load_avg") or [])[:2], context.get("num_cpus")
    if load and cpus and min(load) > cpus / 2:
        yield (
            f"The machine was busy: a load average of {min(load):.1f}{' or more' if len(load) > 1 else ''} over one "
            f"{'and over five minutes' if len(load) > 1 else 'minute'} when the run began, with {plural(cpus, 'CPU')} "
            "(more "
            f"than half of them)."
        )
    ratio = clock_ratio(clock(bench))
    if ratio > CLOCK:
        yield (
            "The processor's clock changed during the run: a tenth of the repetitions of the same chain of "
            "operations took "
            f"at least {100 * (ratio - 1):.0f} % longer than the quickest tenth (throttling, or a shared core; "
            f"{100 * (CLOCK - 1):.0f} % is let pass)."
        )
    if context.get("cpu_scaling_enabled"):
        yield "CPU frequency scaling is enabled: the clock follows the load, and speeds with it."


def of_verify(verify):
    """About one report of posenc-verify."""
    build = (verify.get("machine") or {}).get("build_type", "Release")
    if build != "Release":
        yield f"posenc-verify's build type is {build}, not Release: a release may be compiled to other errors."
    if (verify.get("float64_reference") or {}).get("law_holds") is False:
        yield "The float64 reference broke its own error law: what was judged by it is not to be trusted."
    for entry in verify["implementations"]:
        if entry.get("supported", True) and entry.get("verified") is not True and entry.get("failure"):
            largest = max((r["max_abs"] for r in entry.get("ranges", []) if r.get("max_abs") is not None), default=None)
            measured = "" if largest is None else f"; its largest error is {number(largest)}"
            yield f"{entry['name']} failed verification: {entry['failure']}{measured}. It is neither ranked nor picked."


def of_run(subject):
    found = list(of_verify(subject.verify))
    if subject.emulated:
        found.insert(
            0,
            "Emulated: the processor was imitated by software. Errors are those of the real instructions; speeds say "
            "nothing about a real machine, and nothing is ranked or picked by them.",
        )
    if subject.bench:
        found += of_bench(subject.bench, subject.rows)
        if subject.errors:
            found.append(
                f"{len(subject.errors)} of the benchmark's cases failed: "
                f"{listed(sorted(subject.errors)[:5])}{' and others' if len(subject.errors) > 5 else ''}."
            )
        differs = subject.another_table()
        if subject.size and subject.ran and differs and not subject.emulated:
            found.append(
                f"Errors are those of another table than the speeds of {subject.size[0]} × {subject.size[1]} "
                f"({listed(differs)}): they are not held against each other, and nothing is ranked or picked."
            )
        cpus = subject.machine.get("cpu"), subject.context.get("cpu")
        if None not in cpus and cpus[0] != cpus[1]:
            found.append(f"Errors and speeds are of two machines: {cpus[0]} was verified, {cpus[1]} was measured.")
    return found

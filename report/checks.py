"""The warnings above the answer: what makes the figures less reliable, and by how much."""
from .processors import processor
from .stats import ENOUGH, nanoseconds, noise
from .words import plural

NOISE = 0.05  # of the fills' relative interquartile ranges, the median
CLOCK = 1.05  # the slowest time by the fastest


def clock(bench):
    """Nanoseconds of every repetition of the fixed chain of operations."""
    runs = [b for b in bench.get("benchmarks", []) if b.get("run_type") == "iteration" and not b.get("error_occurred")]
    return [nanoseconds(b) for b in runs if b["label"].startswith("harness ")]


def of_bench(bench, rows):
    """About one run of posenc-bench; rows as read_bench() has them."""
    context, spread = bench.get("context", {}), noise(rows)
    build = context.get("build_type")
    if build != "Release":
        yield f"the build type of posenc-bench is {build or 'not known'}; ./scripts/bench makes a Release build"
    if spread is not None and spread > NOISE:
        yield f"a noisy machine: half of the fills vary by {100 * spread:.0f} % or more; run again when it is idle"
    if any(case.is_table and row.spread is None for case, row in rows.items()):
        yield f"fewer than {ENOUGH} turns were made, so no spread is known"
    # Both: one minute is still full of posenc-verify, which runs just before; five outlast what has ended.
    load, cpus = (context.get("load_avg") or [])[:2], context.get("num_cpus")
    if load and cpus and min(load) > cpus / 2:
        yield f"a busy machine: load {min(load):.1f} at the start, with {plural(cpus, 'CPU')}; run again when it is idle"
    times = sorted(clock(bench))[1:-1]  # without the ends, which single interrupts make
    if times and times[-1] > CLOCK * times[0]:
        yield f"the processor's clock varied by {100 * (times[-1] / times[0] - 1):.0f} % during the run"
    if context.get("cpu_scaling_enabled"):
        yield "CPU frequency scaling is enabled, so speeds depend on the load"


def of_verify(verify):
    """About one report of posenc-verify."""
    build = (verify.get("machine") or {}).get("build_type", "Release")
    if build != "Release":
        yield f"the build type of posenc-verify is {build}; the errors of a Release build may differ"
    if (verify.get("float64_reference") or {}).get("law_holds") is False:
        yield "MPFR and the formula in float64 differ by more than the formula's error law: do not trust the errors"


def of_run(run):
    if run.emulated:
        yield "the processor was emulated: the errors are right, the speeds say nothing, and nothing is picked"
    yield from of_verify(run.verify)
    if run.bench:
        yield from of_bench(run.bench, run.rows)
        if run.another_table() and not run.emulated:
            yield f"nothing is ranked: the errors are of another table than the speeds ({run.another_table()})"
        names = [processor(m) for m in (run.machine, run.context) if m.get("cpu") or m.get("implementer")]
        if len({*names}) == 2:
            yield f"two processors: {names[0]} was verified, {names[1]} was measured"

"""The warnings at the top of a page: what makes its numbers worth less, and by how much."""
from results import NANOSECONDS
from subject import error, listed, noise

NOISE = 0.05  # of the fills' relative interquartile ranges, the median
CLOCK = 1.05  # of the longest by the shortest time of harness/clock


def clock(bench):
    """Nanoseconds of every repetition of the fixed chain of operations."""
    return [b["cpu_time"] * NANOSECONDS[b["time_unit"]] for b in bench.get("benchmarks", [])
            if b.get("run_name", "").startswith("harness/clock/") and b.get("run_type") == "iteration"
            and not b.get("error_occurred")]


def of_bench(bench, rows):
    """About one run of posenc-bench; rows as read_bench() has them."""
    context = bench.get("context", {})
    build = context.get("build_type")
    if build != "Release":
        yield f"The benchmark's build type is {build or 'not known'}, not Release: these are not the speeds of a release."
    spread = noise(rows)
    if spread is not None and spread > NOISE:
        yield (f"The machine was noisy: half of the tables' speeds have an interquartile range of {100 * spread:.1f} % or "
               f"more of their median (a quiet machine stays below {100 * NOISE:.0f} %).")
    # Of five minutes: that of one is still full of posenc-verify, which runs just before, on all processors.
    load, cpus = (context.get("load_avg") or [])[:2], context.get("num_cpus")
    if load and cpus and load[-1] > cpus / 2:
        yield (f"The machine was busy: a load average of {load[-1]:.1f} over "
               f"{'five minutes' if len(load) > 1 else 'a minute'} when the run began, with {cpus} "
               f"{'CPU' if cpus == 1 else 'CPUs'} (more than half of them).")
    times = clock(bench)
    if times and max(times) > CLOCK * min(times):
        yield (f"The processor's clock changed during the run: the same chain of operations took up to "
               f"{100 * (max(times) / min(times) - 1):.0f} % longer (throttling, or a shared core; {100 * (CLOCK - 1):.0f} % "
               f"is let pass).")
    if context.get("cpu_scaling_enabled"):
        yield "CPU frequency scaling is enabled: the clock follows the load, and speeds with it."


def of_verify(verify):
    """About one report of posenc-verify."""
    build = verify.get("machine", {}).get("build_type", "Release")
    if build != "Release":
        yield f"posenc-verify's build type is {build}, not Release: a release may be compiled to other errors."
    if verify.get("float64_reference", {}).get("law_holds") is False:
        yield "The float64 reference broke its own error law: what was judged by it is not to be trusted."
    for entry in verify["implementations"]:
        if entry.get("supported", True) and entry.get("verified") is not True and entry.get("failure"):
            largest = max((r["max_abs"] for r in entry.get("ranges", []) if r.get("max_abs") is not None), default=None)
            measured = "" if largest is None else f"; its largest error is {error(largest)}"
            yield f"{entry['name']} failed verification: {entry['failure']}{measured}. It is neither ranked nor picked."


def of_subject(subject):
    found = list(of_verify(subject.verify))
    if subject.emulated:
        found.insert(0, "Emulated: the processor was imitated by software. Errors are those of the real instructions; speeds say "
                        "nothing about a real machine, and nothing is ranked or picked by them.")
    if subject.bench:
        found += of_bench(subject.bench, subject.rows)
        if subject.errors:
            found.append(f"{len(subject.errors)} of the benchmark's cases failed: "
                         f"{listed(sorted(subject.errors)[:5])}{' and others' if len(subject.errors) > 5 else ''}.")
        if subject.table[0] != "d512":
            found.append(f"Errors are those of the table {subject.table[0]}, speeds those of others.")
        cpus = subject.machine.get("cpu"), subject.context.get("cpu")
        if None not in cpus and cpus[0] != cpus[1]:
            found.append(f"Errors and speeds are of two machines: {cpus[0]} was verified, {cpus[1]} was measured.")
    return found

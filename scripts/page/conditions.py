"""What machine, compiler, flags and versions; and how it was measured."""
from checks import clock, clock_ratio
from further import cache_sizes
from joined import pages
from results import ENOUGH, interquartile_range
from words import noise, repetitions


def facts(subject):
    """[(what, value)], of what the files say."""
    machine, context, verify = subject.machine, subject.context, subject.verify
    found = [("processor", machine.get("cpu") or context.get("cpu")),
             ("architecture", machine.get("architecture") or context.get("architecture")),
             ("emulated", None if not machine and "emulated" not in context else "yes" if subject.emulated else "no"),
             ("compiler", machine.get("compiler") or context.get("compiler")),
             ("build type", machine.get("build_type") or context.get("build_type")),
             ("flags", context.get("c_flags")),
             ("posenc", verify.get("version") or context.get("posenc")),
             ("SLEEF", context.get("sleef")),
             ("verified", verified(verify))]
    if subject.bench:
        found += measured(subject, context)
    return [(what, str(value)) for what, value in found if value not in (None, "")]


def verified(verify):
    return ", ".join(filter(None, (when(verify.get("date")), f"reference {verify.get('reference', 'not stated')}",
                                   f"seed {verify.get('seed', 'not stated')}")))


def when(date):
    """2026-11-21T20:00:00+00:00 as people write it."""
    return (date or "").replace("T", " ").replace("+00:00", " UTC")


def binary(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


def measured(subject, context):
    caches = cache_sizes(context.get("caches", []))
    load, times, noisy = context.get("load_avg"), clock(subject.bench), noise(subject.rows)
    yield "measured", when(context.get("date"))
    yield "processors", context.get("num_cpus")
    yield "data caches", ", ".join(f"L{i + 1} {binary(size)}" for i, size in enumerate(caches))
    yield "memory pages", (f"{pages(subject.rows)}; transparent huge pages: "
                           f"{context.get('transparent_huge_pages', 'not stated')}, defrag: "
                           f"{context.get('transparent_huge_pages_defrag', 'not stated')}")
    yield "output at", f"{', '.join(str(o) for o in subject.places)} modulo 64"
    yield "frequency scaling", {True: "enabled", False: "not enabled"}.get(context.get("cpu_scaling_enabled"))
    yield "load average", ", ".join(f"{x:.2f}" for x in load) + " (1, 5, 15 minutes, when the run began)" if load else None
    if times:
        middle = sorted(times)[len(times) // 2]
        spread = (f" ± {interquartile_range(times) / 2:.2g} ns, the slowest tenth of its repetitions at least "
                  f"{100 * (clock_ratio(times) - 1):.1f} % more than the quickest")
        yield "clock", f"a fixed chain of operations took {middle:.4g}{spread if len(times) >= ENOUGH else ' ns'}"
    else:
        yield "clock", "not watched in this run (no case harness/clock)"
    yield "figures", f"medians of {repetitions(subject.rows)}"
    if noisy is not None:
        yield "noise", f"median interquartile range of the fills: {100 * noisy:.1f} % of their median"


def lacking(subject):
    """What these files do not have, of what a page can show."""
    verify = subject.verify
    known = {"when and on what machine errors were measured": "machine" in verify and "date" in verify,
             "errors by position and column (profile)": "profile" in verify,
             "bands of ULPs": "ulp_band_edges" in verify}
    if subject.bench:
        rows = subject.verified[subject.offset]
        kinds = {k[0].split("/")[0] for k in rows}
        known |= {"the processor's clock (harness/clock)": bool(clock(subject.bench)),
                  "tables of each cache's size": any(k.startswith("level.") for k in subject.context)
                  and any(k[0] == "fill" and k[2:] not in subject.shapes for k in rows),
                  "random positions (fill_at)": "fill_at" in kinds, "single rows (row)": "row" in kinds,
                  "fresh memory (fresh)": "fresh" in kinds}
    else:
        known["speeds"] = False
    return [what for what, there in known.items() if not there]


def answer(subject):
    """The one sentence."""
    machine = subject.machine.get("cpu") or subject.context.get("cpu") or "An unknown processor"
    compiler = subject.machine.get("compiler") or subject.context.get("compiler") or "an unknown compiler"
    build = subject.machine.get("build_type") or subject.context.get("build_type") or "unknown"
    text = f"{machine}{', emulated' if subject.emulated else ''}; {compiler}, build type {build}"
    return text + (f"; one core, {repetitions(subject.rows)}, {pages(subject.rows)}." if subject.bench else ".")

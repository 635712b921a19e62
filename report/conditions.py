"""On what machine, with what compiler and versions, and how it was measured."""
from . import checks, tables
from .stats import interquartile_range, pages
from .words import binary, listed, noise, repetitions, when


def known(run, key):
    return run.machine.get(key) or run.context.get(key)


def answer(run):
    text = f"{known(run, 'cpu') or 'An unknown processor'}{', emulated' if run.emulated else ''}; "
    text += f"{known(run, 'compiler') or 'an unknown compiler'}, build type {known(run, 'build_type')}"
    return text + (f"; one core, {repetitions(run.rows)}, {pages(run.rows)}." if run.bench else ".")


def facts(run):
    """[(what, value)], of what the files say."""
    c, v = run.context, run.verify
    found = {key.replace("_", " "): known(run, key) for key in ("cpu", "architecture", "compiler", "build_type")}
    found |= {"emulated": "yes" if run.emulated else "no", "flags": c.get("c_flags"), "SLEEF": c.get("sleef")}
    found |= {"posenc": v.get("version") or c.get("posenc"), "verified": when(v.get("date"))}
    found |= {"reference": v.get("reference"), "seed": v.get("seed")}
    if run.bench:
        times, noisy = sorted(checks.clock(run.bench)), noise(run.rows)
        sizes = [f"L{i + 1} {binary(size)}" for i, size in enumerate(tables.cache_sizes(c.get("caches", [])))]
        found |= {"measured": when(c.get("date")), "processors": c.get("num_cpus"), "data caches": ", ".join(sizes)}
        found |= {"pages": pages(run.rows), "transparent huge pages": c.get("transparent_huge_pages")}
        found |= {
            "output at": f"{', '.join(map(str, run.places))} modulo 64",
            "figures": f"medians of {repetitions(run.rows)}",
        }
        found |= {"frequency scaling": {True: "enabled", False: "not enabled"}.get(c.get("cpu_scaling_enabled"))}
        found |= {"load average": ", ".join(f"{x:.2f}" for x in c.get("load_avg") or [])}
        if times:
            spread = interquartile_range(times) / 2
            found["clock"] = f"a fixed chain of operations took {times[len(times) // 2]:.4g} ± {spread:.2g} ns"
        if noisy is not None:
            found["noise"] = f"median interquartile range of the fills: {100 * noisy:.1f} % of their median"
    return [(what, str(value)) for what, value in found.items() if value not in (None, "")]


def lacking(run):
    """What these files do not have, of what a page can show."""
    kinds = {k[0].split("/")[0] for k in run.rows}
    known = {"errors by position and column (profile)": "profile" in run.verify}
    known |= {"bands of ULPs": "ulp_band_edges" in run.verify, "speeds": bool(run.bench)}
    known |= {what: not run.bench or kind in kinds for what, kind in MEASURED.items()}
    found = [what for what, there in known.items() if not there]
    return f"Not in these files: {listed(found)}." if found else ""


MEASURED = {"random positions (fill_at)": "fill_at", "single rows (row)": "row", "fresh memory (fresh)": "fresh"}

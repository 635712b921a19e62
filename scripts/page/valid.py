"""Whether a report of posenc-verify has the form that a page is made of: wrong input is named before anything is drawn."""

COUNT, NUMBER = (int,), (int, float)
PER_RANGE = {"from": COUNT, "to": COUNT, "outputs": COUNT, "correctly_rounded": NUMBER}
MAY_BE_NULL = {"max_abs": NUMBER, "ulp_p50": NUMBER, "ulp_p99": NUMBER, "ulp_max": NUMBER}
MAY_LACK = {"d_model": COUNT, "base": NUMBER, "denominator": NUMBER, "position_scale": NUMBER, "layout": (str,), "order": (str,),
            "odd": (str,), "dtype": (str,), "preset": (str,), "shape": (str,)}


def need(right, where, value, form):
    if not right:
        shown = repr(value)
        raise ValueError(f"{where} is {shown if len(shown) < 60 else shown[:60] + '...'}, not {form}")


def is_a(value, kinds):
    return isinstance(value, kinds) and not isinstance(value, bool)


def listing(value, where, kinds, length=None):
    need(isinstance(value, list) and all(is_a(v, kinds) for v in value), where, value, "a list of what belongs there")
    need(length is None or len(value) == length, where, value, f"a list of {length}")


def edges(value, where):
    listing(value, where, NUMBER)
    need(len(value) > 1 and all(a < b for a, b in zip(value, value[1:])), where, value, "a list of rising edges")


def verify(report):
    """Raises ValueError naming what is not as it should be."""
    bands, profile = report.get("ulp_band_edges"), report.get("profile")
    if bands is not None:
        edges(bands, "ulp_band_edges")
    if profile is not None:
        need(isinstance(profile, dict), "profile", profile, "an object")
        for key in ("position_edges", "column_edges"):
            edges(profile.get(key), f"profile.{key}")
            listing(profile[key], f"profile.{key}", COUNT)
        listing(profile.get("rows", []), "profile.rows", COUNT, len(profile["position_edges"]) - 1 if "rows" in profile else None)
    for key in ("machine", "float64_reference"):
        need(isinstance(report.get(key), (dict, type(None))), key, report.get(key), "an object")
    for key in ("date", "version", "reference"):
        need(isinstance(report.get(key), (str, type(None))), key, report.get(key), "a text")
    listing(report["implementations"], "implementations", (dict,))
    for i, found in enumerate(report["implementations"]):
        need(isinstance(found.get("name"), str) and found["name"], f"implementations[{i}].name", found.get("name"), "a name")
        entry(found, found["name"], bands, profile)


def entry(found, name, bands, profile):
    for key in ("isa", "summary", "arithmetic", "failure"):
        need(isinstance(found.get(key), (str, type(None))), f"{name}: {key}", found.get(key), "a text")
    bound = found.get("bound", {})
    need(isinstance(bound, dict), f"{name}: bound", bound, "an object")
    listing(found.get("ranges", []), f"{name}: ranges", (dict,))
    for r in found.get("ranges", []):
        where = f"{name}: ranges: "
        for key, kinds in (PER_RANGE | MAY_BE_NULL | MAY_LACK).items():
            absent = r.get(key) is None and key not in PER_RANGE
            need(absent or is_a(r.get(key), kinds), where + key, r.get(key), "what belongs there")
        for key in MAY_BE_NULL:
            need((r.get(key) or 0) >= 0, where + key, r.get(key), "0 or more")
        need(r["from"] < r["to"], where + "to", r["to"], f"above from ({r['from']})")
        need(r["outputs"] > 0, where + "outputs", r["outputs"], "above 0")
        need(0 <= r["correctly_rounded"] <= 1, where + "correctly_rounded", r["correctly_rounded"], "a share")
        if r.get("ulp_bands") is not None:
            listing(r["ulp_bands"], where + "ulp_bands", COUNT, len(bands) + 1 if bands else None)
            need(sum(r["ulp_bands"]) == r["outputs"] and min(r["ulp_bands"]) >= 0, where + "ulp_bands", r["ulp_bands"],
                 f"counts of all {r['outputs']} outputs")
    if found.get("profile") is not None and profile is not None:
        listing(found["profile"], f"{name}: profile", (list,), len(profile["position_edges"]) - 1)
        for row in found["profile"]:
            listing(row, f"{name}: profile", (int, float, type(None)), len(profile["column_edges"]) - 1)
            need(all(e is None or e >= 0 for e in row), f"{name}: profile", row, "errors of 0 or more")


def context(found):
    """Of a run of posenc-bench."""
    need(isinstance(found, dict), "context", found, "an object")
    for key, kinds in (("load_avg", NUMBER), ("caches", (dict,))):
        if key in found:
            listing(found[key], f"context.{key}", kinds)
    need(found.get("num_cpus") is None or is_a(found["num_cpus"], COUNT), "context.num_cpus", found.get("num_cpus"), "a count")
    for cache in found.get("caches", []):
        for key in ("level", "size"):
            need(is_a(cache.get(key), COUNT) and cache[key] > 0, f"context.caches: {key}", cache.get(key), "a count")
    for key, value in found.items():
        if key.startswith(("shape.", "level.", "not_run.")) or key in ("cpu", "date", "compiler", "build_type"):
            need(isinstance(value, str), f"context.{key}", value, "a text")

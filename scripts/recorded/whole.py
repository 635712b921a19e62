"""What keeps a run from being recorded: it failed, or is not all of what is run."""
import re

from joined import Run
from results import ENOUGH
from store import TOP

SETS = {"x86_64": {"any", "fma", "avx2", "avx512"}, "aarch64": {"any", "fma", "neon"}}  # those of CMakeLists.txt's flags_*
ROW = re.compile(r"^POSENC_IMPL\((\w+), [\w./]+, (\w+), (\w+),", re.M)


def rows_of_the_list(architecture):
    """Names of impl/list.inc that are built there, in its order."""
    text = (TOP / "impl/list.inc").read_text(encoding="utf-8")
    return [name for name, isa, _ in ROW.findall(text) if isa in SETS.get(architecture, ())]


def verify(data):
    machine = data.get("machine", {})
    names = rows_of_the_list(machine.get("architecture"))
    if not names:
        yield f"no row of impl/list.inc is built for the architecture {machine.get('architecture')!r}"
    there = {e["name"]: e for e in data["implementations"]}
    yield from (f"{name}, a row of impl/list.inc, is not in it" for name in names if name not in there)
    for name, e in there.items():
        if e.get("failure") or e.get("supported", True) and e.get("verified") is not True:
            yield f"{name} was not verified: {e.get('failure') or 'no reason given'}"
    reach = max((r["to"] for e in there.values() for r in e.get("ranges", []) if r.get("shape") == "d512"), default=0)
    if reach < 1 << 20 or data.get("reference") != "mpfr":
        yield f"the paper's table was judged to position {reach} against {data.get('reference')}, not to {1 << 20} against mpfr"
    yield from of_machine(machine)


def bench(data, judged):
    """judged: the report of posenc-verify of the same command."""
    context = data["context"]
    run = Run(judged, data, "verify.json")
    if context.get("emulated") != "no":
        yield "it was emulated"
    yield from (f"{case} failed: {why}" for case, why in run.errors.items())
    tables = [(n, d) for key, value in context.items() if key.startswith(("shape.", "level."))
              for n, d in [map(int, re.match(r"n:(\d+)/d:(\d+)", value).groups())]]
    if not tables:
        yield "it names no tables"
    for n, d in tables:
        for name in run.accuracy:
            row = run.rows.get(("fill", name, n, d))
            if row is None:
                yield f"fill/{name} of {n} x {d} was not run"
            elif len(row.values) < ENOUGH:
                yield f"fill/{name} of {n} x {d} was run {len(row.values)} times: a spread takes {ENOUGH}"
    for kind in ("row/below:4096", "fill_at", "add", "fill/bf16", "fresh"):
        if not any(key[0] == kind for key in run.rows):
            yield f"nothing of {kind} was run"
    yield from of_machine(context)


def peers(data):
    if data.get("run", {}).get("quick") is not False:
        yield "it is a run of --quick"
    yield from (f"{e['name']} was not run: {e['reason']}" for e in data["not_run"])
    worlds = {row["world"] for row in data["peers"]}
    yield from (f"nothing of the {world} world is in it" for world in ("c", "python") if world not in worlds)
    yield from of_machine(data["machine"])


def of_machine(machine):
    if machine.get("build_type") != "Release":
        yield f"the build type is {machine.get('build_type')!r}, not Release"
    if machine.get("emulated") not in (False, "no", None):
        yield "it was emulated"

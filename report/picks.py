"""The picks of posenc-bench: which implementation to use for a case, within a budget of error
(bench/shim/compare.h)."""
from .stats import parse
from .words import listed, number, ulps


class Pick:
    """name: the pick; budget: in words; against: {name: how it compares with the fastest} of all within the budget, in
    the order of the list of implementations; ties: the others that tie."""

    def __init__(self, entry):
        self.name, self.fastest, self.budget = entry["pick"], entry["fastest"], entry["budget"]
        self.against = {c["impl"]: c for c in entry["candidates"]}
        said = {name: c["verdict"] for name, c in self.against.items()}
        self.undecided = said.get(self.name) == "undecided"
        self.ties = [n for n in said if said[n] == "tie" and n != self.name and not self.undecided]


def read_picks(data):
    """{(kind, n, d): its pick}"""
    found = {}
    for entry in data.get("picks", []):
        kind, _, *shape = parse(entry["case"])
        found[kind, *shape] = Pick(entry)
    return found


def longer(comparison):
    """ "31 ± 4 %" """
    unsure = "" if comparison["unsure"] is None else f" ± {100 * comparison['unsure']:.0f}"
    return f"{100 * comparison['behind']:.0f}{unsure} %"


def undecided(pick, called=str):
    """In words; called: what a name is called."""
    if pick.against[pick.name]["unsure"] is None:
        return "undecided: fewer than 6 repetitions"
    return f"undecided: took {longer(pick.against[pick.name])} longer than {called(pick.fastest)}"


def said(run, pick):
    """The pick for the table of the run, with its speed and error."""
    if run.error(pick.name) is None:
        return "none that was measured"
    of = f", of {len(pick.against)} within it"
    of += f", ties with {listed(pick.ties)}" if pick.ties else f", {undecided(pick)}" if pick.undecided else ""
    error = f"{number(run.error(pick.name))}, {ulps(run.ulp(pick.name))} ULP"
    return f"{pick.name}, {run.here[pick.name].gb_s:.2f} GB/s{of}; worst error {error}"

"""How the report says which implementation is picked."""
from .words import listed

CLEARLY = 0.1  # faster by more than this: the box and the report point it out


def longer(comparison):
    """ "31 ± 4 %" """
    unsure = "" if comparison.unsure is None else f" ± {100 * comparison.unsure:.0f}"
    return f"{100 * comparison.behind:.0f}{unsure} %"


def lead(run, pick):
    """How the pick compares with exact, or, if it is exact, with the next family."""
    if pick.undecided:
        mine = pick.against[pick.name]
        reason = "fewer than 6 repetitions" if mine.unsure is None else f"{longer(mine)} slower"
        return f"undecided against {run.request(pick.fastest)} ({reason})"
    others = [n for n in pick.against if run.families[n] != run.families[pick.name]]
    if not others:
        return "no other family within the budget was measured"
    nearest = min(others, key=lambda n: pick.against[n].behind)
    other = next((n for n in others if run.request(n) == "exact"), nearest)
    name, comparison = run.request(other), pick.against[other]
    ties = [n for n, c in pick.against.items() if c.verdict == "tie" and n != pick.name]
    tied = f"ties with {listed(run.request(n) for n in ties)}"
    said = f"{longer(comparison)} faster than {name}"
    if comparison.verdict == "undecided":
        said = f"undecided against {name} ({longer(comparison)} faster)"
    if other in ties:
        return tied
    subject = "" if pick.name == pick.fastest else f"{run.request(pick.fastest)} is "
    return f"{tied}; {subject}{said}" if ties else said


def clearly_faster(run):
    """[(work, its pick, how much longer the pick of the table takes there)], largest first."""
    table, found = run.pick(), []
    for work, pick in run.picks.items() if table else ():
        mine = pick.against.get(table.name)
        if mine and mine.verdict == "slower" and mine.behind > CLEARLY:
            found.append((work, pick, mine))
    return sorted(found, key=lambda item: -item[2].behind)

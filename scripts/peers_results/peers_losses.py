"""Where a peer is faster than posenc, in sentences: for the text of scripts/peers, docs/peers.md and the report."""
from peers_cases import bounds
from peers_figures import digits_of, duration
from peers_tables import fitness, heading, named
from peers_verdict import size
from peers_words import OURS
from words import listed, plural


def rounded(value):
    return f"{value:.{digits_of(value)}f}"


def written(pair):
    """For sentences, without marks."""
    return rounded(pair[0]) + ("" if pair[1] is None else f" ± {pair[1]:.{digits_of(pair[0])}f}")


def apart(case, ours):
    """What is not decided: with its quartiles, for they are what decides."""
    low, high = bounds(case, ours)
    return f"{rounded(case[ours][0])} ({rounded(max(low, 0))} to {rounded(high)})"


def reached(column, there, form):
    """ "at 64 x 128: 2.70 us, 0.117 ± 0.007 of exact's time and 0.144 ± 0.007 of anchored's"; there: the losses of one case."""
    where = f"at {size(column)}" if column.below is None else f"for a row of {column.d} below {column.below}"
    shares = [f"{form(loss)} of {loss.against}'s{'' if i else ' time'}" for i, loss in enumerate(there)]
    return f"{where}: {duration(there[0].theirs['seconds'])}, {listed(shares)}"


def caveat(row):
    """What its speed is bought with, or nothing."""
    told = fitness(row)
    if told in ("yes", "not judged"):
        return ""
    if told == "no":
        return "Its table is not the right one."
    return f"Its table {told}." if told.startswith("drifts") else f"Its table is {told}."


def sentences(peers, wanted):
    """{(Group, peer): what it reaches against ours} of all cases that stand so."""
    found = {}
    for loss in peers.compared(wanted):
        found.setdefault((loss.group, loss.theirs["peer"]), {}).setdefault(loss.column, []).append(loss)

    def form(loss):
        return written(loss.pair) if wanted == "peer" else apart(loss.theirs, loss.against)
    return {key: "; ".join(reached(column, there, form) for column, there in columns.items()) + "."
            for key, columns in found.items()}


def losses(peers):
    """[(job and peer, what it reaches)] of each in which a peer is faster than one of ours."""
    return [(named(*key), f"{text} {caveat(peers.row(*key))}".strip()) for key, text in sentences(peers, "peer").items()]


def tally(peers):
    """[(job, who is faster in it)], of every job in which anybody is."""
    found = {}
    for group, name in sentences(peers, "peer"):
        found.setdefault(group, []).append(name)
    return [(named(group), f"{len(names)} of {plural(len(set(peers.names(group)) - set(OURS)), 'peer')}: {listed(names)}")
            for group, names in found.items()]


def nowhere(peers):
    """What stands in place of losses."""
    if not peers.anything():
        return "Nothing was compared."
    if losses(peers):
        return ""
    return "Nowhere: in no job and at no size is a peer faster than exact or anchored, the quartiles being apart."


def draws(peers):
    """The same where the quartiles are not apart."""
    return [(named(*key), text) for key, text in sentences(peers, "tie").items()]


def by_size(peers, wanted):
    """[(job and size, all who stand so there)], in few words: "quick 0.500 / 0.250 (its table is not the right one)" is
    the peer's time by that of exact, and by that of anchored, each where it stands so."""
    found = {}
    for loss in peers.compared(wanted):
        found.setdefault((loss.group, loss.column), {}).setdefault(loss.theirs["peer"], {})[loss.against] = loss

    def share(loss):
        return "-" if loss is None else rounded(loss.pair[0]) if wanted == "peer" else apart(loss.theirs, loss.against)

    def shown(group, name, there):
        told = caveat(peers.row(group, name)).removeprefix("Its table ").rstrip(".") if wanted == "peer" else ""
        return f"{name}\u00a0{' / '.join(share(there.get(ours)) for ours in OURS)}" + (f" (its table {told})" if told else "")
    return [(named(group, heading(column)), ", ".join(shown(group, name, there) for name, there in who.items()))
            for (group, column), who in found.items()]

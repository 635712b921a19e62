"""Where a peer is faster than posenc, in sentences: for the text of scripts/peers, docs/peers.md and the report."""
from peers_cases import OURS
from peers_tables import digits_of, duration, fitness, named
from peers_targets import size
from words import listed, plural


def written(pair):
    """For sentences, without marks."""
    digits = digits_of(pair[0])
    return f"{pair[0]:.{digits}f}" + ("" if pair[1] is None else f" ± {pair[1]:.{digits}f}")


def reached(column, there):
    """ "at 64 x 128: 2.70 us, 0.117 ± 0.007 of exact's time and 0.144 ± 0.007 of anchored's"; there: the losses of one case."""
    where = f"at {size(column)}" if column.below is None else f"for a row of {column.d} below {column.below}"
    shares = [f"{written(loss.pair)} of {loss.against}'s{'' if i else ' time'}" for i, loss in enumerate(there)]
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
    return {key: "; ".join(reached(column, there) for column, there in columns.items()) + "." for key, columns in found.items()}


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
    return "Nowhere: in no job and at no size is a peer faster than exact or anchored beyond the spread."


def draws(peers):
    """The same where the spread is wider than what is between them."""
    return [(named(*key), text) for key, text in sentences(peers, "tie").items()]

"""Is it faster than what people use instead, and are those right? From what scripts/peers has found."""
import peers_picture
from peers_conditions import QUICK, conditions
from peers_losses import losses, nowhere, tally, written
from peers_picture import SHOWN, said
from peers_tables import errors, named, speeds, target_table, title, who
from peers_words import JOBS, OURS, UNFIT, WORDS, WORLDS
from render import Table
from words import error, listed, plural, position

QUESTION = "Is it faster than what people use instead, and are those right?"
DONE = {"fill": "fills memory that is there", "fresh": "makes a fresh table"}
FEW = 3  # names in a sentence
BRIEF = {"time": "time", "share of what stores to the same memory reach": "of what stores reach",
         "memory used at most beyond the table itself": "memory"}
BRIEF |= {f"the peer's time divided by that of {ours}": f"÷ {ours}" for ours in OURS}


def picture(peers):
    return peers_picture.picture(peers, answer(peers))


def extremes(peers, group):
    """ "makes a fresh table 1.31 ± 0.02 (sleef, 64 × 128) to 92 ± 1 (marian, 5000 × 512) times as fast as 6 Python peers"."""
    cases = [(case["exact"], column, case["peer"]) for column, case in peers.theirs(group) if case["exact"]]
    if not cases:
        return ""
    many = len({name for *_, name in cases})

    def shown(found):
        return f"{written(found[0])} ({found[2]}, {said(found[1])})"
    ends = [shown(f(cases, key=lambda c: c[0][0])) for f in ((min, max) if len(cases) > 1 else (min,))]
    return f"{DONE[group.job]} {' to '.join(ends)} times as fast as {plural(many, f'{WORLDS[group.world]} peer')}"


def faster(peers):
    """Who is faster than one of ours, and in what; names where they are few."""
    found, every = {}, {(group.world, name) for group in peers.groups for name in peers.names(group) if name not in OURS}
    for loss in peers.compared("peer"):
        found.setdefault(loss.group.job, {})[loss.group.world, loss.theirs["peer"]] = loss.theirs["peer"]
    if not found:
        return "no peer is faster anywhere" if peers.anything() else ""
    who = {key for names in found.values() for key in names}
    parts = [f"{job}: {listed(names.values()) if len(names) <= FEW else len(names)}" for job, names in found.items()]
    return f"{len(who)} of {plural(len(every), 'peer')} {'is' if len(who) == 1 else 'are'} faster somewhere ({'; '.join(parts)})"


def rightness(peers):
    """How many of the peers' tables are what they should be."""
    rows = peers.judged()
    if not rows:
        return "whether the peers' tables are right was not judged"
    worst = {row["name"]: max((r["word"] for r in row["ranges"]), key=list(WORDS).index) for row in rows}
    bad = [row["name"] for row in rows if worst[row["name"]] in UNFIT or row["right"] is False]
    close = [name for name, word in worst.items() if word in ("exact", "ulp") and name not in bad]
    others = [row for row in rows if row["name"] not in {*bad, *close}]
    parts = [f"{len(close)} {'stays' if len(close) == 1 else 'stay'} within 4 ULP"] if close else []
    if others:
        largest = max((r["max_abs"] for row in others for r in row["ranges"] if r["max_abs"] is not None), default=0)
        parts.append(f"{len(others)} {'has' if len(others) == 1 else 'have'} a float32 angle's errors, up to {error(largest)}")
    parts += [f"{len(bad)} {'is' if len(bad) == 1 else 'are'} worse than that ({', '.join(bad)})"] if bad else []
    reach = max(r["to"] for row in rows for r in row["ranges"])
    return f"of {plural(len(rows), 'peer')} judged, positions to {position(reach)}, {listed(parts)}"


def answer(peers):
    """The one sentence."""
    if peers.emulated:
        return f"The peers' speeds were emulated, and say nothing about a real machine; {rightness(peers)}."
    reached = listed(filter(None, (extremes(peers, group) for group in SHOWN)))
    parts = [f"exact {reached or 'was held against no peer, neither filling memory nor making fresh tables'}", faster(peers),
             rightness(peers)]
    return "; ".join(filter(None, parts)) + "."


def items(peers):
    """[(what, text)]: who is faster, job by job."""
    if peers.emulated:
        return []
    return [(f"Peers that are faster in {what}", text) for what, text in tally(peers)] or [
        ("Where a peer is faster", nowhere(peers))]


def merged(group, each):
    """All that is known of one job as one wide table: by size, its columns of the several tables side by side."""
    sizes, names = each[0].head[1:], dict.fromkeys(row[0] for table in each for row in table.rows)
    cells = [{row[0]: row[1:] for row in table.rows} for table in each]
    rows = [[name] + [found[name][i] if name in found else "-" for i in range(len(sizes)) for found in cells] for name in names]
    head = ["who"] + [f"{size}: {BRIEF[table.caption]}" for size in sizes for table in each]
    notes = dict.fromkeys(table.note for table in each if table.note)
    return Table(f"{title(group)}; ÷: the peer's time divided by ours.", head, rows, note="; ".join(notes),
                 folded=f"{group.job}: {JOBS[group.job]} ({named(group).partition(', ')[2]})")


def tables(peers):
    judged, promised = errors(peers), target_table(peers)
    found = [] if peers.emulated else [(promised, (1, 2, 3), f"Targets, {plural(len(promised.rows), 'line')}")]
    found += [(judged, (), "Errors by position")] if judged else []
    found += [(who(peers), (4,), f"Who, {plural(len(peers.rows), 'row')}")]
    shown = [Table(f"{t.title}.", t.head, t.rows, text=text, note=t.note, folded=folded) for t, text, folded in found]
    lost = [] if peers.emulated else [list(loss) for loss in losses(peers)]
    if lost:
        caption = "Every case in which a peer is faster, the quartiles being apart."
        folded = f"Where a peer is faster, {plural(len(lost), 'line')}"
        shown.insert(0, Table(caption, ["job and peer", "what it reaches"], lost, text=(1,), folded=folded))
    return shown + [merged(group, each) for group, each in speeds(peers)]


def note(peers, subject):
    """Of when and where, which may be another run than the sections above are of."""
    cpu, here = peers.machine.get("cpu"), subject.context.get("cpu") or subject.machine.get("cpu")
    text = f"Measured by scripts/peers, {peers.data['date'][:10]}"
    text += f", on {cpu}" if cpu else ""
    text += f": another machine than the one above, {here}" if cpu and here and cpu != here else ""
    told = dict(conditions(peers))
    text += f"; {told['measured']}" if "measured" in told else ""
    text += f". A quick run: {QUICK}" if "a quick run" in told else ""
    aside = [f"{e['name']} ({e['reason']})" for e in peers.not_run]
    return f"{text}.{f' Not run: {listed(aside)}.' if aside else ''}"

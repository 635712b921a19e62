"""The report: sections of a question, its answer in one sentence, a picture and tables."""
import dataclasses

import choice
import conditions
import growth
import peers
import places
import speed
import ulps
import where
from checks import of_subject
from further import level_tables, position_tables, shares_at, thread_tables, times
from others import LONG_NAMES, dtype_tables, limits_of, preset_tables, sizes_of, sum_tables, sums_of
from render import Table, page
from results import PLAIN_LOOP, best_limit
from words import listed, plural, pm, share_text
from words import speed as speed_of


EMULATED = "Emulated: these times say nothing about a real machine, and are not ranked."


@dataclasses.dataclass
class Section:
    key: str
    question: str
    answer: str
    picture: object = None
    tables: tuple = ()
    items: tuple = ()  # [(what, text)]
    facts: tuple = ()
    note: str = ""


def paired(tables):
    """Tables of scripts/summary, (title, lines, note), every column "+-" joined to the one before it."""
    for title, (head, *lines), note in tables:
        at = [i for i, name in enumerate(head) if name != "+-"]
        spread = {i for i in at if head[i + 1:i + 2] == ["+-"]}
        rows = [[(line[i], line[i + 1]) if i in spread and line[i + 1] != "-" else line[i] for i in at] for line in lines]
        yield Table(title, [head[i] for i in at], rows, note=note, folded=title.split(";")[0])


def sections(subject):
    yield Section("choice", "Which implementation should I use?", choice.answer(subject),
                  choice.picture(subject) if subject.ranked else None,
                  [t for t in (choice.table(subject), choice.left_out(subject)) if t], choice.chosen(subject))
    yield Section("growth", "How wrong does each get as positions grow?", growth.grown(subject), growth.picture(subject),
                  [growth.table(subject)])
    yield Section("where", "Where in the table are the errors?", where.located(subject), where.picture(subject))
    yield Section("ulps", "How is the error distributed?", ulps.rounded(subject), ulps.picture(subject), [ulps.table(subject)])
    if subject.bench:
        yield from speeds(subject)
    if subject.peers:
        told = subject.peers
        yield Section("peers", peers.QUESTION, peers.answer(told), peers.picture(told), peers.tables(told), peers.items(told),
                      note=peers.note(told, subject))
    found = conditions.lacking(subject)
    yield Section("conditions", "On what, and how, was it measured?", conditions.answer(subject), facts=conditions.facts(subject),
                  note=f"Not in these files: {listed(found)}." if found else "")


def speeds(subject):
    at, order, context = subject.verified, subject.order, subject.context
    said = (lambda answer: EMULATED) if subject.emulated else (lambda answer: answer(subject))
    drawn = (lambda picture: None) if subject.emulated else (lambda picture: picture(subject))
    yield Section("speed", "How fast by table size, from L1 to memory, against the limits?", said(speed.answer),
                  drawn(speed.picture),
                  [speed.matrix(subject), *paired(level_tables(at, context, order))])
    yield Section("places", "And one row, random positions, a fresh table?", said(places.answer), drawn(places.picture),
                  list(paired(position_tables(at, context, order))))
    more = [t for tables in (dtype_tables(at, order), sum_tables(at, order), preset_tables(at, order), thread_tables(at, order),
                             shares_at(at, subject.shapes, order)) for t in paired(tables)]
    if more:
        yield Section("more", "What of other dtypes, sums and conventions?", said(others), tables=more)


def others(subject):
    """The one sentence: the same implementation's other dtypes and sums."""
    rows, name, parts = subject.verified[subject.offset], subject.best(), []
    for dtype, long_name in LONG_NAMES.items():
        shapes = sizes_of(rows, f"fill/{dtype}")
        shape = subject.size if subject.size in shapes else shapes[-1] if shapes else None
        row = rows.get((f"fill/{dtype}", name, *shape)) if shape else None
        if row:
            part = share_text(row, best_limit(rows, shape, limits_of(dtype))[1])
            parts.append(f"{pm(speed_of(row))} GB/s in {long_name}, {shape[0]} × {shape[1]}{part}")
    text = f"{name} writes {listed(parts)}" if parts else ""
    sums = [(size, rows[kind, name, *shape], rows.get((kind, PLAIN_LOOP, *shape))) for kind, shape, size in sums_of(rows)
            if (kind, name, *shape) in rows]
    ratios = [f"{pm(x for x in times(row, loop) if x != '-')} ({size.replace('x', '×')})" for size, row, loop in sums if loop]
    if ratios:
        whose = "; its" if text else f"Of {name}, the"
        text += f"{whose} sums with a table's rows are {listed(ratios)} times as fast as a plain loop"
    return f"{text}." if text else "Measured, though not of the implementation that the sections above are about."


def build(subject, files):
    """The page's text; files: [(name, what it is)] that lie beside it."""
    cpu = subject.machine.get("cpu") or subject.context.get("cpu") or "an unknown processor"
    if subject.emulated:
        cpu = f"emulated {subject.machine.get('architecture') or subject.context.get('architecture') or 'processor'}, on {cpu}"
    when = (subject.context.get("date") or subject.verify.get("date") or "")[:10]
    return page("report.html", title="Accuracy and speed of posenc" if subject.bench else "Accuracy of posenc", cpu=cpu,
                when=when, compiler=subject.context.get("compiler") or subject.machine.get("compiler") or "",
                version=subject.verify.get("version", ""), warnings=of_subject(subject), sections=list(sections(subject)),
                files=files, speeds=bool(subject.bench),
                judged=f"{plural(len(subject.judged()), 'implementation')} judged, {subject.whole_reach()}")

"""What posenc-judge has found, for peers_join.py: which table is whose, and whether ours are what they promise."""
import pathlib

from .peers import LEVELS, OURS, WORDS

WHAT = {"exact": "posenc: correctly rounded", "anchored": "posenc: float64 angle addition, rounded once"}


def severity(table):
    return max(((list(WORDS).index(r["word"]), r["max_abs"] or 0) for r in table["ranges"]), default=(-1, 0))


def tables_of(judged):
    """{(world, name): what posenc-judge says}; of a name that was judged twice, the worse."""
    found = {}
    for path, report in judged:
        for table in report["tables"]:
            key = ("python", pathlib.Path(table["file"]).stem) if table.get("file") else ("c", table["name"])
            if key[1] in OURS or key[1].rpartition("_")[0] in OURS and key[1].rpartition("_")[2] in LEVELS:
                key = "ours", key[1].split("_")[0]
            if any(r["word"] not in WORDS for r in table["ranges"]):
                raise ValueError(f"{path}: {key[1]}: a word of a range is none of {', '.join(WORDS)}")
            if key not in found or severity(found[key]) < severity(table):
                found[key] = table
    return found


def rows_of(cases, python, tables, context):
    """The list of peers: ours, then the others as they come."""
    given = {(p["world"], p["name"]): p for p in python.get("peers", [])}
    ran = list(dict.fromkeys((c["world"], c["peer"]) for c in cases))
    ours = [next((key for key in ran if key[1] == o), None) for o in OURS]  # once, whichever world they ran in
    rows = []
    for world, name in [key for key in ours if key] + [key for key in ran if key[1] not in OURS]:
        table, known = tables.get(("ours" if name in OURS else world, name), {}), given.get((world, name), {})
        what = known.get("what") or table.get("what") or context.get(f"peer.{name}") or WHAT.get(name)
        version = known.get("version") or table.get("version") or context.get(f"peer_version.{name}")
        rows.append({"name": name, "world": world, "what": what,
                     "version": version or (context.get("posenc") if name in OURS else None),
                     "preset": table.get("preset") or known.get("preset") or "paper", "d_model": table.get("d_model"),
                     "ranges": table.get("ranges", []), "right": table.get("right"), "wrong_from": table.get("wrong_from")})
    return rows


def broken(rows):
    """[text] of what ours promise and do not keep: every output of exact correctly rounded, and anchored the right table."""
    found = []
    for row in rows:
        words = dict.fromkeys(r["word"] for r in row["ranges"])
        if row["name"] in OURS and not words:
            found.append(f"{row['name']} was not judged")
        elif row["name"] == "exact" and list(words) != ["exact"]:
            worst = next(r for r in row["ranges"] if r["word"] != "exact")
            found.append(f"exact is not correctly rounded: \"{worst['word']}\" at positions {worst['from']} to {worst['to'] - 1}")
        elif row["name"] == "anchored" and row["right"] is not True:
            found.append("anchored is not the right table")
    return found

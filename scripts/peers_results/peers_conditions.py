"""What ran where, and how it was measured: of a run of scripts/peers, for its text, docs/peers.md and the report."""
from peers_figures import memory
from peers_words import OURS, WORLDS
from words import listed, plural

QUICK = "few repetitions and sizes: its figures show that it runs, not how fast anything is"
PEERS_FLAGS = "-O3 and those of their instruction set; libmvec's also -ffast-math, without which GCC does not use it"


def procedure(peers):
    """ "7 repetitions (C); 7 turns, of large tables 5, seed 1 (Python)", as far as the run says it."""
    run, found = peers.run, []
    if run.get("repetitions"):
        least, most = run["repetitions"]
        found.append(f"{f'{least} to ' if least < most else ''}{plural(most, 'repetition')} (C)")
    turns = [plural(run["turns"], "turn")] if run.get("turns") else []
    turns += [f"of large tables {run['large_turns']}"] if run.get("large_turns") not in (None, run.get("turns")) else []
    turns += [f"seed {run['seed']}"] if run.get("seed") is not None else []
    return "; ".join(found + ([f"{', '.join(turns)} (Python)"] if turns else []))


def conditions(peers):
    """[(what, value)] of the machine and the versions."""
    m = peers.machine
    caches = [f"L{c['level']} {memory(c['size'])}" for c in sorted(m.get("caches", []), key=lambda c: c["level"])
              if c.get("type") != "Instruction"]
    found = [("a quick run", QUICK if peers.run.get("quick") else None), ("measured", procedure(peers)),
             ("date", peers.data["date"].replace("T", " ").replace("+00:00", " UTC")), ("processor", m.get("cpu")),
             ("architecture", m.get("architecture")), ("emulated", "yes" if peers.emulated else None),
             ("processors", m.get("processors")), ("data caches", ", ".join(caches)), ("compiler", m.get("compiler")),
             ("build type", m.get("build_type")), ("posenc's flags", m.get("c_flags")),
             ("peers' flags", PEERS_FLAGS if any(w == "c" and n not in OURS for w, n in peers.rows) else None),
             ("huge pages", m.get("transparent_huge_pages")),
             ("ours", listed(peers.members().values())),
             ("versions", ", ".join(f"{name} {version}" for name, version in peers.versions.items())),
             ("compared", listed(plural(sum(w == world and n not in OURS for w, n in peers.rows), f"{name} peer")
                                 for world, name in WORLDS.items()))]
    return [(what, str(value)) for what, value in found if value not in (None, "")]

"""Prints what scripts/peers has found, build/peers.json; and makes the text of docs/peers.md, for scripts/pages.

    python3 -B scripts/peers_results/peers_text.py [PEERS.json] [--markdown FILE]
"""
import argparse
import os
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # leave no __pycache__ in the tree
HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "page")]
import results
from peers_brief import text
from peers_cases import read
from peers_conditions import QUICK, conditions
from peers_figures import together
from peers_losses import draws, losses, nowhere, tally
from peers_tables import errors, sampled, speeds, target_table, title, who
from results import fail

DEFAULT = HERE.parent.parent / "build/peers.json"


def escaped(cell):
    """As Markdown shows it, on one line. An underscore within a word is none of its marks."""
    return re.sub(r"([\\`*|<>\[\]&]|(?<!\w)_|_(?!\w))", r"\\\1", " ".join(cell.split()))


def cell_of(value, bold):
    value = escaped(together(value))
    return f"**{value}**" if bold and "(peer wins)" in value else value


def rows_of(table):
    """A Markdown table: names as code, numbers to the right, losses bold."""
    texts = any(isinstance(c, str) and " " in c and len(c) > 24 for row in table.rows for c in row[1:])
    lines = ["| " + " | ".join(map(escaped, table.head)) + " |", "|---|" + ("---|" if texts else "---:|") * (len(table.head) - 1)]
    for name, *cells in table.rows:
        shown = escaped(name) if " " in name else f"`{name.replace('`', '').replace('|', '')}`"
        lines.append(f"| {shown} | " + " | ".join(cell_of(c, not texts) for c in cells) + " |")
    return "\n".join(lines)


def markdown(peers):
    import jinja2
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), undefined=jinja2.StrictUndefined, trim_blocks=True,
                             lstrip_blocks=True, keep_trailing_newline=True, autoescape=False)
    env.filters |= {"rows": rows_of, "escaped": escaped, "title": title}
    return env.get_template("peers.md.jinja").render(
        peers=peers, conditions=conditions(peers), who=who(peers), speeds=speeds(peers), errors=errors(peers),
        losses=losses(peers), nowhere=nowhere(peers), draws=draws(peers), tally=tally(peers), targets=target_table(peers),
        sampled=sampled(peers), quick=QUICK if peers.run.get("quick") else "")


def main(given=None):
    results.PROGRAM = "peers"
    parser = argparse.ArgumentParser(prog="peers_text", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", metavar="PEERS.json", nargs="?", default=str(DEFAULT), help="default build/peers.json")
    parser.add_argument("--markdown", metavar="FILE", help="write the same as Markdown too; - prints it in place of the text")
    args = parser.parse_args(given)
    peers = read(args.peers)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # a name may be one that no encoding has
    if args.markdown == "-":
        print(markdown(peers), end="")
        return 0
    if args.markdown:
        from render import write
        try:
            write(args.markdown, markdown(peers))
        except OSError as e:
            fail(f"{e.filename or args.markdown}: {e.strerror}")
    try:
        text(peers)
        sys.stdout.flush()
    except BrokenPipeError:  # head, or a pager that was left; what was asked for is written
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())

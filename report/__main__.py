"""What the scripts call: python3 -m report COMMAND ...

    report     the HTML page of ./scripts/report, or a comparison of two runs
    summary    the text of ./scripts/bench
    peers      the text of ./scripts/peers
    join       build/peers.json of the parts of ./scripts/peers
    pages      the tables and pictures of README.md and docs/

Exit status 2: usage, or a file that is not what it should be.
"""
import argparse
import os
import pathlib
import sys

from . import load
from .load import TOP, fail, write

OTHERS = ("bench.json", "speed.csv", "peers.json")  # not to be left beside a page without speeds, or without peers


def page(args, parser):
    if args.compare:
        if args.verify or args.bench or args.no_bench or args.peers:
            parser.error("--compare takes its two files and --output, nothing else")
        from . import compare

        return compare.main(*args.compare, pathlib.Path(args.output or TOP / "build/report/compare.html"))
    if args.bench and args.no_bench:
        parser.error("--bench and --no-bench exclude each other")
    from . import checks, html, peers, sections
    from .run import Run

    paths = {"verify": pathlib.Path(args.verify or TOP / "build/verify.json")}
    if not args.no_bench:
        paths["bench"] = pathlib.Path(args.bench or TOP / "build/bench.json")
    for name, path in paths.items():
        if not path.exists():
            fail(f"{path}: there is none; ./scripts/bench makes it, --verify and --bench (or --no-bench) name others")
    verify = load.load_verify(paths["verify"])
    bench = None if args.no_bench else load.load_bench(paths["bench"])
    beside = paths["verify"].parent / "peers.json"
    if args.peers or beside.exists() and bench:
        paths["peers"] = pathlib.Path(args.peers or beside)
    run = Run(verify, bench, paths["verify"], peers.read(paths["peers"]) if "peers" in paths else None)
    files = {f"{name}.json": path.read_text(encoding="utf-8") for name, path in paths.items()}
    files["accuracy.csv"] = html.accuracy(run)
    if bench:
        files["speed.csv"] = html.speed(run)
    title = "Accuracy and speed of posenc" if bench else "Accuracy of posenc"
    cpu = run.context.get("cpu") or run.machine.get("cpu") or "an unknown processor"
    lead = [f"posenc {verify.get('version', '')} on {cpu}."]
    text = html.page(title, lead, list(checks.of_run(run)), list(sections.sections(run)), list(files))
    directory = pathlib.Path(args.output or TOP / "build/report")
    for name, content in (files | {"index.html": text}).items():
        write(directory / name, content)
    for name in set(OTHERS) - set(files):
        (directory / name).unlink(missing_ok=True)
    print(directory / "index.html")
    return 0


def summary(args, _):
    from . import answer, sections, text
    from .run import Run

    run = Run(load.load_verify(args.verify), load.load_bench(args.bench), args.verify, shape=args.shape)
    if args.shape and not run.size:
        there = ", ".join(name for name, _ in run.shapes.values()) or "none"
        fail(f"{args.bench}: no results of shape '{args.shape}'; it has: {there}")
    if not run.rows:
        fail(f"{args.bench}: no implementation was run")
    for section in [*sections.of_speeds(run), sections.choice(run)] if args.verbose else []:
        if section.tables:
            text.show_section(section)
    answer.show_answer(run, args.seconds, args.page)
    return 0


def peers(args, _):
    from . import peers, peers_tables, text

    text.show_section(peers_tables.text(peers.read(args.file)))
    return 0


def join(args, _):
    from . import peers

    return peers.main(args)


def pages(args, _):
    from . import pages

    return pages.main(args)


def arguments():
    top = argparse.ArgumentParser(
        prog="python3 -m report", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name, call, text):
        p = commands.add_parser(name, prog=name, description=text)
        p.set_defaults(call=call, parser=p)
        return p.add_argument

    add = command(
        "report",
        page,
        "Writes the report on accuracy and speed as one HTML page; with --compare, two runs side by side.",
    )
    add("--verify", metavar="FILE", help="written by posenc-verify --json; default build/verify.json")
    add("--bench", metavar="FILE", help="written by posenc-bench --json; default build/bench.json")
    add("--no-bench", action="store_true", help="errors only")
    add("--peers", metavar="FILE", help="written by scripts/peers; default peers.json beside what was verified, if any")
    runs = (
        "two runs of posenc-bench, or two of posenc-verify; docs/recorded/bench.json is the run of the README's table"
    )
    add("--compare", nargs=2, metavar=("A", "B"), help=runs)
    add("--output", metavar="PATH", help="directory of the page, default build/report; with --compare its file")

    add = command("summary", summary, "Which implementation to use, and the errors and speeds of one table.")
    add("verify", metavar="VERIFY.json")
    add("bench", metavar="BENCH.json")
    add("--shape", help="the table; default transformer, or the smallest run")
    add("--verbose", action="store_true", help="all speeds before it")
    add("--seconds", type=int, help="that the run took, to be said")
    add("--page", help="where the page is, to be said")

    add = command("peers", peers, "Prints what scripts/peers has found.")
    add("file", metavar="PEERS.json", nargs="?", default=TOP / "build/peers.json", help="default build/peers.json")

    add = command("join", join, "Joins the parts of scripts/peers.")
    add("--bench", metavar="FILE", nargs="+", required=True, help="JSON of posenc-bench --peers and bench/peers/python")
    add("--judge", metavar="FILE", nargs="*", default=[], help="JSON of posenc-verify")
    add("--quick", action="store_true", help="says that few repetitions were made, which posenc-bench does not")
    add("--output", metavar="FILE", required=True, help="the joined file")

    add = command("pages", pages, "Renders the measured tables, pictures and quoted examples of README.md and docs/.")
    add("--check", action="store_true", help="write nothing; exit status 1 when a page differs")
    recorded = "first copy the last runs (default: those that are in build/) to docs/recorded"
    add("--record", nargs="*", choices=("verify", "bench", "peers"), metavar="NAME", help=recorded)
    return top


def main(given):
    args = arguments().parse_args(given)
    load.PROGRAM = args.parser.prog
    try:
        status = args.call(args, args.parser)
        sys.stdout.flush()
        return status
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as e:
        if os.environ.get("POSENC_DEBUG"):
            raise
        fail(f"{' '.join(given[1:])}: a value is missing or not of the expected form ({type(e).__name__}: {e})")
    except BrokenPipeError:  # head, or a pager that was left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))

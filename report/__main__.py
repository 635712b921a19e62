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


def parser(name, text):
    return argparse.ArgumentParser(prog=name, description=text, formatter_class=argparse.RawDescriptionHelpFormatter)


def page(given):
    p = parser(
        "report", "Writes the report on accuracy and speed as one HTML page; with --compare, two runs side by side."
    )
    p.add_argument("--verify", metavar="FILE", help="written by posenc-verify --json; default build/verify.json")
    p.add_argument("--bench", metavar="FILE", help="written by posenc-bench --json; default build/bench.json")
    p.add_argument("--no-bench", action="store_true", help="errors only")
    p.add_argument(
        "--peers", metavar="FILE", help="written by scripts/peers; default peers.json beside what was verified, if any"
    )
    p.add_argument(
        "--compare",
        nargs=2,
        metavar=("A", "B"),
        help="two runs of posenc-bench, or two of posenc-verify; "
        "docs/recorded/bench.json is the run of the README's table",
    )
    p.add_argument(
        "--output", metavar="PATH", help="directory of the page, default build/report; with --compare its file"
    )
    args = p.parse_args(given)
    if args.compare:
        if args.verify or args.bench or args.no_bench or args.peers:
            p.error("--compare takes its two files and --output, nothing else")
        from . import compare

        return compare.main(*args.compare, args.output or TOP / "build/report/compare.html")
    if args.bench and args.no_bench:
        p.error("--bench and --no-bench exclude each other")
    return make(args)


def make(args):
    from . import html, peers
    from .run import Run

    paths = [
        pathlib.Path(args.verify or TOP / "build/verify.json"),
        pathlib.Path(args.bench or TOP / "build/bench.json"),
    ]
    for path, given in zip(paths, (args.verify, args.bench or args.no_bench)):
        if not given and not path.exists():
            fail(f"{path}: there is none; ./scripts/bench makes it, --verify and --bench (or --no-bench) name others")
    verify, bench = load.load_verify(paths[0]), None if args.no_bench else load.load_bench(paths[1])
    beside = paths[0].parent / "peers.json"
    found = args.peers or (beside if beside.exists() and bench else None)
    run = Run(verify, bench, paths[0], peers.read(found) if found else None)
    files = {
        "verify.json": (paths[0].read_text(encoding="utf-8"), "of posenc-verify"),
        "accuracy.csv": (html.accuracy(run), "errors by range"),
    }
    if bench:
        files |= {
            "bench.json": (paths[1].read_text(encoding="utf-8"), "of posenc-bench"),
            "speed.csv": (html.speed(run), "speeds by case"),
        }
    if found:
        files["peers.json"] = pathlib.Path(found).read_text(encoding="utf-8"), "of scripts/peers"
    text, directory = html.report(run, [(name, what) for name, (_, what) in files.items()]), pathlib.Path(
        args.output or TOP / "build/report"
    )
    for name, (content, _) in files.items():
        write(directory / name, content)
    write(directory / "index.html", text)
    for name in set(OTHERS) - set(files):
        (directory / name).unlink(missing_ok=True)
    print(directory / "index.html")
    return 0


def summary(given):
    p = parser("summary", "Speed by table, errors and speeds of one table, and which implementation to use.")
    p.add_argument("verify", metavar="VERIFY.json")
    p.add_argument("bench", metavar="BENCH.json")
    p.add_argument(
        "--shape", help="of the table of errors and speeds and of the pick; default transformer, or the smallest run"
    )
    args = p.parse_args(given)
    from . import text
    from .run import Run

    run = Run(load.load_verify(args.verify), load.load_bench(args.bench), args.verify, shape=args.shape)
    if args.shape and not run.size:
        fail(
            f"{args.bench}: no results of shape '{args.shape}'; it has: "
            f"{', '.join(n for n, _ in run.shapes.values()) or 'none'}"
        )
    if not run.has_results():
        fail(f"{args.bench}: no implementation was run")
    text.summary(run)
    return 0


def peers(given):
    p = parser("peers", "Prints what scripts/peers has found.")
    p.add_argument(
        "file", metavar="PEERS.json", nargs="?", default=TOP / "build/peers.json", help="default build/peers.json"
    )
    from . import peers, text

    text.show_peers(peers.read(p.parse_args(given).file))
    return 0


def main(given):
    commands = {"report": page, "summary": summary, "peers": peers}
    if given[:1] == ["join"]:
        from .peers_join import main as command
    elif given[:1] == ["pages"]:
        from .pages import main as command
    elif given and given[0] in commands:
        command = commands[given[0]]
    else:
        print(__doc__, end="")
        return 0 if given[:1] in (["--help"], ["-h"]) else 2
    load.PROGRAM = {"join": "peers"}.get(given[0], given[0])
    try:
        status = command(given[1:])
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
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))

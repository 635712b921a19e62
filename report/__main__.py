"""What the scripts call: python3 -m report COMMAND ...

    report     the page of ./scripts/report, or a comparison of two runs
    summary    the box of ./scripts/bench
    failed     what posenc-verify failed or has not judged
    pick       the answer of ./scripts/pick
    peers      the text of ./scripts/peers
    join       build/peers.json, joined from the parts of ./scripts/peers
    pages      the tables and pictures of README.md and docs/

Exit status 2: usage, or a file of another form.
"""
import argparse
import importlib
import math
import os
import sys

from . import load
from .load import TOP


def limit(text):
    value = float(text)
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text}: a number from 0 is needed")
    return value


def arguments():
    lines = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(prog="python3 -m report", description=__doc__, formatter_class=lines)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name, call, text):
        """call: MODULE.FUNCTION of this package. Modules are loaded late, because some of them take a second, or need
        packages that other commands do not."""
        p = commands.add_parser(name, prog=name, description=text)
        p.set_defaults(call=call, parser=p)
        return p.add_argument

    text = "Writes the report on accuracy and speed as one HTML page, or with --compare two runs side by side."
    add = command("report", "report.main", text)
    add("--verify", metavar="FILE", help="written by posenc-verify --json; default build/verify.json")
    add("--bench", metavar="FILE", help="written by posenc-bench --json; default build/bench.json")
    add("--no-bench", action="store_true", help="errors only")
    add("--peers", metavar="FILE", help="written by scripts/peers; default peers.json beside the file of --verify")
    runs = "two runs of posenc-bench or two reports of posenc-verify; docs/recorded/PROCESSOR/bench.json: recorded runs"
    add("--compare", nargs=2, metavar=("A", "B"), help=runs)
    add("--output", metavar="PATH", help="directory of the page, default build/report; with --compare the file")

    text = "Prints which implementation to use for the default table, or the smallest that was run."
    add = command("summary", "answer.main", text)
    add("verify", metavar="VERIFY.json")
    add("bench", metavar="BENCH.json")
    add("--verbose", action="store_true", help="print all errors, speeds and conditions first")
    add("--seconds", type=int, help="the duration of the run, to be printed")
    add("--page", help="the path of the report, to be printed")

    text = "Prints implementations that failed verification, and implementations and dtypes that were not judged."
    add = command("failed", "pick.failed", text + " posenc-bench takes each as --skip NAME[/DTYPE].")
    add("verify", metavar="VERIFY.json")

    text = "Prints which implementation to use for one table. Exit status 1: none is within the budget."
    add = command("pick", "pick.main", text)
    ulps = "the largest error allowed, in units of the last place; default 1 unless --max-abs is given"
    add("--max-ulp", type=limit, metavar="X", help=ulps)
    add("--max-abs", type=limit, metavar="X", help="the largest absolute error allowed")
    add("verify", metavar="VERIFY.json", help="a report of posenc-verify on that table alone")
    add("bench", metavar="TURN.json", nargs="*", help="runs of posenc-bench on it, if any passed; one repetition each")

    add = command("peers", "peers_tables.main", "Prints the results of scripts/peers.")
    add("file", metavar="PEERS.json", nargs="?", default=TOP / "build/peers.json", help="default build/peers.json")

    add = command("join", "peers.main", "Joins the parts of scripts/peers.")
    add("--bench", metavar="FILE", nargs="+", required=True, help="JSON of posenc-bench --peers and bench/peers/python")
    add("--judge", metavar="FILE", nargs="*", default=[], help="JSON of posenc-verify")
    add("--quick", action="store_true", help="note that few repetitions were made, which posenc-bench does not")
    add("--output", metavar="FILE", required=True, help="the joined file")

    text = "Renders the measured tables, pictures and quoted examples of README.md and docs/."
    add = command("pages", "pages.main", text)
    add("--check", action="store_true", help="write nothing; exit status 1 when a page differs")
    recorded = "first copy the last runs (default: all in build/) to docs/recorded/PROCESSOR"
    add("--record", nargs="*", choices=("verify", "bench", "peers"), metavar="NAME", help=recorded)
    return top


def main(given):
    args = arguments().parse_args(given)
    load.PROGRAM = args.parser.prog
    try:
        module, function = args.call.split(".")
        status = getattr(importlib.import_module(f".{module}", __package__), function)(args) or 0
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # of head, or of a pager that ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))

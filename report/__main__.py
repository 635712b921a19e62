"""What the scripts call: python3 -m report COMMAND ...

    answer     the answer of ./scripts/bench
    pick       the answer of ./scripts/pick
    report     the page of ./scripts/report, or its text
    compare    the answer of ./scripts/compare
    failed     what posenc-verify failed or has not judged
    peers      the table of ./scripts/peers
    join       one run of several files of posenc-bench or bench/peers.py
    pages      the tables and pictures of README.md and docs/

Exit status 2: usage, or another file than expected.
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

    text = "Writes the report on accuracy and speed as one HTML page."
    add = command("report", "report.main", text)
    add("--text", action="store_true", help="print the sections of the page instead")
    add("--csv", action="store_true", help="print every case instead, as CSV")
    add("--verify", metavar="FILE", help="written by posenc-verify --json; default build/verify.json")
    add("--bench", metavar="FILE", help="written by posenc-bench --json; default build/bench.json")
    add("--no-bench", action="store_true", help="errors only")
    add("--peers", metavar="FILE", help="written by scripts/peers; default peers.json beside the file of --verify")
    add("--output", metavar="DIRECTORY", help="directory of the page, default build/report")

    text = "Prints which implementation to use for the default table, or the smallest one."
    add = command("answer", "answer.main", text)
    add("verify", metavar="VERIFY.json")
    add("bench", metavar="BENCH.json")
    add("--page", help="the path of the report, to be printed")

    text = "Prints implementations that failed verification, and implementations and dtypes that were not judged."
    add = command("failed", "answer.failed", text + " posenc-bench takes each as --skip NAME[/DTYPE].")
    add("verify", metavar="VERIFY.json")

    text = "Prints which implementation to use for one table. Exit status 1: none is within the budget."
    add = command("pick", "answer.pick", text)
    ulps = "the largest error allowed, in units of the last place; default 1 unless --max-abs is given"
    add("--max-ulp", type=limit, metavar="X", help=ulps)
    add("--max-abs", type=limit, metavar="X", help="the largest absolute error allowed")
    options = "the options of the table, for its title and the calls"
    add("--table", nargs="*", default=[], metavar="OPTION", help=options)
    add("verify", metavar="VERIFY.json", help="a report of posenc-verify on that table alone")
    add("bench", metavar="BENCH.json", help="a run of posenc-bench on it")

    text = "Prints the cases that changed between two builds. Exit status 1: one is slower, by more than 10 %."
    add = command("compare", "compare.main", text)
    add("files", nargs=2, metavar="FILE.json", help="runs of posenc-bench before and after")
    add("--again", nargs=2, metavar="FILE.json", help="second runs, which must agree")
    add("--names", action="store_true", help="print only the names, joined by |")

    add = command("peers", "peers.main", "Prints the results of scripts/peers.")
    add("file", metavar="PEERS.json", nargs="?", default=TOP / "build/peers.json", help="default build/peers.json")

    add = command("join", "load.join", "Joins runs of posenc-bench and bench/peers.py. The first context counts.")
    add("files", metavar="FILE.json", nargs="+")
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

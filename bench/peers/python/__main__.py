"""Measures what Python programs have instead of posenc: NumPy, PyTorch, Hugging Face's Marian and, where they are installed,
JAX, MKL, transformers and diffusers. Each makes the whole table in a process of its own, by turns with posenc's exact and
anchored. Writes DIR/python.json, and DIR/NAME.npy of each peer for posenc-verify.

Jobs: fresh, a table allocated and produced; refill, the same values into one that exists; first, a fresh one with nothing kept
from earlier calls (small tables, one thread). All are warm: in each turn, a whole call goes before those that are timed.

    python3 -B bench/peers/python --output DIR

Needs the package posenc and its library: installed, or by PYTHONPATH=python LD_LIBRARY_PATH=build/release.
"""
import argparse
import json
import os
import pathlib
import platform
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # leave no __pycache__ in the tree
from document import document  # noqa: E402
from process import Gone, Process  # noqa: E402
from subjects import BY_NAME, OURS, SUBJECTS  # noqa: E402
from turns import LARGE, LARGE_TURNS, Run, say  # noqa: E402

SIZES, QUICK_SIZES = "64x128,512x512,5000x512,131072x1024", "64x128,512x512"
TURNS, QUICK_TURNS = 7, 3
JUDGED_D, JUDGED_ROWS, JUDGED_FEW = 512, 131072, 5000  # few: of slow ones, and of a quick run


def size(text):
    n, x, d = text.partition("x")
    if (
        not x
        or not n.isdecimal()
        or not d.isdecimal()
        or int(n) < 1
        or int(d) < 2
        or int(d) % 2
        or int(n) * int(d) > 1 << 32
    ):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no size; allowed: ROWSxCOLUMNS, an even number of columns (the tutorial's code refuses others), "
            f"at most 2^32 elements"
        )
    return int(n), int(d)


def sizes(text):
    return list(dict.fromkeys(size(part) for part in text.split(",")))


def peers(text):
    names = text.split(",")
    for name in names:
        if name not in BY_NAME or name in OURS:
            known = ", ".join(s.name for s in SUBJECTS if s.name not in OURS)
            raise argparse.ArgumentTypeError(f"there is no peer {name!r}; allowed: {known}")
    return names


def count(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of turns; allowed: 1 and more")
    return int(text)


def arguments(given=None):
    parser = argparse.ArgumentParser(
        prog="peers_python",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--output", metavar="DIR", required=True, type=pathlib.Path, help="where to write; made if need be"
    )
    parser.add_argument("--sizes", type=sizes, metavar="NxD,...", help=f"tables; default {SIZES}, quick {QUICK_SIZES}")
    parser.add_argument(
        "--turns",
        type=count,
        metavar="N",
        help=f"default {TURNS}, quick {QUICK_TURNS}; fewer than 3 have no spread; at most {LARGE_TURNS} of "
        f"tables above {LARGE >> 20} MiB",
    )
    parser.add_argument("--peers", type=peers, metavar="NAME,...", help="only these, beside posenc's own; default all")
    parser.add_argument("--seed", type=int, default=1, help="of the order of turns; default 1")
    parser.add_argument("--no-judged", action="store_true", help="write no tables for posenc-verify")
    parser.add_argument("--quick", action="store_true", help="two small sizes, few turns, and few rows to be judged")
    args = parser.parse_args(given)
    args.sizes = args.sizes or sizes(QUICK_SIZES if args.quick else SIZES)
    args.turns = args.turns or (QUICK_TURNS if args.quick else TURNS)
    args.names = [s.name for s in SUBJECTS if s.name in OURS or args.peers is None or s.name in args.peers]
    return args


def huge_pages():
    """What the system gives huge pages to, which decides what large fresh tables cost."""
    try:
        text = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text(encoding="ascii")
        return text.partition("[")[2].partition("]")[0] or None
    except OSError:
        return None


def unusable(processors, cache):
    """Why posenc does not run here, or None; asked before anything that takes long."""
    process = Process("exact", 1, processors, cache)
    try:
        process.answer()
        return None
    except Gone as gone:
        return str(gone)
    finally:
        process.end()


def measure(args, processors, cache):
    """(exit status, what was measured or None)"""
    if reason := unusable(processors, cache):
        say(
            f"posenc itself does not run ({reason}), so there is nothing to compare with; install the package, or set "
            f"PYTHONPATH to python/ and LD_LIBRARY_PATH to a build of it"
        )
        return 2, None
    run = Run(args.names, sorted({1, len(processors)}), args.sizes, processors, cache)
    try:
        run.prepare()
        run.turns(args.turns, args.seed)
        if not args.no_judged:
            names = [name for name in args.names if name not in OURS]  # posenc-verify makes ours itself
            rows = JUDGED_FEW if args.quick else JUDGED_ROWS
            run.judge(names, lambda name: JUDGED_FEW if BY_NAME[name].slow else rows, JUDGED_D, args.output)
        more = {
            "quick": args.quick, "seed": args.seed, "turns": args.turns, "large_turns": min(args.turns, LARGE_TURNS),
            "processors": len(processors), "huge_pages": huge_pages(),
        }  # fmt: skip
        result = document(run, **more)
        result["versions"] = {"Python": platform.python_version(), **result["versions"]}
        # An old CPU may lack anchored from the start; what began and failed is a fault.
        failed = [row for row in run.not_run if row["name"] in OURS and (row["name"], 1) in run.said]
        return (1 if failed else 0), result
    finally:
        run.end()


def main():
    args, start = arguments(), time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that processes and files of the run end with it
    try:
        args.output.mkdir(parents=True, exist_ok=True)
        for old in [
            "python.json",
            *(f"{subject.name}.npy" for subject in SUBJECTS),
        ]:  # an earlier run's are not this one's
            (args.output / old).unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(prefix="posenc-peers-") as cache:
            status, result = measure(args, os.sched_getaffinity(0), cache)
        if result:
            path = args.output / "python.json"
            path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
            say(f"done in {time.monotonic() - start:.0f} s")
            print(path)
    except OSError as error:
        say(f"{error.filename or args.output}: {error.strerror or error}")
        return 2
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main())

"""Measures what Python programs have instead of posenc: NumPy, PyTorch, Hugging Face's Marian and, where they are installed,
JAX, MKL, transformers and diffusers. Each makes the whole table in a process of its own, by turns with posenc's exact and
anchored. Writes DIR/python.json, and DIR/NAME.npy of each peer for posenc-verify.

Jobs: fresh, a table allocated and produced; refill, the same values into one that exists; first, a fresh one with nothing kept
from earlier calls (small tables, one thread). All are warm: in each turn, a whole call goes before those that are timed.

    python3 -B bench/peers/python --output DIR [--quick]

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

sys.dont_write_bytecode = True  # leave no __pycache__ in the tree
from document import document  # noqa: E402
from subjects import BY_NAME, OURS  # noqa: E402
from turns import LARGE_TURNS, Run, say  # noqa: E402

QUICK_SIZES = [(64, 128), (512, 512)]
SIZES = QUICK_SIZES + [(5000, 512), (131072, 1024)]
TURNS, QUICK_TURNS, SEED = 7, 3, 1
JUDGED_D, JUDGED_ROWS, JUDGED_FEW = 512, 131072, 5000  # few: of slow ones, and of a quick run


def measure(output, quick, names=tuple(BY_NAME), sizes=None, turns=None):
    """The exit status; python.json is written unless it is 2."""
    processors, turns = os.sched_getaffinity(0), turns or (QUICK_TURNS if quick else TURNS)
    for old in ["python.json", *(f"{name}.npy" for name in BY_NAME)]:  # an earlier run's are not this one's
        (output / old).unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="posenc-peers-") as cache:
        run = Run(names, sorted({1, len(processors)}), sizes or (QUICK_SIZES if quick else SIZES), processors, cache)
        try:
            if not any(name in OURS for name, _ in run.said):
                say("posenc itself does not run, so there is nothing to compare with")
                return 2
            run.prepare()
            run.turns(turns, SEED)
            peers = [name for name in names if name not in OURS]  # posenc-peer-tables writes ours
            run.judge(peers, lambda name: JUDGED_FEW if quick or BY_NAME[name].slow else JUDGED_ROWS, JUDGED_D, output)
        finally:
            run.end()
    result = document(run, quick=quick, seed=SEED, turns=turns, large_turns=min(turns, LARGE_TURNS))
    result["versions"] = {"Python": platform.python_version(), **result["versions"]}
    (output / "python.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    # An old CPU may lack anchored from the start; an implementation that began and failed is an error.
    return int(any(row["name"] in OURS and (row["name"], 1) in run.said for row in run.not_run))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--output", metavar="DIR", required=True, type=pathlib.Path, help="where to write; made if need be"
    )
    parser.add_argument("--quick", action="store_true", help="two small sizes, few turns, and few rows to be judged")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that processes and files of the run end with it
    try:
        args.output.mkdir(parents=True, exist_ok=True)
        return measure(args.output, args.quick)
    except OSError as error:
        say(f"{error.filename or args.output}: {error.strerror or error}")
        return 2


if __name__ == "__main__":
    sys.exit(main())

"""Measures what Python programs use instead of posenc: NumPy, PyTorch, Hugging Face's Marian and, where they are
installed, JAX, transformers and diffusers. posenc and the others take turns. Each library has its own process.

The jobs are: fresh, which allocates and computes a table; refill, which writes the same values to an existing table;
and the functions that PyTorch programs call again and again, beside posenc.torch. All calls are warm: in each turn,
one untimed call comes before the timed calls.

Writes FILE in the form of posenc-bench's JSON, and VERDICTS: the errors of each peer's table, of those in C and C++ too,
which are in LIBRARY.

    python3 -B bench/peers/python --output FILE --judge LIBRARY VERDICTS [--quick]

Needs the package posenc and its library: installed, or by PYTHONPATH=python LD_LIBRARY_PATH=build/release.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import signal
import sys
import tempfile

sys.dont_write_bytecode = True  # leave no __pycache__ in the tree
from judged import COLUMNS, judged_in_c  # noqa: E402
from subjects import BY_NAME, OURS, Case  # noqa: E402
from turns import SPAWN, Run, say  # noqa: E402

QUICK_SIZES = [(64, 128), (512, 512)]
SIZES = QUICK_SIZES + [(5000, 512), (131072, 1024)]
CALLS = {  # calls of PyTorch programs, {job: [(n, batch, d)]}
    "forward": [(1, 1, 512), (35, 20, 200), (128, 32, 512), (1024, 8, 1024)],
    "construction": [(5000, 0, 512)],
    "table": [(64, 0, 128), (512, 0, 512), (5000, 0, 512)],
    "timesteps": [(2, 0, 320), (64, 0, 320), (1000, 0, 320)],
    "rotary": [(1, 0, 128), (512, 0, 128), (8192, 0, 128)],
}
TURNS, QUICK_TURNS = 7, 3
ROTARY = ("transformers_rotary", "posenc.torch")  # their cosines and sines are judged too
IN_C = ("exact", "anchored")  # their tables are judged by calls of the library, beside the peers in C
JUDGED_ROWS, JUDGED_FEW = 131072, 5000  # few: for slow peers, and in a quick run


def all_cases(quick, counts):
    for threads in counts:
        for n, d in QUICK_SIZES if quick else SIZES:
            yield Case("fresh", n, d, threads)
            yield Case("refill", n, d, threads)
    for dtype in ("float32",) if quick else ("float32", "bfloat16", "float16"):
        for job, shapes in CALLS.items():
            for n, batch, d in shapes:
                yield Case(job, n, d, 1, dtype, batch)
                if job != "construction":
                    yield Case(job, n, d, 1, dtype, batch, compiled=True)


def google_benchmark(run):
    """Returns the measurements in the form of Google Benchmark's JSON, with a record for each turn."""
    context = {"schema": "1", "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")}
    context["python"] = platform.python_version()
    for (name, _), said in run.said.items():
        context |= {f"peer.{name}": BY_NAME[name].what, f"peer_version.{name}": said["version"]}
        context |= {f"member.{name}": said["member"]} if said["member"] else {}
    context |= {f"not_run.{name}": reason for name, reason in run.not_run.items()}
    records = []
    for (case, name), times in run.seconds.items():
        for turn, seconds in enumerate(times):
            time = {"repetition_index": turn, "real_time": seconds * 1e9, "time_unit": "ns"}
            records.append(run.described(name, case) | time)
    for (case, name), reason in run.failed.items():
        records.append(run.described(name, case) | {"error_occurred": True, "error_message": reason})
    return {"context": context, "benchmarks": records}


def measure(output, library, verdicts, names, cases, turns, few):
    """Returns the exit status. Writes both files unless the status is 2. few: few rows of every table are judged."""
    with tempfile.TemporaryDirectory(prefix="posenc-peers-") as cache:
        run = Run(names, cases, os.sched_getaffinity(0), cache)
        try:
            if not run.began & {*OURS}:
                say("posenc itself does not run, so there is nothing to compare the others with")
                return 2
            run.first_calls()
            run.turns(turns)
            tables = judged_in_c(library, SPAWN, [name for name in names if name in IN_C and name in run.began])
            for name in (name for name in names if name not in OURS):
                rows = JUDGED_FEW if few or BY_NAME[name].slow else JUDGED_ROWS
                tables += run.judged(name, Case("fresh", rows, COLUMNS), BY_NAME[name].preset)
            for name in ROTARY:
                tables += run.judged(name, Case("rotary", *CALLS["rotary"][-1][::2]), "rope")
        finally:
            run.end()
    verdicts.write_text(json.dumps({"schema": 1, "tool": "posenc-peers", "tables": tables}, indent=1) + "\n")
    output.write_text(json.dumps(google_benchmark(run), indent=1) + "\n", encoding="utf-8")
    # An old CPU may not run anchored at all, which is no error. An implementation that started and failed is one.
    return int(not {*OURS}.isdisjoint(run.began & {*run.not_run} | {name for _, name in run.failed}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", metavar="FILE", required=True, type=pathlib.Path, help="where to write the results")
    parser.add_argument(
        "--judge",
        nargs=2,
        metavar=("LIBRARY", "VERDICTS"),
        required=True,
        help="the peers in C, and where to write verdicts",
    )
    parser.add_argument("--quick", action="store_true", help="measure two small sizes in few turns, and judge few rows")
    args = parser.parse_args()
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(143)
    )  # exits cleanly, so that the run's processes and files are removed
    cases = list(all_cases(args.quick, sorted({1, len(os.sched_getaffinity(0))})))
    library, verdicts = args.judge
    return measure(
        args.output,
        library,
        pathlib.Path(verdicts),
        list(BY_NAME),
        cases,
        QUICK_TURNS if args.quick else TURNS,
        args.quick,
    )


if __name__ == "__main__":
    sys.exit(main())

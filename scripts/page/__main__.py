"""Writes the report on accuracy and speed as one HTML page, from what posenc-verify and posenc-bench have written.

    scripts/report [--verify FILE] [--bench FILE | --no-bench] [--peers FILE] [--output DIRECTORY]
    scripts/report --compare A.json B.json [--output FILE.html]
"""
import argparse
import pathlib
import sys

sys.dont_write_bytecode = True  # leave no __pycache__ in the tree
SCRIPTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(SCRIPTS), str(SCRIPTS / "peers_results")]
import results
from results import fail, load

results.PROGRAM = "report"
TOP = SCRIPTS.parent
OTHER_FILES = ("bench.json", "speed.csv", "peers.json")  # not to be left beside a page without speeds, or without peers


def arguments(given):
    parser = argparse.ArgumentParser(prog="report", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verify", metavar="FILE", help="written by posenc-verify --json; default build/verify.json")
    parser.add_argument("--bench", metavar="FILE", help="written by posenc-bench --json; default build/bench.json")
    parser.add_argument("--no-bench", action="store_true", help="errors only")
    parser.add_argument("--peers", metavar="FILE", help="written by scripts/peers; default peers.json beside what was verified, "
                        "if there is one and speeds are wanted")
    parser.add_argument("--compare", nargs=2, metavar=("A", "B"), help="two runs of posenc-bench, or two of posenc-verify")
    parser.add_argument("--output", metavar="PATH", help="directory of the page, default build/report; with --compare its file")
    args = parser.parse_args(given)
    if args.bench and args.no_bench:
        parser.error("--bench and --no-bench exclude each other")
    if args.compare and (args.verify or args.bench or args.no_bench or args.peers):
        parser.error("--compare takes its two files and --output, nothing else")
    return args


def read(args):
    """The two files' contents, with their texts."""
    paths = [pathlib.Path(args.verify or TOP / "build/verify.json"), pathlib.Path(args.bench or TOP / "build/bench.json")]
    for path, given in zip(paths, (args.verify, args.bench or args.no_bench)):
        if not given and not path.exists():
            fail(f"{path}: there is none; ./scripts/bench makes it, --verify and --bench (or --no-bench) name others")
    verify = load(paths[0], "implementations", "report of posenc-verify")
    if verify.get("tool") != "posenc-verify" or verify.get("schema") != 1:
        fail(f"{paths[0]}: this is not a report of posenc-verify with schema 1")
    bench = None if args.no_bench else load(paths[1], "benchmarks", "run of posenc-bench (Google Benchmark's JSON)")
    return paths, verify, bench


def peers_of(args, verify):
    """(path, what it holds) of what scripts/peers has written, or None."""
    import peers_cases
    beside = verify.parent / "peers.json"
    path = pathlib.Path(args.peers) if args.peers else beside if beside.exists() and not args.no_bench else None
    return path and (path, peers_cases.read(path))


def make(args):
    import export
    from render import write
    from report import build
    from subject import Subject

    paths, verify, bench = read(args)
    peers = peers_of(args, paths[0])
    named = " or ".join(str(p) for p in paths[:1 if bench is None else 2])
    try:
        subject = Subject(verify, bench, paths[0], peers and peers[1])
        texts = [path.read_text(encoding="utf-8") for path in paths[:1 if bench is None else 2]]
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as e:
        fail(f"{named}: a value is missing or not of the expected form ({type(e).__name__}: {e})")
    files = {"verify.json": (texts[0], "of posenc-verify"), "accuracy.csv": (export.accuracy(subject), "errors by range")}
    if bench:
        files |= {"bench.json": (texts[1], "of posenc-bench"), "speed.csv": (export.speed(subject), "speeds by case")}
    if peers:
        files["peers.json"] = peers[0].read_text(encoding="utf-8"), "of scripts/peers"
    page = build(subject, [(name, what) for name, (_, what) in files.items()])
    directory = pathlib.Path(args.output or TOP / "build/report")
    try:
        for name, (text, _) in files.items():
            write(directory / name, text)
        write(directory / "index.html", page)
        for name in set(OTHER_FILES) - set(files):
            (directory / name).unlink(missing_ok=True)
    except OSError as e:
        fail(f"{e.filename or directory}: {e.strerror}")
    print(directory / "index.html")
    return 0


def main(given=None):
    args = arguments(given)
    if args.compare:
        import compare
        return compare.main(*args.compare, args.output or str(TOP / "build/report/compare.html"))
    return make(args)


if __name__ == "__main__":
    sys.exit(main())

"""./scripts/report: the page of a run, or two runs side by side."""
import pathlib

from . import compare, html, peers
from .load import TOP, fail, load, write
from .run import Run


def commit_of(path, data):
    """The commit of a run: from the file NAME.commit beside the data, or from the data."""
    note = path.with_suffix(".commit")
    return note.read_text(encoding="utf-8").strip() if note.exists() else data.get("commit")


def main(args):
    if args.compare:
        if args.verify or args.bench or args.no_bench or args.peers:
            args.parser.error("--compare takes two files and --output, and nothing else")
        compare.main(*args.compare, pathlib.Path(args.output or TOP / "build/report/compare.html"))
        return
    if args.bench and args.no_bench:
        args.parser.error("--bench and --no-bench exclude each other")
    paths = {"verify": pathlib.Path(args.verify or TOP / "build/verify.json")}
    if not args.no_bench:
        paths["bench"] = pathlib.Path(args.bench or TOP / "build/bench.json")
    for name, path in paths.items():
        if not path.exists():
            fail(f"{path} does not exist. ./scripts/bench writes it; --verify and --bench (or --no-bench) name others")
    verify = load(paths["verify"], "verify")
    bench = None if args.no_bench else load(paths["bench"], "bench")
    beside = paths["verify"].parent / "peers.json"
    if args.peers or beside.exists() and bench:
        paths["peers"] = pathlib.Path(args.peers or beside)
    run = Run(verify, bench, peers.read(paths["peers"]) if "peers" in paths else None)
    files = {f"{name}.json": path.read_text(encoding="utf-8") for name, path in paths.items()}
    commits = {name: commit_of(paths[name], data) for name, data in (("verify", verify), ("bench", bench)) if data}
    directory = pathlib.Path(args.output or TOP / "build/report")
    for name, content in (files | {"index.html": html.report(run, list(files), commits)}).items():
        write(directory / name, content)
    for name in {"bench.json", "peers.json"} - {*files}:  # no file of an earlier page stays
        (directory / name).unlink(missing_ok=True)
    print(directory / "index.html")

"""Makes README.md, python/README.md, docs/*.md and the README's pictures of docs/templates, docs/recorded and examples.

    ./scripts/pages             writes what is not as it would be made
    ./scripts/pages --check     fails where a page is not what would be written, naming lines; where a template has a number that
                                looks measured; where a record is missing or does not show what a page says; where a bound is
                                missing or too loose

Exit status: 0 all is as it should be, 1 something is not (nothing is written then), 2 usage.
"""
import argparse
import difflib
import pathlib
import sys

sys.dont_write_bytecode = True  # leave no __pycache__ in the tree
SCRIPTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(SCRIPTS), str(SCRIPTS / "page"), str(SCRIPTS / "peers_results")]
import results

results.PROGRAM = "pages"
import bounds
import lint
import make
from store import TOP

SHOWN = 12  # lines of a page that is another


def differences(name, made):
    """How the file differs, a line each; nothing where it is the same."""
    path = TOP / name
    there = path.read_text(encoding="utf-8") if path.exists() else ""
    if there == made or make.is_picture(name) and there and not make.same_tool(there):
        return []
    lines = list(difflib.unified_diff(there.splitlines(), made.splitlines(), n=0, lineterm=""))[2:]  # the first two name files
    more = [f"... {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return [f"{name} is not what scripts/pages makes: change its template or a record, and run that"] + [
        f"  {line[:160]}" for line in lines[:SHOWN] + more]


def main(given=None):
    parser = argparse.ArgumentParser(prog="pages", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    args = parser.parse_args(given)
    wrong = [*make.strangers(), *bounds.complaints()]
    for path, source in make.templates():
        wrong += lint.complaints(path.relative_to(TOP), source, budget=path.name == make.BUDGET)
    made = {}
    if not wrong:
        made, wrong = make.everything()
    changed = {name: found for name, text in made.items() if (found := differences(name, text))}
    for name in made:
        if name not in changed and make.is_picture(name) and not make.same_tool((TOP / name).read_text(encoding="utf-8")):
            print(f"skipped: {name}: another Matplotlib has drawn it, and {make.tool()} draws another picture of the same records")
    if args.check:
        wrong += [line for found in changed.values() for line in found]
    for line in wrong:
        print(f"pages: {line}" if not line.startswith(" ") else line, file=sys.stderr)
    if wrong:
        return 1
    for name in changed:
        make.write(TOP / name, made[name])
        print(f"pages: wrote {name}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

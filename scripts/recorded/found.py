"""What scripts/budget-worst records, of what the tests have printed into DIRECTORY: budget.json and stack.json there.

    python3 -B scripts/recorded/found.py DIRECTORY
"""
import json
import pathlib
import re
import sys

directory = pathlib.Path(sys.argv[1])
found = []
for program in ("test_budget", "test_budget_fused"):
    text = (directory / program).read_text(encoding="utf-8")
    seed, angles = re.search(r"^seed (\d+), (\d+) angles and sums", text, re.M).groups()
    run = {"program": program, "seed": int(seed), "angles": int(angles)}
    found += [run | {"what": what, "worst": float(worst), "most": float(most)}
              for what, worst, most in re.findall(r"^(.*): worst ([\d.]+), at most ([\d.]+)$", text, re.M)]
text = (directory / "test_stack").read_text(encoding="utf-8")
used = [{"name": name, "bytes": int(most)} for name, most in re.findall(r"^(\w+) +(\d+) bytes of stack$", text, re.M)]
for name, key, rows in (("budget", "found", found), ("stack", "used", used)):
    if not rows:
        sys.exit(f"found: {directory}: nothing of {name} was printed")
    (directory / f"{name}.json").write_text(json.dumps({"schema": 1, "tool": "budget-worst", key: rows}), encoding="utf-8")

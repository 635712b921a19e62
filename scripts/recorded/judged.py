"""What scripts/exhaustive records: the lines of posenc-verify --exhaustive, KEY=VALUE as JSON, those of members together.

    python3 -B scripts/recorded/judged.py RESULTS FILE.json
"""
import json
import pathlib
import sys

TEXTS = ("compiler", "posenc", "mpfr")


def number(text):
    return float(text) if set(text) & set(".e") else int(text)


record = {"schema": 1, "tool": "posenc-verify --exhaustive", "misrounded": {}}
for line in pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
    key, _, value = line.partition("=")
    what, _, member = key.partition(".")
    if member:
        record[what][member] = number(value)
    else:
        record[key] = value if key in TEXTS else number(value)
pathlib.Path(sys.argv[2]).write_text(json.dumps(record), encoding="utf-8")

"""What scripts/plot-error prints and records: of DIRECTORY/0.json and so on, posenc-verify's reports of an octave of positions
each, the largest errors, to DIRECTORY/error.

    python3 -B scripts/recorded/octaves.py DIRECTORY
"""
import json
import pathlib
import sys

directory = pathlib.Path(sys.argv[1])
octaves, report = [], {}
for path in sorted(directory.glob("*.json"), key=lambda path: int(path.stem)):
    report = json.loads(path.read_text(encoding="utf-8"))
    errors = {row["name"].split("_")[0]: row["ranges"][0]["max_abs"] for row in report["implementations"]}
    first = report["implementations"][0]["ranges"][0]
    octaves.append({"from": first["from"], "to": first["to"], "rows": first["rows"], **errors})
    print(f"positions {first['from']} to {first['to'] - 1}:", ", ".join(f"{name} {e:.2g}" for name, e in errors.items()))
record = {"schema": 1, "tool": "plot-error", "date": report["date"], "machine": report["machine"], "d_model": first["d_model"],
          "octaves": octaves}
(directory / "error").write_text(json.dumps(record), encoding="utf-8")

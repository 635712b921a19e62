"""The picture of scripts/plot-error: DIRECTORY of posenc-verify's results, one per octave, to FILE.svg."""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

results, picture = pathlib.Path(sys.argv[1]), sys.argv[2]
errors, positions = {}, []
for path in sorted(results.glob("*.json"), key=lambda path: int(path.stem)):
    report = json.loads(path.read_text())
    for row in report["implementations"]:
        measured = row["ranges"][0]
        errors.setdefault("exact" if row["name"].startswith("exact") else row["name"], []).append(measured["max_abs"])
    positions.append((measured["from"] + measured["to"]) / 2)

plt.rcParams.update({"svg.hashsalt": "posenc", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 11})
figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
axes.loglog(positions, errors["explog"], "o-", color="#c2410c", label="the tutorial's float32 arithmetic (explog)")
axes.loglog(positions, errors["exact"], "o-", color="#0369a1", label="posenc (exact)")
axes.set_xlabel("position")
axes.set_ylabel("largest error of an output")
axes.grid(True, which="major", color="#d4d4d4", linewidth=0.6)
axes.legend(frameon=False, loc="upper left")
axes.spines[["top", "right"]].set_visible(False)
figure.savefig(picture, metadata={"Date": None})

"""The two pictures of the README, of recorded runs. Files end in the name of what drew them: another version draws others."""
import io
import re

import matplotlib
from matplotlib.figure import Figure

import readme
import store
from results import load

TOOL = f"Matplotlib {matplotlib.__version__}"
MADE_BY = re.compile(r"<!-- drawn by (.*) -->\s*\Z")


def signed(svg):
    return f"{svg.rstrip()}\n<!-- drawn by {TOOL} -->\n"


def same_tool(svg):
    made_by = MADE_BY.search(svg)
    return not made_by or made_by[1] == TOOL


def subject():
    paths = store.path_of("verify"), store.path_of("bench")
    return readme.subject_of(load(paths[0], "implementations", "report of posenc-verify"),
                             load(paths[1], "benchmarks", "run of posenc-bench"), paths)


def error(record):
    """Largest errors by position: SVG."""
    positions = [(o["from"] + o["to"]) / 2 for o in record["octaves"]]
    settings = {"svg.hashsalt": "posenc", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 11}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(7, 3.6), layout="constrained")
        axes = figure.subplots()
        for name, colour, label in (("explog", "#c2410c", "the tutorial's float32 arithmetic (explog)"),
                                    ("exact", "#0369a1", "posenc (exact)")):
            axes.loglog(positions, [o[name] for o in record["octaves"]], "o-", color=colour, label=label)
        axes.set_xlabel("position")
        axes.set_ylabel("largest error of an output")
        axes.grid(True, which="major", color="#d4d4d4", linewidth=0.6)
        axes.legend(frameon=False, loc="upper left")
        axes.spines[["top", "right"]].set_visible(False)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()

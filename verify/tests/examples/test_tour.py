"""The notebook examples/tour.ipynb: a new run prints the texts that it keeps, and its pictures are small.

    LD_LIBRARY_PATH=$PWD/build/release PYTHONPATH=$PWD/python /usr/bin/python3 verify/tests/examples/test_tour.py

runs it, and stores its outputs in it and two of its pictures in docs/.
"""

import base64
import os

import pytest
from conftest import SOURCE

nbformat, nbclient, _ = map(pytest.importorskip, ("nbformat", "nbclient", "ipykernel"))
TOUR = SOURCE / "examples/tour.ipynb"
SHOWN = {name: SOURCE / f"docs/{name}.png" for name in ("heatmap", "faults")}  # by README.md
MEASURED = ("formula", "machine")  # ids of cells


def executed(environment):
    client = nbclient.NotebookClient(nbformat.read(TOUR, 4), record_timing=False)
    return client.execute(env=environment, cwd=str(TOUR.parent))


def texts(tour):
    """What the cells print, except the errors and times of NumPy's formula, and the machine."""
    cells = [cell.outputs for cell in tour.cells if cell.cell_type == "code" and cell.id not in MEASURED]
    return ["".join(o.text for o in outputs if o.get("name") == "stdout") for outputs in cells]


def pictures(tour):
    """The pictures, by the id of the cell that draws them."""
    drawn = [(cell.id, o.data) for cell in tour.cells for o in cell.get("outputs", []) if "data" in o]
    return {name: base64.b64decode(data["image/png"]) for name, data in drawn}


def test_texts(environment):
    assert texts(executed(environment)) == texts(nbformat.read(TOUR, 4))


def test_pictures():
    kept = pictures(nbformat.read(TOUR, 4))
    assert len(kept) == 8 and sum(map(len, kept.values())) <= 300_000
    for name, path in SHOWN.items():
        assert path.read_bytes() == kept[name], path


if __name__ == "__main__":
    tour = executed(os.environ)
    del tour.metadata["language_info"]  # names the version of Python
    nbformat.write(tour, TOUR)
    for name, path in SHOWN.items():
        path.write_bytes(pictures(tour)[name])

"""Whole scripts of tutorials, with their own class, and with posenc's after a change of the line that imports it."""

import pathlib

import pytest
import torch

from posenc.torch import table

SCRIPTS = pathlib.Path(__file__).with_name("scripts")
IMPORT = "from posenc.torch import SinusoidalPositionalEncoding as PositionalEncoding"
LINES = {
    "language_model": ("from tutorial import Tutorial as PositionalEncoding", IMPORT),
    "translation": ("from tutorial import Translation as PositionalEncoding", IMPORT),
    "annotated": (
        "from tutorial import Annotated as PositionalEncoding",
        f"import functools; {IMPORT}; PositionalEncoding = functools.partial(PositionalEncoding, batch_first=True)",
    ),
}


def run(name, line):
    old, _ = LINES[name]
    source = (SCRIPTS / f"{name}.py").read_text()
    assert source.count(old) == 1
    names = {"__name__": name}
    exec(compile(source.replace(old, line), name, "exec"), names)
    return names


def tables(model):
    return {name: buffer for name, buffer in model.named_buffers() if name.rsplit(".")[-1] in ("pe", "pos_embedding")}


@pytest.mark.filterwarnings("ignore:.*nested.tensor.*:UserWarning")
@pytest.mark.parametrize("name", LINES)
def test_one_line_is_changed(name):
    theirs, ours = (run(name, line) for line in LINES[name])
    assert type(ours["PositionalEncoding"](4, 0.1)).__module__ == "posenc.torch"
    # Their table is off by up to 3e-4, and training propagates the difference.
    assert torch.allclose(torch.tensor(theirs["losses"]), torch.tensor(ours["losses"]), rtol=0, atol=2e-4)
    old, new = theirs["model"], ours["model"]
    for pe in tables(new).values():
        assert torch.equal(pe.squeeze(), table(5000, 32))
    with torch.no_grad():
        assert torch.allclose(old(*theirs["inputs"]), new(*ours["inputs"]), rtol=0, atol=1e-3)
        new.load_state_dict(old.state_dict(), strict=True)  # all bits are those of their checkpoint
        assert torch.equal(old(*theirs["inputs"]), new(*theirs["inputs"]))
        if name != "translation":  # its buffer has another name, which buffer_name="pos_embedding" gives
            old.load_state_dict(new.state_dict(), strict=True)

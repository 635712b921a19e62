"""Runs the lines of Python in docs/python.md, docs/pytorch.md and python/README.md.

tests_index/test_export.py runs the part of pytorch.md on export, and test_recipes.py runs docs/recipes.md."""

import pathlib
import re
import types

import numpy as np
import torch
from tutorial import Tutorial

import posenc.torch

TOP = pathlib.Path(__file__).resolve().parents[3]
LLAMA_3 = dict(
    rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=8192
)


def ran(page, **tensors):
    """Runs the blocks of a page one after the other, and returns the names that they define."""
    text, names = (TOP / page).read_text(encoding="utf-8").partition("## Compile and export")[0], dict(tensors)
    for block in re.findall(r"```python\n(.*?)```", text, re.S):
        exec(block, names)
    return types.SimpleNamespace(**names)


def test_python():
    config, x = types.SimpleNamespace(rope_parameters={**LLAMA_3, "rope_theta": 500000.0}), np.ones((2, 7, 512), "f4")
    g = ran("docs/python.md", config=config, x=x)
    assert g.whisper.shape == (1500, 1280) and g.rows.shape == (3, 512) and g.half.dtype == np.float16
    assert np.array_equal(g.y, x * 512**0.5 + posenc.table(7, 512))
    assert np.array_equal(g.freqs_cis, g.cos + 1j * g.sin) and g.steps.shape == (2, 320)
    rotary = posenc.torch.RotaryEmbedding(128, base=500000.0, scaling=LLAMA_3, layout="half")
    assert np.array_equal(g.cache.cos[-9:], rotary(torch.zeros(1), torch.arange(131072)[-9:])[0].numpy())


def test_rows_of_a_file(tmp_path):
    file = np.lib.format.open_memmap(tmp_path / "pe.npy", "w+", "f4", (100, 64))
    for first in (50, 0):
        posenc.table(50, 64, first=first, out=file[first : first + 50])
    file.flush()
    assert np.array_equal(np.load(tmp_path / "pe.npy"), posenc.table(100, 64))


class Rotary(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / (500000.0 ** (torch.arange(0, 128, 2).float() / 128)))

    def forward(self, x, position_ids):
        angles = (position_ids[..., None] * self.inv_freq).repeat_interleave(2, -1)
        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)


def model():
    """The model that pytorch.md audits, and whose rotary module it replaces."""
    rotary = Rotary()
    model = torch.nn.ModuleDict({"pos": Tutorial(512), "rotary": rotary})
    model.model = types.SimpleNamespace(rotary_emb=rotary)
    return model


def test_pytorch(capsys):
    g = ran(
        "docs/pytorch.md",
        torch=torch,
        model=model(),
        x=torch.ones(2, 7, 512),
        positions=torch.arange(7),
        timesteps=torch.rand(3),
    )
    printed = capsys.readouterr().out
    for line in re.findall(r"^    (pos|rotary)(\..*)$", (TOP / "docs/pytorch.md").read_text(encoding="utf-8"), re.M):
        words = [re.escape(word) for word in re.split(r", \.\.\.|instead: \.\.\.", "".join(line))]
        assert re.search(".*".join(words), printed), (line, printed)
    assert g.done.replaced == ["rotary"] and list(g.done.left) == ["pos"]
    assert torch.equal(g.y, g.x * 512**0.5 + posenc.torch.table(7, 512).bfloat16())
    assert (
        g.cos.shape == (7, 128) and g.steps.shape == (3, 320) and g.PositionalEncoding(512).pe.shape == (5000, 1, 512)
    )


def test_readme():
    g = ran("python/README.md", model=model())
    assert g.table.dtype == torch.bfloat16 and g.rows.shape == (3, 512) and g.encode.d_model == 512

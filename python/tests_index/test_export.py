"""Runs the code of "Compile and export" in docs/pytorch.md unchanged, and checks its values."""

import os
import pathlib
import re
import subprocess
import sys
import types

import onnx
import pytest
import torch
import transformers

PAGE = (
    (pathlib.Path(__file__).resolve().parents[2] / "docs" / "pytorch.md")
    .read_text()
    .partition("## Compile and export")[2]
)
SETUP, EXPORT, LOAD, ONNX = re.findall(r"```python\n(.*?)```", PAGE, re.S)
YARN = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=32768)
PARAMETERS = {"llama": dict(rope_type="default"), "yarn": YARN}


def names(kind, **more):
    """The names of the page's first block, for a model with these parameters."""
    parameters = dict(PARAMETERS[kind], rope_theta=500000.0)
    config = transformers.LlamaConfig(head_dim=128, max_position_embeddings=131072, rope_parameters=parameters)
    theirs = transformers.models.llama.modeling_llama.LlamaRotaryEmbedding(config)
    scope = {"model": types.SimpleNamespace(model=types.SimpleNamespace(rotary_emb=theirs)), **more}
    exec(f"import posenc.torch, torch\n{SETUP}", scope)
    return scope


@pytest.mark.parametrize("kind", ("llama", "yarn"))
def test_export(tmp_path, kind):
    """The other process has no posenc on its path."""
    path = str(tmp_path / "rotary.pt2")
    scope = names(kind, path=path)
    exec(EXPORT, scope)
    code = f"import torch; x, positions, path = torch.zeros(1), torch.arange(131000, 131072)[None].repeat(2, 1), {path!r}\n"
    code += f"{LOAD}\nimport sys; assert 'posenc' not in sys.modules; torch.save((cos, sin), path)"
    away = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    subprocess.run([sys.executable, "-c", code], check=True, env=away, cwd=tmp_path)
    want = scope["rotary"](scope["x"], torch.arange(131000, 131072)[None].repeat(2, 1))
    assert all(torch.equal(a, b) for a, b in zip(torch.load(path), want))


@pytest.mark.parametrize(
    "kind, dtype", [*((kind, torch.float32) for kind in ("llama", "yarn")), ("llama", torch.float64)]
)
@pytest.mark.parametrize("first", [0, 100000, 4 * 10**9])
def test_onnx(tmp_path, kind, dtype, first):
    """float32 values are equal. float64 values are within their bound: both are off by 2^-50."""
    scope = names(kind, path=str(tmp_path / "rotary.onnx"))
    setup, run = ONNX.split("\n\n", 1)
    scope["x"] = torch.zeros(1, dtype=dtype)
    exec(setup, scope)
    scope["positions"] = torch.arange(first, first + 4096)[None].repeat(2, 1)
    exec(run, scope)
    want = scope["rotary"](scope["x"], scope["positions"])
    for a, b in zip((scope["cos"], scope["sin"]), want):
        values = torch.from_numpy(a)
        assert values.dtype == dtype and bool(
            ((values - b).abs() <= (2.0**-49 if dtype == torch.float64 else 0)).all()
        )
    kinds = {node.op_type for node in onnx.load(scope["path"]).graph.node}
    assert "Sin" in kinds and "Cos" not in kinds

"""Runs the code of docs/serving.md unchanged, and checks its values."""

import math
import os
import pathlib
import re
import subprocess
import sys
import types

import jax.numpy as jnp
import numpy as np
import onnx
import onnxruntime
import posenc.torch
import pytest
import torch

PAGE = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "serving.md").read_text()
SETUP, EXPORT, LOAD, ONNX, CACHE, YARN, JAX = re.findall(r"(?<!-->\n)```python\n(.*?)```", PAGE, re.S)
CONFIGS = {
    "llama": dict(model_type="llama", rope_theta=500000.0),
    "yarn": dict(
        model_type="cohere",
        rope_scaling=dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=32768, rope_theta=1e6),
    ),
}


def rope(**scaling):
    return types.SimpleNamespace(head_dim=128, max_position_embeddings=131072, model_type="llama", rope_scaling=scaling)


def names(kind="llama", **more):
    found = {"config": types.SimpleNamespace(head_dim=128, max_position_embeddings=131072, **CONFIGS[kind]), **more}
    exec(SETUP, found)
    return found


@pytest.mark.parametrize("kind", CONFIGS)
def test_export(tmp_path, kind):
    """The other process has no posenc on its path."""
    path = str(tmp_path / "rotary.pt2")
    said = names(kind, path=path)
    exec(EXPORT, said)
    code = f"import torch; x, positions, path = torch.zeros(1), torch.arange(131000, 131072)[None].repeat(2, 1), {path!r}\n"
    code += f"{LOAD}\nimport sys; assert 'posenc' not in sys.modules; torch.save((cos, sin), path)"
    away = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    subprocess.run([sys.executable, "-c", code], check=True, env=away, cwd=tmp_path)
    want = said["rotary"](said["x"], torch.arange(131000, 131072)[None].repeat(2, 1))
    assert all(torch.equal(a, b) for a, b in zip(torch.load(path), want))


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("first", [0, 100000, 4 * 10**9])
def test_onnx(tmp_path, kind, first):
    said = names(kind, path=str(tmp_path / "rotary.onnx"))
    setup, run = ONNX.split("\n\n", 1)
    exec(setup, said)
    said["positions"] = torch.arange(first, first + 4096)[None].repeat(2, 1)
    exec(run, said)
    want = said["rotary"](said["x"], said["positions"])
    for a, b in zip((said["cos"], said["sin"]), want):
        assert a.dtype == np.float32 and int((torch.from_numpy(a) != b).sum()) == 0
    kinds = {node.op_type for node in onnx.load(said["path"]).graph.node}
    assert "Sin" in kinds and "Cos" not in kinds


def test_onnx_of_other_dtypes(tmp_path):
    """float64 values are within their bound, and 16 bits are equal."""
    said = names(path=str(tmp_path / "rotary.onnx"))
    setup, run = ONNX.split("\n\n", 1)
    said["x"] = torch.zeros(1, dtype=torch.float64)
    exec(setup, said)
    exec(run, said)
    for a, b in zip((said["cos"], said["sin"]), said["rotary"](said["x"], said["positions"])):
        assert a.dtype == np.float64 and np.abs(a - b.numpy()).max() <= 2.0**-49  # both are off by 2^-50
    for dtype in (torch.bfloat16, torch.float16):

        class Model(torch.nn.Module):
            def forward(self, at):
                return posenc.torch.table(positions=at, d_model=64, dtype=dtype).float()  # NumPy has no bfloat16

        at, path = torch.arange(1001), str(tmp_path / "table.onnx")
        torch.onnx.export(Model(), (at,), dynamo=True).save(path)
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        (found,) = session.run(None, {session.get_inputs()[0].name: at.numpy()})
        assert np.array_equal(found, Model()(at).numpy())


def test_dynamic_is_not_exported():
    said = names()
    said["rotary"] = posenc.torch.RotaryEmbedding(rope(rope_type="dynamic", factor=2.0))
    with pytest.raises(Exception, match="length of the sequence|data-dependent"):
        exec(EXPORT, said)


@pytest.mark.parametrize("timesteps", [torch.rand(500) * 1000, torch.arange(500)])
def test_onnx_of_timesteps(tmp_path, timesteps):
    module, path = posenc.torch.Timesteps(320, True, 0), str(tmp_path / "steps.onnx")
    torch.onnx.export(module, (timesteps,), dynamo=True).save(path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {session.get_inputs()[0].name: timesteps.numpy()})
    assert np.array_equal(found, module(timesteps).numpy())


def inverse_frequencies(base, d=128):
    return 1.0 / base ** (np.arange(0, d, 2) / d)


def vllm_cache(frequencies, mscale=1.0):
    """RotaryEmbedding._compute_cos_sin_cache of vLLM, in float64."""
    angles = np.arange(131072)[:, None] * frequencies
    return torch.from_numpy(np.concatenate((np.cos(angles), np.sin(angles)), -1) * mscale)


def test_vllm():
    said = names()
    exec(CACHE, said)
    want = vllm_cache(inverse_frequencies(500000.0))
    assert said["cache"].shape == want.shape and said["cache"].dtype == torch.bfloat16
    assert bool(((said["cache"].double() - want).abs() <= 2.0**-9 + 2.0**-30).all())


def test_vllm_yarn():
    """YaRNScalingRotaryEmbedding: a ramp between the dimensions that turn 32 times and once in the original length."""
    said = names()
    exec(YARN, said)
    factor, original, base, d = 4.0, 32768, 1e6, 128
    low, high = (d * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base)) for turns in (32, 1))
    low, high = max(math.floor(low), 0), min(math.ceil(high), d - 1)
    mask = 1 - np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
    w = inverse_frequencies(base)
    want = vllm_cache(w / factor * (1 - mask) + w * mask, 0.1 * math.log(factor) + 1)
    assert said["cache"].dtype == torch.float32
    assert bool(((said["cache"].double() - want).abs() <= 2.0**-24 + 2.0**-30).all())


def test_jax():
    said = {"posenc": posenc}
    exec(JAX, said)
    assert said["half"].dtype == jnp.bfloat16 and said["table"].shape == (5000, 512)
    assert np.array_equal(np.asarray(said["table"]), posenc.table(5000, 512))
    assert np.array_equal(said["rows"], posenc.table(10, 512))

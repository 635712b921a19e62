"""Runs every line of docs/recipes.md, and compares the results with the formulas of their sources, computed by mpmath."""

import contextlib
import math
import pathlib
import re
import sys
import types

import mpmath
import numpy as np
import pytest
import torch
import torch.distributed
import torch.multiprocessing
from torch import arange, tensor

import posenc.torch

mpmath.mp.prec = 200
PAGE = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "recipes.md").read_text()
IMPORTS, *BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
IMPORTS += "".join(block for block in BLOCKS if block.startswith("def "))
PARTS = [part for block in BLOCKS if not block.startswith("def ") for part in block.split("\n\n")]
RECIPES = {re.match("# ([^:\n]*)", part)[1]: part for part in PARTS}
#: The recipes that use names of another one.
AFTER = {
    "torchtune's cache, with that scaling": "Llama 3",
    "YaRN with mscale in NumPy, with that scaling": "YaRN with mscale",
    "A period of T samples, with that tau": "Cyclical features, hour of the day",
}
NEEDS = {"JAX": "jax", "JAX under jax.jit and jax.vmap": "jax", "bake into ONNX": "onnxruntime"}


def ladder(n, base=10000, denominator=None):
    """The frequencies base^(-k / denominator). The default denominator is n."""
    return np.array([mpmath.mpf(base) ** (-mpmath.mpf(k) / (denominator or n)) for k in range(n)])


def waves(at, w):
    """Sines and cosines of positions times frequencies, of shape (2, *positions.shape, frequencies)."""
    angles = np.asarray(at, float).astype(object)[..., None] * np.array([mpmath.mpf(x) for x in w])
    return np.stack([np.frompyfunc(f, 1, 1)(angles) for f in (mpmath.sin, mpmath.cos)])


def split(both):
    return np.concatenate([*both], -1)


def woven(both):
    return np.stack([*both], -1).reshape(*both.shape[1:-1], -1)


def by_axis(at, *widths, arrange=lambda both: both, **of_ladder):
    """Side by side, for each axis, its waves. The last axis of `at` has the coordinates of a point."""
    each = (waves(np.asarray(at)[..., i], ladder(n // 2, **of_ladder)) for i, n in enumerate(widths))
    return np.concatenate([arrange(both) for both in each], -1)


def last(*shape):
    """The last points of a grid."""
    return np.indices(shape).reshape(len(shape), -1).T[-9:]


def yarn(at, n=32, base=1e4, trained=4096, factor=40, mscale=(0.707, 1), truncate=True):
    """transformers, _compute_yarn_parameters"""
    low, high = (n * mpmath.log(trained / (turns * 2 * mpmath.pi)) / mpmath.log(base) for turns in (32, 1))
    low, high = (math.floor(low), math.ceil(high)) if truncate else (low, high)
    ramp = np.clip((np.arange(n) - low) / mpmath.mpf(high - low), 0, 1)
    factors = [mpmath.mpf(m) / 10 * mpmath.log(factor) + 1 for m in mscale]
    return factors[0] / factors[1] * waves(at, ladder(n, base) * (1 - ramp * (factor - 1) / factor))


def llama3(at):
    """transformers, _compute_llama3_parameters"""
    w = ladder(64, 500000)
    return waves(at, w / 8 + np.clip((8192 * w / (2 * mpmath.pi) - 1) / 3, 0, 1) * w * 7 / 8)


COSMOS = (44, 1e4 * 2 ** (44 / 42)), (42, 1e4), (42, 1e4)  # columns and base of each axis
#: What the last rows of each recipe should be, before they are rounded. `g` has the names of the recipe.
WANT = {
    "Wavelengths from 0.001 to 10000": lambda g: split(waves(g.mz, mpmath.mpf(math.tau / 0.001) * ladder(512, 1e7, 511))),
    "Wavelengths of your own": lambda g: woven(waves(g.days, math.tau / np.array([7, 30.44, 365.25]))),
    "Cyclical features, day of the week": lambda g: woven(waves(g.weekday, [math.tau / 7])),
    "Cyclical features, seasons of a time series": lambda g: woven(waves(g.days, math.tau / 365.25 * np.arange(1, 5))),
    "Sine and cosine of any numbers": lambda g: woven(waves(g.numbers, [1])),
    "Sine and cosine of numbers up to 2^64, as frequencies at position 1": lambda g: woven(waves(g.large, [1])),
    "A period of T samples, with that tau": lambda g: woven(waves([g.sample + 510, g.sample + 511], [mpmath.pi * 880 / 48000])),
    "Cyclical features, hour of the day": lambda g: woven(waves(g.hours, [k * mpmath.pi / 12 for k in range(1, 5)])),
    "Epoch timestamps": lambda g: woven(waves([-1704067199.875, 91540800], ladder(64, 1e9))),
    "NeRF": lambda g: np.hstack((g.points.detach(), waves(g.points.detach(), 2.0 ** np.arange(10)).transpose(1, 3, 0, 2).reshape(-1, 60))),
    "Fourier features": lambda g: split(waves(g.points @ g.B.T, [math.tau])[..., 0]),
    "SAM": lambda g: split(waves((2 * g.coords - 1) @ g.matrix, [math.tau])[..., 0]),
    "Learned frequencies": lambda g: split(waves(g.points, g.frequencies.tolist())),
    "DETR": lambda g: by_axis(1 + last(25, 34), 128, 128, arrange=woven),
    "DETR with a mask, normalized, temperature 20": lambda g: by_axis(math.tau * torch.stack(g.both, -1), 128, 128, arrange=woven, base=20),
    "RT-DETR": lambda g: by_axis(last(20, 20), 128, 128, arrange=split),
    "VGGT": lambda g: np.concatenate([np.tile(waves(g.ids[:, i], ladder(16, 100)), 2) for i in range(2)], -1),
    "ViT grid with a class token": lambda g: by_axis(last(14, 14)[:, ::-1], 384, 384, arrange=split),
    "Simple ViT": lambda g: by_axis(last(14, 14)[:, ::-1], 384, 384, arrange=split, denominator=191),
    "Two-axis vision rotary": lambda g: np.tile(by_axis(g.patches, 40, 40), 2),
    "DINOv3": lambda g: np.tile(by_axis(math.tau * g.patches, 32, 32, base=100), 2),
    "RoPE-Mixed": lambda g: waves((g.xy.double() @ g.mixed.double()).detach(), [1])[..., 0],
    "V-JEPA 2": lambda g: np.concatenate([np.tile(waves(last(8, 16, 16)[:, i], ladder(10)), 2) for i in range(3)], -1),
    "EmbedND": lambda g: np.tile(by_axis(g.ids, 16, 56, 56), (1, 2, 1)),
    "HunyuanImage": lambda g: np.repeat(by_axis(last(64, 64), 64, 64, base=256), 2, -1),
    "Cosmos": lambda g: np.tile(np.concatenate([waves(last(16, 44, 80)[:, i], ladder(n // 2, base)) for i, (n, base) in enumerate(COSMOS)], -1), 2),
    "LTX": lambda g: np.repeat(waves(g.at, mpmath.mpf(math.pi / 2) * ladder(341, 1e-4, 340)).swapaxes(-1, -2).reshape(2, -1, 1023), 2, -1),
    "Flux": lambda g: np.repeat(by_axis(g.ids, 16, 56, 56), 2, -1),
    "Wan, rotary": lambda g: by_axis(last(21, 30, 52), 44, 42, 42),
    "CogVideoX, sines": lambda g: by_axis(last(13, 30, 45)[:, [0, 2, 1]] / [1, 1.875, 1.875], 480, 720, 720, arrange=split),
    "CogVideoX, rotary": lambda g: np.repeat(by_axis(last(13, 30, 45), 16, 24, 24), 2, -1),
    "Whisper": lambda g: split(waves([1498, 1499], ladder(640, denominator=639))),
    "FunASR, from position 1": lambda g: split(waves(2 * [range(1, 8)], ladder(256, denominator=255))),
    "fairseq, with padding": lambda g: g.used.numpy()[..., None] * split(waves(g.used.cumsum(1) + 1, ladder(256, denominator=255))),
    "Timesteps in bfloat16": lambda g: split(waves(g.timesteps, ladder(160))[::-1]),
    "Times t in [0, 1], multiplied by 1000 or 10000": lambda g: split(waves(10000 * g.t.double(), ladder(128))[::-1]),
    "gpt-oss, with truncate": lambda g: yarn([range(7)], 32, 150000, 4096, 32, (1, 0), truncate=False),
    "Partial rotary": lambda g: np.tile(waves([range(7)], ladder(12)), 2),
    "ChatGLM, a half of each head": lambda g: np.moveaxis(waves([8190, 8191], ladder(32))[::-1], 0, -1),
    "Hunyuan, alpha": lambda g: np.tile(waves([range(7)], ladder(64, 10000 * mpmath.mpf(1000) ** (mpmath.mpf(128) / 126))), 2),
    "GGUF, rope_freqs.weight": lambda g: waves([8190, 8191], ladder(64, 500000) / g.rope_freqs),
    "MaxText": lambda g: waves([8190, 8191], ladder(64, 2500) / 4),
    "cos_cache and sin_cache of the ONNX operator RotaryEmbedding": lambda g: waves([8190, 8191], ladder(64, 500000)),
    "Wan, timesteps": lambda g: split(waves(g.timesteps, ladder(128))[::-1]),
    "Llama 3": lambda g: np.tile(llama3([range(7)]), 2),
    "torchtune's cache, with that scaling": lambda g: np.moveaxis(llama3([8190, 8191])[::-1], 0, -1),
    "YaRN with mscale": lambda g: np.tile(yarn([range(7)]), 2),
    "YaRN with mscale in NumPy, with that scaling": lambda g: yarn([8190, 8191]),
    "vLLM's cache": lambda g: split(waves([8190, 8191], ladder(64, 500000))[::-1]),
    "vLLM's cache, YaRN": lambda g: split(yarn([8190, 8191], 64, 1e6, 32768, 4, (1, 0))[::-1]),
    "Decoding one token, rotary": lambda g: waves([131071], ladder(64, 500000)),
    "Decoding one token, a row of the table": lambda g: woven(waves([131071], ladder(256))),
    "Packed sequences": lambda g: waves([0, 1, 2, 0, 1, 2, 3, 4], ladder(64, 500000)),
    "JAX": lambda g: woven(waves([4998, 4999], ladder(256))),
    "JAX under jax.jit and jax.vmap": lambda g: woven(waves(g.positions, ladder(256))),
    "bake into ONNX": lambda g: woven(waves(2 * [range(7)], ladder(256))),
    "Context parallelism": lambda g: woven(waves([g.first + len(g.part) - 1], ladder(256))),
    "DTensor": lambda g: woven(waves(g.positions, ladder(256))),
    "CUDA graphs": lambda g: np.tile(waves(g.positions, ladder(64)), 2),
}  # fmt: skip
#: The rows in other forms of results.
ROWS = {
    "EmbedND": lambda g: (
        torch.cat((g.rotations[..., 1, 0], -g.rotations[..., 0, 1])),
        torch.cat((g.rotations[..., 0, 0], g.rotations[..., 1, 1])),
    ),
    "cos_cache and sin_cache of the ONNX operator RotaryEmbedding": lambda g: (
        tensor(g.sin_cache),
        tensor(g.cos_cache),
    ),
    "DETR": lambda g: g.table.flatten(1).T,
    "DETR with a mask, normalized, temperature 20": lambda g: g.table.permute(0, 2, 3, 1),
    "torchtune's cache, with that scaling": lambda g: g.cache[-2:],
    "ChatGLM, a half of each head": lambda g: g.cache[-2:],
    "JAX": lambda g: tensor(np.array(g.table, "float32")).bfloat16(),
    "JAX under jax.jit and jax.vmap": lambda g: tensor(
        np.vstack([g.encode(g.positions[:2].numpy()), *g.jax.vmap(g.encode)(g.positions[2:].numpy().reshape(2, 3))])
    ),
    "bake into ONNX": lambda g: tensor(
        sys.modules["onnxruntime"].InferenceSession(g.path).run(None, {"x": g.x.numpy()})[0]
    ),
}


def check(name, **names):
    """Runs a recipe with the tensors of a user, and checks the last rows: half a unit in the last place.

    PyTorch operations may add 2^-50, but in float64 only C computes."""
    g = types.SimpleNamespace(
        mz=tensor([57.02146, 1999.99], dtype=torch.float64), hours=tensor([0, 5, 87600]), days=tensor([0.5, 20000]),
        stamps=np.array(["1970-01-01T00:00:00.125", "2026-11-25T12:00"], "datetime64[ms]"), points=torch.rand(5, 3),
        B=torch.randn(8, 3), coords=torch.rand(5, 2), frequencies=torch.nn.Parameter(torch.rand(8)),
        model=types.SimpleNamespace(positional_encoding_gaussian_matrix=torch.randn(2, 128)),
        x=torch.zeros(2, 7, 512), mask=arange(7) >= tensor([7, 5])[:, None, None].expand(2, 6, 1),
        patches=torch.cartesian_prod(arange(4), arange(6)), ids=torch.randint(64, (9, 3)), lengths=[3, 5], position=131071,
        tokens=tensor([[5, 6, 1, 1, 1, 1, 1], [7] * 7]), timesteps=tensor([998.3897, 3.5, 0]), positions=arange(131000, 131008),
        weekday=arange(7), numbers=tensor([0.1, 3e9], dtype=torch.float64), t=torch.rand(5), xy=torch.rand(5, 2), shares=torch.rand(5, 3),
        mixed=torch.nn.Parameter(torch.randn(2, 8)), sharded=types.SimpleNamespace(to_local=lambda: arange(131000, 131008)), graph=None,
        rotary=posenc.torch.RotaryEmbedding(128), large=[1e18 / 3, 1.8e19], sample=10**9, max_timescale=10000, min_timescale=4,
        rope_freqs=np.linspace(1, 8, 64, dtype="float32"),
    )  # fmt: skip
    vars(g).update(names)
    exec(IMPORTS + RECIPES.get(AFTER.get(name), "") + RECIPES[name], vars(g))
    rows = ROWS.get(name, lambda g: (g.sin, g.cos) if hasattr(g, "sin") else [*vars(g).values()][-1])(g)
    rows = torch.stack([*map(torch.as_tensor, rows)]) if isinstance(rows, tuple) else torch.as_tensor(rows)
    rows = (torch.stack((rows.imag, rows.real)) if rows.is_complex() else rows).detach()
    want, values = WANT[name](g), rows.double().numpy()
    values = values[..., values.shape[-2] - want.shape[-2] :, :]
    assert values.shape == want.shape
    half = np.ldexp(torch.finfo(rows.dtype).eps / 4, np.frexp(values)[1])
    slack = 0 if rows.dtype == torch.float64 else 2.0**-50
    assert (abs(values.astype(object) - want).astype(float) <= half + slack).all()
    return g


@pytest.mark.parametrize("name", [name for name in RECIPES if name != "Context parallelism"])
def test_recipe(name, tmp_path, monkeypatch):
    """Without a GPU, the lines of a CUDA graph are run, and nothing is captured."""
    pytest.importorskip(NEEDS.get(name, "torch"))
    monkeypatch.setattr(torch.cuda, "graph", contextlib.nullcontext)
    check(name, path=tmp_path / "model.onnx")


def one_of_two_processes(rank, file):
    """Runs the recipe in one of two processes: its rows have the bits of a table that a single process computes."""
    torch.distributed.init_process_group("gloo", init_method=file.as_uri(), rank=rank, world_size=2)
    g = check("Context parallelism", length=8191)
    assert (g.first, len(g.part)) == ((0, 4096), (4096, 4095))[rank]
    assert torch.equal(g.part, posenc.torch.table(8191, 512)[g.first :][: len(g.part)])
    torch.distributed.barrier()


def test_context_parallelism(tmp_path):
    if not torch.distributed.is_available():
        pytest.skip("this PyTorch has no torch.distributed")
    torch.multiprocessing.spawn(one_of_two_processes, (tmp_path / "processes",), nprocs=2)


def test_gradient_of_mixed_frequencies():
    """d cos(x w) / dw = -x sin(x w), and d sin(x w) / dw = x cos(x w)."""
    g = check("RoPE-Mixed")
    (slopes,) = torch.autograd.grad((g.cos + g.sin).sum(), g.mixed)
    angles = g.angles.detach()
    assert torch.allclose(slopes.double(), g.xy.double().T @ (angles.cos() - angles.sin()), rtol=0, atol=1e-5)


def test_figures_of_notes():
    """What the notes of the page say of the hour of the day without freqs_low, and of a product before the call."""
    hours = check("Cyclical features, hour of the day", hours=arange(87600, 87601))
    sine = posenc.table(positions=[87600], d_model=2, freqs=hours.freqs[:1], dtype="float64")[0, 0]
    assert f"{-hours.freqs_low[0]:.1e} too large" in PAGE and f"would be {sine:.1e} instead" in PAGE
    t, preset = torch.rand(20000), dict(d_model=256, preset="guided_diffusion")
    right = posenc.torch.table(positions=t, position_scale=10000, **preset)
    other = posenc.torch.table(positions=t * 10000, **preset)
    assert re.search(rf"changed {100 * (right != other).float().mean():.0f} % of\s+the values", PAGE)
    assert 4.7e-4 < abs(right - other).max() < 4.95e-4 and "by up to 4.9e-4" in PAGE


def test_jax_has_no_gradient():
    jax = pytest.importorskip("jax")
    encode = check("JAX under jax.jit and jax.vmap").encode
    with pytest.raises(ValueError, match="do not support JVP"):
        jax.grad(lambda at: encode(at).sum())(np.arange(3, dtype="float32"))


def test_gradient_of_coordinates():
    """NeRF: the gradient of sines and cosines up to 2^9 x, whose angles are not rounded to float32."""
    g = check("NeRF", points=torch.rand(5, 3, requires_grad=True))
    (slopes,), w = torch.autograd.grad(g.features.sum(), g.points), 2.0 ** torch.arange(10).numpy()
    sines, cosines = waves(g.points.detach(), w)
    assert abs(slopes.numpy() - (1 + (w * (cosines - sines)).sum(-1))).max() <= 1e-3  # float32 angles: 0.02

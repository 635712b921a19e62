"""Recipes of docs/recipes.md give what the classes of transformers and diffusers return that they name."""

import importlib
import pathlib
import re

import pytest
import torch
import transformers

PAGE = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "recipes.md").read_text()
IMPORTS, *BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
IMPORTS += "".join(block for block in BLOCKS if block.startswith("def "))
X, AT = torch.zeros(2, 7, 1), torch.arange(7)[None]


def recipe(name, **given):
    """The cosines and sines of a recipe."""
    names = dict(x=X, **given)
    exec(IMPORTS + re.search(rf"^# {name}.*?(?=\n\n|```)", PAGE, re.M | re.S)[0], names)
    return names["cos"], names["sin"]


def of_diffusers(name, *arguments, **named):
    file, _, cls = name.partition(".")
    return getattr(importlib.import_module(f"diffusers.models.transformers.transformer_{file}"), cls)(
        *arguments, **named
    )


def ltx():
    """Their frequencies and angles, up to 16,000, are in float32."""
    shares, sizes = torch.rand(5, 3), torch.tensor([20, 2048, 2048.0])
    theirs = of_diffusers("ltx.LTXVideoRotaryPosEmbed", 2048)(
        torch.zeros(1, 5, 1), video_coords=(shares * sizes).T[None]
    )
    assert all((part[0, :, :2] == value).all() for part, value in zip(theirs, (1, 0)))
    return [part[0, :, 2:] for part in theirs], recipe("LTX", shares=shares), 0.02


def cosmos():
    cosmos = of_diffusers("cosmos.CosmosRotaryPosEmbed", 128, (128, 240, 240), (1, 2, 2), rope_scale=(2.0, 1.0, 1.0))
    return cosmos(torch.zeros(1, 1, 16, 88, 160), fps=None), recipe("Cosmos"), 1e-5


def hunyuan():
    theirs = of_diffusers("hunyuanimage.HunyuanImageRotaryPosEmbed", [1, 1], [64, 64], 256.0)
    return theirs(torch.zeros(1, 1, 64, 64)), recipe("HunyuanImage"), 1e-5


def vjepa():
    """Their function rotates x: of (1, 0) to (cosine, sine)."""
    rotate = importlib.import_module("transformers.models.vjepa2.modeling_vjepa2").rotate_queries_or_keys
    cos, sin = recipe("V-JEPA 2")
    at = torch.cartesian_prod(*map(torch.arange, (8, 16, 16))).float()
    x = torch.randn(1, 1, len(at), 60)
    theirs = [rotate(part, at[None, None, :, i]) for i, part in enumerate(x.split(20, -1))]
    pairs = x.unflatten(-1, (-1, 2))
    turned = torch.stack((-pairs[..., 1], pairs[..., 0]), -1).flatten(-2)
    return [torch.cat(theirs, -1)], [x * cos + turned * sin], 1e-4


def gpt_oss():
    rotary = transformers.models.gpt_oss.modeling_gpt_oss.GptOssRotaryEmbedding(transformers.GptOssConfig())
    return rotary(X, AT), recipe("gpt-oss"), 1e-6


def partial():
    config = transformers.GPTNeoXConfig()
    return transformers.models.gpt_neox.modeling_gpt_neox.GPTNeoXRotaryEmbedding(config)(X, AT), recipe("Partial"), 1e-6


@pytest.mark.parametrize("case", [ltx, cosmos, hunyuan, vjepa, gpt_oss, partial], ids=lambda case: case.__name__)
def test_source(case):
    theirs, ours, bound = case()
    for a, b in zip(theirs, ours):
        assert a.squeeze().shape == b.squeeze().shape and (a.squeeze() - b.squeeze()).abs().max() <= bound

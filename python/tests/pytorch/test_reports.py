"""Tables that people reported to be wrong elsewhere, computed by the recipes of docs/recipes.md. test_recipes.py has the right values."""

import pytest
import torch
from test_recipes import check, waves
from torch import tensor

MASK = torch.arange(6) < torch.tensor([3, 3, 0, 0])[:, None]
REPORTS = {
    "mass spectra, float64": ("Wavelengths from 0.001 to 10000", dict(replace=("d_model", "dtype=torch.float64, d_model"))),
    "mass spectra, bfloat16": ("Wavelengths from 0.001 to 10000", dict(replace=("d_model", "dtype=torch.bfloat16, d_model"))),
    "NeRF with gradients": ("NeRF", dict(points=torch.rand(5, 3, requires_grad=True))),
    "DETR with a mask": ("DETR with a mask, normalized, temperature 20", dict(mask=MASK[None])),
    "DINOv3, 37 x 21 patches": ("DINOv3", dict(replace=("(14, 16)", "(37, 21)"))),
    "Wan, timestep 998.3897": ("Wan, timesteps", dict(timesteps=tensor([998.3897]))),
    "FunASR in float16": ("FunASR, from position 1", dict(x=torch.zeros(2, 7, 512, dtype=torch.float16))),
    "Flux, three axes": ("Flux", dict(ids=torch.cartesian_prod(*[tensor([0.0, 63.0])] * 3))),
    "torchtune's cache": ("torchtune's cache, Llama 3.1", {}),
    "fairseq with padding": ("fairseq, with padding", dict(tokens=tensor([[1, 1, 1, 9, 9, 9, 9], [9, 1, 9, 1, 9, 1, 9]]))),
}  # fmt: skip


@pytest.mark.parametrize("name", REPORTS)
def test_report(name):
    recipe, given = REPORTS[name]
    g = check(recipe, **given)
    if recipe == "NeRF":
        (slopes,), w = torch.autograd.grad(g.features.sum(), g.points), 2.0 ** torch.arange(10).numpy()
        sines, cosines = waves(g.points.detach(), w)
        assert abs(slopes.numpy() - (1 + (w * (cosines - sines)).sum(-1))).max() <= 1e-3  # float32 angles: 0.02

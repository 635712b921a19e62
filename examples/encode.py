"""Says how wrong the position table of a PyTorch model is, and what replaces it:
    python3 encode.py
"""

import math

import torch
from torch import nn


class Model(nn.Module):
    """Has the table of PyTorch's tutorial, of angles in float32."""

    def __init__(self) -> None:
        super().__init__()
        frequencies = torch.exp(torch.arange(0, 512, 2) * (-math.log(10000.0) / 512))
        angles = torch.arange(5000)[:, None] * frequencies
        self.register_buffer("pe", torch.stack((angles.sin(), angles.cos()), -1).flatten(1))


model = Model()
# [part: model]
import posenc.torch

print(*posenc.torch.audit(model), sep="\n")  # such as "pe: paper, base 10000.0, ...: off by up to 0.00039 ..."
done = posenc.torch.replace_rotary(model)  # rotary modules, whatever their class; done.undo() puts them back
encode = posenc.torch.SinusoidalPositionalEncoding(512)  # as the tutorial's: dropout 0.1, (sequence, batch, 512)
rotary = posenc.torch.RotaryEmbedding(128, base=5e5)  # for a module of your own: cos, sin = rotary(x, positions)
# [end: model]
x = torch.zeros(100, 32, 512)  # (sequence, batch, d_model)
print(f"row 99 starts {encode.eval()(x)[99, 0, :4].tolist()}")
print(*posenc.torch.audit(encode), sep="\n")

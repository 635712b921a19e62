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
import posenc  # needs NumPy
import posenc.torch  # needs PyTorch, too

table = posenc.table(5000, 512)  # a NumPy array of float32: positions 0 to 4999, 512 columns
print(*posenc.torch.audit(model), sep="\n")  # what is wrong, and by how much
done = posenc.torch.replace_rotary(model)  # done.left: not replaced, and why; done.undo() puts all back
encode = posenc.torch.SinusoidalPositionalEncoding(512)  # as the tutorial's: dropout 0.1, (sequence, batch, 512)
rotary = posenc.torch.RotaryEmbedding(128, base=5e5)  # cos, sin = rotary(x, positions)
# [end: model]
x = torch.zeros(100, 32, 512)  # (sequence, batch, d_model)
print(f"row 99 starts {encode.eval()(x)[99, 0, :4].tolist()}")
print(*posenc.torch.audit(encode), sep="\n")

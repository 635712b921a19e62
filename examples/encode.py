"""Positions added to embeddings in PyTorch. The module replaces the PositionalEncoding of PyTorch's tutorial:
    python3 encode.py
"""

from posenc.torch import audit

# [part: encode]
import torch
from posenc.torch import SinusoidalPositionalEncoding

encode = SinusoidalPositionalEncoding(512, dropout=0.1).eval()  # instead of the tutorial's PositionalEncoding
encoded = encode(torch.zeros(100, 32, 512))  # (sequence, batch, d_model)
# [end: encode]
print(f"row 99 starts {encoded[99, 0, :4].tolist()}")
print(*audit(encode), sep="\n")  # each table in a model: its preset, base and largest error

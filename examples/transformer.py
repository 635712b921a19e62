"""The model of the PyTorch tutorial on language modelling, with one line changed: where its positions come from.

    python3 transformer.py
"""

import math

import torch
from torch import nn

# [part: line]
from posenc.torch import SinusoidalPositionalEncoding as PositionalEncoding  # the line

# [end: line]


class TransformerModel(nn.Module):
    def __init__(self, tokens: int, d_model: int, heads: int, d_hidden: int, layers: int, dropout: float = 0.5) -> None:
        super().__init__()
        self.d_model = d_model
        self.embed = nn.Embedding(tokens, d_model)
        self.positions = PositionalEncoding(d_model, dropout)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(d_model, heads, d_hidden, dropout), layers)
        self.decode = nn.Linear(d_model, tokens)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """(sequence, batch) of token numbers to (sequence, batch, tokens); each sees those before it."""
        later = torch.full((len(tokens), len(tokens)), -math.inf).triu(1)
        x = self.positions(self.embed(tokens) * math.sqrt(self.d_model))
        return self.decode(self.encoder(x, later))


if __name__ == "__main__":
    torch.manual_seed(0)
    model = TransformerModel(tokens=1000, d_model=200, heads=2, d_hidden=200, layers=2).eval()
    with torch.no_grad():
        logits = model(torch.randint(1000, (35, 20)))
        row = model.positions(torch.zeros(35, 20, 200))[34, 19]  # what the last token of a sequence has added
    print(f"row 34 starts {row[:4].tolist()}")
    print(f"logits {tuple(logits.shape)}, finite: {bool(logits.isfinite().all())}")

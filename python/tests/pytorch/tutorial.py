"""The classes of PyTorch's tutorials and of the Annotated Transformer, rewritten from their formulas."""

import pathlib
import sys

from torch import nn

sys.path.append(str(pathlib.Path(__file__).parents[3] / "bench/peers/python"))
from torch_recipes import Module as Tutorial, written  # noqa: E402, F401


def table(d_model, max_len):
    return written(max_len, d_model)[:, 0]


class Translation(nn.Module):
    """From the tutorial on translation."""

    def __init__(self, emb_size, dropout, maxlen=5000):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pos_embedding", table(emb_size, maxlen).unsqueeze(-2))

    def forward(self, token_embedding):
        return self.dropout(token_embedding + self.pos_embedding[: token_embedding.size(0), :])


class Annotated(nn.Module):
    """From the Annotated Transformer, with the batch first."""

    def __init__(self, d_model, dropout, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        self.register_buffer("pe", table(d_model, max_len).unsqueeze(0))

    def forward(self, x):
        return self.dropout(x + self.pe[:, : x.size(1)].requires_grad_(False))

"""The module of PyTorch's tutorial."""

import math

import torch
from torch import nn


class Tutorial(nn.Module):
    """The tutorial's module, from its formula."""

    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        p = torch.arange(max_len).unsqueeze(1)
        w = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(p * w)
        pe[:, 0, 1::2] = torch.cos(p * w)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return self.dropout(x + self.pe[: x.size(0)])

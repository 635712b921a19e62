"""The Annotated Transformer's first model, which copies its input: its encoder and decoder, and what trains them."""

import copy
import math

import torch
from torch import nn

from tutorial import Annotated as PositionalEncoding


class Embeddings(nn.Module):
    def __init__(self, d_model, vocab):
        super().__init__()
        self.lut = nn.Embedding(vocab, d_model)
        self.d_model = d_model

    def forward(self, x):
        return self.lut(x) * math.sqrt(self.d_model)


class EncoderDecoder(nn.Module):
    def __init__(self, d_model, vocab, src_embed, tgt_embed):
        super().__init__()
        self.layers = nn.Transformer(d_model, 4, 2, 2, 32, batch_first=True)
        self.src_embed, self.tgt_embed, self.generator = src_embed, tgt_embed, nn.Linear(d_model, vocab)

    def forward(self, src, tgt):
        mask = torch.full((tgt.size(1), tgt.size(1)), -math.inf).triu(1)
        return self.generator(self.layers(self.src_embed(src), self.tgt_embed(tgt), tgt_mask=mask))


def make_model(vocab, d_model=32, dropout=0.1):
    c = copy.deepcopy
    position = PositionalEncoding(d_model, dropout)
    src = nn.Sequential(Embeddings(d_model, vocab), c(position))
    model = EncoderDecoder(d_model, vocab, src, nn.Sequential(Embeddings(d_model, vocab), c(position)))
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.xavier_uniform_(p)
    return model


torch.manual_seed(0)
V = 11
model = make_model(V)
optimizer = torch.optim.Adam(model.parameters(), lr=0.5, betas=(0.9, 0.98), eps=1e-9)
rate = torch.optim.lr_scheduler.LambdaLR(
    optimizer, lambda step: 32**-0.5 * min((step or 1) ** -0.5, (step or 1) * 400**-1.5)
)
losses = []
model.train()
for step in range(5):
    data = torch.randint(1, V, (8, 10))  # (batch, sequence)
    data[:, 0] = 1
    logits = model(data, data[:, :-1])
    loss = nn.functional.cross_entropy(logits.reshape(-1, V), data[:, 1:].reshape(-1), ignore_index=0)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    rate.step()
    losses.append(loss.item())
model.eval()
with torch.no_grad():
    ys = torch.ones(1, 1).long()
    for step in range(9):
        ys = torch.cat([ys, model(data[:1], ys)[:, -1].argmax(1)[:, None]], 1)
inputs = (data, data[:, :9])

"""PyTorch's tutorial on language modelling, all its steps, on tokens that are made up."""

import copy
import math

import torch
from torch import nn

from tutorial import Tutorial as PositionalEncoding


class TransformerModel(nn.Module):
    def __init__(self, ntoken, d_model, nhead, d_hid, nlayers, dropout=0.5):
        super().__init__()
        self.model_type = "Transformer"
        self.pos_encoder = PositionalEncoding(d_model, dropout)
        layers = nn.TransformerEncoderLayer(d_model, nhead, d_hid, dropout)
        self.transformer_encoder = nn.TransformerEncoder(layers, nlayers)
        self.encoder = nn.Embedding(ntoken, d_model)
        self.d_model = d_model
        self.decoder = nn.Linear(d_model, ntoken)
        self.encoder.weight.data.uniform_(-0.1, 0.1)
        self.decoder.bias.data.zero_()
        self.decoder.weight.data.uniform_(-0.1, 0.1)

    def forward(self, src):
        mask = torch.full((len(src), len(src)), -math.inf).triu(1)
        src = self.encoder(src) * math.sqrt(self.d_model)
        src = self.pos_encoder(src)
        return self.decoder(self.transformer_encoder(src, mask))


torch.manual_seed(0)
bptt, ntokens = 35, 50
tokens = torch.randint(ntokens, (10 * 110,)).view(10, -1).t().contiguous()  # (sequence, batch)
model = TransformerModel(ntokens, 32, 2, 32, 2, 0.2)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.95)
losses, best, kept = [], math.inf, None
for epoch in range(2):
    model.train()
    for i in range(0, len(tokens) - 1, bptt):
        n = min(bptt, len(tokens) - 1 - i)
        data, targets = tokens[i : i + n], tokens[i + 1 : i + 1 + n].reshape(-1)
        loss = criterion(model(data).view(-1, ntokens), targets)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        value = criterion(model(tokens[:-1]).view(-1, ntokens), tokens[1:].reshape(-1)).item()
    losses.append(value)
    if value < best:
        best, kept = value, copy.deepcopy(model.state_dict())
    scheduler.step()
model.load_state_dict(kept)
inputs = (tokens[:bptt],)

"""The language model of PyTorch's tutorial, trained with its own class and with posenc's in its place.

The tokens are made up."""

import copy
import math

import pytest
import torch
from torch import nn
from tutorial import Tutorial

from posenc.torch import SinusoidalPositionalEncoding, table

WIDTH, VOCABULARY = 32, 40


class LanguageModel(nn.Module):
    """From the tutorial on language modelling."""

    def __init__(self, encoding):
        super().__init__()
        self.encoder, self.pos_encoder = nn.Embedding(VOCABULARY, WIDTH), encoding(WIDTH, 0.2)
        self.transformer_encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(WIDTH, 2, WIDTH, 0.2), 2)
        self.decoder = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, src):
        mask = torch.full((len(src), len(src)), -math.inf).triu(1)
        return self.decoder(self.transformer_encoder(self.pos_encoder(self.encoder(src) * math.sqrt(WIDTH)), mask))


def trained(encoding):
    """Returns a model after five steps, its losses, and the input of the last step."""
    torch.manual_seed(0)
    model = LanguageModel(encoding)
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=0.001), []
    for _ in range(5):
        tokens = torch.randint(VOCABULARY, (35, 10))
        loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.load_state_dict(copy.deepcopy(model.state_dict()))
    return model.eval(), losses, tokens


@pytest.mark.filterwarnings("ignore:.*nested.tensor.*:UserWarning")
def test_the_class_is_replaced():
    """Their table is off by up to 3e-4, and training propagates the difference."""
    (old, their_losses, tokens), (new, our_losses, _) = map(trained, (Tutorial, SinusoidalPositionalEncoding))
    assert torch.allclose(torch.tensor(their_losses), torch.tensor(our_losses), rtol=0, atol=2e-4)
    assert torch.equal(new.pos_encoder.pe.squeeze(), table(5000, WIDTH))
    with torch.no_grad():
        assert torch.allclose(old(tokens), new(tokens), rtol=0, atol=1e-3)
        new.load_state_dict(old.state_dict(), strict=True)  # all bits are those of their checkpoint
        assert torch.equal(old(tokens), new(tokens))
        old.load_state_dict(new.state_dict(), strict=True)

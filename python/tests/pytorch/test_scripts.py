"""The models of two tutorials and of the Annotated Transformer, trained with their own class and with posenc's in its place.

The tokens are made up."""

import copy
import functools
import math

import pytest
import torch
from torch import nn
from tutorial import Annotated, Translation, Tutorial

from posenc.torch import SinusoidalPositionalEncoding, table

WIDTH, VOCABULARY = 32, 40


def mask(length):
    return torch.full((length, length), -math.inf).triu(1)


class Embeddings(nn.Module):
    def __init__(self):
        super().__init__()
        self.lut = nn.Embedding(VOCABULARY, WIDTH)

    def forward(self, tokens):
        return self.lut(tokens) * math.sqrt(WIDTH)


class LanguageModel(nn.Module):
    """From the tutorial on language modelling."""

    def __init__(self, encoding):
        super().__init__()
        self.encoder, self.pos_encoder = Embeddings(), encoding(WIDTH, 0.2)
        self.transformer_encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(WIDTH, 2, WIDTH, 0.2), 2)
        self.decoder = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, src):
        return self.decoder(self.transformer_encoder(self.pos_encoder(self.encoder(src)), mask(len(src))))


class Seq2SeqTransformer(nn.Module):
    """From the tutorial on translation: one module for both sides."""

    def __init__(self, encoding):
        super().__init__()
        self.transformer, self.generator = nn.Transformer(WIDTH, 4, 2, 2, WIDTH), nn.Linear(WIDTH, VOCABULARY)
        self.src_tok_emb, self.tgt_tok_emb = Embeddings(), Embeddings()
        self.positional_encoding = encoding(WIDTH, dropout=0.1)

    def forward(self, src, tgt):
        src, tgt = (self.positional_encoding(part) for part in (self.src_tok_emb(src), self.tgt_tok_emb(tgt)))
        return self.generator(self.transformer(src, tgt, tgt_mask=mask(len(tgt))))


class EncoderDecoder(nn.Module):
    """From the Annotated Transformer: each side has a copy of the module, and the batch is first."""

    def __init__(self, encoding):
        super().__init__()
        self.layers, self.generator = nn.Transformer(WIDTH, 4, 2, 2, WIDTH, batch_first=True), nn.Linear(
            WIDTH, VOCABULARY
        )
        position = encoding(WIDTH, 0.1)
        self.src_embed, self.tgt_embed = (nn.Sequential(Embeddings(), copy.deepcopy(position)) for _ in range(2))

    def forward(self, src, tgt):
        return self.generator(self.layers(self.src_embed(src), self.tgt_embed(tgt), tgt_mask=mask(tgt.size(1))))


#: For each model: its own class, the one that replaces it, and the shapes of its inputs.
MODELS = {
    LanguageModel: (Tutorial, SinusoidalPositionalEncoding, [(35, 10)]),
    Seq2SeqTransformer: (Translation, SinusoidalPositionalEncoding, [(12, 5), (9, 5)]),
    EncoderDecoder: (Annotated, functools.partial(SinusoidalPositionalEncoding, batch_first=True), [(8, 10), (8, 9)]),
}


def trained(kind, encoding, shapes):
    """Returns a model after five steps, its losses, and the inputs of the last step."""
    torch.manual_seed(0)
    model = kind(encoding)
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=0.001), []
    for _ in range(5):
        inputs = [torch.randint(VOCABULARY, shape) for shape in shapes]
        loss = nn.functional.cross_entropy(model(*inputs).flatten(0, 1), inputs[-1].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.load_state_dict(copy.deepcopy(model.state_dict()))
    return model.eval(), losses, inputs


@pytest.mark.filterwarnings("ignore:.*nested.tensor.*:UserWarning")
@pytest.mark.parametrize("kind", MODELS)
def test_the_class_is_replaced(kind):
    """Their table is off by up to 3e-4, and training propagates the difference."""
    *classes, shapes = MODELS[kind]
    (old, their_losses, inputs), (new, our_losses, _) = (trained(kind, each, shapes) for each in classes)
    assert torch.allclose(torch.tensor(their_losses), torch.tensor(our_losses), rtol=0, atol=2e-4)
    tables = [module.pe for module in new.modules() if isinstance(module, SinusoidalPositionalEncoding)]
    assert tables and all(torch.equal(pe.squeeze(), table(5000, WIDTH)) for pe in tables)
    with torch.no_grad():
        assert torch.allclose(old(*inputs), new(*inputs), rtol=0, atol=1e-3)
        new.load_state_dict(old.state_dict(), strict=True)  # all bits are those of their checkpoint
        assert torch.equal(old(*inputs), new(*inputs))
        if kind is not Seq2SeqTransformer:  # its buffer has another name, which buffer_name="pos_embedding" gives
            old.load_state_dict(new.state_dict(), strict=True)

"""PyTorch's tutorial on translation: a sequence to sequence model and its greedy decoding, on tokens that are made up."""

import math

import torch
from torch import nn

from tutorial import Translation as PositionalEncoding


class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, emb_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_size)
        self.emb_size = emb_size

    def forward(self, tokens):
        return self.embedding(tokens.long()) * math.sqrt(self.emb_size)


class Seq2SeqTransformer(nn.Module):
    def __init__(self, layers, emb_size, nhead, vocab, hidden, dropout=0.1):
        super().__init__()
        self.transformer = nn.Transformer(emb_size, nhead, layers, layers, hidden, dropout)
        self.generator = nn.Linear(emb_size, vocab)
        self.src_tok_emb = TokenEmbedding(vocab, emb_size)
        self.tgt_tok_emb = TokenEmbedding(vocab, emb_size)
        self.positional_encoding = PositionalEncoding(emb_size, dropout=dropout)

    def forward(self, src, trg):
        return self.generator(self.decode(trg, self.encode(src)))

    def encode(self, src):
        return self.transformer.encoder(self.positional_encoding(self.src_tok_emb(src)))

    def decode(self, tgt, memory):
        mask = torch.full((len(tgt), len(tgt)), -math.inf).triu(1)
        return self.transformer.decoder(self.positional_encoding(self.tgt_tok_emb(tgt)), memory, mask)


torch.manual_seed(0)
model = Seq2SeqTransformer(2, 32, 4, 40, 32)
for p in model.parameters():
    if p.dim() > 1:
        nn.init.xavier_uniform_(p)
src, tgt = torch.randint(40, (12, 5)), torch.randint(40, (9, 5))  # (sequence, batch)
optimizer = torch.optim.Adam(model.parameters(), lr=0.001, betas=(0.9, 0.98), eps=1e-9)
losses = []
model.train()
for step in range(4):
    logits = model(src, tgt[:-1])
    loss = nn.functional.cross_entropy(logits.reshape(-1, 40), tgt[1:].reshape(-1), ignore_index=1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
model.eval()
with torch.no_grad():
    memory, ys = model.encode(src[:, :1]), torch.ones(1, 1).long()
    for step in range(7):
        word = model.generator(model.decode(ys, memory)[-1]).argmax(1)
        ys = torch.cat([ys, word[None]])
inputs = (src, ys.expand(-1, 5))

"""Correctly rounded rotary embeddings in a model of Hugging Face's transformers:
    python3 rotary.py
"""

# [part: rotary]
import torch
from transformers import LlamaConfig, LlamaModel

import posenc.torch

model = LlamaModel(LlamaConfig(hidden_size=256, num_attention_heads=2, max_position_embeddings=131072))
positions = torch.arange(131072)[None]
before = torch.cat(model.rotary_emb(torch.zeros(1), positions))  # cosines and sines of float32 angles
print("replaced:", *posenc.torch.replace_rotary(model).replaced)
after = torch.cat(model.rotary_emb(torch.zeros(1), positions))  # each value the nearest float32
print(f"The model's own cosines and sines were off by up to {(before - after).abs().max():.2g}.")
# [end: rotary]

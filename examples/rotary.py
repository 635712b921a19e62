"""Correctly rounded rotary embeddings in a model of Hugging Face's transformers:
    python3 rotary.py
"""

import torch
from transformers import LlamaConfig, LlamaModel

import posenc.torch

model = LlamaModel(LlamaConfig(hidden_size=256, num_attention_heads=2, max_position_embeddings=131072))
x, positions = torch.zeros(1), torch.arange(131072)[None]
own = torch.cat(model.rotary_emb(x, positions))  # cosines and sines
print("replaced:", *posenc.torch.replace_rotary(model).replaced)
new = torch.cat(model.rotary_emb(x, positions))  # each value the nearest float32 to the real number
print(f"largest error of the model's own cosines and sines: {(own - new).abs().max():.2g}")

"""Correctly rounded rotary embeddings in a model of Hugging Face's transformers:
    python3 rotary.py
"""

import torch

# [part: rotary]
from transformers import LlamaConfig, LlamaModel  # needs PyTorch and transformers
from posenc.torch import replace_rotary

model = LlamaModel(LlamaConfig(hidden_size=256, num_attention_heads=2))  # or any model of transformers or diffusers
print(replace_rotary(model))  # lists the modules that were replaced, and those that were not, with the reasons
# [end: rotary]
x, positions = torch.zeros(1), torch.arange(131072)[None]
# cosines and sines: transformers' own, of float32 angles, and posenc's, each the nearest float32
own, ours = (torch.cat(m.rotary_emb(x, positions)) for m in (LlamaModel(model.config), model))
print(f"The model's own cosines and sines were off by up to {(own - ours).abs().max():.2g}.")

"""Tables in PyTorch: the tutorial's formula, and the same table with less memory; eager and compiled. Also the
functions that PyTorch programs call again and again, of posenc.torch and of the tutorial. The method of such a job
prepares the call and returns it; only the call is timed."""
import importlib
import math
import types

import torch
from numpy_recipes import BASE, Recipe
from torch import nn

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
LLAMA = {"hidden_size": 512, "num_attention_heads": 4, "num_key_value_heads": 4, "max_position_embeddings": 8192}


class TorchRecipe(Recipe):
    """module: a class that takes the number of columns and adds the table to its input."""

    compiles = hasattr(torch, "compile")

    def __init__(self, threads):
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        self.version = f"PyTorch {torch.__version__}"
        if self.compiles:
            importlib.import_module("torch._dynamo").config.recompile_limit = 1000  # more than the number of shapes

    def call(self, case):
        call = getattr(self, case.job)(case, DTYPES[case.dtype])
        return torch.compile(call, fullgraph=True, dynamic=False) if case.compiled else call

    def empty(self, n, d):
        return torch.empty(n, d)

    def array(self, pe):
        return pe.numpy().reshape(pe.shape[0], pe.shape[-1])

    def forward(self, case, dtype):
        module, x = self.module(case.d).to(dtype).eval(), torch.ones(case.n, case.batch, case.d, dtype=dtype)
        return lambda: module(x)


def write(pe):
    """Writes to an existing table of shape (positions, 1, d_model), by the tutorial's code."""
    n, _, d = pe.shape
    p = torch.arange(n).unsqueeze(1)
    w = torch.exp(torch.arange(0, d, 2) * (-math.log(BASE) / d))
    pe[:, 0, 0::2] = torch.sin(p * w)
    pe[:, 0, 1::2] = torch.cos(p * w)


def written(n, d):
    pe = torch.zeros(n, 1, d)
    write(pe)
    return pe


class Module(nn.Module):
    """The tutorial's module."""

    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        self.register_buffer("pe", written(max_len, d_model))

    def forward(self, x):
        return self.dropout(x + self.pe[: x.size(0)])


class Tutorial(TorchRecipe):
    """Eager, as the tutorial runs."""

    jobs = ("fresh", "refill", "forward", "construction", "table")
    functions, module = (written, write), Module

    def __init__(self, threads):
        super().__init__(threads)
        self.fresh, self.refill = self.functions

    def empty(self, n, d):
        return torch.empty(n, 1, d)

    def construction(self, case, dtype):
        return lambda: Module(case.d, max_len=case.n).to(dtype)

    def table(self, case, dtype):
        return lambda: written(case.n, case.d).to(dtype)


class Posenc(TorchRecipe):
    """posenc.torch, with its defaults."""

    jobs = ("forward", "construction", "table", "timesteps", "rotary")

    def __init__(self, threads):
        super().__init__(threads)
        self.posenc = importlib.import_module("posenc.torch")
        self.module = self.posenc.SinusoidalPositionalEncoding
        self.version = f"posenc {importlib.import_module('posenc').__version__}"

    def construction(self, case, dtype):
        return lambda: self.module(case.d, max_len=case.n, dtype=dtype)

    def table(self, case, dtype):
        table = self.posenc.table
        return lambda: table(case.n, case.d, dtype=dtype)

    def timesteps(self, case, dtype):
        t, embedding = torch.rand(case.n) * 1000, self.posenc.timestep_embedding
        return lambda: embedding(t, case.d, dtype=dtype)

    def rotary(self, case, dtype):
        config = types.SimpleNamespace(model_type="llama", rope_theta=BASE, **LLAMA)
        module, x, positions = self.posenc.RotaryEmbedding(config).eval(), *rotary_arguments(case, dtype)
        return lambda: module(x, positions)


def rotary_arguments(case, dtype):
    return torch.zeros(1, 1, dtype=dtype), torch.arange(case.n).unsqueeze(0)


def angles(n, d):
    """Returns the angles in float32, computed once for sine and cosine."""
    w = torch.exp(torch.arange(0, d, 2, dtype=torch.float32) * (-math.log(BASE) / d))
    return torch.arange(n, dtype=torch.float32).unsqueeze(1) * w


def write_out(pe):
    """Uses as little memory as PyTorch allows: writes sines and cosines straight to their columns."""
    a = angles(*pe.shape)
    torch.sin(a, out=pe[:, 0::2])
    torch.cos(a, out=pe[:, 1::2])


def written_out(n, d):
    pe = torch.empty(n, d)
    write_out(pe)
    return pe


def stacked(n, d):
    """Computes the table in one expression that ends in pairs, which Inductor turns into one loop."""
    a = angles(n, d)
    return torch.stack((torch.sin(a), torch.cos(a)), -1).reshape(n, d)


def write_stacked(pe):
    pe.copy_(stacked(*pe.shape))


class Out(Tutorial):
    jobs, functions, empty = ("fresh", "refill"), (written_out, write_out), TorchRecipe.empty


class Compiled(Tutorial):
    """Both functions through torch.compile, which compiles them for every shape; compiling is not timed. The first call
    raises where the compiler does not work."""

    jobs = ("fresh", "refill")

    def __init__(self, threads):
        super().__init__(threads)
        self.fresh, self.refill = (torch.compile(function, dynamic=False) for function in self.functions)
        self.fresh(2, 4)


class CompiledStack(Compiled):
    functions, empty = (stacked, write_stacked), TorchRecipe.empty

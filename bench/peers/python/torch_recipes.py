"""PyTorch's tables: the tutorial's, from its formula, and the same with less memory; eager and compiled."""
import importlib
import math

import torch
from numpy_recipes import BASE, Recipe


def write(pe):
    """The tutorial's lines into a table that exists: (positions, 1, d_model)."""
    n, _, d = pe.shape
    p = torch.arange(n).unsqueeze(1)
    w = torch.exp(torch.arange(0, d, 2) * (-math.log(BASE) / d))
    pe[:, 0, 0::2] = torch.sin(p * w)
    pe[:, 0, 1::2] = torch.cos(p * w)


def fresh(n, d):
    pe = torch.zeros(n, 1, d)
    write(pe)
    return pe


def angles(n, d):
    """float32 from the start, computed once for both functions."""
    w = torch.exp(torch.arange(0, d, 2, dtype=torch.float32) * (-math.log(BASE) / d))
    return torch.arange(n, dtype=torch.float32).unsqueeze(1) * w


def stacked(n, d):
    """In one expression that ends in pairs, which Inductor makes one loop over the table of."""
    a = angles(n, d)
    return torch.stack((torch.sin(a), torch.cos(a)), -1).reshape(n, d)


def write_stacked(pe):
    pe.copy_(stacked(*pe.shape))


class Tutorial(Recipe):
    """Eager, as the tutorial runs."""

    functions = fresh, write

    def __init__(self, threads):
        torch.set_num_threads(threads)
        self.versions = {"PyTorch": torch.__version__}
        self.fresh, self.refill = self.functions

    def empty(self, n, d):
        return torch.empty(n, 1, d)

    def array(self, pe):
        return pe.numpy().reshape(pe.shape[0], pe.shape[-1])


def write_out(pe):
    """As little memory as PyTorch allows: sines and cosines straight to their columns."""
    a = angles(*pe.shape)
    torch.sin(a, out=pe[:, 0::2])
    torch.cos(a, out=pe[:, 1::2])


def fresh_out(n, d):
    pe = torch.empty(n, d)
    write_out(pe)
    return pe


class Out(Tutorial):
    functions = fresh_out, write_out

    def empty(self, n, d):
        return torch.empty(n, d)


class Compiled(Tutorial):
    """Two functions by torch.compile, for every shape anew; compiling is not timed. It takes seconds, so a first call would
    say nothing of the table, and there is no job "first". Where the compiler does not work, the first call raises."""

    forget = None

    def __init__(self, threads):
        super().__init__(threads)
        config = importlib.import_module("torch._dynamo").config
        for limit in ("recompile_limit", "cache_size_limit"):  # of shapes; its name depends on the version
            if hasattr(config, limit):
                setattr(config, limit, 1000)
        self.fresh, self.refill = (torch.compile(function, dynamic=False) for function in self.functions)
        self.fresh(2, 4)


class CompiledStack(Compiled):
    functions, empty = (stacked, write_stacked), Out.empty

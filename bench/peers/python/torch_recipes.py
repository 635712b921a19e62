"""PyTorch's tables: the tutorial's, from its formula, and the same with less memory; eager and compiled."""
import importlib
import math

from subjects import NotHere

try:
    import torch
except ImportError as error:
    raise NotHere(f"PyTorch cannot be imported: {error}") from error

BASE = 10000.0


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


class Tutorial:
    """Eager, as the tutorial runs."""

    member = None

    def __init__(self, threads):
        torch.set_num_threads(threads)
        self.versions = {"PyTorch": torch.__version__}

    def forget(self):
        """It keeps nothing."""

    def fresh(self, n, d):
        return fresh(n, d)

    def empty(self, n, d):
        return torch.empty(n, 1, d)

    def refill(self, pe):
        write(pe)

    def array(self, pe):
        return pe.numpy().reshape(pe.shape[0], pe.shape[-1])


class Out(Tutorial):
    """Eager, as little memory as PyTorch allows: sines and cosines straight to their columns."""

    def fresh(self, n, d):
        pe = self.empty(n, d)
        self.refill(pe)
        return pe

    def empty(self, n, d):
        return torch.empty(n, d)

    def refill(self, pe):
        a = angles(*pe.shape)
        torch.sin(a, out=pe[:, 0::2])
        torch.cos(a, out=pe[:, 1::2])


class Compiled(Tutorial):
    """Two functions by torch.compile, for every shape anew; compiling is not timed. It takes seconds, so a first call would
    say nothing of the table, and there is no job "first"."""

    functions = fresh, write
    forget = None

    def __init__(self, threads):
        super().__init__(threads)
        if not hasattr(torch, "compile"):
            raise NotHere(f"PyTorch {torch.__version__} has no torch.compile")
        config = importlib.import_module("torch._dynamo").config
        for limit in ("recompile_limit", "cache_size_limit"):  # of shapes; its name depends on the version
            if hasattr(config, limit):
                setattr(config, limit, 1000)
        self._fresh, self._write = (torch.compile(function, dynamic=False) for function in self.functions)
        try:
            self._fresh(2, 4)
        except Exception as error:  # whatever the compiler's absence looks like in this version
            raise NotHere(f"torch.compile does not work here: {type(error).__name__}: {first_line(error)}") from error

    def fresh(self, n, d):
        return self._fresh(n, d)

    def refill(self, pe):
        self._write(pe)


class CompiledStack(Compiled):
    functions = stacked, write_stacked

    def empty(self, n, d):
        return torch.empty(n, d)


def first_line(error):
    return next((line.strip() for line in str(error).splitlines() if line.strip()), "no message")

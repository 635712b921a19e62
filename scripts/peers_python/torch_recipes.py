"""The PyTorch tutorial's table, from its formula, eager and compiled."""
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


class Tutorial:
    """Eager, as the tutorial runs."""

    member = None

    def __init__(self, threads):
        torch.set_num_threads(threads)
        self.versions = {"PyTorch": torch.__version__}

    def fresh(self, n, d):
        return fresh(n, d)

    def empty(self, n, d):
        return torch.empty(n, 1, d)

    def refill(self, pe):
        write(pe)

    def array(self, pe):
        return pe.numpy().reshape(pe.shape[0], pe.shape[-1])


class Compiled(Tutorial):
    """The same two functions by torch.compile, for every shape anew; compiling is not timed."""

    def __init__(self, threads):
        super().__init__(threads)
        if not hasattr(torch, "compile"):
            raise NotHere(f"PyTorch {torch.__version__} has no torch.compile")
        config = importlib.import_module("torch._dynamo").config
        for limit in ("recompile_limit", "cache_size_limit"):  # of shapes; its name depends on the version
            if hasattr(config, limit):
                setattr(config, limit, 1000)
        self._fresh, self._write = torch.compile(fresh, dynamic=False), torch.compile(write, dynamic=False)
        try:
            self._fresh(2, 4)
        except Exception as error:  # whatever the compiler's absence looks like in this version
            raise NotHere(f"torch.compile does not work here: {type(error).__name__}: {first_line(error)}") from error

    def fresh(self, n, d):
        return self._fresh(n, d)

    def refill(self, pe):
        self._write(pe)


def first_line(error):
    return next((line.strip() for line in str(error).splitlines() if line.strip()), "no message")

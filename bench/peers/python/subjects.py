"""Who is measured: posenc's two implementations and what Python programs have instead of them. One row each.

A row names the class that computes the table, its module, and what can be said of it beforehand. `threads` is whether it can
use several; one that cannot runs beside those that do, by its one thread. A `slow` one makes fewer rows of a large table, and
its times are scaled to the whole; `optional` ones are run where their package is there, and no target is about them. Wherever a
row is not run, the reason is told.
"""
import importlib
from typing import NamedTuple


class NotHere(Exception):
    """What a recipe needs is not there; the message says what."""


class Subject(NamedTuple):
    name: str
    what: str
    module: str  # of this directory
    recipe: str  # a class of it
    library: str | None  # a key of its versions: the one whose version is the peer's
    preset: str = "paper"
    threads: bool = True
    slow: bool = False
    optional: bool = False
    pinned: bool = False  # has one thread only where there is one processor, whatever else it is told

    def make(self, threads):
        return getattr(importlib.import_module(self.module), self.recipe)(threads)


OURS = ("exact", "anchored")

SUBJECTS = [
    Subject("exact", "posenc.table(..., impl='exact')", "ours", "Exact", "posenc"),
    Subject("anchored", "posenc.table(..., impl='anchored')", "ours", "Anchored", "posenc"),
    Subject("numpy_f32", "NumPy, vectorised, float32 angles", "numpy_recipes", "Float32", "NumPy", threads=False),
    Subject(
        "numpy_f64",
        "NumPy, vectorised, float64 angles, rounded once when stored",
        "numpy_recipes",
        "Float64",
        "NumPy",
        threads=False,
    ),
    Subject("torch_tutorial", "PyTorch, the tutorial's formula, eager", "torch_recipes", "Tutorial", "PyTorch"),
    Subject(
        "torch_out",
        "PyTorch, eager, float32 angles computed once, sines and cosines by out=",
        "torch_recipes",
        "Out",
        "PyTorch",
    ),
    Subject(
        "torch_compiled", "PyTorch, the tutorial's formula by torch.compile", "torch_recipes", "Compiled", "PyTorch"
    ),
    Subject(
        "torch_compiled_stack",
        "PyTorch, torch.stack of sines and cosines of float32 angles, by torch.compile",
        "torch_recipes",
        "CompiledStack",
        "PyTorch",
    ),
    Subject(
        "marian",
        "Hugging Face Marian's double loop, NumPy doubles, sines and cosines apart",
        "numpy_recipes",
        "Marian",
        "NumPy",
        preset="marian",
        threads=False,
        slow=True,
    ),
    Subject("jax_f32", "JAX, float32 angles, jit", "jax_recipe", "Float32", "JAX", optional=True, pinned=True),
    Subject(
        "mkl",
        "MKL's vector mathematics (vmsSinCosI, high accuracy) of NumPy's float32 angles",
        "mkl_recipe",
        "HighAccuracy",
        "MKL",
        optional=True,
    ),
    Subject(
        "mkl_la",
        "MKL's vector mathematics (vmsSinCosI, low accuracy) of NumPy's float32 angles",
        "mkl_recipe",
        "LowAccuracy",
        "MKL",
        optional=True,
    ),
    Subject(
        "transformers_marian",
        "the installed transformers' MarianSinusoidalPositionalEmbedding",
        "installed",
        "Marian",
        "transformers",
        preset="marian",
        threads=False,
        slow=True,
        optional=True,
    ),
    Subject(
        "diffusers",
        "the installed diffusers' get_timestep_embedding, of 0, 1, 2, ...",
        "installed",
        "Timesteps",
        "diffusers",
        preset="diffusers",
        optional=True,
    ),
]

BY_NAME = {subject.name: subject for subject in SUBJECTS}

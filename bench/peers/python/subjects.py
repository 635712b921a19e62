"""Who is measured: posenc's two implementations and what Python programs have instead of them. One row each.

A row names the class that computes the table, and what can be said of it beforehand. Wherever one is not run, the reason is
reported.
"""
import importlib
from typing import NamedTuple


class NotHere(Exception):
    """What a recipe needs is not there; the message says what."""


class Subject(NamedTuple):
    name: str
    recipe: str  # module of this directory, and class
    library: str  # a key of the recipe's versions: the one whose version is the peer's
    what: str
    preset: str = "paper"
    threads: bool = True  # it can use several; otherwise its times with one are compared with theirs
    slow: bool = False  # it makes fewer rows of a large table, and its times are scaled to the whole
    pinned: bool = False  # it has one thread only where there is one processor, whatever else it is told

    def make(self, threads):
        module, recipe = self.recipe.split(".")
        return getattr(importlib.import_module(module), recipe)(threads)


OURS = ("exact", "anchored")
MKL = "MKL's vector mathematics (vmsSinCosI, {} accuracy) of NumPy's float32 angles"
ONE_SLOW_THREAD = {"preset": "marian", "threads": False, "slow": True}

SUBJECTS = [
    Subject("exact", "ours.Exact", "posenc", "posenc.table(..., impl='exact')"),
    Subject("anchored", "ours.Anchored", "posenc", "posenc.table(..., impl='anchored')"),
    Subject("numpy_f32", "numpy_recipes.Float32", "NumPy", "NumPy, vectorised, float32 angles", threads=False),
    Subject("numpy_f64", "numpy_recipes.Float64", "NumPy",
            "NumPy, vectorised, float64 angles, rounded once when stored", threads=False),
    Subject("torch_tutorial", "torch_recipes.Tutorial", "PyTorch", "PyTorch, the tutorial's formula, eager"),
    Subject("torch_out", "torch_recipes.Out", "PyTorch",
            "PyTorch, eager, float32 angles computed once, sines and cosines by out="),
    Subject("torch_compiled", "torch_recipes.Compiled", "PyTorch", "PyTorch, the tutorial's formula by torch.compile"),
    Subject("torch_compiled_stack", "torch_recipes.CompiledStack", "PyTorch",
            "PyTorch, torch.stack of sines and cosines of float32 angles, by torch.compile"),
    Subject("marian", "numpy_recipes.Marian", "NumPy",
            "Hugging Face Marian's double loop, NumPy doubles, sines and cosines apart", **ONE_SLOW_THREAD),
    Subject("jax_f32", "jax_recipe.Float32", "JAX", "JAX, float32 angles, jit", pinned=True),
    Subject("mkl", "mkl_recipe.HighAccuracy", "MKL", MKL.format("high")),
    Subject("mkl_la", "mkl_recipe.LowAccuracy", "MKL", MKL.format("low")),
    Subject("transformers_marian", "installed.Marian", "transformers",
            "the installed transformers' MarianSinusoidalPositionalEmbedding", **ONE_SLOW_THREAD),
    Subject("diffusers", "installed.Timesteps", "diffusers",
            "the installed diffusers' get_timestep_embedding, of 0, 1, 2, ...", "diffusers"),
]  # fmt: skip

BY_NAME = {subject.name: subject for subject in SUBJECTS}

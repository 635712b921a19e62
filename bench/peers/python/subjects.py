"""The subjects: posenc and what Python programs use instead of it, one row each. The results name the reason where a
subject does not run.

A row names the recipe: the class that does the work, in its library's file. All recipes have the methods that a worker
calls; numpy_recipes.Recipe describes each of them.
"""
import importlib
from typing import NamedTuple


class Case(NamedTuple):
    """One job on a table or a batch of n rows and d columns."""

    job: str
    n: int
    d: int
    threads: int = 1
    dtype: str = "float32"
    batch: int = 0  # the length of an axis between n and d; 0: no such axis
    compiled: bool = False

    def name(self, who):
        """Returns the name, in the form that posenc-bench gives its cases."""
        parts = [f"threads:{self.threads}"] if self.threads > 1 else []
        parts += [self.job, who, self.dtype, *([f"b:{self.batch}"] if self.batch else []), f"n:{self.n}", f"d:{self.d}"]
        return "/".join(parts + ["compiled"] * self.compiled + ["real_time"])

    def label(self, who):
        """Returns the label, in the form that bench/README.md describes."""
        parts = [f"threads:{self.threads}"] if self.threads > 1 else []
        parts += [self.job, *([f"b:{self.batch}"] if self.batch else []), *["compiled"] * self.compiled]
        return f"{'/'.join(parts)} {who} {self.dtype}"


class Subject(NamedTuple):
    name: str
    library: str  # subjects of one library share a process
    recipe: str  # MODULE.CLASS; the module is in this directory
    what: str
    preset: str = "paper"
    threads: bool = True  # it can use several threads
    slow: bool = False  # it computes only some rows of a large table

    def started(self, threads):
        module, recipe = self.recipe.split(".")
        return getattr(importlib.import_module(module), recipe)(threads)


OURS = ("exact", "anchored", "posenc.torch")
ONE_SLOW_THREAD = {"preset": "marian", "threads": False, "slow": True}

SUBJECTS = [
    Subject("exact", "posenc", "ours.Exact", "posenc.table(..., impl='exact')"),
    Subject("anchored", "posenc", "ours.Anchored", "posenc.table(..., impl='anchored')"),
    Subject("posenc.torch", "PyTorch", "torch_recipes.Posenc", "posenc.torch's functions and modules", threads=False),
    Subject("numpy_f32", "NumPy", "numpy_recipes.Float32", "NumPy, vectorised, float32 angles", threads=False),
    Subject("numpy_f64", "NumPy", "numpy_recipes.Float64",
            "NumPy, vectorised, float64 angles, rounded once when stored", threads=False),
    Subject("torch_tutorial", "PyTorch", "torch_recipes.Tutorial", "PyTorch, the tutorial's formula, eager"),
    Subject("torch_out", "PyTorch", "torch_recipes.Out",
            "PyTorch, eager, float32 angles computed once, sines and cosines by out="),
    Subject("torch_compiled", "PyTorch", "torch_recipes.Compiled", "PyTorch, the tutorial's formula by torch.compile"),
    Subject("torch_compiled_stack", "PyTorch", "torch_recipes.CompiledStack",
            "PyTorch, torch.stack of sines and cosines of float32 angles, by torch.compile"),
    Subject("marian", "NumPy", "numpy_recipes.Marian",
            "Hugging Face Marian's double loop, NumPy doubles, sines and cosines apart", **ONE_SLOW_THREAD),
    Subject("jax_f32", "JAX", "jax_recipe.Float32", "JAX, float32 angles, jit"),
    Subject("transformers_marian", "PyTorch", "installed.Marian",
            "the installed transformers' MarianSinusoidalPositionalEmbedding", **ONE_SLOW_THREAD),
    Subject("transformers_rotary", "PyTorch", "installed.Rotary",
            "the installed transformers' LlamaRotaryEmbedding", threads=False),
    Subject("diffusers", "PyTorch", "installed.Timesteps",
            "the installed diffusers' get_timestep_embedding, of 0, 1, 2, ...", "diffusers"),
]  # fmt: skip

BY_NAME = {subject.name: subject for subject in SUBJECTS}

"""The subjects: posenc and what Python programs use instead of it, one row each. If a subject is not run, the reason is
reported.

A row names the recipe, which is the class that does the work, in its library's file. All recipes have methods of the
same names, which a worker calls: numpy_recipes.Recipe says what each of them does.
"""
import importlib
from typing import NamedTuple


class Case(NamedTuple):
    """One job on a table, or a batch, of so many rows and columns."""

    job: str
    n: int
    d: int
    threads: int = 1
    dtype: str = "float32"
    batch: int = 0  # the length of an axis between n and d; 0: there is none
    compiled: bool = False

    def name(self, who):
        """As posenc-bench names its cases."""
        parts = [f"threads:{self.threads}"] if self.threads > 1 else []
        parts += [self.job, who, self.dtype, *([f"b:{self.batch}"] if self.batch else []), f"n:{self.n}", f"d:{self.d}"]
        return "/".join(parts + ["compiled"] * self.compiled + ["real_time"])


class Subject(NamedTuple):
    name: str
    library: str  # whose process it works in
    recipe: str  # module of this directory, and class
    what: str
    preset: str = "paper"
    threads: bool = True  # it can use several
    slow: bool = False  # it makes fewer rows of a large table

    def started(self, threads):
        module, recipe = self.recipe.split(".")
        return getattr(importlib.import_module(module), recipe)(threads)


OURS = ("exact", "anchored", "posenc_torch")
ONE_SLOW_THREAD = {"preset": "marian", "threads": False, "slow": True}

SUBJECTS = [
    Subject("exact", "posenc", "ours.Exact", "posenc.table(..., impl='exact')"),
    Subject("anchored", "posenc", "ours.Anchored", "posenc.table(..., impl='anchored')"),
    Subject("posenc_torch", "PyTorch", "torch_recipes.Posenc", "posenc.torch's functions and modules", threads=False),
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

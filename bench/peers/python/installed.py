"""The functions of installed packages, called unchanged: transformers and diffusers. Both need PyTorch."""
import importlib
import warnings

from torch_recipes import LLAMA, TorchRecipe, rotary_arguments, torch

warnings.filterwarnings("ignore")


class Installed(TorchRecipe):
    jobs = ("fresh",)

    def __init__(self, threads):
        super().__init__(threads)
        package = self.module.split(".")[0]
        self.version = f"{package} {importlib.import_module(package).__version__}"
        self.function = getattr(importlib.import_module(self.module), self.function)

    def array(self, pe):
        return pe.detach().numpy()


class Marian(Installed):
    """A module whose weight is the table. The model creates it once, so there is no refill job."""

    module, function = "transformers.models.marian.modeling_marian", "MarianSinusoidalPositionalEmbedding"

    def fresh(self, n, d):
        return self.function(n, d).create_weight()


class Rotary(Installed):
    jobs = ("rotary",)
    module, function = "transformers.models.llama.modeling_llama", "LlamaRotaryEmbedding"

    def rotary(self, case, dtype):
        config = importlib.import_module("transformers").LlamaConfig(**LLAMA)
        module, x, positions = self.function(config).eval(), *rotary_arguments(case, dtype)
        return lambda: module(x, positions)


class Timesteps(Installed):
    """The function with its defaults: sines first, and frequencies down to 1 / 10000 itself."""

    jobs = ("fresh", "timesteps")
    module, function = "diffusers.models.embeddings", "get_timestep_embedding"

    def fresh(self, n, d):
        return self.function(torch.arange(n), d)

    def timesteps(self, case, dtype):
        t, embedding = torch.rand(case.n) * 1000, self.function
        return lambda: embedding(t, case.d).to(dtype)

"""What installed packages have for it, called as they are: transformers and diffusers. Both need PyTorch."""
import importlib
import inspect
import warnings

from torch_recipes import Recipe, torch

warnings.filterwarnings("ignore")


class Installed(Recipe):
    refill = None

    def __init__(self, threads):
        torch.set_num_threads(threads)
        package = self.module.split(".")[0]
        self.versions = {"PyTorch": torch.__version__, package: importlib.import_module(package).__version__}
        self.function = getattr(importlib.import_module(self.module), self.function)

    def array(self, table):
        return table.detach().numpy()


class Marian(Installed):
    """A module whose weight is the table. Older versions fill it when the module is made, newer ones in `create_weight`
    or `_init_weight`, which the model calls for them. It is made once, so nothing is refilled."""

    module, function = "transformers.models.marian.modeling_marian", "MarianSinusoidalPositionalEmbedding"

    def fresh(self, n, d):
        module = self.function(n, d)
        if hasattr(module, "create_weight"):
            return module.create_weight()
        # An older _init_weight was a function of the parameter, which the constructor called.
        if hasattr(module, "_init_weight") and not inspect.signature(module._init_weight).parameters:
            module._init_weight()
        return module.weight


class Timesteps(Installed):
    """Its defaults: sines first, and frequencies down to 1 / 10000 itself."""

    module, function = "diffusers.models.embeddings", "get_timestep_embedding"

    def fresh(self, n, d):
        return self.function(torch.arange(n), d)

"""What installed packages have for it, called as they are: transformers and diffusers. Both need PyTorch."""
import inspect
import warnings

from subjects import NotHere
from torch_recipes import first_line, torch

warnings.filterwarnings("ignore")


class Installed:
    member = refill = None

    def __init__(self, threads):
        torch.set_num_threads(threads)
        self.versions = {"PyTorch": torch.__version__}

    def forget(self):
        """They keep nothing."""

    def array(self, table):
        return table.detach().numpy()


def missing(package, error):
    return NotHere(f"{package} cannot be imported: {first_line(error)}")


class Marian(Installed):
    """A module whose weight is the table. Older versions fill it when the module is made, newer ones in `create_weight`
    or `_init_weight`, which the model calls for them. It is made once, so nothing is refilled."""

    def __init__(self, threads):
        super().__init__(threads)
        try:
            import transformers
            from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding
        except Exception as error:  # a package whose parts do not fit raises all sorts
            raise missing("transformers", error) from error
        self.make = make = MarianSinusoidalPositionalEmbedding
        # An older _init_weight was a function of the parameter, which the constructor called.
        self.filled_later = hasattr(make, "_init_weight") and list(inspect.signature(make._init_weight).parameters) == [
            "self"
        ]
        self.versions["transformers"] = transformers.__version__

    def fresh(self, n, d):
        module = self.make(n, d)
        if hasattr(module, "create_weight"):
            return module.create_weight()
        if self.filled_later:
            module._init_weight()
        return module.weight


class Timesteps(Installed):
    """Its defaults: sines first, and frequencies down to 1 / 10000 itself."""

    def __init__(self, threads):
        super().__init__(threads)
        try:
            import diffusers
            from diffusers.models.embeddings import get_timestep_embedding
        except Exception as error:
            raise missing("diffusers", error) from error
        self.function = get_timestep_embedding
        self.versions["diffusers"] = diffusers.__version__

    def fresh(self, n, d):
        return self.function(torch.arange(n), d)

"""posenc's own tables, made by the call that its users make."""
import posenc
from numpy_recipes import Recipe


class Exact(Recipe):
    """The library allocates the memory of a fresh table; NumPy does where several threads share the rows. Refill uses
    `out=`. The package keeps its plan between calls."""

    name = "exact"

    def __init__(self, threads):
        self.threads, self.version = threads, f"posenc {posenc.__version__}"
        members = [i.name for i in posenc.implementations() if i.family == self.name and i.supported]
        if not members:
            raise RuntimeError(f"this machine runs no {self.name}")
        self.member = members[0]  # the library lists the best instruction set first

    def fresh(self, n, d):
        return posenc.table(n, d, impl=self.member, threads=self.threads)

    def refill(self, pe):
        posenc.table(*pe.shape, impl=self.member, out=pe, threads=self.threads)


class Anchored(Exact):
    name = "anchored"

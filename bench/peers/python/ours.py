"""posenc's own tables, by the call its users make."""
import numpy
import posenc
import posenc._plan
from numpy_recipes import Recipe
from subjects import NotHere


class Ours(Recipe):
    """A fresh table is memory that the library asks for, or NumPy's where threads share the rows; refilled is `out=`."""

    def __init__(self, threads):
        self.threads = threads
        self.versions = {"posenc": posenc.__version__, "NumPy": numpy.__version__}
        members = [i.name for i in posenc.implementations() if i.name.startswith(self.name + "_") and i.supported]
        if not members:
            raise NotHere(f"this machine runs no {self.name}")
        self.member = members[0]  # the library lists the best instruction set first

    def fresh(self, n, d):
        return posenc.table(n, d, impl=self.member, threads=self.threads)

    def forget(self):
        """The package keeps plans, frequencies among them, for later calls; without them a call computes them again."""
        posenc._plan._cached.cache_clear()

    def refill(self, table):
        posenc.table(*table.shape, impl=self.member, out=table, threads=self.threads)


class Exact(Ours):
    name = "exact"


class Anchored(Ours):
    name = "anchored"

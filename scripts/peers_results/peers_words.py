"""The words of build/peers.json, for whoever writes, checks or reads it."""
OURS = ("exact", "anchored")
LEVELS = ("avx512", "avx2", "neon", "scalar")  # best first, as the library chooses
WORLDS = {"c": "C", "python": "Python"}
JOBS = {"fill": "rows written to memory that is there", "once": "all of it from nothing, frequencies or plan included",
        "row": "one row at random positions", "fresh": "a fresh table, allocated and produced",
        "first": "the first call: nothing kept from earlier ones, posenc's plan made anew",
        "refill": "the same values into an array that exists"}
REMARKS = {"fresh": "posenc.table keeps its plan between calls, as its users have it; \"first\" is without"}  # of a job
WORDS = {"exact": "every output compared is correctly rounded", "ulp": "at most 4 ULP wrong, or half a unit of 1",
         "float32": "what a float32 angle costs", "drifting": "worse than a float32 angle, at most 0.1",
         "wrong": "another table, or none"}
UNFIT = ("drifting", "wrong")  # of a table's first positions: it is not the right table
OPTIONAL = ("jax", "mkl", "transformers", "diffusers")  # what such a peer's name begins with; no target is about them


def is_optional(name):
    return name.split("_")[0] in OPTIONAL


def level_of(name):
    """The instruction set in the name of a peer or of one of ours, or None."""
    return next((level for level in LEVELS if level in name.split("_")), None)

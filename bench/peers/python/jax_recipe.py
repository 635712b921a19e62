"""JAX: the formula in float32, compiled for each shape."""
import functools
import math
import os

from subjects import NotHere

os.environ.setdefault("JAX_PLATFORMS", "cpu")
try:
    import jax
    import jax.numpy as jnp
    import numpy
except ImportError as error:
    raise NotHere(f"JAX cannot be imported: {error}") from error

BASE = 10000.0


@functools.partial(jax.jit, static_argnums=(0, 1))
def compiled(n, d):
    w = jnp.exp(jnp.arange(0, d, 2, dtype=jnp.float32) * jnp.float32(-math.log(BASE) / d))
    angles = jnp.arange(n, dtype=jnp.float32)[:, None] * w
    return jnp.stack([jnp.sin(angles), jnp.cos(angles)], axis=-1).reshape(n, d)


class Float32:
    """Its arrays cannot be changed, so nothing is refilled. Its first call compiles, which takes seconds and would say nothing of
    the table, so it has no job "first". How many threads it uses is what the worker's processors allow."""

    member = refill = forget = None

    def __init__(self, threads):
        self.versions = {"JAX": jax.__version__}

    def fresh(self, n, d):
        return compiled(n, d).block_until_ready()

    def array(self, table):
        return numpy.asarray(table)

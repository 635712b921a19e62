"""JAX: the formula in float32, compiled for each shape."""
import functools
import math
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import numpy
from numpy_recipes import BASE, Recipe


@functools.partial(jax.jit, static_argnums=(0, 1))
def compiled(n, d):
    w = jnp.exp(jnp.arange(0, d, 2, dtype=jnp.float32) * jnp.float32(-math.log(BASE) / d))
    angles = jnp.arange(n, dtype=jnp.float32)[:, None] * w
    return jnp.stack([jnp.sin(angles), jnp.cos(angles)], axis=-1).reshape(n, d)


class Float32(Recipe):
    """JAX arrays are immutable, so there is no refill job. JAX uses as many threads as the worker has processors."""

    jobs = ("fresh",)

    def __init__(self, threads):
        self.version = f"JAX {jax.__version__}"

    def fresh(self, n, d):
        return compiled(n, d).block_until_ready()

    def array(self, pe):
        return numpy.asarray(pe)

"""Replaces functions of PyTorch as other packages do while a model is made."""

import contextlib

import pytest
import torch


@contextlib.contextmanager
def zero_init(dtype):
    """As DeepSpeed 0.19.8 does in zero.Init (runtime/zero/partition_parameters.py)."""

    def wrapped(make):
        def call(*args, **kwargs):
            tensor = make(*args, **kwargs)
            if tensor.is_floating_point():
                tensor.data = tensor.data.to(dtype)
            return tensor

        return call

    empty = torch.empty
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.Tensor, "__new__", wrapped(lambda cls, *size, **more: empty(0).new_empty(*size, **more)))
        for name in ("tensor", "empty", "zeros", "ones", "full", "arange", "eye", "randn"):
            patch.setattr(torch, name, wrapped(getattr(torch, name)))
        yield


@contextlib.contextmanager
def on_meta():
    """As accelerate 1.15.0 does in init_empty_weights(include_buffers=True)."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("empty", "zeros", "ones", "full"):
            make = getattr(torch, name)
            patch.setattr(torch, name, lambda *args, make=make, **kwargs: make(*args, **{**kwargs, "device": "meta"}))
        yield

"""What only some installations of PyTorch have."""

import inspect
import shutil
import sys

import pytest
import torch


def needs(what):
    return pytest.mark.skipif(not hasattr(torch, what), reason=f"PyTorch {torch.__version__} has no torch.{what}")


inductor = pytest.mark.skipif(
    sys.platform == "win32" and not shutil.which("cl"), reason="PyTorch compiles with cl.exe on Windows: not on PATH"
)
has_assign = "assign" in inspect.signature(torch.nn.Module.load_state_dict).parameters  # since PyTorch 2.1

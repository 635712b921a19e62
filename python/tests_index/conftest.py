"""Lets the tests here import the modules of python/tests, and forgets what torch.compile has compiled before each test."""

import pathlib
import sys

import pytest
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))


@pytest.fixture(autouse=True)
def nothing_is_compiled():
    torch._dynamo.reset()

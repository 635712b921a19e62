"""Starts every thread that a test requests."""

import importlib.util

import pytest

from posenc import _arrays

collect_ignore = [] if importlib.util.find_spec("torch") else ["pytorch"]


@pytest.fixture(autouse=True)
def start_all_requested_threads(monkeypatch):
    """Without this, the calling thread would write the small tables of tests alone. test_threads.py tests the limit."""
    monkeypatch.setattr(_arrays, "WORTH_A_THREAD", 1)


def pytest_terminal_summary(terminalreporter):
    if collect_ignore:
        terminalreporter.write_line("skipped: python/tests/pytorch: PyTorch is not installed")

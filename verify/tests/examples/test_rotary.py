"""The example that replaces rotary embeddings in a model of transformers, which ./scripts/maintain/test-python-index installs."""

import re

import pytest
from places import SOURCE, lines
from test_context_parallel import run

pytest.importorskip("transformers")


def test_rotary():
    (line,) = lines(SOURCE / "examples" / "rotary.py")
    text = run(line)
    assert "replaced=['rotary_emb'], left={}" in text
    assert 1e-3 < float(re.search(r"were off by up to (\S+)\.\n", text)[1]) < 2e-2

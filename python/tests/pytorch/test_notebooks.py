"""The code of five notebooks, rewritten from its formulas, compared with posenc and with their output (golden.json)."""

import json
import math
import pathlib

import numpy as np
import pytest
import torch
from tutorial import Tutorial

import posenc
from posenc.torch import SinusoidalPositionalEncoding

GOLDEN = {
    system["id"]: system
    for system in json.loads(pathlib.Path(__file__).with_name("golden.json").read_text())["systems"]
}


def power_table(length, d, base=10000.0):
    """Notebooks 000, 002 and 003: angles p / base^(2k/d), all in float32."""
    p = torch.arange(length, dtype=torch.float32)[:, None]
    denominators = torch.pow(torch.tensor(float(base)), torch.arange(0, d, 2).float() / d)
    return torch.stack([torch.sin(p / denominators), torch.cos(p / denominators)], dim=2).flatten(1)


def class_of_000():
    """A wrong operator precedence gives the denominators base^(j - 1/d), with a sine and a cosine for each."""
    angles = torch.arange(10)[:, None] * 10000.0 ** -(torch.arange(6, dtype=torch.float64) - 1 / 6)
    return torch.stack([torch.sin(angles), torch.cos(angles)], dim=2).flatten(1)


def assert_within_its_own_error(theirs, d, base=10000.0, freqs=None):
    """Each of the few roundings of a float32 angle is off by up to 2^-24 of the angle."""
    theirs = np.asarray(theirs)
    ours = posenc.table(len(theirs), d, base=base, freqs=freqs)
    w = np.array(freqs) if freqs is not None else base ** (-2.0 * np.arange(d // 2) / d)
    angles = np.repeat(np.arange(len(theirs))[:, None] * w, 2, axis=1)
    assert np.all(np.abs(theirs - ours) <= 2.0**-24 * (2 + (4 + np.log(base)) * angles))
    truth = np.stack([np.sin(angles[:, ::2]), np.cos(angles[:, 1::2])], 2).reshape(theirs.shape)
    assert np.all(np.abs(ours - truth) <= 0.5 * np.spacing(np.abs(ours)) + 1e-15 * (1 + np.arange(len(ours)))[:, None])


def assert_printed(table, system, own_error=lambda position: 0.0):
    """Half a unit of the last printed digit."""
    for row in GOLDEN[system]["rows"]:
        values = np.asarray(table)[row["position"], row["columns"]].tolist()
        for value, printed in zip(values, row["values"]):
            unit = 1e-4
            if GOLDEN[system]["digits"] == "5 significant":
                unit = 10.0 ** (math.floor(math.log10(abs(printed))) - 4) if printed else 0.0
            assert abs(value - printed) <= 0.5000001 * unit + own_error(row["position"]), (
                row["position"],
                value,
                printed,
            )


def test_000_and_003():
    assert_printed(posenc.table(10, 6), "000")
    assert_printed(power_table(10, 6), "000")
    assert_within_its_own_error(power_table(10, 6), 6)


def test_000_class():
    freqs = [10000.0 ** -(j - 1 / 6) for j in range(6)]
    assert_printed(posenc.table(10, 12, freqs=freqs), "000-class")
    assert_printed(class_of_000(), "000-class")
    assert_within_its_own_error(class_of_000().float(), 12, freqs=freqs)


def test_001():
    """Its class is the tutorial's."""
    theirs = Tutorial(64).eval()
    ours = SinusoidalPositionalEncoding(64, buffer_name="positional_encoding_matrix").eval()
    x = torch.zeros(300, 5, 64)
    assert theirs(x).shape == ours(x).shape
    assert torch.equal(ours(x)[:, 3], torch.from_numpy(posenc.table(300, 64)))
    assert_within_its_own_error(theirs(x)[:, 3], 64)
    assert_within_its_own_error(theirs.pe[:, 0], 64)


def test_002():
    theirs = power_table(2000, 8, 1000.0)
    ours = SinusoidalPositionalEncoding(8, max_len=2000, dropout=0.3, batch_first=True, base=1000.0).eval()
    assert_printed(ours(torch.zeros(5, 2000, 8))[4], "002")
    assert_printed(theirs, "002", own_error=lambda position: 2.0**-20 * position)
    assert_within_its_own_error(theirs, 8, 1000.0)
    with pytest.raises(ValueError, match=r"\(batch, sequence, d_model\)"):
        ours(torch.zeros(10, 8, 1))


def test_004_similarity():
    """The cosine of the angle between two rows. A literal reading of the loop squares the frequencies."""
    for exponent, want in [(2.0, 0.72252), (4.0, 0.860001)]:
        freqs = [10000.0 ** (-exponent * i / 512) for i in range(256)]
        a, b = (posenc.table(positions=[p], d_model=512, freqs=freqs)[0].astype(np.float64) for p in (2, 10))
        assert abs(a @ b / np.linalg.norm(a) / np.linalg.norm(b) - want) <= 0.5000001e-5
    assert_within_its_own_error(power_table(11, 512), 512)

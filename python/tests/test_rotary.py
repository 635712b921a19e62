"""Scaled rotary embeddings, with dictionaries of published configurations. The C tests check the last bits."""

import math

import numpy as np
import pytest

import posenc
from kinds import kinds

LLAMA = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0)
LLAMA["original_max_position_embeddings"] = 8192
QWEN = dict(type="yarn", factor=4.0, original_max_position_embeddings=32768)
DEEPSEEK = dict(type="yarn", beta_fast=32, beta_slow=1, factor=40, mscale=1.0, mscale_all_dim=1.0)
DEEPSEEK["original_max_position_embeddings"] = 4096
GPT_OSS = dict(rope_type="yarn", beta_fast=32.0, beta_slow=1.0, factor=32.0, truncate=False, rope_theta=150000.0)
GPT_OSS["original_max_position_embeddings"] = 4096
LONG, SHORT = [1 + k / 3 for k in range(48)], [1 + k / 100 for k in range(48)]  # as long as Phi-3's
PHI = dict(type="longrope", short_factor=SHORT, long_factor=LONG, original_max_position_embeddings=4096)
IGNORED = dict(max_position_embeddings=262144, llama_4_scaling_beta=0.1)  # keys that do not affect the frequencies
DYNAMIC, TRAINED = dict(type="dynamic", factor=2.0), dict(max_position_embeddings=4096)
HUNYUAN = dict(type="dynamic", factor=1.0, alpha=1000.0, beta_fast=32, beta_slow=1, mscale=1.0, mscale_all_dim=1.0)


def ladder(d, base):
    return base ** (-np.arange(0, d, 2) / d)


def yarn(d, base, factor, original, low, high):
    ramp = np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
    return ladder(d, base) * (1 - ramp + ramp / factor)


def llama3(d, base, factor, original):
    w = ladder(d, base)
    smooth = np.clip((original * w / (2 * math.pi) - 1) / 3, 0, 1)
    return w * (smooth + (1 - smooth) / factor)


def dynamic(d, base, factor, length, trained):
    return ladder(d, base * (factor * length / trained - (factor - 1)) ** (d / (d - 2)))


def correction(d, base, original, beta):
    return d * math.log(original / (beta * 2 * math.pi)) / (2 * math.log(base))


QWEN_W, QWEN_FACTOR = yarn(128, 1e6, 4, 32768, 23, 40), 1 + math.log(4) / 10
DEEPSEEK_W, DEEPSEEK_RATIO = yarn(64, 1e4, 40, 4096, 10, 23), (1 + math.log(40) / 10) / (1 + math.log(40) / 20)
GPT_OSS_W = yarn(64, 150000, 32, 4096, correction(64, 150000, 4096, 32), correction(64, 150000, 4096, 1))
SHORT_W, LONG_W, PHI_FACTOR = *(ladder(96, 1e4) / np.float32(f) for f in (SHORT, LONG)), math.sqrt(1 + 5 / 12)
#: The size of a head, the arguments beside the scaling, the scaling; frequencies in float64, and the attention factor.
CASES = {
    "default": (128, dict(base=5e5), None, ladder(128, 5e5), 1),
    "no base": (128, {}, {}, ladder(128, 1e4), 1),
    "rope_theta": (128, {}, {"rope_type": "default", "rope_theta": 5e5}, ladder(128, 5e5), 1),
    "linear": (256, dict(base=1e6), {"rope_type": "linear", "factor": 8.0}, ladder(256, 1e6) / 8, 1),
    "llama3": (128, dict(base=5e5), LLAMA, llama3(128, 5e5, 8, 8192), 1),
    "llama3, small": (64, dict(base=5e5), {**LLAMA, "factor": 32.0}, llama3(64, 5e5, 32, 8192), 1),
    "qwen": (128, dict(base=1e6), QWEN, QWEN_W, QWEN_FACTOR),
    "no factor": (128, dict(base=1e6, max_position_embeddings=131072), {**QWEN, "factor": None}, QWEN_W, QWEN_FACTOR),
    "keys of models": (128, {}, {**QWEN, **IGNORED, "rope_theta": 1e6}, QWEN_W, QWEN_FACTOR),
    "deepseek": (64, {}, DEEPSEEK, DEEPSEEK_W, 1),
    "mscale": (64, {}, {**DEEPSEEK, "mscale_all_dim": 0.5}, DEEPSEEK_W, DEEPSEEK_RATIO),
    "attention_factor": (64, {}, {**DEEPSEEK, "attention_factor": 1.5, "beta_fast": 0}, DEEPSEEK_W, 1.5),
    "lower end": (64, {}, {**DEEPSEEK, "beta_slow": 200.0, "beta_fast": 4e3}, yarn(64, 1e4, 40, 4096, 0, 5), 1),
    "beyond the upper end": (64, {}, {**DEEPSEEK, "beta_slow": 0.001, "beta_fast": 0.002}, ladder(64, 1e4), 1),
    "gpt-oss": (64, {}, GPT_OSS, GPT_OSS_W, 1 + math.log(32) / 10),
    "phi, short": (96, dict(length=4096, max_position_embeddings=131072), PHI, SHORT_W, PHI_FACTOR),
    "phi, long": (96, dict(length=4097), {**PHI, "type": "su", "factor": 32}, LONG_W, PHI_FACTOR),
    "phi, no length": (96, {}, {**PHI, "attention_factor": 1.25}, SHORT_W, 1.25),
    "dynamic": (128, TRAINED, DYNAMIC, ladder(128, 1e4), 1),
    "mrope": (64, {}, {"type": "mrope"}, ladder(64, 1e4), 1),
    "alpha": (128, dict(length=1 << 20), HUNYUAN, ladder(128, 1e4 * 1000 ** (128 / 126)), 1),
    "alpha of 1": (128, {}, dict(type="dynamic", factor=1.0, alpha=1), ladder(128, 1e4), 1),
    "dynamic, long": (128, dict(TRAINED, length=10**5), DYNAMIC, dynamic(128, 1e4, 2, 10**5, 4096), 1),
}


@pytest.mark.parametrize("case", CASES)
def test_known(case):
    head_dim, arguments, scaling, frequencies, factor = CASES[case]
    r = posenc.rotary_frequencies(head_dim, scaling=scaling, **arguments)
    assert r.freqs.dtype == r.freqs_low.dtype == np.float64
    assert (r.freqs + r.freqs_low == r.freqs).all() and (r.freqs_low[1:] != 0).any()
    np.testing.assert_allclose(r.freqs, frequencies, rtol=1e-13)
    assert r.attention_factor == pytest.approx(factor, rel=1e-15)


@pytest.mark.parametrize("rope_type", kinds(1, 1))
@pytest.mark.parametrize("factor", [1, 0.5, 0.25])
def test_part_of_a_head(rope_type, factor):
    """The first argument is the whole head, and partial_rotary_factor counts once. RotaryEmbedding has the same rule."""
    n = int(128 * factor)
    scaling = {**kinds(n, 2048)[rope_type], "partial_rotary_factor": factor}
    r = posenc.rotary_frequencies(256, scaling=scaling, max_position_embeddings=8192)
    if rope_type == "proportional":
        np.testing.assert_allclose(r.freqs, np.append(ladder(256, 1e4)[:n], np.zeros(128 - n)), rtol=1e-13)
        return
    del scaling["partial_rotary_factor"]
    whole = posenc.rotary_frequencies(2 * n, scaling=scaling, max_position_embeddings=8192)
    assert len(r.freqs) == n and (r.freqs == whole.freqs).all() and (r.freqs_low == whole.freqs_low).all()


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(scaling={"rope_type": "ntk", "factor": 2}), "rope_type 'ntk'; allowed: 'default', 'linear'"),
        (dict(scaling={**HUNYUAN, "alpha": 0.5}), "alpha is 0.5; allowed: 1 to 2"),
        (dict(scaling={"type": "linear"}), "no 'factor', which rope_type 'linear' needs"),
        (dict(scaling={"type": "linear", "factor": None}), "no 'factor', which"),
        (
            dict(scaling={"type": "linear", "factr": 2}),
            r"the key 'factr' \(did you mean 'factor'\?\); allowed: 'rope_t",
        ),
        (dict(scaling={"full_attention": {}, "sliding_attention": {}}), r"give only scaling\['full_attention'\]"),
        (dict(scaling={"type": "yarn"}), "original_max_position_embeddings is missing"),
        (dict(scaling={**QWEN, "factor": None}), "max_position_embeddings is missing"),
        (dict(scaling={**PHI, "factor": 32}), "short_factor has shape"),
        (dict(scaling={**QWEN, "attention_factor": 0}), "attention_factor is 0; allowed: a number above 0"),
        (dict(scaling={"rope_theta": 5.0}, base=6.0), "base is 6.0 and scaling has the rope_theta 5.0"),
        (dict(base=1), "base is 1; allowed: 2"),  # C's message
        (dict(length=-1), "length is -1; allowed: 0 to"),
        (dict(head_dim=127), "127 of 127 columns of a head would be rotated; allowed: an even number from 2 on"),
        (dict(scaling={"partial_rotary_factor": 0.2}), "25 of 128 columns of a head would be rotated; allowed"),
        *(
            (dict(scaling={"partial_rotary_factor": factor}), "partial_rotary_factor is .*; allowed")
            for factor in (0, 2, math.nan)
        ),
    ],
)
def test_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        posenc.rotary_frequencies(**{"head_dim": 128, **arguments})


@pytest.mark.parametrize("arguments", [
    dict(scaling="yarn"), dict(scaling={"partial_rotary_factor": "0.5"}), dict(scaling={**DYNAMIC, "factor": "2"}),
    dict(base="1"), dict(length=1.5),
])  # fmt: skip
def test_types(arguments):
    with pytest.raises(TypeError, match="allowed"):
        posenc.rotary_frequencies(128, **arguments, max_position_embeddings=4096)

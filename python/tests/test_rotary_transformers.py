"""Scaled rotary embeddings agree with transformers' own functions within the errors of their float32 arithmetic."""

import numpy as np
import pytest

import posenc
from test_rotary import DEEPSEEK, DYNAMIC, GPT_OSS, LLAMA, PHI, QWEN

transformers = pytest.importorskip("transformers")


@pytest.mark.parametrize("length", [None, 4096, 100000])
@pytest.mark.parametrize(
    "head_dim, theta, scaling",
    [
        (128, 1e6, {"rope_type": "linear", "factor": 8.0}),
        (128, 1e4, DYNAMIC),
        (128, 1e6, QWEN),
        (128, 1e6, {**QWEN, "factor": None}),
        (64, 1e4, DEEPSEEK),
        (64, 1e4, {**DEEPSEEK, "mscale_all_dim": 0.5}),
        (64, 1e4, {**DEEPSEEK, "beta_slow": 200.0, "beta_fast": 4000.0}),  # both ends cut
        (64, 1e4, {**DEEPSEEK, "beta_slow": 0.001, "beta_fast": 0.002}),
        (64, 1.5e5, {key: value for key, value in GPT_OSS.items() if key != "rope_theta"}),
        (96, 1e4, PHI),
        (128, 5e5, LLAMA),
        (64, 5e5, {**LLAMA, "factor": 32.0}),
    ],
)
def test_functions(head_dim, theta, scaling, length):
    most = 32768 if scaling is DYNAMIC else 131072
    parameters = {"rope_type": scaling.get("type"), **scaling, "rope_theta": theta}
    config = transformers.LlamaConfig(
        hidden_size=4 * head_dim,
        num_attention_heads=4,
        head_dim=head_dim,
        max_position_embeddings=most,
        rope_parameters=dict(parameters),
    )
    function = transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS[parameters["rope_type"]]
    frequencies, factor = function(config, "cpu", seq_len=length)
    r = posenc.rotary_frequencies(
        head_dim, scaling=parameters, length=length, max_position_embeddings=config.max_position_embeddings
    )
    # transformers' power is off by |ln w| roundings, and its ramp by a few
    np.testing.assert_allclose(frequencies.numpy(), r.freqs, rtol=3e-6)
    assert factor == pytest.approx(r.attention_factor, rel=1e-15)

"""Scaled rotary embeddings agree with transformers' own functions within the errors of their float32 arithmetic."""

import numpy as np
import pytest

import posenc
from test_rotary import CASES

transformers = pytest.importorskip("transformers")


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("default", "no base", "rope_theta")])
def test_functions(case):
    (d_model, *base), said, *_ = CASES[case]
    parameters = dict(said["scaling"])
    kind = parameters.setdefault("rope_type", parameters.get("type"))
    parameters["rope_type"] = "longrope" if kind == "su" else kind
    parameters.setdefault("rope_theta", *base or [10000.0])
    most = parameters.pop("max_position_embeddings", said.get("max_position_embeddings", 131072))
    config = transformers.LlamaConfig(
        hidden_size=4 * d_model,
        num_attention_heads=4,
        head_dim=d_model,
        max_position_embeddings=most,
        rope_parameters=dict(parameters),
    )
    function = transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS[parameters["rope_type"]]
    frequencies, factor = function(config, "cpu", seq_len=said.get("length"))
    r = posenc.rotary_frequencies(*CASES[case][0], **said)
    # transformers' power is off by |ln w| roundings, and its ramp by a few
    np.testing.assert_allclose(frequencies.numpy(), r.freqs, rtol=3e-6)
    assert factor == pytest.approx(r.attention_factor, rel=1e-15)

"""Scaled rotary embeddings agree with transformers' own functions within the errors of their float32 arithmetic."""

import numpy as np
import pytest

import posenc
from test_rotary import CASES

transformers = pytest.importorskip("transformers")


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("default", "no base", "rope_theta", "mrope")])
def test_functions(case):
    d_model, more, scaling, *_ = CASES[case]
    parameters = {"rope_theta": more.get("base", 10000.0), "rope_type": scaling.get("type"), **scaling}
    if parameters["rope_type"] == "su":
        parameters["rope_type"] = "longrope"
    most = parameters.pop("max_position_embeddings", more.get("max_position_embeddings", 131072))
    sizes = dict(hidden_size=4 * d_model, num_attention_heads=4, head_dim=d_model, max_position_embeddings=most)
    config = transformers.LlamaConfig(**sizes, rope_parameters=dict(parameters))
    function = transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS[parameters["rope_type"]]
    frequencies, factor = function(config, "cpu", seq_len=more.get("length"))
    r = posenc.rotary_frequencies(d_model, scaling=scaling, **more)
    # transformers' power is off by |ln w| roundings, and its ramp by a few
    np.testing.assert_allclose(frequencies.numpy(), r.freqs, rtol=3e-6)
    assert factor == pytest.approx(r.attention_factor, rel=1e-15)

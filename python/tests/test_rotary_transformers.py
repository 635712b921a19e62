"""Scaled rotary embeddings agree with transformers' own functions within the errors of their float32 arithmetic."""

import numpy as np
import pytest

import posenc
from test_rotary import CASES

transformers = pytest.importorskip("transformers")


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("default", "no base", "rope_theta", "mrope")])
def test_functions(case):
    d_model, more, scaling, *_ = CASES[case]
    theta = scaling.get("rope_theta", more.get("base", 10000.0))
    parameters = {"rope_type": scaling.get("type"), **scaling, "rope_theta": theta}
    if parameters.pop("type", "") == "su":
        parameters["rope_type"] = "longrope"
    if transformers.__version__ < "5" and "factor" in scaling and scaling["factor"] is None:
        pytest.skip("transformers 4 needs a factor")
    most = parameters.pop("max_position_embeddings", more.get("max_position_embeddings", 131072))
    numbers = dict(head_dim=d_model, max_position_embeddings=most, rope_theta=theta, rope_scaling=parameters)
    config = transformers.LlamaConfig(hidden_size=4 * d_model, num_attention_heads=4, **numbers)
    if case.startswith("phi"):  # transformers 4 reads this key beside the scaling only
        config.original_max_position_embeddings = scaling["original_max_position_embeddings"]
    kind, length = parameters["rope_type"], more.get("length")
    if "alpha" in scaling:
        hunyuan = pytest.importorskip("transformers.models.hunyuan_v1_dense.modeling_hunyuan_v1_dense")
        rotary = hunyuan.HunYuanDenseV1RotaryEmbedding(config)
        frequencies, factor = rotary.inv_freq, rotary.attention_scaling
    else:
        frequencies, factor = transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS[kind](config, "cpu", seq_len=length)
    r = posenc.rotary_frequencies(d_model, scaling=scaling, **more)
    # transformers' power is off by |ln w| roundings, and its ramp by a few
    np.testing.assert_allclose(frequencies.numpy(), r.freqs, rtol=3e-6)
    assert factor == pytest.approx(r.attention_factor, rel=1e-15)

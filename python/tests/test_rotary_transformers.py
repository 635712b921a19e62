"""Scaled rotary embeddings agree with transformers' own functions within the errors of their float32 arithmetic."""

import numpy as np
import pytest

import posenc
from test_rotary import CASES

transformers = pytest.importorskip("transformers")


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("default", "no base", "rope_theta", "mrope")])
def test_functions(case):
    head_dim, arguments, scaling, *_ = CASES[case]
    theta = scaling.get("rope_theta", arguments.get("base", 10000.0))
    parameters = {"rope_type": scaling.get("type"), **scaling, "rope_theta": theta}
    if parameters.pop("type", "") == "su":
        parameters["rope_type"] = "longrope"
    if transformers.__version__ < "5" and "factor" in scaling and scaling["factor"] is None:
        pytest.skip("transformers 4 needs a factor")
    longest = parameters.pop("max_position_embeddings", arguments.get("max_position_embeddings", 131072))
    config = transformers.LlamaConfig(
        hidden_size=4 * head_dim, num_attention_heads=4, head_dim=head_dim, max_position_embeddings=longest,
        rope_theta=theta, rope_scaling=parameters,
    )  # fmt: skip
    if case.startswith("phi"):  # transformers 4 reads this key beside the scaling only
        config.original_max_position_embeddings = scaling["original_max_position_embeddings"]
    if "alpha" in scaling:
        hunyuan = pytest.importorskip("transformers.models.hunyuan_v1_dense.modeling_hunyuan_v1_dense")
        rotary = hunyuan.HunYuanDenseV1RotaryEmbedding(config)
        frequencies, factor = rotary.inv_freq, rotary.attention_scaling
    else:
        function = transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS[parameters["rope_type"]]
        frequencies, factor = function(config, "cpu", seq_len=arguments.get("length"))
    r = posenc.rotary_frequencies(head_dim, scaling=scaling, **arguments)
    # transformers' power is off by |ln w| roundings, and its ramp by a few
    np.testing.assert_allclose(frequencies.numpy(), r.freqs, rtol=3e-6)
    assert factor == pytest.approx(r.attention_factor, rel=1e-15)

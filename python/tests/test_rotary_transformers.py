"""Scaled rotary embeddings agree with transformers' own functions within the errors of their float32 arithmetic."""

import numpy as np
import pytest

import posenc
from kinds import kinds
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


@pytest.mark.parametrize("kind", kinds(1, 1))
@pytest.mark.parametrize("factor", [1, 0.5, 0.25])
def test_part_of_a_head(kind, factor):
    """Both functions count partial_rotary_factor as transformers does, whatever the rope_type is."""
    import posenc.torch

    scaling = {**kinds(int(128 * factor), 2048)[kind], "rope_theta": 5e5, "partial_rotary_factor": factor}
    sizes = dict(hidden_size=1024, num_attention_heads=4, head_dim=256, max_position_embeddings=8192)
    config = transformers.GlmConfig(**sizes, rope_parameters=dict(scaling))  # one of the models that always count it
    theirs = transformers.models.glm.modeling_glm.GlmRotaryEmbedding(config)
    r = posenc.rotary_frequencies(256, scaling=scaling, max_position_embeddings=8192)
    modules = posenc.torch.RotaryEmbedding(
        256, scaling=scaling, max_position_embeddings=8192
    ), posenc.torch.RotaryEmbedding(config)
    for frequencies in (r.freqs, *(module.inv_freq.numpy() for module in modules)):
        np.testing.assert_allclose(theirs.inv_freq.numpy(), frequencies, rtol=3e-6)
    assert theirs.attention_scaling == pytest.approx(r.attention_factor, rel=1e-15)
    assert [module.attention_scaling for module in modules] == [r.attention_factor] * 2

"""The kinds of rotary scaling, with parameters as in the configs of models."""


def kinds(n, original):
    """The parameters for n frequencies, and for a model that was trained at positions below `original`."""
    trained = dict(original_max_position_embeddings=original)
    factors = dict(short_factor=[1 + k / 16 for k in range(n)], long_factor=[1.5 + k / 2 for k in range(n)])
    return {
        "default": dict(rope_type="default"),
        "linear": dict(rope_type="linear", factor=3.0),
        "dynamic": dict(rope_type="dynamic", factor=4.0),
        "yarn": dict(rope_type="yarn", factor=4.0, **trained),
        "longrope": dict(rope_type="longrope", factor=4.0, **factors, **trained),
        "llama3": dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, **trained),
        "proportional": dict(rope_type="proportional", partial_rotary_factor=0.25),
    }

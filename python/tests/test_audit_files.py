"""`python3 -m posenc audit` with a config.json of transformers or a .safetensors file, and with hostile ones."""

import json
import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from audit_command import as_bfloat16, audit
from kinds import kinds

import posenc
from posenc._audit import MAX_POSITIONS, MAX_VALUES, errors, may_be_table
from posenc._files import DTYPES
from posenc._identify import rounded
from posenc._rotary import rotary_frequencies

LLAMA = dict(
    model_type="llama", hidden_size=4096, num_attention_heads=32, max_position_embeddings=131072, rope_theta=500000.0,
    rope_scaling=kinds(64, 8192)["llama3"], torch_dtype="bfloat16",
)  # fmt: skip
SMALL = dict(model_type="llama", head_dim=8, max_position_embeddings=3000, rope_theta=10000.0)


@pytest.fixture
def audited(tmp_path):
    """The answer about a config, as a document or as text."""

    def audited(config, *options, status=0):
        (tmp_path / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
        printed = audit(tmp_path / "config.json", *options, status=status)
        return json.loads(printed) if "json" in options else printed

    return audited


def parts(audited, config):
    return audited(config, "--format", "json")["found"]


# ---- Configs


def test_text_and_json(audited, tmp_path):
    text = audited(LLAMA)
    for line in (
        "config.json: llama, rotary embedding, 64 frequencies of heads of 128 (hidden_size / num_attention_heads), base "
        "500000 (rope_theta), llama3 (rope_scaling, factor 8, original length 8,192); read by its keys, nothing assumed\n",
        "\nas from_pretrained loads it, in bfloat16:      right for most uses: errors of at most 0.0093 below position "
        "131,072. Below about 25,000 they are smaller than the rounding to bfloat16. 5.1 % of the cosines and sines are not "
        "the nearest bfloat16 numbers\n",
        "\nconverted later, by model.to(torch.bfloat16):  wrong already below position 512, by up to 0.86. "
        "Call posenc.torch.replace_rotary(model), before or after the conversion\n",
        "\nlargest error of cosines and sines, below position            512        2,048      131,072\n",
        "\n  as loaded: float32 frequencies and angles               3.3e-05      1.4e-04      9.3e-03   at position 130,928\n",
        "\n  converted: frequencies rounded to bfloat16                 0.86          2.0          2.0\n",
        "\n  unavoidable: right values rounded to bfloat16           2.0e-03      2.0e-03      2.0e-03\n"
        "in an experiment, rounded frequencies did a small model no harm (docs/accuracy.md in the source)\n",
    ):
        assert line in text, text
    assert "--transformers" not in text and "NumPy" not in text and audit(tmp_path) == text  # the folder of the config
    answer = audited(LLAMA, "--format", "json")
    assert (answer["schema"], answer["tool"]) == (1, "posenc audit") and len(answer["found"]) == 1
    (part,) = answer["found"]
    assert part["below"] == [512, 2048, 131072] and part["base"] == 500000 and part["head_dim"] == 128
    assert part["errors"]["float32"][2] == pytest.approx(9.29e-3, rel=1e-3) and part["position"] == 130928
    assert part["read"]["columns"] == "hidden_size / num_attention_heads" and part["assumed"] == {}
    assert [verdict["right"] for verdict in part["verdicts"]] == [True, False]


def recipe(w, count):
    """The cosines and sines of transformers: float32 products of frequencies and positions."""
    angles = np.arange(count, dtype="f4")[:, None] * w
    return np.cos(angles), np.sin(angles)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_the_errors_are_those_of_the_whole_table(audited, dtype):
    """They are computed in blocks. This is the recipe of transformers, with all positions at once."""
    w = 1 / (10000 ** (np.arange(0, 128, 2) / 128)).astype("f4")
    right = posenc.pair(5000, 128, dtype="float64")
    (part,) = parts(audited, dict(SMALL, head_dim=128, max_position_embeddings=5000, torch_dtype=dtype))
    for name, frequencies in (("float32", w), (dtype, rounded(w, dtype).astype("f4"))):
        error = np.maximum(*(abs(x - y) for x, y in zip(recipe(frequencies, 5000), right)))
        assert part["errors"][name] == [error[:count].max() for count in (512, 2048, 5000)]
        if name == "float32":
            assert (part["position"], part["column"]) == np.unravel_index(error.argmax(), error.shape)
            rounding = {"bfloat16": 2.0**-9, "float16": 2.0**-12}[dtype]
            above = np.flatnonzero(error.max(1) > rounding)
            assert part["verdicts"][0]["rounding_exceeded_from"] == (above[0] if len(above) else None)
    assert part["errors"][f"cosines in {dtype}"][2] == max(abs(rounded(x, dtype) - x).max() for x in right)
    unequal = [rounded(x, dtype) != rounded(y, dtype) for x, y in zip(recipe(w, 5000), right)]
    assert part["verdicts"][0]["share_unequal"] == np.mean(unequal)


def test_verdicts(audited):
    """float16 has its own texts. A float32 model is wrong only in very long sequences."""
    text = audited(dict(SMALL, head_dim=128, max_position_embeddings=4096, dtype="float16"))
    assert "in float16:  right for most uses" in text and "frequencies rounded to float16 " in text
    assert "\nconverted later, by model.half():         wrong already below position 512, by up to 0.12. Call" in text
    text = audited(dict(SMALL, head_dim=64, max_position_embeddings=10**7, dtype="float32"))
    assert "in float32:       wrong already below position 10,000,000, by up to 0." in text
    assert ". Call posenc.torch.replace_rotary" in text


SCALINGS = kinds(4, 1000)


@pytest.mark.parametrize("rope_type", SCALINGS)
def test_the_call_that_is_printed(rope_type, audited):
    """It makes the right cosines and sines: those of the formula's frequencies, times the attention factor."""
    for position in (2999, 899):  # longrope uses the short factors below 1000
        config = dict(SMALL, max_position_embeddings=position + 1, rope_scaling=SCALINGS[rope_type])
        (part,) = parts(audited, config)
        assert audited(config, "--numpy").endswith(f"\n\ninstead, in NumPy: {part['call']}\n")
        names = {"posenc": posenc}
        exec(part["call"], names)
        numbers = dict(length=position + 1, max_position_embeddings=position + 1)
        r = rotary_frequencies(8, 10000.0, scaling=dict(part["scaling"]), **numbers)
        angles = position * (r.freqs + r.freqs_low)
        for values, want in ((names["cos"], np.cos(angles)), (names["sin"], np.sin(angles))):
            assert values.shape == (position + 1, 4)
            assert np.abs(values[-1] - r.attention_factor * want).max() < 3e-7
        assert part["scaling"]["rope_type"] == rope_type
        assert (r.attention_factor != 1) == (rope_type in ("yarn", "longrope"))
        assert all(1e-8 < error < 1e-3 for error in part["errors"]["float32"])
        stored = part["errors"]["cosines in bfloat16"][-1]
        assert 2.0**-10 < stored <= (2.0**-9 if r.attention_factor <= 1 else 2.0**-8) * 1.001


def test_a_model_that_keeps_a_table(audited):
    """GPT-J's code: a conversion rounds its cosines and sines once, so it does no harm."""
    gptj = dict(model_type="gptj", n_embd=64, n_head=2, n_positions=2048, rotary_dim=16)
    (part,) = parts(audited, gptj)
    assert part["keeps_table"] and [verdict["right"] for verdict in part["verdicts"]] == [True]
    text = audited(gptj)
    assert "converted" not in text and "keeps a table" in text and "replace_rotary" not in text
    assert "converted" in audited(dict(gptj, model_type="minimax_m2"))


def test_the_attention_factor_multiplies_the_errors(audited):
    scalings = (dict(SCALINGS["yarn"], attention_factor=factor) for factor in (1.0, 2.0))
    (one,), (two,) = (parts(audited, dict(SMALL, rope_scaling=scaling)) for scaling in scalings)
    assert [2 * error for error in one["errors"]["bfloat16"]] == two["errors"]["bfloat16"]


def test_both_lists_of_longrope(audited):
    """Sequences up to the original length use the short factors, longer ones the long factors for all positions."""
    scaling = SCALINGS["longrope"]
    (both,) = parts(audited, dict(SMALL, rope_scaling=scaling))
    for i, key in enumerate(("short_factor", "long_factor", "long_factor")):
        one_list = dict(scaling, short_factor=scaling[key], long_factor=scaling[key])
        (one,) = parts(audited, dict(SMALL, rope_scaling=one_list))
        assert both["errors"]["float32"][i] == one["errors"]["float32"][i]


MODEL = dict(hidden_size=64, num_attention_heads=4, max_position_embeddings=600, rope_theta=1e4, rope_scaling=None)
NO_ROTARY = dict(hidden_size=64, num_attention_heads=4, max_position_embeddings=600, dtype="float32")
VISION = dict(hidden_size=96, num_heads=4, patch_size=14, image_size=224, rope_theta=100.0)
HALVES = "positions with two axes, each for a half of the columns"
FACTORS = dict(short_factor=[1.0] * 8, long_factor=[2.0] * 8)


def less(config, *keys):
    return {key: value for key, value in config.items() if key not in keys}


#: A config for each rule, and what the first line of its answer has after "config.json: ". The dtype is assumed in all
#: but some, which is not repeated here.
RULES = {
    "sizes": (MODEL, "rotary embedding, 8 frequencies of heads of 16 (hidden_size / num_attention_heads), base 10000 (rope_theta); read by its keys, assumed: dtype float32"),
    "names of GPT-2": (dict(less(MODEL, "hidden_size", "num_attention_heads"), n_embd=64, n_head=4), "8 frequencies of heads of 16 (n_embd / n_head)"),
    "a dictionary of a model": (dict(d_model=64, n_heads=4, attn_config=dict(rope_theta=5e5)), "(d_model / n_heads), base 500000 (attn_config.rope_theta)"),
    "head_dim": (dict(MODEL, head_dim=8), "4 frequencies of heads of 8 (head_dim), base"),
    "0 columns are none": (dict(MODEL, head_dim=0, qk_rope_head_dim=0), "heads of 16 (hidden_size"),
    "rotated columns": (dict(MODEL, head_dim=8, qk_rope_head_dim=6), "3 frequencies of 6 rotated columns (qk_rope_head_dim)"),
    "rotated columns are not shared": (dict(MODEL, rotary_dim=6, rotary_pct=0.5), "3 frequencies of 6 rotated columns (rotary_dim)"),
    "a share": (dict(MODEL, rotary_pct=0.25), "2 frequencies of heads of 16 (hidden_size / num_attention_heads), 0.25 of their columns (rotary_pct), base"),
    "a share in the scaling": (dict(MODEL, rotary_pct=0.25, rope_scaling=dict(partial_rotary_factor=0.5)), "0.5 of their columns (rope_scaling.partial_rotary_factor), base"),
    "a base in the scaling": (dict(MODEL, rope_parameters=dict(rope_theta=500.0)), "base 500 (rope_parameters.rope_theta)"),
    "names of a base": (dict(NO_ROTARY, rotary_emb_base=500), "base 500 (rotary_emb_base)"),
    "scaling": (dict(MODEL, rope_scaling=dict(type="linear", factor=8.0)), "linear (rope_scaling, factor 8); read"),
    "scaling that was added": (dict(MODEL, rope_parameters=dict(rope_theta=500.0), rope_scaling=dict(rope_type="linear", factor=2.0)), "base 10000 (rope_theta), linear (rope_scaling, factor 2)"),
    "alpha": (dict(MODEL, rope_scaling=dict(type="dynamic", factor=1.0, alpha=1000.0, beta_fast=32)), "dynamic (rope_scaling, alpha 1000); read"),
    "the first training": (dict(MODEL, original_max_position_embeddings=300, rope_scaling=dict(rope_type="yarn", factor=2.0, original_max_position_embeddings=200)), "yarn (rope_scaling, factor 2, original length 300, read from original_max_position_embeddings)"),
    "the first training of a layer": (dict(MODEL, original_max_position_embeddings=300, rope_parameters=dict(full=dict(rope_type="yarn", factor=2.0, original_max_position_embeddings=200))), "full: rotary embedding, 8 frequencies of heads of 16 (hidden_size / num_attention_heads), base 10000 (rope_theta), yarn (rope_parameters.full, factor 2, original length 200)"),
    "no first training": (dict(MODEL, rope_scaling=dict(rope_type="yarn", factor=2.0)), "assumed: original_max_position_embeddings as max_position_embeddings"),
    "Phi-3's first name": (dict(MODEL, rope_scaling=dict(type="yarn", factor=2.0, **FACTORS), original_max_position_embeddings=300), "longrope (rope_scaling, factor 2, original length 300"),
    "two bases": (dict(MODEL, rope_local_base_freq=500.0, rope_scaling=dict(type="linear", factor=8.0)), "full_attention: rotary embedding, 8 frequencies of heads of 16 (hidden_size / num_attention_heads), base 10000 (rope_theta), linear (rope_scaling, factor 8)", "sliding_attention: rotary embedding, 8 frequencies of heads of 16 (hidden_size / num_attention_heads), base 500 (rope_local_base_freq); read"),
    "types of layers": (dict(MODEL, rope_parameters=dict(a=dict(rope_theta=500.0), b=dict(rope_type="linear", factor=2.0))), "a: rotary embedding, 8 frequencies of heads of 16 (hidden_size / num_attention_heads), base 500 (rope_parameters.a.rope_theta); read", "b: rotary embedding, 8 frequencies of heads of 16 (hidden_size / num_attention_heads), base 10000 (rope_theta), linear"),
    "heads of layers": (dict(MODEL, rope_parameters=dict(full_attention={"rope_theta": 5e2}), global_head_dim=32), "16 frequencies of heads of 32 (global_head_dim)"),
    "heads of each layer": (dict(MODEL, layer_types=["a", "b"], per_layer_config={"01": {"head_dim": 32}}, rope_parameters=dict(b={"rope_theta": 5e2})), "8 frequencies of heads of 16 (hidden_size / num_attention_heads), base 500 (rope_parameters.b.rope_theta); read by its keys, assumed: the same for all of per_layer_config"),
    "a part": (dict(hidden_size=1, a=dict(b=dict(c=MODEL))), "a.b.c: rotary embedding, 8 freq"),
    "a part without sizes": (dict(text_config=dict(vocab_size=9, max_position_embeddings=600), vision_config=less(VISION, "rope_theta")), "text_config: rotary embedding, 64 frequencies of heads of 128, base 10000; read by its keys, assumed: a rotary embedding (no key says so), base 10000, heads of 128 columns, no scaling, dtype float32"),
    "the language model is first": (dict(talker=dict(MODEL, vocab_size=9), text=dict(MODEL, vocab_size=99), seen=VISION), "text: rotary", "talker: rotary", "seen: rotary embedding, 6 frequencies of heads of 24 (hidden_size / num_heads), base 100 (rope_theta); read by its keys, assumed: " + HALVES),
    "axes": (dict(MODEL, rope_parameters=dict(rope_type="axial", rope_theta=1e2)), "4 frequencies of heads of 16 (hidden_size / num_attention_heads), base 100 (rope_parameters.rope_theta); read by its keys, assumed: " + HALVES),
    "nothing but sizes": (NO_ROTARY, "base 10000; read by its keys, assumed: a rotary embedding (no key says so), base 10000, no scaling\n"),
    "no alibi": (dict(less(NO_ROTARY, "max_position_embeddings"), alibi=False), "assumed: a rotary embedding (no key says so), base 10000, 131,072 positions, no scaling\n"),
    "another switch": (dict(MODEL, no_rope=True, use_scaled_rope=False), "dtype float32\nnot read: no_rope\n"),
    "kind of positions": (dict(NO_ROTARY, position_embedding_type="rotary"), "assumed: base 10000, no scaling\n"),
    "keys that disagree": (dict(MODEL, position_embedding_type="absolute"), "assumed: a rotary embedding (position_embedding_type is 'absolute'), dtype float32\n"),
    "the dtype of the file": (dict(torch_dtype="float16", text=dict(MODEL, dtype=None)), "nothing assumed\n\nas from_pretrained loads it, in float16"),
    "the dtype of a part": (dict(torch_dtype="float16", text=dict(MODEL, dtype="torch.bfloat16")), "nothing assumed\n\nas from_pretrained loads it, in bfloat16"),
    "keys of a scaling": (dict(MODEL, rope_scaling=dict(rope_type="default", new=1, mrope_section=[1])), "not read: rope_scaling.new\n"),
    "rotary keys": (dict(MODEL, rope_ratio=50, use_rope=True, mrope=None), "not read: rope_ratio\n"),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_rules(rule, audited):
    config, *descriptions = RULES[rule]
    answers = audited(config).split("config.json: ")[1:]
    assert len(answers) == len(descriptions)
    for answer, description in zip(answers, descriptions):
        assert description in answer, answer


@pytest.mark.parametrize("config, reason", [
    (dict(MODEL, alibi=True), "alibi is true"),
    (dict(d_model=64, n_heads=4, attn_config=dict(alibi=True, rope_theta=5e5)), "attn_config.alibi is true"),
    (dict(MODEL, position_embedding_type="nope"), "position_embedding_type is 'nope'"),
    (dict(NO_ROTARY, position_embedding_type="absolute"), "position_embedding_type is 'absolute'"),
    (dict(MODEL, use_mem_rope=False), "use_mem_rope is false"),
    (dict(NO_ROTARY, type_vocab_size=2), "it has type_vocab_size, and no key of a rotary embedding"),
    (dict(n_embd=64, n_head=4, n_positions=1024), "it has n_positions, and no key of a rotary embedding"),
    (dict(model_type="whisper", d_model=768, encoder_attention_heads=12), "no sizes"),
])  # fmt: skip
def test_models_without_a_rotary_embedding(config, reason, audited):
    words = "no rotary embedding was found" if reason == "no sizes" else f"no rotary embedding: {reason}"
    answer = audited(config, status=1)
    assert f"config.json: {words}\ntables, if any, are in the model's .safetensors file\nto be sure" in answer


def test_the_option_is_named_where_transformers_could_tell_more(audited):
    assert "to be sure, add --transformers" in audited(less(MODEL, "rope_theta"))
    assert "--transformers" not in audited(MODEL)  # a model's weights tell the dtype, and no class does


def test_a_part_that_cannot_be_computed(audited):
    """It does not hide the others; the language model's is an error."""
    text = audited(dict(text=dict(MODEL, vocab_size=9), seen=dict(MODEL, rope_scaling=dict(rope_type="new"))))
    assert "config.json: text: rotary" in text
    assert "config.json: seen: not described: scaling has the rope_type 'new'" in text


def test_long_contexts(audited):
    """Of many values, those of the first and of the last positions are compared."""
    r = rotary_frequencies(2, 10000.0)
    w = np.array([1 + 2.0**-20], "f4")
    worst = [errors([w], r, count)[0] for count in (MAX_POSITIONS, MAX_POSITIONS + 1, 1 << 30)]
    assert worst[0].position < MAX_POSITIONS and worst[2].position >= (1 << 30) - MAX_POSITIONS // 2
    text = audited(dict(SMALL, head_dim=2, max_position_embeddings=10 * MAX_POSITIONS))
    assert "\nof more than 1,048,576 positions, the first and the last 524,288 were compared\n" in text
    assert "were compared" not in audited(dict(SMALL, head_dim=2, max_position_embeddings=MAX_POSITIONS))


def test_the_number_of_values_is_bounded(audited):
    """A file below 1 MB must be answered in 10 s on one core."""
    layers = {f"layer {i}": dict(rope_theta=1e4 + i) for i in range(16)}
    most = parts(audited, dict(SMALL, head_dim=1024, max_position_embeddings=1 << 32, rope_parameters=layers))
    assert sum(part["compared"] * part["frequencies"] for part in most) <= MAX_VALUES
    equal = {name: dict(rope_theta=1e4) for name in layers}
    one, *others = parts(audited, dict(SMALL, max_position_embeddings=1 << 32, rope_parameters=equal))
    assert one["compared"] == MAX_POSITIONS and all(part["errors"] == one["errors"] for part in others)


@pytest.mark.parametrize("config, message", [
    (dict(LLAMA, hidden_size="4096"), "hidden_size is '4096'"),
    (dict(SMALL, rope_scaling=dict(rope_type="dynamic", factor=2.0), max_position_embeddings=None), "max_position_embeddings is missing, which rope_type 'dynamic' needs"),
    (dict(SMALL, rope_scaling=dict(rope_type="new")), "rope_type 'new'"),
    (dict(SMALL, rope_scaling=dict(rope_type="linear")), "'factor'"),
    (dict(SMALL, rope_scaling=dict(factor=2.0)), "scaling has a factor, and no rope_type"),
    (dict(SMALL, rope_scaling=[1, 2]), "rope_scaling is [1, 2]"),
    (dict(SMALL, rope_parameters="linear"), "rope_parameters is 'linear'"),
    (dict(SMALL, rope_scaling=dict(SCALINGS["longrope"], short_factor=[1.0])), "short_factor"),
    (dict(SMALL, rope_scaling=dict(SCALINGS["longrope"], short_factor=["a"] * 4)), "could not convert"),
    (dict(SMALL, rope_scaling=dict(SCALINGS["yarn"], original_max_position_embeddings="x")), "original_max"),
    (dict(SMALL, rope_scaling=dict(type="dynamic", alpha=0.5)), "alpha is 0.5; allowed: 1 to 2^32"),
    (dict(SMALL, rope_scaling=dict(rope_type="dynamic", factor=2.0, alpha="1000")), "alpha is '1000'"),
    (dict(SMALL, head_dim=7), "7 of 7 columns"),
    (dict(SMALL, head_dim=8192), "8192"),
    (dict(SMALL, partial_rotary_factor=1e30), "partial_rotary_factor"),
    (dict(SMALL, rope_theta="\x1b[31m\ud800\n"), "'\\x1b[31m\\ud800\\n'"),
    (dict(SMALL, rope_parameters={str(i): {} for i in range(17)}), "more than 16 rotary embeddings"),
    ({str(i): MODEL for i in range(17)}, "it has 17 rotary embeddings; allowed: 16"),
    ("", "its JSON"),
    ("[]", "its JSON is no object"),
])  # fmt: skip
def test_configs_that_are_refused(config, message, audited):
    assert message in audited(config, status=2)


@pytest.mark.parametrize("value", [None, [MODEL], "a", 3, {"a": [1]}, {}])
@pytest.mark.parametrize("key", ["text_config", "per_layer_config", "layer_types", "model_type", "vocab_size", "dtype"])
def test_keys_with_values_of_other_types(key, value, audited):
    """They count as missing."""
    assert "4 frequencies of heads of 8 (head_dim), base 10000 (rope_theta)" in audited(dict(SMALL, **{key: value}))


def test_large_configs(audited):
    assert "its JSON" in audited("[" * 200000, status=2) and "its JSON" in audited('{"a":' * 200000, status=2)
    audited('{"model_type": "llama", "head_dim": ' + "9" * 10000 + "}", status=2)
    assert "more than 16777216 bytes" in audited('{"model_type": "llama"' + " " * (1 << 24) + "}", status=2)
    layers = [f"layer {i}" for i in range(4000)]
    per_layer = {i: {"head_dim": 8} for i in range(4000)}
    many = {**SMALL, "layer_types": layers, "per_layer_config": per_layer, **{f"key {i}": 0 for i in range(100000)}}
    assert "below position" in audited(many)


@pytest.mark.parametrize("key", ["head_dim", "max_position_embeddings", "rope_theta", "factor"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, 10**30, 1e30, 10**400, [8], {"a": 1}, "8", True])
def test_hostile_numbers(key, value, audited):
    """Most are refused. None gives a traceback, a warning, or a second line of error."""
    config = dict(SMALL, rope_scaling=dict(rope_type="linear", factor=2.0))
    (config["rope_scaling"] if key == "factor" else config)[key] = value
    audited(config, status=0 if key == "rope_theta" and value in (1e30, 10**30) else 2)


def test_names_in_a_file_cannot_drive_a_terminal(audited):
    config = dict(SMALL, model_type="a\x1b[2J\ud800", rope_parameters={"b\n\x07": {"rope_theta": 1e4, "c\x1b\n": 1}})
    text = audited(config)
    assert "config.json: b\\n\\x07: a\\x1b[2J\\ud800, rotary embedding" in text
    assert "\nnot read: rope_parameters.b\\n\\x07.c\\x1b\\n\n" in text


# ---- Safetensors


def write(path, arrays, change=lambda header: None, length=None, cut=None):
    """Writes a .safetensors file by hand. Arrays of uint16 are of bfloat16."""
    names = {code: name for name, code in DTYPES.items()}
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, x in arrays.items():
        begin, data = len(data), data + x.tobytes()
        dtype = names.get(x.dtype.str, "I64")
        header[name] = {"dtype": dtype, "shape": list(x.shape), "data_offsets": [begin, len(data)]}
    change(header)
    raw = json.dumps(header).encode()
    path.write_bytes(((len(raw) if length is None else length).to_bytes(8, "little") + raw + data)[:cut])
    return path


def frequencies(base=500000.0, d=128):
    return (1 / base ** (np.arange(0, d, 2) / d)).astype("f4")


@pytest.fixture
def arrays():
    noise = np.random.default_rng(0).standard_normal((64, 32)).astype("f4")
    return {
        "odd": np.array([3], "u1").astype("i8"),
        "bias": np.zeros(7, "f4"),
        "pe": posenc.table(40, 36)[:, None],
        "weight": noise,
        "bf16": as_bfloat16(posenc.table(600, 16, impl="naive", preset="rope")),
        "a.rotary_emb.inv_freq": as_bfloat16(frequencies()),
        "reversed": posenc.table(40, 36)[::-1],
        "b.inv_freq": frequencies(501234.5),
        "d.inv_freq": rounded(frequencies(), "bfloat16"),
        "c.inv_freq": np.full(4, np.nan, "f4"),
        "e.inv_freq": frequencies(1.5),  # no base is below 2
    }


def test_safetensors(arrays, tmp_path):
    path = write(tmp_path / "x.safetensors", arrays)
    answers = {part["name"]: part for part in json.loads(audit(path, "--format", "json"))["found"]}
    assert [*answers] == ["pe", "bf16", "a.rotary_emb.inv_freq", "b.inv_freq", "d.inv_freq"]
    assert answers["pe"]["presets"] == ["paper"] and answers["pe"]["ranges"][0]["word"] == "exact"
    assert "rope" in answers["bf16"]["presets"] and answers["bf16"]["stored"] == "bfloat16"
    a, d = answers["a.rotary_emb.inv_freq"], answers["d.inv_freq"]
    assert a["base"] == d["base"] == 500000 and a["errors"] == d["errors"] and not answers["b.inv_freq"]["call"]
    assert a["errors"]["float32 angles"] == pytest.approx([0.86, 2, 2], rel=0.01)
    assert may_be_table(arrays["reversed"]) and not may_be_table(arrays["weight"])
    text = audit(path)
    for line in (
        "x.safetensors: pe: shape (40, 36), float32\n",
        "x.safetensors: a.rotary_emb.inv_freq: rotary embedding, 64 frequencies in bfloat16, base 500000\n",
        "b.inv_freq: rotary embedding, 64 frequencies in float32, base about ",
    ):
        assert line in text, text
    assert text.count("is a guess") == 1


def test_safetensors_of_a_given_table(arrays, tmp_path):
    path = write(tmp_path / "x.safetensors", {"pe": arrays["pe"], "f": arrays["b.inv_freq"]})
    assert "\nholds the table described" in audit(path, "--preset", "paper")
    audit(path, "--preset", "whisper", status=1)
    audit(write(path, {"pe": arrays["weight"], "inv_freq": np.zeros(0, "f4")}), status=1)


def test_equal_and_different_tensors(tmp_path):
    """Each is described, but only 16 different ones are examined, however many a file has."""
    tables = {f"{i}": posenc.table(9, 8, first=i) for i in range(16)}
    text = audit(write(tmp_path / "x.safetensors", {**tables, **{f"equal {i}": tables["3"] for i in range(30)}}))
    assert text.count(": shape (9, 8), float32\n") == 46 and "examined" not in text
    text = audit(write(tmp_path / "x.safetensors", {**tables, "last": posenc.table(9, 8, first=16)}))
    assert text.count(": shape (9, 8), float32\n") == 16 and "only 16 different tensors " in text


UNFIT = "its dtype, shape and offsets do not fit"


@pytest.mark.parametrize("damage, problem", [
    (dict(cut=0), "a header of 0 bytes"),
    (dict(cut=5), "a header of"),
    (dict(cut=-1), f"'e.inv_freq': {UNFIT}"),
    (dict(length=(1 << 64) - 1), "a header of 18446744073709551615 bytes"),
    (dict(length=7), "its JSON is not readable"),
    (dict(change=lambda header: header.update(b=header["pe"])), f"'b': {UNFIT}"),
])  # fmt: skip
def test_damaged_safetensors(damage, problem, arrays, tmp_path):
    assert problem in audit(write(tmp_path / "x.safetensors", arrays, **damage), status=2)


WRONG = dict(
    shape=[[1 << 40] * 2, [10**30, 4], [-40, -36], [40, 36.0], ["40", 36], None, [1] * 1000, [39, 36]],
    dtype=["F64", ["F32"]],
    data_offsets=[[0], [-8, 5752], [1 << 50, (1 << 50) + 5760], [10**400, 10**401], ["0", "1"]],
)


@pytest.mark.parametrize("key, value", [(key, value) for key, values in WRONG.items() for value in values])
def test_hostile_entries(key, value, arrays, tmp_path):
    path = write(tmp_path / "x.safetensors", arrays, lambda header: header["pe"].update({key: value}))
    assert f"'pe': {UNFIT}" in audit(path, status=2)


def test_hostile_headers(tmp_path):
    path = tmp_path / "x.safetensors"
    for header in (b"[]", b"[" * 100000, b'{"a": 3}', b'{"a": {}}', b"{}x"):
        path.write_bytes(len(header).to_bytes(8, "little") + header)
        audit(path, status=2)


@pytest.mark.parametrize("name, shape, dtype", [("a", [2, 1 << 28], "F16"), ("a.inv_freq", [1 << 29], "BF16")])
def test_large_tensors_are_not_read(tmp_path, name, shape, dtype):
    header = json.dumps({name: {"dtype": dtype, "shape": shape, "data_offsets": [0, 1 << 30]}}).encode()
    (tmp_path / "a.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    os.truncate(tmp_path / "a.safetensors", 8 + len(header) + (1 << 30))
    tracemalloc.start()
    audit(tmp_path / "a.safetensors", status=1)
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()


# ---- Paths and output


def test_folders(tmp_path):
    """A model's folder in the cache of the hub leads to the snapshot that refs/main names."""
    folder = tmp_path / "models--org--name"
    for commit, text in (("0", ""), ("1", json.dumps(SMALL)), ("2", "")):
        (folder / "snapshots" / commit).mkdir(parents=True)
        (folder / "snapshots" / commit / "config.json").write_text(text)
    assert "refs/main: No such file or directory" in audit(folder, status=2)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("1")
    snapshot = folder / "snapshots" / "1"
    assert audit(folder) == audit(snapshot) == audit(snapshot / "config.json")
    (tmp_path / "one" / "snapshots").mkdir(parents=True)
    snapshot.rename(tmp_path / "one" / "snapshots" / "1")
    audit(tmp_path / "one")  # the only snapshot needs no refs/main
    assert f"posenc audit: {tmp_path}/config.json: No such file" in audit(tmp_path, status=2)
    for name, key in (("config.json", "_diffusers_version"), ("model_index.json", "_class_name")):
        (tmp_path / name).write_text(json.dumps({key: ""}))
        assert f"{name}: it is a file of diffusers; load the pipeline, and call posenc.t" in audit(tmp_path, status=2)


@pytest.mark.parametrize("arguments, problem", [
    (["org/Name-3.1-8B"], "no such folder; a model of the hub is in ~/.cache/huggingface/hub/models--org--Name-3.1-8B"),
    (["no/such.npy"], "posenc audit: no/such.npy: No such file or directory\n"),
    *((["x" + suffix], "save it as .safetensors, or call posenc.torch.audit(model)") for suffix in (".pt", ".bin")),
    *((["x" + suffix], "files are not read; give the config.json of the model") for suffix in (".gguf", ".onnx")),
    (["x.json", "--preset", "paper"], "are for tables"),
    (["x.json", "--dtype", "float32"], "are for tables"),
    (["\x1b[2J.npy"], "audit: \\x1b[2J.npy: No such"),
])  # fmt: skip
def test_paths_that_are_refused(arguments, problem):
    assert problem in audit(*arguments, status=2)


def test_names_and_errors_cannot_drive_a_terminal(arrays, tmp_path):
    path = tmp_path / "\x1b[2J.safetensors"
    arrays["pe"][39, 0, 0] = np.nan
    assert ".safetensors: \\x1b[2J\\n: row 39, column 0" in audit(write(path, {"\x1b[2J\n": arrays["pe"]}), status=2)
    text = audit(write(path, {"\x1b[2J\ud800": arrays["weight"] * 0 + 1, "\x1b\ud800inv_freq": frequencies()}))
    assert "/\\x1b[2J.safetensors: \\x1b\\ud800inv_freq: rotary" in text and "\x1b" not in text
    done = subprocess.run([sys.executable, "-m", "posenc", "audit", "x", "\x1b"], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.endswith(": error: unrecognized arguments: \\x1b\n")


def test_output_that_the_encoding_lacks(tmp_path):
    (tmp_path / "é.json").write_text(json.dumps(SMALL))
    command = [sys.executable, "-m", "posenc", "audit", tmp_path / "é.json"]
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and not done.stderr and b"/\\xe9.json: llama, rotary embedding" in done.stdout


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments, status", [
    ([], 0), (["presets"], 0), (["--help"], 0), (["audit", "--preset", "t2t"], 1),
])  # fmt: skip
def test_a_reader_that_left(arguments, status, unbuffered, tmp_path):
    """The exit status is that of the answer."""
    np.save(tmp_path / "x.npy", posenc.table(40, 36))
    end, pipe = os.pipe()
    os.close(end)
    command = [sys.executable, "-m", "posenc", *arguments, *([tmp_path / "x.npy"] if "audit" in arguments else [])]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, env=environment)
    os.close(pipe)
    assert done.returncode == status and not done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has this file")
def test_a_full_disk():
    command = [sys.executable, "-m", "posenc", "presets"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and done.stderr == "posenc: standard output: No space left on device\n"

"""`python3 -m posenc audit` with a config.json of transformers or a .safetensors file, and with hostile ones."""

import contextlib
import io
import json
import subprocess
import sys
import warnings

import numpy as np
import pytest

import posenc
from posenc.__main__ import instead, main
from posenc._audit import MOST, largest_errors, may_be_table
from posenc._files import DTYPES
from posenc._identify import rounded
from posenc._rotary import rotary_frequencies

LLAMA3 = dict(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=8192)
LLAMA = dict(
    model_type="llama", hidden_size=4096, num_attention_heads=32, max_position_embeddings=131072, rope_theta=500000.0,
    rope_scaling=dict(LLAMA3, rope_type="llama3"),
)  # fmt: skip
SMALL = dict(model_type="llama", head_dim=8, max_position_embeddings=3000, rope_theta=10000.0)
FULL = dict(rope_type="linear", factor=8.0, rope_theta=1e6)


def run(*arguments, status=0):
    """What the command prints: the answer, or one line of error."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.setattr(sys, "argv", ["posenc", "audit", *map(str, arguments)])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            returned = main()
    said, errors = (stream.buffer.getvalue().decode() for stream in (out, err))
    assert returned == status, said + errors
    if status == 2:
        assert not said and len(errors.splitlines()) == 1 and len(errors) < 700
        return errors
    assert not errors
    return said


@pytest.fixture
def audited(tmp_path):
    """The answer about a config, as a document or as text."""

    def audited(config, *options, status=0):
        (tmp_path / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
        said = run(tmp_path / "config.json", *options, status=status)
        return json.loads(said) if "json" in options else said

    return audited


def parts(audited, config):
    return audited(config, "--format", "json")["found"]


# ---- Configs


def test_text_and_json(audited, tmp_path):
    said = audited(LLAMA)
    for line in (
        "config.json: llama, rotary embedding, 64 frequencies of heads of 128, base 500000, type llama3 "
        "(factor 8, from 8,192 positions)\n",
        "\nlargest error of cosines and sines, below position            512      2,048    131,072\n",
        "\n  float32 frequencies and angles (transformers)           3.3e-05    1.4e-04    9.3e-03   at position 130,928\n",
        "\n  frequencies rounded to bfloat16 (.to(torch.bfloat16))       0.86        2.0        2.0\n",
        "\n  for comparison: cosines stored in bfloat16              2.0e-03    2.0e-03    2.0e-03\n",
        "\ninstead, in PyTorch   posenc.torch.replace_rotary(model)\ninstead, in NumPy     r = posenc.",
    ):
        assert line in said, said
    assert "not in the file" not in said and run(tmp_path) == said  # the folder of the config
    answer = audited(LLAMA, "--format", "json")
    assert (answer["schema"], answer["tool"]) == (1, "posenc audit") and len(answer["found"]) == 1
    (part,) = answer["found"]
    assert part["below"] == [512, 2048, 131072] and part["base"] == 500000 and part["head_dim"] == 128
    assert part["errors"]["float32"][2] == pytest.approx(9.29e-3, rel=1e-3) and part["position"] == 130928


def test_the_errors_are_those_of_the_whole_table(audited):
    """They are computed in blocks. This is the recipe of transformers, with all positions at once."""
    w = 1 / (np.float64(10000) ** (np.arange(0, 128, 2, "f4") / 128)).astype("f4")
    right = posenc.pair(5000, 128, dtype="float64")
    config = dict(SMALL, head_dim=128, max_position_embeddings=5000)
    (part,) = parts(audited, config)
    for kind, v in (("float32", w), ("bfloat16", rounded(w, "bfloat16"))):
        angles = np.arange(5000, dtype="f4")[:, None] * v
        off = np.maximum(abs(np.cos(angles) - right.cos), abs(np.sin(angles) - right.sin))
        assert part["errors"][kind] == [off[:count].max() for count in (512, 2048, 5000)]
    assert (part["position"], part["column"]) == np.unravel_index(off.argmax(), off.shape) or kind == "bfloat16"
    stored = (
        abs(rounded(right.cos, "bfloat16") - right.cos).max(),
        abs(rounded(right.sin, "bfloat16") - right.sin).max(),
    )
    assert part["errors"]["cosines in bfloat16"][2] == max(stored)


KINDS = {
    "default": {},
    "linear": dict(rope_type="linear", factor=3.0),
    "dynamic": dict(rope_type="dynamic", factor=4.0),
    "yarn": dict(type="yarn", factor=32.0, original_max_position_embeddings=512),
    "llama3": dict(LLAMA3, rope_type="llama3", original_max_position_embeddings=100),
    "longrope": dict(type="su", short_factor=[1.0, 1.1, 1.2, 1.3], long_factor=[1.5, 2.0, 3.0, 9.0], factor=2.0),
    "proportional": dict(rope_type="proportional", partial_rotary_factor=0.5),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_call_that_is_printed(kind, audited):
    """It makes the right cosines and sines: those of the formula's frequencies, times the attention factor."""
    config = dict(SMALL, rope_scaling=KINDS[kind], original_max_position_embeddings=1000)
    for said, position in ((config, 2999), ({**config, "max_position_embeddings": 900}, 899)):
        (part,) = parts(audited, said)
        assert f"instead, in NumPy     {part['call']}\n" in audited(said)
        names = {"posenc": posenc}
        exec(part["call"], names)
        scaling = dict(part["scaling"])
        r = rotary_frequencies(8, 10000.0, scaling=scaling, length=position + 1, max_position_embeddings=position + 1)
        angles = position * (r.freqs + r.freqs_low)
        for values, want in ((names["cos"], np.cos(angles)), (names["sin"], np.sin(angles))):
            assert values.shape == (position + 1, 4)
            assert np.abs(values[-1] - r.attention_factor * want).max() < 3e-7
        assert part["scaling"]["rope_type"] == kind and (r.attention_factor != 1) == (kind in ("yarn", "longrope"))
        assert all(1e-7 < error < 1e-3 for error in part["errors"]["float32"])
        stored = part["errors"]["cosines in bfloat16"][-1]
        assert 2.0**-10 < stored <= (2.0**-9 if r.attention_factor <= 1 else 2.0**-8) * 1.001


def test_the_attention_factor_multiplies_the_errors(audited):
    one, two = (
        parts(audited, dict(SMALL, rope_scaling=dict(KINDS["yarn"], attention_factor=factor)))[0]
        for factor in (1.0, 2.0)
    )
    assert [2 * error for error in one["errors"]["bfloat16"]] == two["errors"]["bfloat16"]


def test_both_lists_of_longrope(audited):
    """Sequences up to the original length use the short factors, longer ones the long factors for all positions."""
    config = dict(SMALL, rope_scaling=KINDS["longrope"], original_max_position_embeddings=1000)
    (both,) = parts(audited, config)
    lists = KINDS["longrope"]["short_factor"], KINDS["longrope"]["long_factor"]
    for i, factors in ((0, lists[0]), (1, lists[1]), (2, lists[1])):
        scaling = dict(KINDS["longrope"], short_factor=factors, long_factor=factors)
        (one,) = parts(audited, dict(config, rope_scaling=scaling))
        assert both["errors"]["float32"][i] == one["errors"]["float32"][i]


#: Configs that say the same, in the forms of transformers 4 and 5; the last one of each leaves keys to defaults.
SAME = {
    "theta": [
        SMALL,
        dict(SMALL, rope_theta=None, rope_parameters=dict(rope_type="default", rope_theta=10000.0)),
        dict(model_type="other", text_config=SMALL, rope_theta=5.0, hidden_size=3),
        dict(SMALL, head_dim=None, hidden_size=32, num_attention_heads=4),
        dict(model_type="llama", max_position_embeddings=3000, head_dim=8),
    ],
    "type": [
        dict(SMALL, rope_scaling=dict(type="linear", factor=8.0)),
        dict(SMALL, rope_scaling=dict(rope_type="linear", factor=8.0)),
        dict(SMALL, rope_parameters=dict(rope_type="linear", factor=8.0, rope_theta=10000.0)),
        dict(SMALL, rope_parameters=dict(rope_type="linear", factor=8.0)),
    ],
    "GPT-NeoX": [
        dict(SMALL, model_type="gpt_neox", head_dim=32, rotary_pct=0.25, rotary_emb_base=10000),
        dict(SMALL, model_type="gpt_neox", head_dim=32, rope_parameters=dict(rope_theta=1e4, partial_rotary_factor=0.25)),
        dict(model_type="gpt_neox", head_dim=32, max_position_embeddings=3000),
    ],
    "GPT-NeoX's numbers": [
        dict(SMALL, model_type="gpt_neox", head_dim=32, rotary_pct=0.5, rotary_emb_base=20000, rope_theta=None),
        dict(SMALL, model_type="gpt_neox", head_dim=32, rope_parameters=dict(rope_theta=2e4, partial_rotary_factor=0.5)),
    ],
    "Gemma 3": [
        dict(SMALL, model_type="gemma3_text", rope_theta=1e6, rope_local_base_freq=10000.0, rope_scaling=dict(FULL, rope_theta=None)),
        dict(SMALL, model_type="gemma3_text", rope_parameters=dict(full_attention=FULL, sliding_attention=dict(rope_theta=1e4))),
        dict(model_type="gemma3", text_config=dict(head_dim=8, max_position_embeddings=3000, rope_scaling=dict(rope_type="linear", factor=8.0))),
    ],
    "Gemma 4": [
        dict(SMALL, model_type="gemma4_text", global_head_dim=16, rope_parameters=dict(full_attention=FULL)),
        dict(
            SMALL, model_type="gemma4_text", rope_parameters=dict(full_attention=FULL),
            layer_types=["sliding_attention", "full_attention"], per_layer_config={"01": {"head_dim": 16}},
        ),
    ],
    "Qwen2-VL": [
        dict(SMALL, model_type="qwen2_vl_text", rope_scaling=dict(type="mrope", mrope_section=[2, 1, 1]), rope_theta=1e6),
        dict(SMALL, model_type="qwen2_vl", rope_scaling=dict(type="mrope", mrope_section=[2, 1, 1]), rope_theta=1e6),
        dict(model_type="qwen2_vl", head_dim=8, rope_scaling=dict(type="mrope", mrope_section=[2, 1, 1]), max_position_embeddings=3000),
    ],
    "MLA": [
        dict(SMALL, model_type="deepseek_v3"),
        dict(SMALL, model_type="deepseek_v3", head_dim=None, qk_rope_head_dim=8, hidden_size=700, num_attention_heads=7),
    ],
    "gpt-oss": [
        dict(SMALL, model_type="gpt_oss", rope_theta=150000, rope_scaling=dict(
            rope_type="yarn", factor=32.0, beta_fast=32.0, beta_slow=1.0, truncate=False, original_max_position_embeddings=4096)),
        dict(model_type="gpt_oss", head_dim=8, max_position_embeddings=3000),
    ],
    "Phi-3": [
        dict(SMALL, model_type="phi3", rope_scaling=dict(KINDS["longrope"], type=kind), original_max_position_embeddings=1000)
        for kind in ("longrope", "su", "yarn")
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_forms_of_configs(name, audited):
    found = [sorted(parts(audited, config), key=lambda part: part["layer_type"]) for config in SAME[name]]
    for one in found:
        for part in one:
            del part["model_type"], part["scaling"], part["call"]
    assert all(one == found[0] for one in found) and len(found[0]) == 1 + (name == "Gemma 3")


def test_defaults_are_named(audited):
    said = audited(dict(model_type="gemma3_text", num_attention_heads=8, max_position_embeddings=600))
    assert said.endswith(
        "not in the file, and taken as transformers does: "
        "rope_local_base_freq 10000.0, head_dim 256, rope_theta 1000000.0\n"
    )
    assert "gemma3_text, sliding_attention, rotary" in said and "gemma3_text, full_attention, rotary" in said


def test_long_contexts(audited):
    """Above 2^20 positions, the first and the last 2^19 are compared."""
    r = rotary_frequencies(2, 10000.0)
    w = np.array([1 + 2.0**-20], "f4")
    seen = [largest_errors([w], r, count)[0][:2] for count in (MOST, MOST + 1, 1 << 30)]
    assert seen[0][1] < MOST and seen[2][1] >= (1 << 30) - MOST // 2
    said = audited(dict(SMALL, head_dim=2, max_position_embeddings=10 * MOST))
    assert "\nof 10,485,760 positions, the first and the last 524,288 were compared\n" in said
    assert "were compared" not in audited(dict(SMALL, head_dim=2, max_position_embeddings=MOST))


@pytest.mark.parametrize(
    "config, said",
    [
        *((dict(LLAMA, **{key: None}), key) for key in ("hidden_size", "num_attention_heads", "model_type")),
        (dict(SMALL, model_type="stablelm"), "partial_rotary_factor is missing"),
        (dict(SMALL, model_type="mixtral", rope_theta=None), "rope_theta is missing"),
        (dict(SMALL, model_type="mixtral", max_position_embeddings=None), "max_position_embeddings is missing"),
        (dict(SMALL, model_type="gemma", head_dim=None, hidden_size=64, num_attention_heads=8), "head_dim is missing"),
        (dict(SMALL, model_type="olmo3"), "rope_parameters is missing"),
        (dict(SMALL, model_type="modernbert", global_rope_theta=1.0), "rope_parameters is missing"),
        (dict(SMALL, model_type="clvp_encoder"), "is not supported"),
        (dict(SMALL, rope_scaling=dict(rope_type="new")), "rope_type 'new'"),
        (dict(SMALL, rope_scaling=dict(rope_type="linear")), "'factor'"),
        (dict(SMALL, rope_scaling=dict(rope_type=["linear"], factor=2.0)), "rope_type ['linear']"),
        (dict(SMALL, rope_scaling=[1, 2]), "rope_parameters is [1, 2]"),
        (dict(SMALL, rope_scaling="linear"), "rope_parameters is 'linear'"),
        (dict(SMALL, rope_scaling=dict(KINDS["longrope"], short_factor=[1.0])), "short_factor"),
        (dict(SMALL, rope_scaling=dict(KINDS["longrope"], short_factor=["a"] * 4)), "could not convert"),
        (dict(SMALL, rope_scaling=dict(KINDS["longrope"], short_factor=[float("nan")] * 4)), "short_factor"),
        (dict(SMALL, rope_scaling=dict(KINDS["yarn"], original_max_position_embeddings="x")), "original_max"),
        (dict(SMALL, rope_scaling=dict(KINDS["yarn"], original_max_position_embeddings=0)), "original_max"),
        (dict(SMALL, model_type=["llama"]), "model_type is ['llama']"),
        (dict(SMALL, model_type="gemma4_text", rope_parameters=dict(a=FULL), per_layer_config=[1]), "AttributeError"),
        (dict(SMALL, text_config=[SMALL]), "AttributeError"),
        (dict(SMALL, head_dim=7), "7 of 7 columns"),
        (dict(SMALL, head_dim=8192), "8192"),
        (dict(LLAMA, num_attention_heads=0), "num_attention_heads is 0"),
        (dict(SMALL, partial_rotary_factor=1e30, model_type="phi"), "partial_rotary_factor"),
        (dict(SMALL, rope_theta=0), "base"),
        (dict(model_type="\x1b[31m\ud800\n", head_dim=8, rope_scaling=FULL), "'\\x1b[31m\\ud800\\n'"),
        ("", "its JSON"),
        ("[]", "its JSON is no object"),
        ("{" * 10, "its JSON"),
    ],
)
def test_configs_that_are_refused(config, said, audited):
    assert said in audited(config, status=2)


def test_large_configs(audited):
    assert "its JSON" in audited("[" * 200000, status=2) and "its JSON" in audited('{"a":' * 200000, status=2)
    audited('{"model_type": "llama", "head_dim": ' + "9" * 10000 + "}", status=2)
    assert "more than 16777216 bytes" in audited('{"model_type": "llama"' + " " * (1 << 24) + "}", status=2)


@pytest.mark.parametrize("key", ["head_dim", "max_position_embeddings", "rope_theta", "factor"])
@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -1, 0, 10**30, 1e30, 10**400, [8], {"a": 1}, "8", True]
)
def test_hostile_numbers(key, value, audited):
    """Most are refused. None gives a traceback, a warning, or a second line of error."""
    config = dict(SMALL, rope_scaling=dict(rope_type="linear", factor=2.0))
    (config["rope_scaling"] if key == "factor" else config)[key] = value
    audited(config, status=0 if key == "rope_theta" and value in (1e30, 10**30) else 2)


def test_a_model_type_that_posenc_does_not_know(audited):
    said = audited(dict(SMALL, model_type="of_mine"))
    assert "\nposenc does not know this model_type, and reads its keys as those of llama.\n" in said
    assert "from_pretrained" not in said


def test_no_rotary_embedding(audited):
    said = audited(dict(model_type="whisper", d_model=768), status=1)
    assert said.endswith(
        "config.json: no rotary embedding was found; tables, if any, are in the model's .safetensors file\n"
    )


def test_names_in_a_file_cannot_drive_a_terminal(audited):
    config = dict(SMALL, model_type="a\x1b[2J\ud800", rope_parameters={"b\n\x07": dict(rope_theta=1e4)})
    assert "config.json: a\\x1b[2J\\ud800, b\\n\\x07, rotary embedding" in audited(config)


# ---- Safetensors


def write(path, arrays, change=lambda header: None, length=None, cut=None):
    """Writes a .safetensors file by hand. Arrays of uint16 are of bfloat16."""
    names = {code: name for name, code in DTYPES.items()}
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, x in arrays.items():
        begin, data = len(data), data + x.tobytes()
        kind = names.get(x.dtype.str, "I64")
        header[name] = {"dtype": kind, "shape": list(x.shape), "data_offsets": [begin, len(data)]}
    change(header)
    raw = json.dumps(header).encode()
    path.write_bytes(((len(raw) if length is None else length).to_bytes(8, "little") + raw + data)[:cut])
    return path


def upper_half(x):
    return (rounded(x, "bfloat16").view("u4") >> 16).astype("u2")


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
        "bf16": upper_half(posenc.table(600, 16, impl="naive", preset="rope")),
        "a.rotary_emb.inv_freq": upper_half(frequencies()),
        "reversed": posenc.table(40, 36)[::-1],
        "b.inv_freq": frequencies(501234.5),
        "d.inv_freq": rounded(frequencies(), "bfloat16"),
        "c.inv_freq": np.full(4, np.nan, "f4"),
    }


def test_safetensors(arrays, tmp_path):
    path = write(tmp_path / "x.safetensors", arrays)
    found = {part["name"]: part for part in json.loads(run(path, "--format", "json"))["found"]}
    assert [*found] == ["pe", "bf16", "a.rotary_emb.inv_freq", "b.inv_freq", "d.inv_freq"]
    assert found["pe"]["presets"] == ["paper"] and found["pe"]["ranges"][0]["word"] == "exact"
    assert "rope" in found["bf16"]["presets"] and found["bf16"]["stored"] == "bfloat16"
    a, b = found["a.rotary_emb.inv_freq"], found["b.inv_freq"]
    assert (a["dtype"], a["base"], a["about"]) == ("bfloat16", 500000, False) and b["about"] and not b["call"]
    assert (found["d.inv_freq"]["dtype"], found["d.inv_freq"]["base"]) == ("float32", 500000)
    assert found["d.inv_freq"]["errors"] == a["errors"]
    assert may_be_table(arrays["reversed"]) and not may_be_table(arrays["weight"])
    assert a["errors"]["float32 angles"] == pytest.approx([0.86, 2, 2], rel=0.01)
    said = run(path)
    for line in (
        "x.safetensors: pe: shape (40, 36), float32\n",
        "x.safetensors: a.rotary_emb.inv_freq: rotary embedding, 64 frequencies in bfloat16, base 500000\n",
        "\n  float32 angles of these frequencies                        0.86        2.0        2.0   at position ",
        "\ninstead, in NumPy     cos, sin = posenc.pair(131072, 128, base=500000.0)\n",
        "b.inv_freq: rotary embedding, 64 frequencies in float32, base about ",
        "\nthe base is a guess, and the errors are differences from its cosines and sines\n",
    ):
        assert line in said, said
    assert "from_pretrained" not in said and said.count("is a guess") == 1 and "base=501" not in said


def test_safetensors_of_a_given_table(arrays, tmp_path):
    path = write(tmp_path / "x.safetensors", {"pe": arrays["pe"], "f": arrays["b.inv_freq"]})
    assert "\nholds the table described" in run(path, "--preset", "paper")
    run(path, "--preset", "whisper", status=1)
    run(write(path, {"pe": arrays["weight"], "inv_freq": np.zeros(0, "f4")}), status=1)


@pytest.mark.parametrize(
    "change, more, said",
    [
        (None, dict(cut=0), "a header of 0 bytes"),
        (None, dict(cut=5), "a header of"),
        (None, dict(cut=-1), "'c.inv_freq': its shape"),
        (None, dict(cut=100), "a header of"),
        (None, dict(length=1 << 42), "a header of 4398046511104 bytes"),
        (None, dict(length=(1 << 64) - 1), "a header of"),
        (None, dict(length=0), "a header of 0 bytes"),
        (None, dict(length=7), "its JSON is not readable"),
        (dict(shape=[1 << 40, 1 << 40]), {}, "'pe'"),
        (dict(shape=[1 << 20, 1 << 20]), {}, "'pe'"),
        (dict(shape=[10**30, 4]), {}, "'pe'"),
        (dict(shape=[-40, -36]), {}, "'pe'"),
        (dict(shape=[40, 36.0]), {}, "'pe'"),
        (dict(shape=["40", 36]), {}, "'pe'"),
        (dict(shape=None), {}, "'pe'"),
        (dict(shape=[1] * 1000), {}, "'pe'"),
        (dict(shape=[39, 36]), {}, "'pe'"),
        (dict(dtype="F64"), {}, "'pe'"),
        (dict(dtype=["F32"]), {}, "'pe'"),
        (dict(data_offsets=[0]), {}, "'pe'"),
        (dict(data_offsets=[-8, 5752]), {}, "'pe'"),
        (dict(data_offsets=[1 << 50, (1 << 50) + 5760]), {}, "'pe'"),
        (dict(data_offsets=[10**400, 10**401]), {}, "'pe'"),
        (dict(data_offsets=["0", "1"]), {}, "'pe'"),
    ],
)
def test_hostile_safetensors(change, more, said, arrays, tmp_path):
    def changed(header):
        header["pe"].update(change or {})

    assert said in run(write(tmp_path / "x.safetensors", arrays, changed, **more), status=2)


def test_more_hostile_safetensors(arrays, tmp_path):
    path = tmp_path / "x.safetensors"
    for header in (b"[]", b"[" * 100000, b'{"a": 3}', b'{"a": {}}', b"{}x"):
        path.write_bytes(len(header).to_bytes(8, "little") + header)
        run(path, status=2)
    arrays["pe"][39, 0, 0] = np.nan
    assert "x.safetensors: pe: row 39, column 0 is nan" in run(write(path, arrays), status=2)
    assert "x.safetensors: \\x1b[2J\\n: row 39, column 0" in run(write(path, {"\x1b[2J\n": arrays["pe"]}), status=2)
    said = run(write(path, {"\x1b[2J\ud800": arrays["weight"] * 0 + 1, "\x1b\ud800inv_freq": frequencies()}))
    assert "x.safetensors: \\x1b\\ud800inv_freq: rotary" in said
    run(tmp_path / "no.safetensors", status=2)
    run(write(path, {}), status=1)


def test_usage(tmp_path):
    for name in ("x.pt", "x.bin", "x.pth"):
        assert "save it as .safetensors, or call posenc.torch.audit(model)" in run(tmp_path / name, status=2)
    assert f"posenc audit: {tmp_path}/config.json: No such file" in run(tmp_path, status=2)
    (tmp_path / "config.json").write_text(json.dumps(SMALL))
    for options in (["--preset", "paper"], ["--dtype", "float32"]):
        done = subprocess.run([sys.executable, "-m", "posenc", "audit", tmp_path, *options], capture_output=True)
        assert done.returncode == 2 and b"are for tables" in done.stderr
    done = subprocess.run([sys.executable, "-m", "posenc", "identify", "x.npy"], capture_output=True)
    assert done.returncode == 2


@pytest.mark.parametrize("part, words", [
    ({"model_type": "llama"}, "replace_rotary(model)"),
    ({"model_type": "of_mine"}, 'RotaryEmbedding(config, layout="halves"), or'),
    ({"frequencies": 64, "base": 500000.0, "about": False}, "replace_rotary(model) in a model of transformers; RotaryEmbedding(128, base=500000.0) in"),
])  # fmt: skip
def test_what_replaces_it_in_pytorch(part, words):
    """replace_rotary only replaces modules of models that posenc knows."""
    assert instead(part).startswith(words)


@pytest.mark.parametrize("more", [
    dict(model_type="granitemoehybrid", position_embedding_type="nope"), dict(model_type="granitemoehybrid"),
    dict(model_type="esm", position_embedding_type="absolute"), dict(model_type="falcon", alibi=True),
])  # fmt: skip
def test_models_without_a_rotary_embedding(more, audited):
    assert "no rotary embedding was found" in audited({**LLAMA, **more}, status=1)
    assert "64 frequencies" in audited({**LLAMA, **more, "model_type": "llama"})  # which has none of these keys


def test_a_config_of_many_layers(tmp_path):
    """The config is not copied for each layer."""
    layers = [f"layer {i}" for i in range(4000)]
    said = {**SMALL, "layer_types": layers, "per_layer_config": {i: {"head_dim": 8} for i in range(4000)}}
    (tmp_path / "config.json").write_text(json.dumps({**said, **{f"key {i}": 0 for i in range(100000)}}))
    assert "below position" in run(tmp_path)
    said["rope_parameters"] = {layer: {"rope_type": "default", "rope_theta": 1e4} for layer in layers}
    (tmp_path / "config.json").write_text(json.dumps(said))
    assert "parameters for 4000 types of layers; allowed: 16" in run(tmp_path, status=2)


@pytest.mark.parametrize("name, shape, dtype", [("a", [2, 1 << 28], "F16"), ("a.inv_freq", [1 << 29], "BF16")])
def test_large_tensors_are_not_read(tmp_path, name, shape, dtype):
    """The process may have 2 GiB more than the file."""
    header = json.dumps({name: {"dtype": dtype, "shape": shape, "data_offsets": [0, 1 << 30]}}).encode()
    with open(tmp_path / "a.safetensors", "wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + (1 << 30))
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)); import posenc.__main__ as m"
    )
    program += f"; sys.argv = ['posenc', 'audit', {str(tmp_path / 'a.safetensors')!r}]; sys.exit(m.main())"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True).returncode == 1


def test_tensors_that_overlap(tmp_path):
    def change(header):
        header["b"] = header["c"] = header["a"]

    path = write(tmp_path / "a.safetensors", {"a": posenc.table(9, 8)}, change)
    assert "'b': its shape, dtype and offsets in the header do not fit the file, or it overlaps" in run(path, status=2)

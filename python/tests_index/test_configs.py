"""`python3 -m posenc audit config.json` beside the config and rotary classes of the installed transformers."""

import importlib
import json
import logging

import numpy as np
import pytest
import torch

transformers = pytest.importorskip("transformers")

import families  # noqa: E402

import posenc  # noqa: E402
from posenc._audit import of_config  # noqa: E402
from posenc._families import DEFAULTS  # noqa: E402
from posenc._rotary_config import layer_types, of_json, read  # noqa: E402

LLAMA = dict(model_type="llama", hidden_size=4096, num_attention_heads=32)
SCALING = dict(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=8192)
QWEN = dict(hidden_size=3584, num_attention_heads=28, max_position_embeddings=32768, rope_theta=1e6)
PHI = dict(short_factor=[1 + k / 50 for k in range(48)], long_factor=[1 + k / 2 for k in range(48)])
YARN = dict(factor=32.0, beta_fast=32.0, beta_slow=1.0, truncate=False, original_max_position_embeddings=4096)
GEMMA_4 = {
    "sliding_attention": dict(rope_type="default", rope_theta=1e4),
    "full_attention": dict(rope_type="proportional", partial_rotary_factor=0.25, rope_theta=1e6),
}
#: Configs as the models' config.json files have them, without the keys that matter to nothing here. "class": all numbers
#: are also the defaults of transformers' config class. "torchtune": they are those of pytorch/torchtune, models/llama3_1.
#: "unsourced": they were not compared with the model's file, so no page names the model with errors of them; the factors
#: of Phi-3 are certainly not its own.
CONFIGS = {
    "Llama 2": ("unsourced", dict(LLAMA, max_position_embeddings=4096)),
    "Llama 3": ("unsourced", dict(LLAMA, max_position_embeddings=8192, rope_theta=500000.0)),
    "Llama 3.1": (
        "torchtune",
        dict(LLAMA, max_position_embeddings=131072, rope_theta=500000.0, rope_scaling=dict(SCALING, rope_type="llama3")),
    ),
    "Qwen 2.5": ("unsourced", dict(QWEN, model_type="qwen2")),
    "Qwen2-VL": ("unsourced", dict(QWEN, model_type="qwen2_vl", rope_scaling=dict(type="mrope", mrope_section=[16, 24, 24]))),
    "Mistral": ("unsourced", dict(LLAMA, model_type="mistral", max_position_embeddings=32768, rope_theta=10000.0)),
    "Phi-3 LongRoPE": (
        "unsourced",
        dict(
            model_type="phi3", hidden_size=3072, num_attention_heads=32, max_position_embeddings=131072,
            original_max_position_embeddings=4096, rope_theta=10000.0, rope_scaling=dict(PHI, type="longrope"),
        ),
    ),
    "Gemma 3": (
        "unsourced",
        dict(model_type="gemma3", text_config=dict(model_type="gemma3_text", rope_scaling=dict(factor=8.0, rope_type="linear"))),
    ),
    "Gemma 4": ("class", dict(model_type="gemma4", text_config=dict(model_type="gemma4_text", rope_parameters=GEMMA_4))),
    "gpt-oss": (
        "class",
        dict(
            model_type="gpt_oss", hidden_size=2880, num_attention_heads=64, head_dim=64, max_position_embeddings=131072,
            rope_theta=150000, rope_scaling=dict(YARN, rope_type="yarn"),
        ),
    ),
    "GPT-NeoX": (
        "class",
        dict(
            model_type="gpt_neox", hidden_size=6144, num_attention_heads=64, max_position_embeddings=2048,
            rotary_emb_base=10000, rotary_pct=0.25,
        ),
    ),
}  # fmt: skip


def config_of(said):
    """The config of transformers for a config.json, or that of its text model."""
    config = transformers.CONFIG_MAPPING[said["model_type"]].from_dict(json.loads(json.dumps(said)))
    return getattr(config, "text_config", config)


def rotary_of(config):
    name = config.model_type.replace("_text", "")
    module = importlib.import_module(f"transformers.models.{name}.modeling_{name}")
    own = [each for each in vars(module) if each.endswith("RotaryEmbedding") and "Vision" not in each]
    return getattr(module, own[0])(config)


def their_error(config, layer, said, count):
    """The largest error of transformers' own cosines and sines in a sequence of this length."""
    most = said.max_position_embeddings
    r = posenc.rotary_frequencies(
        said.d_model, said.base, scaling=said.scaling, length=count, max_position_embeddings=most
    )
    n, worst, rotary, types = len(r.freqs), 0, rotary_of(config), [layer] if layer else []
    for start in range(0, count, 8192):
        rows = min(8192, count - start)
        places = torch.tensor([*range(start, start + rows), count - 1])[None]  # the last sets the length
        both = rotary(torch.zeros(1), places[None].expand(3, -1, -1) if said.axes else places, *types)
        right = posenc.pair(rows, 2 * n, first=start, dtype="float64", freqs=r.freqs, freqs_low=r.freqs_low)
        for values, want in zip(both, right):
            own = values.reshape(-1, rows + 1, values.shape[-1])[0, :-1, :n].numpy()
            worst = max(worst, np.abs(own - r.attention_factor * want).max())
    return worst


@pytest.mark.parametrize("name", CONFIGS)
def test_errors(name, record_property):
    """Within 1 % of those of transformers: where PyTorch's float32 powers are the nearest numbers, as here; else 1.6."""
    source, said = CONFIGS[name]
    config, (one, parts) = config_of(said), of_json(json.loads(json.dumps(said)))
    types = layer_types(config)
    assert [*parts] == types or [*parts] == [""]
    for layer, part in parts.items():
        theirs, found = read(config, layer or None, None), of_config(part)
        assert (theirs.d_model, theirs.base, theirs.head) == (part.d_model, part.base, part.head)
        rotary = rotary_of(config)
        w = getattr(rotary, f"{layer}_inv_freq" if layer else "inv_freq")
        assert w.dtype == torch.float32
        theirs = [their_error(config, layer, part, count) for count in found["below"]]
        record_property(f"{name} {layer} ({source})", f"{found['errors']['float32']}, transformers {theirs}")
        power = np.float64(part.base) ** (np.arange(0, part.d_model, 2, "f4") / np.float32(part.d_model))
        powers = (part.base ** (torch.arange(0, part.d_model, 2, dtype=torch.float) / part.d_model)).numpy()
        most = 1.01 if np.array_equal(powers, power.astype("f4")) else 1.6
        for ours, error in zip(found["errors"]["float32"], theirs):
            assert error / most < ours < most * error


def test_defaults():
    """A row of the table has what transformers takes for missing keys."""
    for kind, row in DEFAULTS.items():
        config = transformers.CONFIG_MAPPING[kind]()
        said = config.rope_parameters
        have = dict(said.get("full_attention", said), rope_parameters=said)
        if layer_types(config):
            have["rope_local_base_freq"] = said["sliding_attention"]["rope_theta"]
        if "global_head_dim" in row:
            sizes = {name: config.per_layer_config[name].head_dim for name in said}
            have.update(head_dim=sizes["sliding_attention"], global_head_dim=sizes["full_attention"])
        for key, value in row.items():
            got = have[key] if key in have else getattr(config, key)
            assert (value.items() <= got.items()) if isinstance(value, dict) else value == got, (kind, key)
        assert kind == "gemma4_text" or ("partial_rotary_factor" in row) == ("partial_rotary_factor" in said)


def parameters(found):
    return {
        layer: (
            p.d_model,
            p.base,
            {k: v for k, v in p.scaling.items() if v is not None and k != "type"},
            p.max_position_embeddings,
        )
        for layer, p in found.items()
    }


def forms(config):
    """The config.json of a config, in the form of transformers 5 and as transformers 4 wrote it, and without head_dim."""
    said = json.loads(config.to_json_string(use_diff=False))
    yield said
    yield {key: value for key, value in said.items() if key != "head_dim"}
    old = {key: value for key, value in said.items() if key not in ("rope_parameters", "partial_rotary_factor")}
    scaling = {"rope_type": "linear", "factor": 4.0}
    for more in ({}, {"rope_scaling": scaling}, {"partial_rotary_factor": 0.5}, {"rotary_pct": 0.5},
                 {"rotary_emb_base": 555555.0}, {"rope_local_base_freq": 5555.0},
                 {"rope_scaling": {"type": "linear", "factor": 4.0}}, {"position_embedding_type": "absolute"},
                 {"position_embedding_type": "rope"}, {"position_embedding_type": "rotary"}, {"alibi": True},
                 {"use_mem_rope": True}, {"use_mem_rope": False}, {"head_dim": 192, "qk_rope_head_dim": 64},
                 {"rope_parameters": {"rope_type": "default", "rope_theta": 333333.0}}):  # fmt: skip
        yield {**old, "rope_theta": 777777.0, **more}


@pytest.mark.parametrize("family", families.families()[0], ids=str)
def test_no_config_is_misread(family):
    """The config.json of every type is read as transformers reads it, or refused by the name of a key."""
    if family.unsupported or not family.model_type or "axial" in family.axes:
        pytest.skip("it is refused, or a part of another config")
    logging.disable(logging.WARNING)
    for i, said in enumerate(forms(family.config())):
        try:
            found = of_json(json.loads(json.dumps(said)))[1]
        except (ValueError, TypeError) as error:
            assert " is missing" in str(error) or "mrope" in str(error) or "phimoe" in str(error), error
            continue
        try:
            config = family.config() if i < 2 else family.config_class.from_dict(json.loads(json.dumps(said)))
            want = {layer or "": read(config, layer, None) for layer in layer_types(config) or [None]}
        except Exception as error:  # it refuses its own file, or a scaling
            logging.info("%s", error)
            continue
        own = {  # what their models read
            "esm": lambda: config.position_embedding_type == "rotary",
            "falcon": lambda: not config.alibi,
            "granitemoehybrid": lambda: config.position_embedding_type == "rope",
            "zamba2": lambda: config.use_mem_rope,
        }
        has_rotary = own.get(family.model_type, lambda: True)()
        assert parameters(found) == (parameters(want) if has_rotary else {}), said


def inv_freq_dtypes(module):
    return {buffer.dtype for name, buffer in module.named_buffers() if name.endswith("inv_freq")}


def test_what_audit_says_of_bfloat16(tmp_path):
    sizes = dict(hidden_size=32, intermediate_size=32, num_attention_heads=2, num_hidden_layers=1, vocab_size=9)
    transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes)).save_pretrained(tmp_path)
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.bfloat16)
    assert model.dtype == torch.bfloat16 and inv_freq_dtypes(model) == {torch.float32}
    assert inv_freq_dtypes(model.to(torch.bfloat16)) == {torch.bfloat16}


@pytest.mark.parametrize("family", families.families()[0], ids=str)
def test_frequencies_of_a_model_in_bfloat16(family):
    """from_pretrained makes the modules of a bfloat16 model with this default dtype."""
    config, default = family.config(), torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.bfloat16)
        rotary = family.rotary(config)
    finally:
        torch.set_default_dtype(default)
    assert inv_freq_dtypes(rotary) <= {torch.float32}
    assert inv_freq_dtypes(rotary.to(torch.bfloat16)) <= {torch.bfloat16}

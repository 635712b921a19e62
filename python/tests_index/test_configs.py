"""`python3 -m posenc audit config.json`, which reads keys, beside the rotary modules of the installed transformers."""

import collections
import copy
import json
import logging

import numpy as np
import pytest
import torch

transformers = pytest.importorskip("transformers")

import families  # noqa: E402

import posenc  # noqa: E402
from posenc._audit import of_parts  # noqa: E402
from posenc._config import parts  # noqa: E402

LLAMA = dict(model_type="llama", hidden_size=4096, num_attention_heads=32, rms_norm_eps=1e-5)
LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0)
LLAMA3["original_max_position_embeddings"] = 8192
QWEN = dict(hidden_size=3584, num_attention_heads=28, max_position_embeddings=32768, rope_theta=1e6, vocab_size=152064)
MROPE = dict(rope_type="default", type="default", mrope_section=[16, 24, 24])
PHI = dict(short_factor=[1 + k / 50 for k in range(48)], long_factor=[1 + k / 2 for k in range(48)])
YARN = dict(rope_type="yarn", factor=32.0, beta_fast=32.0, beta_slow=1.0, truncate=False)
YARN["original_max_position_embeddings"] = 4096
LAYERS = ["sliding_attention"] * 4 + ["full_attention"]
GEMMA_4 = {
    "sliding_attention": dict(rope_type="default", rope_theta=1e4),
    "full_attention": dict(rope_type="proportional", partial_rotary_factor=0.25, rope_theta=1e6),
}
SIGLIP = dict(model_type="siglip_vision_model", hidden_size=1152, image_size=896, num_attention_heads=16, patch_size=14)
WHISPER = dict(d_model=1280, encoder_attention_heads=20, encoder_layers=32, max_source_positions=1500, num_mel_bins=128)
VISION = dict(hidden_size=1280, num_heads=16, depth=32, patch_size=14)
#: Configs as people post them, without most of the keys that matter to nothing here. They were not compared with the
#: models' files, so no page names a model with errors of them; the factors of Phi-3 are certainly not its own.
#: Then what transformers has for each part: a type of configs, whose rotary modules are compared with it, or a reason why
#: there is none. Last what explains a difference, as a name in the part's `assumed`.
CONFIGS = {
    "Llama 2": (dict(LLAMA, max_position_embeddings=4096, torch_dtype="float16"), {"": "llama"}),
    "Llama 3": (dict(LLAMA, max_position_embeddings=8192, rope_theta=500000.0), {"": "llama"}),
    "Llama 3.1": (dict(LLAMA, max_position_embeddings=131072, rope_theta=500000.0, rope_scaling=LLAMA3, torch_dtype="bfloat16"), {"": "llama"}),
    "Qwen 2.5": (dict(QWEN, model_type="qwen2"), {"": "qwen2"}),
    "Qwen2-VL": (dict(QWEN, model_type="qwen2_vl", rope_scaling=MROPE, vision_config=dict(VISION, embed_dim=1280)), {"": "qwen2_vl_text"}),
    "Mistral": (dict(LLAMA, model_type="mistral", max_position_embeddings=32768, rope_theta=10000.0), {"": "mistral"}),
    "Phi-3 LongRoPE": (
        dict(model_type="phi3", hidden_size=3072, num_attention_heads=32, max_position_embeddings=131072, original_max_position_embeddings=4096, rope_theta=10000.0, rope_scaling=dict(PHI, type="longrope")),
        {"": "phi3"},
    ),
    "Gemma 3": (  # the small ones leave most keys out
        dict(model_type="gemma3", vision_config=SIGLIP, text_config=dict(model_type="gemma3_text", hidden_size=2560, rope_scaling=dict(factor=8.0, rope_type="linear"))),
        {"text_config": "gemma3_text"}, "columns",
    ),
    "Gemma 4": (
        dict(model_type="gemma4", text_config=dict(model_type="gemma4_text", head_dim=256, rope_parameters=GEMMA_4, max_position_embeddings=131072, layer_types=LAYERS, num_hidden_layers=5, global_head_dim=512)),
        {"text_config, sliding_attention": "gemma4_text", "text_config, full_attention": "gemma4_text"},
    ),
    "gpt-oss": (dict(model_type="gpt_oss", hidden_size=2880, num_attention_heads=64, head_dim=64, max_position_embeddings=131072, rope_theta=150000, rope_scaling=YARN), {"": "gpt_oss"}),
    "GPT-NeoX": (dict(model_type="gpt_neox", hidden_size=6144, num_attention_heads=64, max_position_embeddings=2048, rotary_emb_base=10000, rotary_pct=0.25), {"": "gpt_neox"}),
    "Falcon": (dict(model_type="falcon", alibi=False, hidden_size=4544, n_head=71, num_attention_heads=71, multi_query=True, layer_norm_epsilon=1e-5), {"": "falcon"}),
    "ESM-2": (dict(model_type="esm", hidden_size=1280, num_attention_heads=20, max_position_embeddings=1026, position_embedding_type="rotary", vocab_size=33), {"": "esm"}),
    "DBRX": (dict(model_type="dbrx", d_model=6144, n_heads=48, max_seq_len=32768, attn_config=dict(clip_qkv=8, kv_n_heads=8, model_type="", rope_theta=500000)), {"": "dbrx"}, "base"),  # transformers 5 does not read this key
    "NomicBERT": (dict(model_type="nomic_bert", n_embd=768, n_head=12, n_positions=8192, rotary_emb_base=1000, rotary_emb_fraction=1.0, rotary_scaling_factor=None, type_vocab_size=2), {"": "nomic_bert"}),
    "GPT-J": (dict(model_type="gptj", n_embd=4096, n_head=16, n_positions=2048, rotary=True, rotary_dim=64), {"": "gptj"}),
    "ModernBERT": (
        dict(model_type="modernbert", global_rope_theta=160000.0, local_rope_theta=10000.0, hidden_size=768, num_attention_heads=12, max_position_embeddings=8192, position_embedding_type="absolute"),
        {"full_attention": "modernbert", "sliding_attention": "modernbert"},
    ),
    "Gemma 3n": (
        dict(model_type="gemma3n", text_config=dict(model_type="gemma3n_text", head_dim=256, hidden_size=2048, num_attention_heads=8, max_position_embeddings=32768, rope_theta=1e6, rope_local_base_freq=1e4, rope_scaling=None), audio_config=dict(hidden_size=1536, conf_num_attention_heads=8)),
        {"text_config, full_attention": "gemma3n_text", "text_config, sliding_attention": "gemma3n_text"},
    ),
    "Olmo 3": (dict(LLAMA, model_type="olmo3", layer_types=LAYERS, num_hidden_layers=5, max_position_embeddings=65536, rope_theta=500000, rope_scaling=dict(YARN, factor=8.0, truncate=True, attention_factor=1.2079441541679836, original_max_position_embeddings=8192)), {"": "olmo3"}),
    "Apertus": (dict(LLAMA, model_type="apertus", max_position_embeddings=65536, rope_theta=12000000, rope_scaling=LLAMA3), {"": "apertus"}),
    "LLaVA 1.5": (
        dict(model_type="llava", torch_dtype="float16", text_config=dict(model_type="llama", max_position_embeddings=4096, rms_norm_eps=1e-5, vocab_size=32064), vision_config=dict(SIGLIP, model_type="clip_vision_model", vocab_size=32000)),
        {"text_config": "llama"},
    ),
    "DINOv3": (dict(model_type="dinov3_vit", hidden_size=384, num_attention_heads=6, image_size=224, patch_size=16, rope_theta=100.0), {"": "dinov3_vit"}),
    "InternVL": (dict(model_type="internvl_chat", llm_config=dict(QWEN, model_type="qwen2", rope_scaling=dict(type="dynamic", factor=2.0)), vision_config=dict(SIGLIP, model_type="intern_vit_6b")), {"llm_config": "qwen2"}),
    "DeepSeek-VL2": (  # without latent attention, its code makes the rotary embedding of Llama
        dict(model_type="deepseek_vl_v2", language_config=dict(model_type="deepseek_v2", hidden_size=1280, num_attention_heads=10, max_position_embeddings=4096, qk_rope_head_dim=0, use_mla=False, vocab_size=129280), vision_config=dict(layers=27, patch_size=14, width=1152)),
        {"language_config": "llama"},
    ),
    "Janus": (dict(model_type="multi_modality", language_config=dict(model_type="llama", max_position_embeddings=16384, num_hidden_layers=30, vocab_size=102400), vision_config=dict(cls="CLIPVisionTower", params=dict(image_size=384))), {"language_config": "llama"}),
    "Qwen3-ASR": (
        dict(model_type="qwen3_asr", thinker_config=dict(dtype="bfloat16", audio_config=WHISPER, text_config=dict(QWEN, head_dim=128, hidden_size=2048, num_attention_heads=16, rope_scaling=dict(rope_type="default", mrope_interleaved=True, mrope_section=[24, 20, 20])))),
        {"thinker_config.text_config": "qwen3"},
    ),
    "Qwen2.5-Omni": (
        dict(
            model_type="qwen2_5_omni", torch_dtype="bfloat16",
            talker_config=dict(QWEN, model_type="qwen2_5_omni_talker", hidden_size=896, num_attention_heads=12, head_dim=128, rope_scaling=MROPE, vocab_size=8448),
            thinker_config=dict(audio_config=WHISPER, vision_config=VISION, text_config=dict(QWEN, model_type="qwen2_5_omni_text", rope_scaling=MROPE)),
        ),
        {"thinker_config.text_config": "qwen2_5_omni_text", "talker_config": "qwen2_5_omni_talker"},
    ),
    "Baichuan": (dict(LLAMA, model_type="baichuan", max_position_embeddings=4096, model_max_length=4096), {"": "llama"}),
    "Hunyuan": (
        dict(LLAMA, model_type="hunyuan_v1_dense", head_dim=128, attention_head_dim=128, max_position_embeddings=32768, rope_theta=10000.0, rope_scaling=dict(type="dynamic", alpha=1000.0, factor=1.0, beta_fast=32, beta_slow=1, mscale=1.0, mscale_all_dim=1.0)),
        {"": "hunyuan_v1_dense"},
    ),
}  # fmt: skip


def find(config, path):
    for key in filter(None, path.split(".")):
        config = config[key]
    return config


def rotary_of(kind, config, layer):
    """The rotary module that a model of this type makes from a config.json."""
    classes = [each for each in families.families()[0] if each.model_type == kind]
    if kind == "dinov3_vit":  # its class has another name
        module = pytest.importorskip("transformers.models.dinov3_vit.modeling_dinov3_vit")
        return module.DINOv3ViTRopePositionEmbedding(transformers.CONFIG_MAPPING[kind].from_dict(copy.deepcopy(config)))
    if not classes or kind not in transformers.CONFIG_MAPPING:
        return None
    config_of_class = classes[0].config_class.from_dict(copy.deepcopy(config))
    names = ("rope_local_base_freq", "local_rope_theta") if layer == "sliding_attention" else ("global_rope_theta",)
    theta = next((config[name] for name in names if name in config), None)
    if theta:  # models of transformers 4 make a module for each type of layers so
        config_of_class.rope_theta = theta
    return classes[0].rotary(config_of_class)


def frequencies_of(rotary, layer):
    """A module's inv_freq as an array; None if it has a table, as GPT-J."""
    names = (f"{layer}_inv_freq", "inv_freq", "full_attention_inv_freq")
    w = next((getattr(rotary, name) for name in names if getattr(rotary, name, None) is not None), None)
    return None if w is None else w.float().numpy().ravel()


def their_error(rotary, layer, part, count):
    """The largest error of a module's own cosines and sines in a sequence of this length."""
    r, worst = part.exact(count), [0, 0]
    n, layer = len(r.freqs), layer or "full_attention"
    types = [layer] if hasattr(rotary, f"{layer}_inv_freq") else []
    for start in range(0, count, 8192):
        rows = min(8192, count - start)
        places = torch.tensor([*range(start, start + rows), count - 1])[None]  # the last sets the length
        try:
            both = rotary(torch.zeros(1), places, *types)
        except (IndexError, RuntimeError):  # its tokens have three positions
            both = rotary(torch.zeros(1), places[None].expand(3, -1, -1), *types)
        right = posenc.pair(rows, 2 * n, first=start, dtype="float64", freqs=r.freqs, freqs_low=r.freqs_low)
        both = [values.reshape(-1, rows + 1, values.shape[-1])[0, :-1, :n].numpy() for values in both]
        for i, pair in enumerate(((right.cos, right.sin), (right.sin, right.cos))):  # GPT-J's module returns the latter
            worst[i] = max(worst[i], *(np.abs(x - r.attention_factor * y).max() for x, y in zip(both, pair)))
    return min(worst)


@pytest.mark.parametrize("name", CONFIGS)
def test_posted_configs(name, record_property):
    """Errors within 1 % of those of transformers' modules, or the reason for another number."""
    logging.disable(logging.WARNING)
    config, kinds, *reason = CONFIGS[name]
    embeddings, _ = parts(json.loads(json.dumps(config)))
    assert [part.name for part in embeddings] == [*kinds]
    for part, answer in zip(embeddings, of_parts(embeddings)):
        path, _, layer = part.name.rpartition(", ")
        if not path and not part.name.endswith("_attention"):
            path, layer = part.name, ""
        rotary = rotary_of(kinds[part.name], find(config, path), layer)
        if rotary is None:
            record_property(f"{name} {part.name}", "this transformers has no module that is made from a config")
            continue
        w = frequencies_of(rotary, layer)
        if reason:
            assert w.shape != part.used(1).shape or not np.allclose(w, part.used(1), rtol=0.1)
            line = part.assumed.get(reason[0]) or part.read[reason[0]]
            record_property(f"{name} {part.name}", f"another number: {line}")
            continue
        if w is not None:
            np.testing.assert_allclose(w, part.used(1), rtol=3e-6)
        if "axes" in part.assumed:
            record_property(f"{name} {part.name}", "the same frequencies, for positions that are no integers")
            continue
        theirs = [their_error(rotary, layer, part, count) for count in answer["below"]]
        record_property(f"{name} {part.name}", f"{answer['errors']['float32']}, transformers {theirs}")
        for ours, error in zip(answer["errors"]["float32"], theirs):
            assert error / 1.01 < ours < error * 1.01, (answer["errors"], theirs)


# ---- The configs of all types


def forms(config):
    """A config.json as transformers 5 writes it, and with keys dropped, moved and renamed."""
    saved = json.loads(config.to_json_string(use_diff=False))
    yield saved
    yield {key: value for key, value in saved.items() if key != "head_dim"}
    old = {key: value for key, value in saved.items() if key not in ("rope_parameters", "partial_rotary_factor")}
    linear, yarn = {"rope_type": "linear", "factor": 4.0}, {"rope_type": "yarn", "factor": 4.0}
    yield {**saved, "rope_scaling": linear}
    for more in ({}, {"rope_scaling": linear}, {"rope_scaling": {"type": "linear", "factor": 4.0}},
                 {"partial_rotary_factor": 0.5}, {"rotary_pct": 0.5}, {"rotary_emb_base": 555555.0},
                 {"rope_local_base_freq": 5555.0}, {"head_dim": 192, "qk_rope_head_dim": 64}, {"alibi": True},
                 {"position_embedding_type": "absolute"}, {"position_embedding_type": "rotary"},
                 {"use_mem_rope": True}, {"use_mem_rope": False},
                 {"rope_parameters": {"rope_type": "default", "rope_theta": 333333.0}},
                 {"rope_scaling": {**yarn, "original_max_position_embeddings": 500}, "original_max_position_embeddings": 999},
                 {"rope_scaling": yarn}):  # fmt: skip
        yield {**old, "rope_theta": 777777.0, **more}


def frequencies_by_layer(rotary):
    """Each inv_freq of a module, by its type of layers. Some modules have one that is no buffer."""
    tensors = {**dict(rotary.named_buffers()), **vars(rotary)}
    return {
        name[: -len("inv_freq")].rstrip("_"): value.float().numpy().ravel()
        for name, value in tensors.items()
        if isinstance(value, torch.Tensor) and name.endswith("inv_freq") and not name.endswith("original_inv_freq")
    }


def compared(form, rotary):
    """How the answer about a config.json differs from a module: one word for each of its inv_freq.

    "same": no difference. "assumed": the line says that it was assumed. "read": it names the key that it was read from.
    "none", "refused": no rotary embedding, or an error, each of which names a key."""
    try:
        embeddings, notes = parts(json.loads(json.dumps(form)))
    except ValueError as error:
        assert any(word in str(error) for word in ("columns", "rope_type", "partial_rotary_factor", *form))
        return ["refused"]
    if not embeddings:
        assert any(key in notes[0] for key in form)
        return ["none"]
    words = []
    for layer, theirs in frequencies_by_layer(rotary).items():
        part = next((each for each in embeddings if each.name == layer), embeddings[0])
        ours = part.used(1)
        if ours.shape == theirs.shape and np.allclose(np.sort(ours), np.sort(theirs), rtol=1e-4, atol=0):
            words.append("same")
            continue
        for quantity in ("columns", "base") if layer == "sliding_attention" else ("columns", "base", "scaling"):
            assert quantity in part.read or quantity in part.assumed, quantity
        words.append("assumed" if {*part.assumed} - {"dtype", "positions"} else "read")
    return words


@pytest.fixture(scope="module")
def counts():
    return {"saved": collections.Counter(), "changed": collections.Counter()}


@pytest.mark.parametrize("family", families.families()[0], ids=str)
def test_no_config_is_misread_in_silence(family, counts, record_property):
    logging.disable(logging.WARNING)
    try:
        config = family.config()
    except Exception as error:
        pytest.skip(f"it has no default config: {type(error).__name__}")
    for i, form in enumerate(forms(config)):
        try:
            rotary = family.rotary(family.config_class.from_dict(copy.deepcopy(form)))
        except Exception as error:  # the class refuses its own file, or a scaling
            words = [f"transformers: {type(error).__name__}"]
        else:
            words = compared(form, rotary)
        counts["changed" if i else "saved"].update(words)
        record_property(str(i), ", ".join(words))


def test_most_saved_configs_are_read(counts, record_property):
    """Of the files that transformers itself writes, few are not read as it reads them: towers whose positions have axes,
    and classes that ignore, or need, a key which others do not."""
    saved = counts["saved"]
    for kind, counter in counts.items():
        record_property(kind, str(dict(counter)))
    assert saved["same"] > 10 * (saved["read"] + saved["assumed"] + saved["refused"]), saved


@pytest.mark.parametrize("name", ["Llama 3.1", "Gemma 3", "Falcon", "LLaVA 1.5"])
def test_transformers_is_asked(name, tmp_path):
    """With --transformers, the frequencies are those of its modules, and defaults of its classes are assumed."""
    from posenc.torch._of_transformers import parts as asked

    config, kinds, *_ = CONFIGS[name]
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    embeddings, notes, version = asked(str(path))
    assert embeddings and notes == [] and version == transformers.__version__
    for key, kind in kinds.items():
        section = find(config, key)
        for layer in ("full_attention", "sliding_attention") if name == "Gemma 3" else ("",):
            w = frequencies_of(rotary_of(kind, section, layer), layer)
            (part,) = [p for p in embeddings if p.used(1).shape == w.shape and np.allclose(p.used(1), w, rtol=3e-6)]
            assert ("base" in part.read) == ("rope_theta" in section)

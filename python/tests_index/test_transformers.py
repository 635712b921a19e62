"""The rotary modules of posenc in models of Hugging Face's transformers: saved and loaded, compiled."""

import copy
import importlib

import pytest
import torch

transformers = pytest.importorskip("transformers")

import posenc.torch  # noqa: E402
from posenc.torch import rotary_like  # noqa: E402


SIZES = dict(hidden_size=64, intermediate_size=64, num_attention_heads=2)
SMALL = dict(SIZES, vocab_size=97, num_hidden_layers=2, num_key_value_heads=1)
LFM3 = dict(SMALL, pad_token_id=0, layer_types=["sliding_attention", "full_attention"])


def llama(dtype=torch.float32):
    config = transformers.LlamaConfig(**SMALL, head_dim=64, max_position_embeddings=2048)
    torch.manual_seed(0)
    return transformers.LlamaForCausalLM(config).to(dtype).eval()


def test_diffusers_timesteps():
    from diffusers.models.embeddings import Timesteps

    model = torch.nn.Sequential(Timesteps(320, True, 0), Timesteps(33, False, 1, 1000))
    at, theirs = torch.tensor([0.0, 0.25, 3, 999.5]), [*model]
    assert posenc.torch.replace_rotary(model).replaced == ["0", "1"]
    for ours, want in zip(model, theirs):
        assert type(ours) is posenc.torch.Timesteps
        bound = 2.0**-20 * (1 + at[:, None] * ours.scale)
        assert bool(((ours(at) - want(at)).abs() <= bound).all())


@pytest.mark.parametrize(
    "name, fields, inputs",
    [
        ("Lfm3", LFM3, dict(input_ids=torch.arange(20)[None], use_cache=False)),  # reads an attribute of its module
        ("PixtralVision", dict(SIZES, num_hidden_layers=2, patch_size=8), dict(pixel_values=torch.ones(1, 3, 64, 48))),
    ],
)
def test_other_models(name, fields, inputs):
    model = transformers.AutoModel.from_config(getattr(transformers, f"{name}Config")(**fields)).eval()
    with torch.no_grad():
        want = model(**inputs).last_hidden_state
        assert all(finding.error < 0.02 for finding in posenc.torch.audit(model))
        assert len(posenc.torch.replace_rotary(model).replaced) == 1
        assert torch.allclose(model(**inputs).last_hidden_state, want, rtol=0, atol=1e-5)


VIDEO = torch.zeros(2, 3, 5, 18, 12)


@pytest.mark.parametrize(
    "name, arguments, inputs",
    [
        ("flux.FluxPosEmbed", (10000, [16, 56, 56]), torch.tensor([[0, 1, 2], [3, 4.5, 600]])),
        ("flux2.Flux2PosEmbed", (2000, [32] * 4), torch.arange(12).reshape(3, 4)),
        ("wan.WanRotaryPosEmbed", (128, (1, 2, 2), 1024), VIDEO),
        ("wan_animate.WanRotaryPosEmbed", (40, (1, 2, 2), 1024), VIDEO.bfloat16()),
        ("chronoedit.ChronoEditRotaryPosEmbed", (128, (1, 2, 2), 1024), None),
        ("qwenimage.QwenEmbedRope", (10000, [16, 56, 56]), None),
        ("bria.BriaEmbedND", (10000, [16, 56, 56]), torch.tensor([[0, 1, 2], [3, 4.5, 600]])),
        ("bria.BriaEmbedND", (10000, [0, 56, 56]), torch.tensor([[0, 1, 2], [3, 4.5, 600]])),
        ("prx.PRXEmbedND", (64, 10000, [32, 32]), None),
    ],
)
def test_axes_of_diffusers(name, arguments, inputs):
    file, _, cls = name.partition(".")
    theirs = getattr(importlib.import_module(f"diffusers.models.transformers.transformer_{file}"), cls)(*arguments)
    model = torch.nn.Sequential(theirs)
    done = posenc.torch.replace_rotary(model)
    if inputs is None:
        assert not done.replaced and "docs/recipes.md has the calls" in done.left["0"]
        return
    assert done.replaced == ["0"]
    for call in (model, torch.compile(model, fullgraph=True, backend="aot_eager"), copy.deepcopy(model).bfloat16()):
        for ours, want in zip(call(inputs), theirs(inputs), strict=True):
            assert ours.dtype == want.dtype and ours.shape == want.shape and (ours - want).abs().max() <= 2.0**-24


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_model_saved_and_loaded(tmp_path, dtype):
    saved, tokens = llama(dtype=dtype), torch.arange(60).reshape(2, 30)
    saved.model.rotary_emb = rotary_like(saved.model.rotary_emb)
    saved.save_pretrained(tmp_path)
    loaded = transformers.LlamaForCausalLM.from_pretrained(tmp_path, dtype=dtype).eval()
    with torch.no_grad():
        theirs = loaded(tokens).logits  # a checkpoint contains nothing of posenc
        loaded.model.rotary_emb = rotary_like(loaded.model.rotary_emb)
        ours = loaded(tokens).logits
        assert torch.equal(ours, saved(tokens).logits)
    assert torch.allclose(ours, theirs, rtol=0, atol=1e-5 if dtype == torch.float32 else 2e-2)
    loaded.train()(tokens, labels=tokens).loss.backward()
    assert all(p.grad is not None for p in loaded.parameters())


def test_generation():
    model, tokens = llama(), torch.arange(1, 31).reshape(2, 15)
    posenc.torch.replace_rotary(model)
    options = dict(do_sample=False, pad_token_id=0, output_logits=True, return_dict_in_generate=True)
    output = model.generate(tokens, max_new_tokens=9, **options)
    with torch.no_grad():
        whole = model(output.sequences).logits[:, 14:-1]
    assert torch.allclose(torch.stack(output.logits, 1), whole, rtol=0, atol=1e-4)

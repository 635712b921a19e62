"""Functions of transformers, diffusers and timm that make position tables, and the posenc call that replaces each."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

import numpy as np
import real
from real import cos_first, halves, interleaved, ladder, pair, pairs, split

Numbers = Callable[[], Any]


@dataclasses.dataclass(frozen=True)
class Row:
    """Two calls, which are run, and shown in the document, exactly as they are here. `given` is run before them."""

    module: str  #: the module whose names `theirs` and `given` may use
    theirs: str
    ours: str
    real: Numbers  #: the values of both, before they are rounded to float32
    given: str = ""


def table(arrange: Callable[[Any], Any], count: int, w: list[Any], first: int = 0, step: int = 1) -> Numbers:
    return lambda: arrange(real.cis(first + step * np.arange(count), w))


def grid(shape: tuple[int, ...], *axes: tuple[Callable[[Any], Any], int, list[Any]]) -> Numbers:
    """For each axis, side by side, the arrangement of its coordinates times its frequencies."""

    def numbers() -> Any:
        at = np.indices(shape).reshape(len(shape), -1)
        return np.concatenate([arrange(real.cis(at[axis], w)) for arrange, axis, w in axes], -1)

    return numbers


def t2t(d: int) -> list[Any]:
    """The ladder of tensor2tensor: its last frequency is 1 / 10000."""
    return ladder(d // 2, d // 2 - 1)


def detr(*scales: Any) -> Any:
    rows = zip(np.indices((25, 34)).reshape(2, -1), scales)
    return np.concatenate([interleaved(real.cis(1 + at, [scale * w for w in ladder(64)])) for at, scale in rows], 1).T


def of_model(model: str, theirs: str, ours: str, real: Numbers, given: str = "") -> Row:
    return Row(f"transformers.models.{model}.modeling_{model}", theirs, ours, real, given)


def created(model: str, name: str, count: int, d: int) -> Row:
    """Functions that compute in NumPy and float64, with Python loops."""
    theirs, ours = f"{name}({count}, {d}).create_weight()", f'posenc.torch.table({count}, {d}, preset="marian")'
    return of_model(model, theirs, ours, table(split, count, ladder(d // 2)))


def got(model: str, name: str, count: int, d: int) -> Row:
    """Functions that compute in PyTorch and float32, as fairseq does."""
    theirs, ours = f"{name}.get_embedding({count}, {d}, None)", f'posenc.torch.table({count}, {d}, preset="fairseq")'
    return of_model(model, theirs, ours, table(split, count, t2t(d)))


def rotary(model: str, name: str, count: int, config: str, ours: str, w: list[Any]) -> Row:
    given = f"config = {name}Config({config}); x = torch.zeros(1); positions = torch.arange({count})[None]"
    theirs = f"{name}RotaryEmbedding(config)(x, positions)"
    return of_model(model, theirs, ours, table(halves, count, w), given)


def scaled(model: str, name: str, count: int, config: str, parameters: str, w: list[Any]) -> Row:
    config += f", rope_parameters=dict({parameters})"
    return rotary(model, name, count, config, "posenc.torch.RotaryEmbedding(config)(x, positions)", w)


FACTORS = [round(1.09**k, 2) for k in range(48)]
TRANSFORMERS = [
    created("marian", "MarianSinusoidalPositionalEmbedding", 512, 512),
    created("pegasus", "PegasusSinusoidalPositionalEmbedding", 512, 1024),
    created("roformer", "RoFormerSinusoidalPositionalEmbedding", 1536, 64),
    of_model(
        "distilbert", "create_sinusoidal_embeddings(512, 768, torch.empty(512, 768))",
        "posenc.torch.table(512, 768)", table(interleaved, 512, ladder(384)),
    ),
    of_model(
        "videomae", "get_sinusoid_encoding_table(1568, 768)",
        "posenc.torch.table(1568, 768)", table(interleaved, 1568, ladder(384)),
    ),
    of_model(
        "speecht5", "SpeechT5ScaledPositionalEncoding(0.1, 768, 5000).pe",
        "posenc.torch.table(5000, 768)", table(interleaved, 5000, ladder(384)),
    ),
    got("m2m_100", "M2M100SinusoidalPositionalEmbedding", 1026, 1024),
    got("fsmt", "SinusoidalPositionalEmbedding", 1026, 1024),
    got("speech_to_text", "Speech2TextSinusoidalPositionalEmbedding", 6002, 256),
    got("xglm", "XGLMSinusoidalPositionalEmbedding", 2050, 1024),
    got("trocr", "TrOCRSinusoidalPositionalEmbedding", 514, 1024),
    got("seamless_m4t", "SeamlessM4TSinusoidalPositionalEmbedding", 4098, 1024),
    of_model(
        "musicgen", "MusicgenSinusoidalPositionalEmbedding.get_embedding(2048, 1024)",
        'posenc.torch.table(2048, 1024, preset="musicgen")', table(cos_first, 2048, t2t(1024)),
    ),
    of_model(
        "whisper", "sinusoids(1500, 1280)",
        'posenc.torch.table(1500, 1280, preset="whisper")', table(split, 1500, t2t(1280)),
    ),
    of_model(
        "pegasus_x", "PegasusXSinusoidalPositionalEmbedding(1024)(torch.empty(1, 16384, 1024))",
        'posenc.torch.table(16384, 1024, preset="t2t")', table(split, 16384, t2t(1024)),
    ),
    of_model(
        "vibevoice", "VibeVoiceDiffusionHeadSinusoidalEmbedding(config)(torch.arange(1000))",
        'posenc.torch.table(1000, 256, preset="guided_diffusion")', table(cos_first, 1000, ladder(128)),
        "import types; config = types.SimpleNamespace(frequency_embedding_size=256, diffusion_max_period=10000)",
    ),
    of_model(
        "xlnet", "XLNetModel(config).relative_positional_encoding(1024, 1024)",
        'posenc.torch.table(positions=range(1024, -1024, -1), d_model=1024, preset="marian")',
        table(split, 2048, ladder(512), 1024, -1), "config = XLNetConfig(vocab_size=8, d_inner=8, n_layer=1)",
    ),
    of_model(
        "wav2vec2_conformer", "Wav2Vec2ConformerRelPositionalEmbedding(config).pe",
        "posenc.torch.table(positions=range(4999, -5000, -1), d_model=768)",
        table(interleaved, 9999, ladder(384), 4999, -1), "config = Wav2Vec2ConformerConfig(hidden_size=768)",
    ),
    of_model(
        "fastspeech2_conformer", 'FastSpeech2ConformerRelPositionalEncoding(config, {"positional_dropout_rate": 0}).pos_enc',
        "posenc.torch.table(positions=range(4999, -5000, -1), d_model=384)",
        table(interleaved, 9999, ladder(192), 4999, -1), "config = FastSpeech2ConformerConfig()",
    ),
    of_model(
        "ctrl", "positional_encoding(256, 1280, torch.float32)",
        'posenc.torch.table(256, 1280, preset="marian")', table(split, 256, ladder(640)),
    ),
    of_model(
        "gptj", "create_sinusoidal_positions(2048, 64)",
        'posenc.torch.table(2048, 64, preset="marian")', table(split, 2048, ladder(32)),
    ),
    of_model(
        "vit_mae", "build_2d_sinusoidal_position_embedding(14, 14, 768)",
        'posenc.torch.grid((14, 14), 768, layout="split")',
        grid((14, 14), (split, 0, ladder(192)), (split, 1, ladder(192))),
    ),
    of_model(
        "detr", 'DetrSinePositionEmbedding(128)((1, 256, 25, 34), "cpu", torch.float32)',
        "posenc.torch.grid((25, 34), 256, first=1).T", lambda: detr(1, 1),
    ),
    of_model(
        "detr", 'DetrSinePositionEmbedding(128, normalize=True)((1, 256, 25, 34), "cpu", torch.float32)',
        "posenc.torch.grid(positions=[y, x], d_model=256).T",
        lambda: detr(*(2 * real.mpmath.pi / (n + real.mpf(1e-6)) for n in (25, 34))),
        "y, x = (2 * np.pi * np.arange(1, n + 1) / (n + 1e-6) for n in (25, 34))",
    ),
    of_model(
        "wav2vec2_conformer", "Wav2Vec2ConformerRotaryPositionalEmbedding(config)(torch.empty(1, 1500, 1024))",
        'posenc.torch.pair(1500, 64, duplicated="halves")', table(halves, 1500, ladder(32)),
        "config = Wav2Vec2ConformerConfig(hidden_size=1024, num_attention_heads=16)",
    ),
    rotary("llama", "Llama", 4096, "head_dim=128", 'posenc.torch.pair(4096, 128, duplicated="halves")', ladder(64)),
    rotary("gemma", "Gemma", 8192, "head_dim=256", 'posenc.torch.pair(8192, 256, duplicated="halves")', ladder(128)),
    rotary(
        "gpt_neox", "GPTNeoX", 2048, "hidden_size=6144, num_attention_heads=64",
        'posenc.torch.pair(2048, 24, duplicated="halves")', ladder(12),
    ),
    rotary(
        "mistral", "Mistral", 32768, 'head_dim=128, rope_parameters=dict(rope_type="default", rope_theta=1e6)',
        'posenc.torch.pair(32768, 128, base=1e6, duplicated="halves")', ladder(64, base=1e6),
    ),
    of_model(
        "llama4", "Llama4TextRotaryEmbedding(config)(x, positions)",
        "posenc.torch.cis(131072, 128, base=5e5)", table(pair, 131072, ladder(64, base=5e5)),
        "config = Llama4TextConfig(head_dim=128); x = torch.zeros(1); positions = torch.arange(131072)[None]",
    ),
    scaled(
        "llama", "Llama", 16384, "head_dim=128", 'rope_type="linear", rope_theta=1e4, factor=8.0',
        ladder(64, factor=8),
    ),
    scaled(
        "llama", "Llama", 16384, "head_dim=128, max_position_embeddings=4096",
        'rope_type="dynamic", rope_theta=1e4, factor=2.0', real.dynamic(64, 1e4, 2, 16384, 4096),
    ),
    scaled(
        "llama", "Llama", 131072, "head_dim=128, max_position_embeddings=131072",
        'rope_type="llama3", rope_theta=5e5, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, '
        "original_max_position_embeddings=8192", real.llama3(64, 5e5, 8, 1, 4, 8192),
    ),
    scaled(
        "qwen2", "Qwen2", 131072, "hidden_size=5120, num_attention_heads=40",
        'rope_type="yarn", rope_theta=1e6, factor=4.0, original_max_position_embeddings=32768, attention_factor=1.0',
        real.yarn(64, 1e6, 4, 32768),
    ),
    scaled(
        "phi3", "Phi3", 131072, "max_position_embeddings=131072",
        'rope_type="longrope", rope_theta=1e4, original_max_position_embeddings=4096, attention_factor=1.0, '
        f"short_factor=[1.0] * 48, long_factor=[round(1.09**k, 2) for k in range(48)]", real.longrope(1e4, FACTORS),
    ),
]  # fmt: skip
DIFFUSERS = [
    Row("diffusers.models.embeddings", *row)
    for row in [
        (
            "get_timestep_embedding(timesteps, 320, True, 0)",
            "posenc.torch.timestep_embedding(timesteps, 320, True, 0)",
            table(cos_first, 1000, ladder(160)), "timesteps = torch.arange(1000)",
        ),
        (
            "get_timestep_embedding(timesteps, 128)",
            "posenc.torch.timestep_embedding(timesteps, 128)",
            table(split, 1000, t2t(128)), "timesteps = torch.arange(1000)",
        ),
        (
            "Timesteps(256, True, 0)(timesteps)",
            "posenc.torch.timestep_embedding(timesteps, 256, True, 0)",
            lambda: cos_first(real.cis(np.linspace(0, 999, 1024, dtype="f4"), ladder(128))),
            "timesteps = torch.from_numpy(np.linspace(0, 999, 1024, dtype='f4'))",
        ),
        (
            "SinusoidalPositionalEmbedding(1024, 4096).pe",
            "posenc.torch.table(4096, 1024)", table(interleaved, 4096, ladder(512)),
        ),
        (
            "get_1d_sincos_pos_embed_from_grid(1152, torch.arange(1024)).float()",
            'posenc.torch.table(1024, 1152, layout="split")', table(split, 1024, ladder(576)),
        ),
        (
            "get_2d_sincos_pos_embed(1152, 32, base_size=16).float()",
            'posenc.torch.grid((32, 32), 1152, axes=(1, 0), layout="split", position_scale=0.5)',
            grid((32, 32), (split, 1, ladder(288, factor=2)), (split, 0, ladder(288, factor=2))),
        ),
        (
            "get_3d_sincos_pos_embed(768, (45, 30), 13).float()",
            'posenc.torch.grid((13, 30, 45), (192, 288, 288), axes=(0, 2, 1), layout="split")',
            grid((13, 30, 45), (split, 0, ladder(96)), (split, 2, ladder(144)), (split, 1, ladder(144))),
        ),
        ("get_1d_rotary_pos_embed(128, 32768)", "posenc.torch.cis(32768, 128)", table(pair, 32768, ladder(64))),
        (
            "get_1d_rotary_pos_embed(64, 4096, use_real=True, repeat_interleave_real=False)",
            'posenc.torch.pair(4096, 64, duplicated="halves")', table(halves, 4096, ladder(32)),
        ),
        (
            "get_1d_rotary_pos_embed(128, 4096, use_real=True, freqs_dtype=torch.float64)",
            'posenc.torch.pair(4096, 128, duplicated="pairs")', table(pairs, 4096, ladder(64)),
        ),
        (
            "get_2d_rotary_pos_embed(64, ((0, 0), (32, 32)), (32, 32))",
            'posenc.torch.pair(positions=torch.cartesian_prod(at, at).flip(1), d_model=32, duplicated="pairs")',
            grid((32, 32), (pairs, 1, ladder(16)), (pairs, 0, ladder(16))), "at = torch.arange(32)",
        ),
        (
            "get_2d_rotary_pos_embed_lumina(96, 64, 64)",
            "posenc.torch.cis(positions=torch.cartesian_prod(at, at), d_model=48).mT",
            lambda: pair(real.cis(np.indices((64, 64)).reshape(2, -1).T, ladder(24)).swapaxes(1, 2)),
            "at = torch.arange(64)",
        ),
    ]
]  # fmt: skip
TIMM = [
    Row("timm.layers.pos_embed_sincos", *row)
    for row in [
        (
            "build_sincos2d_pos_embed([14, 14], 768, interleave_sin_cos=True)",
            'posenc.torch.grid((14, 14), 768, layout="split")',
            grid((14, 14), (split, 0, ladder(192)), (split, 1, ladder(192))),
        ),
        (
            "build_sincos2d_pos_embed([14, 14], 768)",
            'posenc.torch.grid((14, 14), 768, layout="split").view(196, 2, 2, 192).transpose(1, 2)',
            lambda: grid((14, 14), (split, 0, ladder(192)), (split, 1, ladder(192)))().reshape(196, 2, 2, 192).swapaxes(1, 2),
        ),
        (
            "build_fourier_pos_embed([32, 32], num_bands=32, in_pixels=False)[::-1]",
            "posenc.torch.pair(positions=torch.cartesian_prod(at, at), d_model=64)",
            grid((32, 32), (pair, 0, ladder(32)), (pair, 1, ladder(32))), "at = torch.arange(32)",
        ),
        (
            "RotaryEmbedding(64, in_pixels=False, feat_shape=[64, 64]).get_embed()[::-1]",
            'posenc.torch.pair(positions=torch.cartesian_prod(at, at), d_model=32, duplicated="pairs")',
            grid((64, 64), (pairs, 0, ladder(16)), (pairs, 1, ladder(16))), "at = torch.arange(64)",
        ),
    ]
]  # fmt: skip
MODULES = {
    "transformers.models": TRANSFORMERS,
    "diffusers.models.embeddings": DIFFUSERS,
    "timm.layers.pos_embed_sincos": TIMM,
}

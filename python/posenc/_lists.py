"""Lists of the implementations and presets of the library."""

from __future__ import annotations

from typing import NamedTuple

from ._library import library


class Implementation(NamedTuple):
    """One algorithm for one instruction set. `implementations` describes the fields."""

    name: str
    family: str
    isa: str
    arithmetic: str
    summary: str
    bound: str
    evidence: str
    dtypes: tuple[str, ...]
    correctly_rounded: bool
    supported: bool
    default: bool


class Preset(NamedTuple):
    """The table of a real system. `presets` describes the fields."""

    name: str
    formula: str
    users: str
    starts: str


def implementations() -> list[Implementation]:
    """Returns the implementations in the loaded library: each is one algorithm for one instruction set.

    The members of a family follow each other, from the fastest on. The name of a family means its first supported
    member. Each implementation is a named tuple:

    - name: the name that `impl=` takes
    - family: its name without the instruction set, which `impl=` takes too
    - isa: the instruction set, "avx2", for example, or "any"
    - arithmetic: the arithmetic of angle and sine, such as "float32 libm"
    - summary: what it computes, in one line
    - bound: an upper bound of the distance between output and real value, in symbols
    - evidence: how the bound is known, "proved", "upstream" or "measured"
    - dtypes: the dtypes that it computes
    - correctly_rounded: whether every output is the number of the dtype that is nearest to the real value
    - supported: whether this machine can run it
    - default: whether this machine uses it for ``impl=None``
    """
    default = library.posenc_impl_find(None).contents.name
    rows = []
    for i in range(library.posenc_impl_count()):
        row = library.posenc_impl_by_index(i)
        *texts, dtypes, correctly_rounded = [getattr(row.contents, name) for name, _ in row.contents._fields_]
        found = [text.decode() for text in texts] + [tuple(dtypes.decode().split()), bool(correctly_rounded)]
        here = bool(library.posenc_impl_supported(row)), row.contents.name == default
        rows.append(Implementation._make([*found, *here]))
    return rows


def presets() -> list[Preset]:
    """Returns the presets: the tables of real systems that `preset=` names.

    Each preset is a named tuple with the fields name, formula, users and starts. `starts` is the position at which the
    users start. Presets never shift positions: give it as ``first=``. In this list, d is d_model and n is ``d // 2``:

    - paper: 10000^(-2k/d), interleaved, sine first, an odd width ends in a sine (Vaswani et al. 2017, the PyTorch
      tutorial, The Annotated Transformer, DistilBERT, XLM, FlauBERT, VideoMAE, the text encoder of SpeechT5; each axis
      of DETR, from 1)
    - marian: 10000^(-2k/d), sines then cosines, an odd width has one more sine (Hugging Face Marian, Pegasus, RoFormer,
      CTRL, Informer, Autoformer; of even widths the TensorFlow tutorial, GPT-J, CodeGen, XLNet (from the last position
      down); each axis of ViTMAE)
    - t2t: 10000^(-k/(n-1)), sines then cosines, an odd width ends in a column of zeros (tensor2tensor; of even widths
      Pegasus-X; each axis of the simple ViT)
    - ddpm: 10000^(-k/(n-1)), sines then cosines, an odd width ends in a column of zeros (the timesteps of DDPM)
    - fairseq: 10000^(-k/(n-1)), sines then cosines, an odd width ends in a column of zeros (fairseq, FSMT, Speech2Text,
      M2M100, NLLB-MoE, SeamlessM4T, XGLM, TrOCR, Kosmos-2, the speech encoder of SpeechT5)
    - whisper: 10000^(-k/(n-1)), sines then cosines, even widths from 4 (the encoders of Whisper and of Qwen2.5-Omni's
      audio)
    - musicgen: 10000^(-k/(n-1)), cosines then sines, an odd width ends in a column of zeros (MusicGen, MusicGen Melody)
    - guided_diffusion: 10000^(-k/n), cosines then sines, an odd width ends in a column of zeros (the timesteps of
      guided-diffusion, GLIDE, DiT, ggml)
    - diffusers: 10000^(-k/(n-1)), sines then cosines, an odd width ends in a column of zeros; for other
      downscale_freq_shift, flip_sin_to_cos and scale set denominator n - shift, order and position_scale
      (get_timestep_embedding of diffusers, by its defaults)
    - rope: 10000^(-2k/d), cosines then sines, even widths; posenc_fill_pair() for two arrays (caches of rotary
      embeddings)
    - rothman: 10000^(-4k/d), interleaved, sine first, even widths: the exponent is doubled by a slip (a notebook of
      Rothman, Transformers for Natural Language Processing)
    """
    rows = [library.posenc_preset_by_index(i).contents for i in range(library.posenc_preset_count())]
    return [Preset(*(getattr(row, name).decode() for name, _ in row._fields_)) for row in rows]

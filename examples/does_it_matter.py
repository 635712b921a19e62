"""Shows what wrong rotary angles do to the predictions of a small language model:

    python3 does_it_matter.py            # needs transformers; took 45 minutes on two busy cores

It trains small Llamas in float32, one for each seed, on the bytes of the documentation strings of Python's standard
library. Every tenth file is held out. Then it measures the loss on the held-out text, by position, with the same
weights and different rotary angles. docs/accuracy.md shows and explains the result.
"""

import argparse
import ast
import concurrent.futures
import functools
import math
import multiprocessing
import pathlib
import platform
import sys
import sysconfig
import tempfile
import time

import torch
import transformers

import posenc.torch

CONTEXT = 1024  # bytes in a sequence; a training step has one
RANGES = ((0, 128), (128, 256), (256, 512), (512, 768), (768, 1024), (0, 1024))  # positions; the last range is all
BASE, PAIRS = 10000, 32  # Llama's rotary embedding for heads of 64 columns
NEAR = 128  # bytes that a model may see in the row that shows what distant bytes are worth


def read_text():
    """Returns the documentation strings of Python's standard library as bytes: for training, and held out."""
    library = pathlib.Path(sysconfig.get_path("stdlib"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    files = []
    for path in sorted(library.rglob("*.py")):
        if {"test", "tests", "idle_test", "site-packages", "dist-packages"}.intersection(
            path.relative_to(library).parts
        ):
            continue
        try:
            nodes = list(ast.walk(ast.parse(path.read_bytes())))
        except (SyntaxError, ValueError):  # lib2to3 has files that are meant to be wrong
            continue
        texts = [ast.get_docstring(node) for node in nodes if isinstance(node, documented)]
        files.append("\n\n".join(filter(None, texts)).encode() + b"\n\n")
    held_out = b"".join(files[::10])
    del files[::10]
    return [torch.frombuffer(bytearray(text), dtype=torch.uint8).long() for text in (b"".join(files), held_out)]


def train(text, seed, steps):
    """Returns a model trained on random pieces of the text."""
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=256,
        hidden_size=192,
        intermediate_size=512,
        num_hidden_layers=4,
        num_attention_heads=3,
        max_position_embeddings=CONTEXT,
        bos_token_id=None,
        eos_token_id=None,
    )
    model = transformers.LlamaForCausalLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.5e-3, betas=(0.9, 0.95), weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(  # 100 steps of warm-up, then a cosine to a tenth
        optimizer, lambda step: min((step + 1) / 100, 0.55 + 0.45 * math.cos(math.pi * step / steps))
    )
    begin, recent = time.monotonic(), []
    for step in range(1, steps + 1):
        start = int(torch.randint(len(text) - CONTEXT, ()))
        tokens = text[None, start : start + CONTEXT]
        loss = model(tokens, labels=tokens).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        recent.append(loss.item())
        if step % 100 == 0 or step == steps:
            mean, minutes = sum(recent) / len(recent), (time.monotonic() - begin) / 60
            print(f"seed {seed}: step {step} of {steps}, loss {mean:.3f}, {minutes:.1f} min", file=sys.stderr)
            recent.clear()
    return model


class RoundedAngles(torch.nn.Module):
    """A rotary module that computes positions, frequencies and angles in the dtype of the model."""

    def __init__(self, frequencies):
        super().__init__()
        self.frequencies = frequencies

    def forward(self, x, position_ids):
        angles = position_ids[..., None].to(x.dtype) * self.frequencies.to(x.dtype)
        angles = torch.cat((angles, angles), -1)
        return angles.cos(), angles.sin()


def variants(folder):
    """Yields rows of the table: a name, a model, and how many bytes it sees. All bfloat16 models have equal weights."""
    load = transformers.AutoModelForCausalLM.from_pretrained
    trained = load(folder, dtype=torch.float32)
    yield "float32", trained, CONTEXT
    yield f"float32, seeing {NEAR} bytes only", trained, NEAR

    loaded = load(folder, dtype=torch.bfloat16)
    assert loaded.model.rotary_emb.inv_freq.dtype == torch.float32
    yield "bfloat16, by `from_pretrained`", loaded, CONTEXT

    converted = trained.to(torch.bfloat16)
    assert converted.model.rotary_emb.inv_freq.dtype == torch.bfloat16
    assert all(map(torch.equal, loaded.parameters(), converted.parameters()))  # so only the angles differ
    yield "bfloat16, by `model.to`", converted, CONTEXT

    assert posenc.torch.replace_rotary(converted).replaced == ["model.rotary_emb"]
    yield "the same after `replace_rotary`", converted, CONTEXT

    converted.model.rotary_emb = RoundedAngles(loaded.model.rotary_emb.inv_freq)
    yield "bfloat16, angles too", converted, CONTEXT
    converted.model.rotary_emb = RoundedAngles(torch.zeros(PAIRS))
    yield "bfloat16, no rotation", converted, CONTEXT


@torch.no_grad()
def evaluate(model, reach, sequences):
    """Returns losses and likeliest next bytes by sequence and position, and the largest error of a cosine or sine."""
    distances = torch.arange(CONTEXT)[:, None] - torch.arange(CONTEXT)
    mask = None if reach == CONTEXT else ((0 <= distances) & (distances < reach))[None, None]
    losses, likeliest = [], []
    for tokens in sequences.split(1):
        logits = model.eval()(tokens, attention_mask=mask).logits[:, :-1].float()
        losses.append(torch.nn.functional.cross_entropy(logits.mT, tokens[:, 1:], reduction="none"))
        likeliest.append(logits.argmax(-1))
    positions = torch.arange(CONTEXT)
    tables = model.model.rotary_emb(torch.zeros(1, dtype=model.dtype), positions[None])
    angles = torch.outer(positions.double(), BASE ** (-torch.arange(PAIRS).double() / PAIRS))
    errors = [(table[0, :, :PAIRS] - right).abs().max() for table, right in zip(tables, (angles.cos(), angles.sin()))]
    return torch.cat(losses), torch.cat(likeliest), max(errors).item()


def run(seed, steps, sequences, folder):
    """Trains a model, unless the folder has it. Returns, for each row: error, losses and agreements by range."""
    torch.set_num_threads(1)  # the seeds run in parallel
    transformers.utils.logging.disable_progress_bar()
    text, held_out = read_text()
    starts = torch.linspace(0, len(held_out) - CONTEXT, sequences).long().tolist()
    held_out = torch.stack([held_out[start : start + CONTEXT] for start in starts])
    model_folder = pathlib.Path(folder) / f"seed-{seed}-steps-{steps}"
    if not model_folder.exists():
        train(text, seed, steps).save_pretrained(model_folder)
    rows = {}
    for name, model, reach in variants(model_folder):
        print(f"seed {seed}: evaluating {name}", file=sys.stderr)
        losses, likeliest, error = evaluate(model, reach, held_out)
        if name == "float32":
            expected = likeliest
        by_range = [losses[:, begin:end].double().mean().item() for begin, end in RANGES]
        agreements = [(likeliest == expected)[:, begin:end].double().mean().item() for begin, end in RANGES]
        rows[name] = error, torch.tensor(by_range), torch.tensor(agreements)
    return rows


def print_table(runs):
    """Prints the mean losses of the float32 models; for the other rows, mean increases of the loss, and agreements."""
    headings = [
        "rotary angles",
        "largest error",
        *(f"{begin}-{end - 1}" for begin, end in RANGES[:-1]),
        "all, by seed",
    ]
    print("|", " | ".join(headings), "|\n|---" + "|---:" * (len(headings) - 1) + "|")
    for name in runs[0]:
        errors, losses, agreements = zip(*(rows[name] for rows in runs))
        losses, agreements = torch.stack(losses), torch.stack(agreements).mean(0) * 100
        if name == "float32":
            reference = losses
            means = [f"{loss:.4f}" for loss in losses.mean(0)]
            each = [f"{loss:.4f}" for loss in losses[:, -1]]
        else:
            losses = losses - reference
            means = [f"{loss:+.4f} ({percent:.1f} %)" for loss, percent in zip(losses.mean(0), agreements)]
            each = [f"{loss:+.4f}" for loss in losses[:, -1]]
        print("|", " | ".join([name, f"{max(errors):.2g}", *means[:-1], ", ".join(each)]), "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3, help="number of models (default: 3)")
    parser.add_argument("--steps", type=int, default=1800, help="training steps of each model (default: 1800)")
    parser.add_argument("--sequences", type=int, default=64, help="held-out sequences (default: 64)")
    parser.add_argument("--keep", metavar="FOLDER", help="store the trained models here, and use those already here")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as temporary,
        concurrent.futures.ProcessPoolExecutor(options.seeds, multiprocessing.get_context("spawn")) as pool,
    ):
        settings = {"steps": options.steps, "sequences": options.sequences, "folder": options.keep or temporary}
        runs = list(pool.map(functools.partial(run, **settings), range(options.seeds)))
    print_table(runs)
    print(f"\nPython {platform.python_version()}, PyTorch {torch.__version__}, transformers {transformers.__version__}")


if __name__ == "__main__":
    main()

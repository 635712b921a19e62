"""Measures posenc beside what Python programs use instead of it: NumPy, PyTorch, transformers, diffusers and JAX.

    python3 -B bench/peers.py [--quick] --json FILE

The participants of a job take turns: in each turn they do the job one after the other, in random order. A measurement
is the mean over as many calls as take 20 ms, after one untimed call. A call's time includes freeing its result.
Everything runs in one process, on one thread and one processor.

At one size of each job except forward, all values are compared with posenc's in float64, which are correctly rounded.
A case fails if the largest error is above 0.01: its values are not those of the same table.

FILE has the form of posenc-bench's JSON (bench/README.md). It names the peers that are not installed, with the reason.
The exit status is 1 if a case of posenc fails. posenc must be installed, or must be found by
PYTHONPATH=python LD_LIBRARY_PATH=build/release.
"""
import argparse
import importlib
import json
import math
import os
import platform
import random
import sys
import time

# Most libraries count threads and processors when they are loaded. JAX uses one thread only if it has one processor.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
os.environ |= {"TORCHINDUCTOR_COMPILE_THREADS": "1", "JAX_PLATFORMS": "cpu", "HF_HUB_OFFLINE": "1"}
os.sched_setaffinity(0, [max(os.sched_getaffinity(0))])
try:
    import numpy as np
    import posenc
except Exception as error:
    sys.exit(f"peers: posenc cannot be imported, so there is nothing to compare the others with: {error}")

MISSING = {}  # {package: the error when it was imported}


def described(error):
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def load(package):
    try:
        return importlib.import_module(package)
    except Exception as error:  # an inconsistent installation can raise anything
        MISSING[package] = described(error)


torch, posenc_torch, jax = load("torch"), load("posenc.torch"), load("jax")
llama, embeddings = load("transformers.models.llama.modeling_llama"), load("diffusers.models.embeddings")
if torch:
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)

# ---- Tables: each function returns a new float32 table of n rows and d columns. ----


def numpy_formula(n, d, dtype):
    """Computes in dtype, and rounds the sines and cosines to float32 when it stores them."""
    w = np.exp(np.arange(0, d, 2, dtype=dtype) * dtype(-math.log(10000.0) / d))
    angles = np.arange(n, dtype=dtype)[:, None] * w
    pe = np.empty((n, d), np.float32)
    pe[:, 0::2] = np.sin(angles)
    pe[:, 1::2] = np.cos(angles)
    return pe


def torch_tutorial(n, d):
    """Computes as PyTorch's tutorial does in its class PositionalEncoding. The table has the shape (n, 1, d)."""
    position = torch.arange(n).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
    pe = torch.zeros(n, 1, d)
    pe[:, 0, 0::2] = torch.sin(position * div_term)
    pe[:, 0, 1::2] = torch.cos(position * div_term)
    return pe


def jax_formula(n, d):
    w = jax.numpy.exp(jax.numpy.arange(0, d, 2, dtype="float32") * np.float32(-math.log(10000.0) / d))
    angles = jax.numpy.arange(n, dtype="float32")[:, None] * w
    return jax.numpy.stack([jax.numpy.sin(angles), jax.numpy.cos(angles)], axis=-1).reshape(n, d)


jax_compiled = jax and jax.jit(jax_formula, static_argnums=(0, 1))


def jax_jit(n, d):
    return jax_compiled(n, d).block_until_ready()


# ---- The other jobs. ----


class PositionalEncoding(torch.nn.Module if torch else object):
    """The module of PyTorch's tutorial."""

    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = torch.nn.Dropout(p=dropout)
        self.register_buffer("pe", torch_tutorial(max_len, d_model))

    def forward(self, x):
        return self.dropout(x + self.pe[: x.size(0)])


def positions(n):
    return torch.zeros(1, 1), torch.arange(n).unsqueeze(0)  # RotaryEmbedding reads only the dtype of the first


def steps(n):
    return np.arange(0, 1000, 1000 // n)[:n]  # the timesteps of a sampler with n steps


def compiled(recipe):
    def prepare(n, d):
        function, *arguments = recipe(n, d)
        return torch.compile(function, fullgraph=True, dynamic=False), *arguments

    return prepare


# ---- The participants and their jobs. ----

PEERS = {  # name: (what it is, the package that it needs)
    "exact": ("posenc.table", "posenc"),
    "anchored": ("posenc.table(..., impl='anchored')", "posenc"),
    "posenc.torch": ("the functions and modules of posenc.torch", "posenc.torch"),
    "numpy_f32": ("the formula in NumPy, float32", "numpy"),
    "numpy_f64": ("the formula in NumPy, float64, rounded once", "numpy"),
    "torch_tutorial": ("the code of PyTorch's tutorial", "torch"),
    "torch_compiled": ("the code of PyTorch's tutorial, by torch.compile", "torch"),
    "jax_f32": ("the formula in JAX, float32, by jax.jit", "jax"),
    "transformers_rotary": ("transformers' LlamaRotaryEmbedding", "transformers.models.llama.modeling_llama"),
    "diffusers": ("diffusers' get_timestep_embedding", "diffusers.models.embeddings"),
}
LLAMA = {"hidden_size": 512, "num_attention_heads": 4, "num_key_value_heads": 4, "max_position_embeddings": 8192}

JOBS = {  # job: {participant: recipe}. A recipe returns the function that is timed, and its arguments.
    "table": {
        "exact": lambda n, d: (posenc.table, n, d),
        "anchored": lambda n, d: (lambda n, d: posenc.table(n, d, impl="anchored"), n, d),
        "posenc.torch": lambda n, d: (posenc_torch.table, n, d),
        "numpy_f32": lambda n, d: (numpy_formula, n, d, np.float32),
        "numpy_f64": lambda n, d: (numpy_formula, n, d, np.float64),
        "torch_tutorial": lambda n, d: (torch_tutorial, n, d),
        "torch_compiled": compiled(lambda n, d: (torch_tutorial, n, d)),
        "jax_f32": lambda n, d: (jax_jit, n, d),
    },
    "rotary": {
        "posenc.torch": lambda n, d: (posenc_torch.RotaryEmbedding(d), *positions(n)),
        "transformers_rotary": lambda n, d: (llama.LlamaRotaryEmbedding(llama.LlamaConfig(**LLAMA)), *positions(n)),
    },
    "timesteps": {
        "posenc.torch": lambda n, d: (posenc_torch.timestep_embedding, torch.tensor(steps(n)), d),
        "diffusers": lambda n, d: (embeddings.get_timestep_embedding, torch.tensor(steps(n)), d),
    },
    "forward": {
        "posenc.torch": lambda n, d: (posenc_torch.SinusoidalPositionalEncoding(d).eval(), torch.ones(n, 32, d)),
        "torch_tutorial": lambda n, d: (PositionalEncoding(d).eval(), torch.ones(n, 32, d)),
    },
}
JOBS["rotary/compiled"] = {who: compiled(recipe) for who, recipe in JOBS["rotary"].items()}
JOBS["timesteps/compiled"] = {who: compiled(recipe) for who, recipe in JOBS["timesteps"].items()}
SLOW = ("numpy_f64", "torch_compiled")  # They take 1 to 3 s for the largest table, so a run leaves out this case.
SIZES = {  # A quick run has the first two of each job.
    "table": [(64, 128), (512, 512), (5000, 512), (131072, 1024)],
    "rotary": [(1, 128), (512, 128), (8192, 128)],
    "timesteps": [(2, 320), (64, 320), (1000, 320)],
    "forward": [(128, 512)],
}
RIGHT = {  # job: the correct values. They are compared at the third size, or at the second in a quick run.
    "table": lambda n, d: posenc.table(n, d, dtype="float64"),
    "rotary": lambda n, d: np.hstack([*posenc.pair(n, d, dtype="float64", duplicated="halves")]),  # cosines, sines
    "timesteps": lambda n, d: posenc.table(positions=steps(n), d_model=d, preset="diffusers", dtype="float64"),
}

# ---- Measuring. ----


def not_run():
    """Returns {participant: the reason why it does not run on this machine}."""
    found = {who: MISSING[package] for who, (_, package) in PEERS.items() if package in MISSING}
    if not any(i.supported and i.family == "anchored" for i in posenc.implementations()):
        found["anchored"] = "this processor does not run it"
    if torch and not hasattr(torch, "compile"):
        found["torch_compiled"] = f"PyTorch {torch.__version__} has no torch.compile"
    return found


def cases(absent, quick):
    """Yields (job, participant, n, d, function of the correct values or None). The participants are in random order."""
    for job, recipes in JOBS.items():
        able = [who for who in recipes if who not in absent and not ("/" in job and "torch_compiled" in absent)]
        sizes = SIZES[job.split("/")[0]][: 2 if quick else None]
        for size in sizes:
            for who in random.sample(able, len(able)):
                if size != SIZES["table"][-1] or who not in SLOW:
                    yield job, who, *size, RIGHT.get(job.split("/")[0]) if size == sizes[:3][-1] else None


def largest_error(result, right):
    parts = result if isinstance(result, tuple) else (result,)
    error = float(abs(np.hstack([np.asarray(part).reshape(len(right), -1) for part in parts]) - right).max())
    if not error <= 0.01:
        raise ValueError(f"off by {error:.2g}: not the same table")
    return error


def seconds(function, *arguments):
    """Returns the mean time of a call."""
    function(*arguments)
    calls, begin = 0, time.perf_counter()
    while (spent := time.perf_counter() - begin) < 0.02 or calls == 0:
        function(*arguments)
        calls += 1
    return spent / calls


def measure(absent, quick):
    """Returns the records of Google Benchmark's JSON."""
    ready, errors, records, turns = {}, {}, [], 3 if quick else 9
    for turn in range(turns + 1):
        print(f"peers: turn {turn} of {turns}" if turn else "peers: first calls", file=sys.stderr, flush=True)
        for job, who, n, d, right in cases(absent, quick):
            name = f"{job}/{who}/float32/n:{n}/d:{d}"
            record = {"run_name": name, "run_type": "iteration", "label": f"{job} {who} float32"}
            record |= {"positions": n, "columns": d, "rows": n, "wall": 1}
            try:
                if turn == 0:
                    function, *arguments = JOBS[job][who](n, d)
                    result = function(*arguments)  # compilers work in the first call
                    errors[name] = {"error": largest_error(result, right(n, d))} if right else {}
                    ready[name] = function, *arguments
                elif name in ready:
                    record |= {"repetition_index": turn - 1, "time_unit": "ns"} | errors[name]
                    records.append(record | {"real_time": seconds(*ready[name]) * 1e9})
            except Exception as error:
                print(f"peers: {name} failed: {described(error)}", file=sys.stderr)
                records.append(record | {"error_occurred": True, "error_message": described(error)})
                ready.pop(name, None)
    return records


def context(absent):
    date = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
    found = {"tool": "posenc-peers", "schema": "1", "date": date, "python": platform.python_version()}
    for who, (what, package) in PEERS.items():
        name = package.split(".")[0]
        title = {"numpy": "NumPy", "torch": "PyTorch", "jax": "JAX"}.get(name, name)
        if who in absent:
            found[f"not_run.{who}"] = absent[who]
        else:
            found |= {f"peer.{who}": what, f"peer_version.{who}": f"{title} {sys.modules[name].__version__}"}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two small sizes, three turns: shows that everything runs")
    parser.add_argument("--json", metavar="FILE", required=True, help="where to write the results")
    args = parser.parse_args()
    absent = not_run()
    records = measure(absent, args.quick)
    with open(f"{args.json}.new", "w", encoding="utf-8") as file:
        json.dump({"context": context(absent) | {"quick": args.quick}, "benchmarks": records}, file, indent=1)
    os.replace(file.name, args.json)
    return int(any("error_occurred" in r and PEERS[r["label"].split()[1]][1].startswith("posenc") for r in records))


if __name__ == "__main__":
    sys.exit(main())

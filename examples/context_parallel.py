"""Context parallelism: each process computes its part of the table. Needs PyTorch 2.5 or later.

    torchrun --standalone --nproc-per-node 2 context_parallel.py 8192 512

A row depends on its position alone. So the parts have the bits of a table from one process, and nothing is sent.
"""

import sys

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, empty

import posenc.torch


def main(length: int, d_model: int) -> None:
    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()

    # [part: share]
    share = -(-length // ranks)  # the last process may have fewer positions
    first = min(rank * share, length)
    part = posenc.torch.table(min(share, length - first), d_model, first=first)
    # [end: share]

    # [part: dtensor]
    mesh = init_device_mesh("cpu", (ranks,))
    table = empty(length, d_model, device_mesh=mesh, placements=[Shard(0)])  # sharded over positions
    shard = table.to_local()
    posenc.torch.table(len(shard), d_model, first=first, out=shard)
    # [end: dtensor]

    whole = posenc.torch.table(length, d_model)  # only for the comparison
    same = torch.equal(part, whole[first : first + share]) and torch.equal(table.full_tensor(), whole)
    start = f", row {first} starts {part[0, :4].tolist()}" if len(part) else ""
    print(
        f"process {rank} of {ranks}: {len(part)} positions{start}\n  the bits of one process: {same}\n",
        end="",
        flush=True,
    )
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

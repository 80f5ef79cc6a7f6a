"""Contractions by index letters, each beside the product of matrices of the same work.

    mpiexec -n 2 python bench/tensor.py [--quick]

The peer is `atoll.matmul` of as many multiplications on one group, whose blocks need no
rearrangement; NumPy's product on one rank's share of the work is the limit.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import atoll
import numpy as np
from atoll.tensor import einsum


def seconds(call: Callable[[], Any], rounds: int) -> float:
    """Give the best time of a collective call."""
    best = float("inf")
    for _ in range(rounds):
        atoll.sync()
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
    return float(atoll.world().reduce(best, "max"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Contractions beside products of matrices.")
    parser.add_argument("--quick", action="store_true", help="small arrays")
    size = 16 if parser.parse_args().quick else 32
    n, o, v = size * size, size // 2, size
    cases = {
        "ij,jk->ik": ((n, n), (n, n)),
        "ij,jk->ki": ((n, n), (n, n)),
        "iajb,bjkc->iakc": ((size,) * 4, (size,) * 4),  # a chain of pairs
        "ijab,acbd->ijcd": ((o, o, v, v), (v,) * 4),  # the ladder of coupled cluster
        "pqrs,pi->iqrs": ((v,) * 4, (v, o)),  # a quarter transformation
        "iajb,iajb->": ((size,) * 4, (size,) * 4),
    }
    random = np.random.default_rng(1)
    if atoll.rank() == 0:
        print(f"{atoll.size()} ranks, {atoll.nodes()} nodes; 10^9 multiplications and additions/s")
        print(f"{'letters':18} {'einsum':>8} {'matmul':>8} {'NumPy':>8}  einsum/matmul")
    for letters, shapes in cases.items():
        a, b = (atoll.from_numpy(random.standard_normal(shape)) for shape in shapes)
        extents = dict(zip(letters.split("->")[0].replace(",", ""), a.shape + b.shape, strict=True))
        work = 2.0 * np.prod([float(x) for x in extents.values()])
        side = max(1, round((work / 2) ** (1 / 3)))
        x, y = (atoll.from_numpy(random.standard_normal((side, side))) for _ in range(2))
        own = random.standard_normal((side, side))
        times = [
            seconds(call, 5)
            for call in (
                lambda a=a, b=b, letters=letters: einsum(letters, a, b),
                lambda x=x, y=y: atoll.matmul(x, y),
                lambda own=own: own @ own,
            )
        ]
        rates = [work / t / 1e9 for t in times[:2]]
        limit = 2.0 * side**3 / times[2] / 1e9 * atoll.size()
        if atoll.rank() == 0:
            ratio = rates[0] / rates[1]
            print(f"{letters:18} {rates[0]:8.2f} {rates[1]:8.2f} {limit:8.2f}  {ratio:.2f}")


main()

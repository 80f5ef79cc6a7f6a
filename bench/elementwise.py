"""Arithmetic, reductions, fill and conversion of whole arrays on one rank, beside NumPy.

    python bench/elementwise.py [--quick] [--json FILE]

Three sizes: near the first-level cache, in the last-level cache, in memory. Bytes are those that
an operation must read and write, once each, so that a figure can be compared with what the memory
gives: the peer `copy` is a copy of as many bytes.
"""

from __future__ import annotations

import timeit
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import atoll
import numpy as np
from calls import Figure, arguments, race, tell, values

SIZES = {"32 KiB": 32 << 10, "1 MiB": 1 << 20, "64 MiB": 64 << 20}  # of one operand


@dataclass(frozen=True)
class Operation:
    """One operation in both worlds, and how many operands' bytes it moves."""

    name: str
    ours: Callable[[], Any]
    numpy: Callable[[], Any]
    operands: float


def operations(count: int) -> list[Operation]:
    """Make operands of `count` float64 and list what is done to them."""
    rng = np.random.default_rng(1)
    x, y = rng.random(count), rng.random(count)
    z, single, whole = np.empty(count), x.astype(np.float32), np.zeros(count, np.int32)
    a, b, c = atoll.from_numpy(x), atoll.from_numpy(y), atoll.zeros(count)
    s, i = atoll.from_numpy(single), atoll.from_numpy(whole)
    return [
        Operation("add", lambda: np.add(a, b, out=c), lambda: np.add(x, y, out=z), 3),
        Operation(
            "multiply", lambda: np.multiply(a, b, out=c), lambda: np.multiply(x, y, out=z), 3
        ),
        Operation("minimum", lambda: np.minimum(a, b, out=c), lambda: np.minimum(x, y, out=z), 3),
        Operation("fill", lambda: c.fill(1.5), lambda: z.fill(1.5), 1),
        Operation("sum", lambda: a.sum(), lambda: x.sum(), 1),
        Operation("dot", lambda: a.dot(b), lambda: x.dot(y), 2),
        Operation("min", lambda: a.min(), lambda: x.min(), 1),
        Operation("float32 to float64", lambda: c.copy_from(s), lambda: np.copyto(z, single), 1.5),
        Operation(
            "float64 to float32",
            lambda: s.copy_from(a),
            lambda: np.copyto(single, x, "same_kind"),
            1.5,
        ),
        Operation("int32 to float64", lambda: c.copy_from(i), lambda: np.copyto(z, whole), 1.5),
    ]


def copy_of(moved: int) -> Callable[[], Any]:
    """Copy bytes, so many being read and written in all."""
    source, target = np.ones(moved // 2, np.uint8), np.empty(moved // 2, np.uint8)
    return lambda: np.copyto(target, source)


def measure(quick: bool) -> list[Figure]:
    """Time every operation at every size."""
    figures: list[Figure] = []
    for text, size in SIZES.items():
        for operation in operations(size // 8):
            moved = round(size * operation.operands)
            calls = [operation.ours, operation.numpy, copy_of(moved)]
            # Speeds: the best is the highest.
            of = [
                {what: moved / seconds / 1e9 for what, seconds in values(times).items()}
                for times in race([timeit.Timer(call) for call in calls], quick)
            ]
            peers = [{"name": "NumPy", **of[1]}, {"name": "copy", **of[2]}]
            name = f"{operation.name} {text}"
            figures.append({"name": name, "unit": "GB/s", **of[0], "peers": peers})
    return figures


def main() -> None:
    options = arguments("Element-wise operations beside NumPy's.")
    tell(measure(options.quick), f"one rank, NumPy {np.__version__}", options.json)


if __name__ == "__main__":
    main()

"""Sums of products and norms of arrays and views; all collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import collective

if TYPE_CHECKING:
    from atoll.algebra.elementwise import Operand


@collective
def sum_of_products(a: Operand, b: Operand) -> Any:
    """Give the sum of `a_i * b_i` over all elements (no conjugation).

    Both have the same shape and type; any distributions.

    >>> import atoll
    >>> a = atoll.full((2, 3), 3.0)
    >>> float(sum_of_products(a, a)), float(sum_of_products(a.at[:, :2], a.at[:, :2].T))
    (54.0, 36.0)
    """
    return as_total(a, _core.dot(a, b))


@collective
def norm(a: Operand, kind: str = "two") -> float:
    """Give a norm of all elements, seen as one vector. Collective.

    Args:
        a: The array or view.
        kind: "two" (root of the sum of squares), "one" (sum of magnitudes) or "infinity"
            (largest magnitude).

    """
    return _core.norm(a, kind)


def as_total(a: Operand, total: Any) -> Any:
    """Give a sum over this array as NumPy types it: of integers of 64 bits."""
    return np.add.reduce(np.empty(0, a.dtype)).dtype.type(total)

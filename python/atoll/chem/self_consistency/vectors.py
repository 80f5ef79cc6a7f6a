"""Vectors of several distributed arrays: one matrix a spin, say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import atoll

if TYPE_CHECKING:
    from collections.abc import Sequence


def dot(left: Sequence[atoll.Array], right: Sequence[atoll.Array]) -> float:
    """Give the sum of all products of elements. Collective."""
    return sum(float(atoll.algebra.sum_of_products(a, b)) for a, b in zip(left, right, strict=True))

"""Cutting a cloud of points into compact pieces of nearly equal size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def compact_pieces(points: NDArray[np.float64], largest: int, unit: int) -> list[NDArray[np.intp]]:
    """Cut points (n x 3) into pieces of at most `largest`; give the points of each by number.

    A cloud is halved across its longest extent until its pieces are small enough. All pieces but
    one are of a multiple of `unit` points; `largest` is one, too.
    """
    whole = np.arange(len(points))
    return _cut(points, whole, largest, unit) if len(points) else []


def _cut(
    points: NDArray[np.float64], members: NDArray[np.intp], largest: int, unit: int
) -> list[NDArray[np.intp]]:
    pieces = -(-len(members) // largest)
    if pieces == 1:
        return [members]
    extents = np.ptp(points[members], axis=0)
    along = points[members, int(extents.argmax())]
    ordered = members[np.argsort(along, kind="stable")]
    share = len(members) * (pieces // 2) / pieces
    border = max(1, round(share / unit)) * unit
    return _cut(points, ordered[:border], largest, unit) + _cut(
        points, ordered[border:], largest, unit
    )

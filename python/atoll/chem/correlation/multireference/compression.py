"""Numbers as few bytes: fixed point with a bound on the error, groups of small ones shorter.

Numbers are rounded to multiples of a step. A group of them takes as many bytes a number as its
largest one needs, a group of zeros none. Coefficients of a long vector are mostly small, so two or
three bytes are typical; and copies of bytes are all there is to do, which keeps up with memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from atoll import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

STEP = 2.0**-38
LARGEST_ERROR = STEP / 2
"""Of an element, hartree or none: 1.8e-12."""
_LARGEST = 2.0**60
_DOUBLES, _FIXED_POINT = 0, 1  # the last byte of a record


def compress(values: NDArray[np.float64], exact: bool = False) -> Bytes:
    """Give the record of some numbers: empty, if all are zero.

    Args:
        values: Numbers in any shape.
        exact: As they are, eight bytes each; so are those in any case that fixed point has no
            digits for.

    """
    flat = np.ascontiguousarray(values).ravel()
    if not flat.any():
        return np.zeros(0, dtype=np.uint8)
    if exact or not max(flat.max(), -flat.min()) < _LARGEST * STEP:
        return _with_kind(flat.view(np.uint8), _DOUBLES)
    record = _core.to_fixed_point(flat, STEP)
    return _with_kind(record, _FIXED_POINT) if len(record) > 0 else record


def decompress(record: Bytes, count: int) -> NDArray[np.float64]:
    """Give the numbers of a record, `count` of them."""
    if len(record) == 0:
        return np.zeros(count)
    if record[-1] == _DOUBLES:
        return np.frombuffer(record[:-1].tobytes(), dtype=np.float64)
    return _core.from_fixed_point(record[:-1], STEP, count)


def _with_kind(record: Bytes, kind: int) -> Bytes:
    return np.append(record, np.uint8(kind))

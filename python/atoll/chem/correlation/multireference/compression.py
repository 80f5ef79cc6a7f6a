"""Numbers as few bytes: fixed point with a bound on the error, groups of small ones shorter.

Numbers are rounded to multiples of a step. A group of them takes as many bytes a number as its
largest one needs, a group of zeros none. Coefficients of a long vector are mostly small, so two or
three bytes are typical; and copies of bytes are all there is to do, which keeps up with memory.

A record is a byte that says how it is coded; of fixed point a byte for each group, and the groups
in the order of their lengths, each number's low bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

STEP = 2.0**-38
LARGEST_ERROR = STEP / 2
"""Of an element, hartree or none: 1.8e-12."""
GROUP = 128
_LARGEST = 2.0**60
_DOUBLES, _FIXED_POINT = 0, 1


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
    if exact or not np.abs(flat).max() < _LARGEST * STEP:
        return _as_doubles(flat)
    groups = -(-len(flat) // GROUP)
    scaled = np.zeros(groups * GROUP)
    np.multiply(flat, 1.0 / STEP, out=scaled[: len(flat)])
    whole = np.rint(scaled, out=scaled).astype(np.int64)
    # Signs go into the lowest bit, so that small numbers have high bytes of zero: 0, -1, 1, -2, ...
    folded = ((whole << 1) ^ (whole >> 63)).view(np.uint64).reshape(groups, GROUP)
    largest = np.bitwise_or.reduce(folded, axis=1)
    lengths = sum((largest >> np.uint64(8 * byte) != 0).astype(np.uint8) for byte in range(8))
    if not lengths.any():
        return np.zeros(0, dtype=np.uint8)
    by_byte = folded.view(np.uint8).reshape(groups, GROUP, 8)
    if GROUP * int(lengths.sum()) + groups > flat.nbytes:  # a few numbers, mostly padding
        return _as_doubles(flat)
    parts = [np.array([_FIXED_POINT], dtype=np.uint8), lengths]
    for length in range(1, 9):
        some = np.flatnonzero(lengths == length)
        if len(some) > 0:
            parts.append(by_byte[some, :, :length].ravel())
    return np.concatenate(parts)


def _as_doubles(flat: NDArray[np.float64]) -> Bytes:
    return np.concatenate([np.array([_DOUBLES], dtype=np.uint8), flat.view(np.uint8)])


def decompress(record: Bytes, count: int) -> NDArray[np.float64]:
    """Give the numbers of a record, `count` of them."""
    if len(record) == 0:
        return np.zeros(count)
    if record[0] == _DOUBLES:
        return np.frombuffer(record[1:].tobytes(), dtype=np.float64)
    groups = -(-count // GROUP)
    lengths = record[1 : 1 + groups]
    by_byte = np.zeros((groups, GROUP, 8), dtype=np.uint8)
    begin = 1 + groups
    for length in range(1, 9):
        some = np.flatnonzero(lengths == length)
        end = begin + len(some) * GROUP * length
        by_byte[some, :, :length] = record[begin:end].reshape(len(some), GROUP, length)
        begin = end
    folded = by_byte.view(np.uint64).ravel()[:count]
    whole = (folded >> np.uint64(1)).view(np.int64) ^ -(folded & np.uint64(1)).view(np.int64)
    numbers: NDArray[np.float64] = whole * STEP
    return numbers

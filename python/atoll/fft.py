"""Discrete Fourier transforms, by the names of `numpy.fft` and of the array API; collective.

The result of a transform of several axes, or of one, is cut where the last ones that were
transformed are whole on every rank; that of a long vector is blocked. Elements of single precision
give results of single precision. Mirrored arrays are refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from atoll._agreement import collective_among, group_of
from atoll._creation import from_numpy
from atoll._signatures import shortly
from atoll.api.arguments import held, integer
from atoll.api.fourier import (
    fft,
    fftn,
    fftshift,
    hfft,
    ifft,
    ifftn,
    ifftshift,
    ihfft,
    irfft,
    irfftn,
    rfft,
    rfftn,
)

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]


@collective_among(group_of)
def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Any:
    """Give the frequencies of the elements of a transform of `n`, `d` apart. Collective.

    >>> import atoll
    >>> atoll.fft.fftfreq(4, d=0.5)[...]
    array([ 0. ,  0.5, -1. , -0.5])
    """
    return _frequencies(np.fft.fftfreq, n, d, dtype, device)


@collective_among(group_of)
def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Any:
    """Give the frequencies of the elements of `rfft`. Collective.

    >>> import atoll
    >>> atoll.fft.rfftfreq(4)[...]
    array([0.  , 0.25, 0.5 ])
    """
    return _frequencies(np.fft.rfftfreq, n, d, dtype, device)


def _frequencies(make: Any, n: Any, d: Any, dtype: Any, device: Any) -> Any:
    count = integer(n, "n")
    if count < 1:
        raise ValueError(f"n is {count}, expected 1 or more")
    if isinstance(d, bool) or not isinstance(d, (int, float, np.number)) or d == 0:
        raise ValueError(f"d is {shortly(d)}, expected a number other than 0")
    if device not in (None, "cpu"):
        raise ValueError(f"device is {shortly(device)}, expected 'cpu'")
    kind = held(np.float64 if dtype is None else dtype)
    if kind.kind != "f":
        raise TypeError(f"dtype is {kind}, expected a type of real floating-point numbers")
    return from_numpy(make(count, float(d)).astype(kind))

"""What the array API's `__array_namespace_info__` tells of Atoll."""

from __future__ import annotations

from typing import Any

import numpy as np

from atoll import _core
from atoll.api.data_types import isdtype

_DEVICE = "cpu"
_MOST_DIMENSIONS = 8


def _require_device(device: Any) -> None:
    if device not in (None, _DEVICE):
        raise ValueError(f"device is {device!r}, expected {_DEVICE!r}")


class NamespaceInfo:
    """What arrays there can be: `atoll.__array_namespace_info__()`.

    >>> import atoll
    >>> sorted(atoll.__array_namespace_info__().dtypes(kind="real floating"))
    ['float16', 'float32', 'float64']
    """

    def capabilities(self) -> dict[str, Any]:
        """Tell what the standard leaves open."""
        return {
            "boolean indexing": "bool" in _core.element_types(),
            "data-dependent shapes": True,
            "max dimensions": _MOST_DIMENSIONS,
        }

    def default_device(self) -> str:
        """Give the device of new arrays."""
        return _DEVICE

    def devices(self) -> list[str]:
        """Give all devices."""
        return [_DEVICE]

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype[Any]]:
        """Give the types of arrays that are made without one."""
        _require_device(device)
        return {
            "real floating": np.dtype(np.float64),
            "complex floating": np.dtype(np.complex128),
            "integral": np.dtype(np.int64),
            "indexing": np.dtype(np.int64),
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, np.dtype[Any]]:
        """Give the types that arrays hold, of a kind as `atoll.isdtype` has it, by their names."""
        _require_device(device)
        held = {name: np.dtype(name) for name in _core.element_types()}
        if kind is None:
            return held
        return {name: dtype for name, dtype in held.items() if isdtype(dtype, kind)}


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807  # the standard's name
    """Give what the array API asks for of its namespace."""
    return NamespaceInfo()

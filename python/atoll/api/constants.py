"""NumPy's constants and names of element types, those that arrays can hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from atoll import _core

e = np.e
inf = np.inf
nan = np.nan
newaxis = None
pi = np.pi


def element_types() -> dict[str, type[Any]]:
    """Give the types that arrays hold by NumPy's names, as the core's table has them."""
    names = {"bool": "bool_"}
    return {name: getattr(np, names.get(name, name)) for name in _core.element_types()}

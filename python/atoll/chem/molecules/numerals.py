"""Numbers as files and command lines have them: ASCII digits, a point, an exponent.

Python's `int` and `float` take underscores, digits of other scripts, "inf" and "nan" as well, which
are mistakes there.
"""

from __future__ import annotations

import math
import re

_INTEGER = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:(?:[eEdD]|\*\^)([+-]?[0-9]+))?")
"""With Fortran's "1.0D-3", too, and "1.0*^-3" of Mathematica, which wrote the files of QM9."""


def integer(text: str) -> int | None:
    """Give the integer that a text is; None: it is none."""
    stripped = text.strip(" \t")
    return int(stripped) if _INTEGER.fullmatch(stripped) else None


def real(text: str) -> float | None:
    """Give the finite number that a text is; None: it is none."""
    match = _REAL.fullmatch(text.strip(" \t"))
    if match is None:
        return None
    value = float(f"{match[1]}e{match[2] or 0}")
    return value if math.isfinite(value) else None

"""Whether a self-consistent field has ended at a saddle of the energy, for people and for files."""

from __future__ import annotations

from typing import Any

from atoll.chem.self_consistency.curvature import DOWNWARD


def is_saddle(curvature: float | None) -> bool | None:
    """Tell it by `Solution.curvature`; None: nobody has looked."""
    return None if curvature is None else curvature < DOWNWARD


def line(curvature: float, left: int) -> str:
    """Tell what is found where somebody has looked, and how many saddles were left before."""
    verdict = "no way down seen"
    if is_saddle(curvature):
        verdict = "a SADDLE: there is a lower solution"
    after = f" ({left} saddle{'' if left == 1 else 's'} left)" if left else ""
    return f"{'second derivative':<22}{curvature:15.4f} hartree, {verdict}{after}"


def fields(curvature: float | None, left: int) -> dict[str, Any]:
    """Give it for JSON."""
    return {
        "saddle": is_saddle(curvature), "second_derivative": curvature, "saddles_left": left,
    }  # fmt: skip

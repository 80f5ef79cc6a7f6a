"""What pictures have in common: matplotlib, where it is there, and one rank that draws."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

BLUE, ORANGE, GREY = "#20639b", "#d1622b", "#8a8a8a"


def new_figure(width: float, height: float) -> Any:
    """Make a figure of matplotlib's, in inches, that needs no screen.

    Raises ImportError naming what to install.
    """
    try:
        figure = importlib.import_module("matplotlib.figure")
    except ImportError:
        raise ImportError(
            "pictures need matplotlib: pip install '.[chem]' in Atoll's folder"
        ) from None
    return figure.Figure(figsize=(width, height), layout="constrained")


def save(figure: Any, path: str | Path) -> None:
    """Write the picture in the format that the name ends with: png, pdf, svg."""
    figure.savefig(path, dpi=150)

"""Where the ladder takes its integrals of four virtual orbitals from, and what all ladders do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import atoll

LADDERS = ("auto", "memory", "disk", "direct")
"""What may be asked for. "direct": from integrals over basis functions, anew each time."""


class LadderProduct(Protocol):
    """Integrals of four virtual orbitals, that amplitudes are multiplied by. Collective."""

    @property
    def seconds_waited(self) -> float:
        """For the disk, of this rank."""

    def multiply(self, amplitudes: Sequence[atoll.Array], out: Sequence[atoll.Array]) -> None:
        """Set out[ab, ij] to the sum over pairs cd of integrals and amplitudes[cd, ij]."""

    def close(self) -> None:
        """Free what is kept."""


class LadderChoice(NamedTuple):
    """What is asked for, and what there is."""

    wanted: str = "auto"
    functions: int = 0
    """Basis functions where the integrals can be computed anew; 0: they cannot."""
    disk: float = math.inf
    """Free bytes for disk arrays, over all ranks."""


STORED = LadderChoice()
"""In memory or on disk, as bytes of memory say."""


def checked(wanted: Any, mole: Any, fit: Any) -> str:
    """Give the choice. Raises ValueError for a word that is none, NotImplementedError for "direct".

    Integrals that are fitted, or over Cartesian functions, are not computed anew.
    """
    if wanted not in LADDERS:
        raise ValueError(f"ladder is {wanted!r}, expected one of {', '.join(LADDERS)}")
    if wanted == "direct" and fit is not None:
        raise NotImplementedError("ladder='direct' with fitted integrals (mf.with_df)")
    if wanted == "direct" and mole.cart:
        raise NotImplementedError("ladder='direct' with Cartesian functions (mol.cart)")
    return str(wanted)


def can_be_direct(mole: Any, fit: Any) -> bool:
    """Tell whether the ladder can be driven from integrals over the functions."""
    return fit is None and not mole.cart


def chosen(choice: LadderChoice, *, fixed: int, stored: int, on_disk: float, memory: int) -> str:
    """Choose by bytes: in memory if that is enough, on disk if there is room, else "direct".

    Args:
        choice: What is asked for.
        fixed: Bytes a rank has in memory in any case.
        stored: Bytes a rank of integrals.
        on_disk: Bytes that would go to disk, over all ranks.
        memory: Bytes a rank may have.

    """
    if choice.wanted != "auto":
        return choice.wanted
    if fixed + stored <= memory * 3 // 4:  # the rest is for the work
        return "memory"
    return "disk" if on_disk <= choice.disk or choice.functions == 0 else "direct"

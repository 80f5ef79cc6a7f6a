"""What neither moves nor vibrates: ghost atoms, which have functions and no nucleus, and a part."""

from __future__ import annotations

from typing import Any

from atoll.chem.molecules.elements import is_ghost


def refuse_some_atoms(gradients: Any, what: str) -> None:
    """Raise NotImplementedError for gradients of some atoms alone, by their `atmlst`."""
    atoms = getattr(gradients, "atmlst", None)
    if atoms is not None:
        raise NotImplementedError(
            f"{what} with atmlst {atoms!r} of the gradients, expected None: all atoms"
        )


def refuse_ghosts(mol: Any, what: str) -> None:
    """Raise NotImplementedError for a molecule with a ghost atom, which has no mass."""
    for atom in range(mol.natm):
        symbol = mol.atom_symbol(atom)
        if is_ghost(symbol):
            raise NotImplementedError(
                f"{what} of a molecule with ghost atoms: atom {atom + 1}, {symbol}, has no mass"
            )

"""One molecule on all ranks, to the last bit.

PySCF lays out a molecule's numbers in an order that may differ from process to process, and rounds
them as each processor does. All ranks take those of the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll.chem.molecules.supported import require_supported

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import atoll

_TABLES = ("_atm", "_bas", "_env", "_ecpbas")
_PRIMITIVES, _CONTRACTIONS, _EXPONENTS, _COEFFICIENTS = 2, 3, 5, 6
_CORE_COLUMNS = 5
VERY_SAME = 1e-11
SAME = 1e-8
"""Bohr, or a part of an exponent: by so much the ranks' molecules may differ."""


def agree_on(mol: Any, group: atoll.Group, operation: str) -> None:
    """Give PySCF's molecule of every rank the numbers that the group's first rank has. Collective.

    Raises RuntimeError on all ranks where atoms, charge, spin or shells differ, ValueError where
    positions, exponents or contractions do; and what `require_supported` does.
    """
    require_supported(mol, operation)
    shells = np.ascontiguousarray(mol._bas[:, : _CONTRACTIONS + 1])
    facts = (mol.charge, mol.spin, [mol.atom_symbol(i) for i in range(mol.natm)], shells.shape)
    _core.enter(group, operation, bytes(repr(facts), "utf-8") + shells.tobytes())
    mine = _numbers(mol)
    first = np.asarray(group.broadcast(mine))
    if first.shape != mine.shape or not np.allclose(first, mine, rtol=SAME, atol=SAME):
        raise ValueError("mol has another geometry or basis on this rank than on the first")
    for name in _TABLES:
        own = np.asarray(getattr(mol, name))
        setattr(mol, name, _of_first(own, group))


def agree_on_settings(group: atoll.Group, whose: str, settings: object) -> None:
    """Raise RuntimeError on all ranks where settings differ, by their text. Collective.

    With others some ranks would go on where others end, and wait for them for ever.
    """
    _core.enter(group, f"settings of {whose}", bytes(repr(settings), "utf-8"))


def require_unchanged(mol: Any, before: Any, caller: str) -> None:
    """Raise RuntimeError for a molecule that is not the one it was when orbitals were given."""
    if not are_same(mol, before):
        raise RuntimeError(
            f"{caller}: the molecule was changed since the orbitals of mf were taken: make this "
            "object anew, of a mean field that has run"
        )


def are_same(one: Any, other: Any) -> bool:
    """Tell whether two of PySCF's molecules are the same to eleven digits, however laid out."""
    facts = [
        (
            mol.charge,
            mol.spin,
            [mol.atom_symbol(i) for i in range(mol.natm)],
            [row[:_CORE_COLUMNS] for row in np.asarray(mol._ecpbas).tolist()],
        )
        for mol in (one, other)
    ]
    if facts[0] != facts[1] or not have_same_functions(one, other):
        return False
    return _are_close(_places_and_cores(one), _places_and_cores(other))


def have_same_functions(one: Any, other: Any) -> bool:
    """Tell whether two of PySCF's molecules have the same functions on their atoms, in order.

    Wherever the atoms are. To eleven digits; pointers into PySCF's table of numbers tell nothing.
    """
    shells = [
        (mol.cart, np.asarray(mol._bas)[:, : _CONTRACTIONS + 1].tolist()) for mol in (one, other)
    ]
    if shells[0] != shells[1]:
        return False
    return _are_close(_functions(one), _functions(other))


def _are_close(left: list[NDArray[Any]], right: list[NDArray[Any]]) -> bool:
    return np.allclose(np.concatenate(left), np.concatenate(right), rtol=VERY_SAME, atol=VERY_SAME)


def _of_first(own: NDArray[Any], group: atoll.Group) -> NDArray[Any]:
    if own.size == 0:
        return own
    table = np.asarray(group.broadcast(own.ravel()))
    return np.ascontiguousarray(table, dtype=own.dtype).reshape(-1, *own.shape[1:])


def _numbers(mol: Any) -> NDArray[Any]:
    """Positions, exponents and contractions, in the order of atoms and shells; core potentials."""
    return np.concatenate([*_places_and_cores(mol), *_functions(mol)])


def _places_and_cores(mol: Any) -> list[NDArray[Any]]:
    """Positions and charges in the order of atoms; core potentials."""
    parts = [mol.atom_coords().ravel(), mol.atom_charges()]
    for row in np.asarray(mol._ecpbas).tolist():
        primitives, exponents, coefficients = row[_PRIMITIVES], row[5], row[6]
        parts.append(mol._env[exponents : exponents + primitives])
        parts.append(mol._env[coefficients : coefficients + primitives])
    return parts


def _functions(mol: Any) -> list[NDArray[Any]]:
    """Exponents and contractions in the order of shells."""
    parts = [np.zeros(0)]
    for shell in mol._bas:
        primitives, contractions = shell[_PRIMITIVES], shell[_CONTRACTIONS]
        exponents, coefficients = shell[_EXPONENTS], shell[_COEFFICIENTS]
        parts.append(mol._env[exponents : exponents + primitives])
        parts.append(mol._env[coefficients : coefficients + primitives * contractions])
    return parts

"""Quantum chemistry on Atoll arrays, over any number of ranks, under PySCF's names.

>>> from pyscf import gto
>>> from atoll.chem import scf
>>> mol = gto.M(atom="H 0 0 0; H 0 0 0.74", basis="sto-3g", verbose=0)
>>> round(scf.RHF(mol).run().e_tot, 6)
-1.116759
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atoll.chem.molecules import InputError, Molecule
    from atoll.chem.pyscf_objects import from_pyscf

__all__ = ["InputError", "Molecule", "from_pyscf"]


def __getattr__(name: str) -> Any:
    """Load PySCF, which takes a second, where something is asked for: help of commands is not."""
    if name == "from_pyscf":
        from atoll.chem.pyscf_objects import from_pyscf

        return from_pyscf
    if name in __all__:
        from atoll.chem import molecules

        return getattr(molecules, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

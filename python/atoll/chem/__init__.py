r"""Quantum chemistry on Atoll arrays: restricted Hartree-Fock over any number of ranks.

>>> from atoll.chem import Molecule, hartree_fock
>>> molecule = Molecule.from_xyz("2\nhydrogen\nH 0 0 0\nH 0 0 0.74\n", basis="sto-3g")
>>> round(hartree_fock(molecule).energy, 6)
-1.116759
"""

from atoll.chem.hartree_fock import Iteration, Result, hartree_fock
from atoll.chem.molecules import InputError, Molecule

__all__ = ["InputError", "Iteration", "Molecule", "Result", "hartree_fock"]

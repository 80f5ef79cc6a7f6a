"""Molecules and what is asked of them, checked before anything is computed."""

from atoll.chem.molecules.errors import InputError
from atoll.chem.molecules.molecule import Molecule

__all__ = ["InputError", "Molecule"]

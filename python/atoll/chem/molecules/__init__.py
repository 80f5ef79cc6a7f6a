"""Molecules and what is asked of them, checked before anything is computed."""

from atoll.chem.molecules.molecule import InputError, Molecule

__all__ = ["InputError", "Molecule"]

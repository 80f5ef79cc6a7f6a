"""Coulomb and exchange matrices: one interface, `TwoElectron`, and the ways to build them."""

from atoll.chem.fock.direct import SCREENING, DirectFock
from atoll.chem.fock.stored import StoredFock
from atoll.chem.fock.two_electron import BuildStatistics, Density, TwoElectron

__all__ = ["SCREENING", "BuildStatistics", "Density", "DirectFock", "StoredFock", "TwoElectron"]

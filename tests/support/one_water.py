"""Water as PySCF's molecule, for tests that put something on it."""

from pyscf import gto

WATER = "O 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692"


def water(basis="sto-3g", **options):
    return gto.M(atom=WATER, basis=basis, verbose=0, **options)

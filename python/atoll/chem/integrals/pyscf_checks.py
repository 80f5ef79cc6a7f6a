"""Comparisons with what PySCF's mean fields keep: energies of determinants, integrals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll.chem.integrals import pyscf_wheel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_scf: Any = pyscf_wheel.class_of("pyscf.scf", "hf")


def electronic_energy(
    mole: Any, core: NDArray[np.float64], densities: NDArray[np.float64], fit: Any
) -> float:
    """Give the energy of a determinant's electrons, hartree, from its densities of both spins.

    By exact integrals, or by PySCF's DF.
    """
    by = _scf if fit is None else fit
    given = (mole, densities) if fit is None else (densities,)
    coulomb, exchange = by.get_jk(*given, hermi=1)
    total = densities.sum(axis=0)
    energy = np.vdot(total, core) + 0.5 * np.vdot(total, coulomb[0] + coulomb[1])
    return float(energy - 0.5 * np.vdot(densities, exchange))


def are_integrals_of(mole: Any, integrals: Any) -> bool:
    """Tell whether two-electron integrals that PySCF keeps (`mf._eri`) are a molecule's.

    By the Coulomb matrix of a density without any symmetry.
    """
    count = mole.nao_nr()
    density = np.random.default_rng(1).normal(size=(count, count))
    density += density.T
    try:
        given = _scf.dot_eri_dm(integrals, density, hermi=1, with_k=False)[0]
    except (AssertionError, AttributeError, IndexError, TypeError, ValueError, RuntimeError):
        return False
    expected = _scf.get_jk(mole, density, hermi=1, with_k=False)[0]
    return bool(np.allclose(given, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max()))

"""All that Atoll takes from PySCF's wheel for integrals with fitting functions."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from atoll.chem.integrals.pyscf_wheel import gto

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_lib: Any = importlib.import_module("pyscf.lib")


def two_centre(auxiliary: Any, shells: tuple[int, int]) -> NDArray[np.float64]:
    """Compute the rows (P|Q) of the Coulomb metric of some shells of fitting functions."""
    with _lib.with_omp_threads(1):
        rows: NDArray[np.float64] = auxiliary.intor(
            "int2c2e", shls_slice=(*shells, 0, auxiliary.nbas)
        )
    return rows


def derived_two_centre(auxiliary: Any, shells: tuple[int, int]) -> NDArray[np.float64]:
    """Compute rows (P'|Q) of the metric, P derived by its electron: x, y, z x P x Q."""
    with _lib.with_omp_threads(1):
        rows: NDArray[np.float64] = auxiliary.intor(
            "int2c2e_ip1", shls_slice=(*shells, 0, auxiliary.nbas)
        )
    return rows


class _ThreeCentreFunction:
    """A function of libcint over a molecule and a fitting set, computed a part at a time."""

    def __init__(self, mole: Any, auxiliary: Any, name: str, components: int) -> None:
        integrals: Any = gto.moleintor
        self._name, self._components = integrals.ascint3(mole._add_suffix(name)), components
        self._tables = gto.mole.conc_env(
            mole._atm, mole._bas, mole._env, auxiliary._atm, auxiliary._bas, auxiliary._env
        )
        atoms, shells, values = self._tables
        values[gto.mole.PTR_RANGE_OMEGA] = auxiliary._env[gto.mole.PTR_RANGE_OMEGA]
        self._first = integrals.make_loc(shells, self._name)
        self._shells, self._fitting_shells = int(mole.nbas), int(auxiliary.nbas)
        # Of the molecule's shells alone, as PySCF does: the fitting set has far too many pairs.
        self._optimizer = integrals.make_cintopt(atoms, shells[: mole.nbas], values, self._name)

    def _integrals(self, shells: tuple[int, ...], symmetry: str) -> NDArray[np.float64]:
        """Compute components x P x the second functions x the first, without the 1 of one."""
        bounds = (*shells[:4], shells[4] + self._shells, shells[5] + self._shells)
        with _lib.with_omp_threads(1):  # every rank of the node computes some
            part: NDArray[np.float64] = gto.moleintor.getints3c(
                self._name, *self._tables, bounds, self._components, symmetry, self._first,
                self._optimizer,
            )  # fmt: skip
        kept = (0,) if self._components > 1 else ()
        transposed: NDArray[np.float64] = part.transpose(
            *kept, *reversed(range(len(kept), part.ndim))
        )
        return transposed


class ThreeCentre(_ThreeCentreFunction):
    """The integrals (P|mn) of a molecule and a fitting set, a part at a time.

    Of the long range, if the fitting set is.
    """

    def __init__(self, mole: Any, auxiliary: Any) -> None:
        super().__init__(mole, auxiliary, "int3c2e", 1)

    def strip(self, rows: tuple[int, int], end: int) -> NDArray[np.float64]:
        """Compute (P|mn) of all P, m of the shells `rows`, n of the shells before `end`.

        Returns P x m x n.
        """
        return self._integrals((0, end, *rows, 0, self._fitting_shells), "s1")

    def triangle(self, fitting: tuple[int, int]) -> NDArray[np.float64]:
        """Compute (P|mn) of some shells of fitting functions: P x pairs with m >= n."""
        return self._integrals((0, self._shells, 0, self._shells, *fitting), "s2ij")

    def square(self, fitting: tuple[int, int]) -> NDArray[np.float64]:
        """Compute the same for all m and n: P x m x n."""
        with _lib.with_omp_threads(1):
            full: NDArray[np.float64] = _lib.unpack_tril(self.triangle(fitting))
        return full


class DerivedThreeCentre(_ThreeCentreFunction):
    """The same integrals with the function m derived by the position of its electron."""

    def __init__(self, mole: Any, auxiliary: Any) -> None:
        super().__init__(mole, auxiliary, "int3c2e_ip1", 3)

    def block(
        self, rows: tuple[int, int], columns: tuple[int, int], fitting: tuple[int, int]
    ) -> NDArray[np.float64]:
        """Compute (P|m'n) of m, n and P of these shells: x, y, z x P x n x m."""
        return self._integrals((*rows, *columns, *fitting), "s1")

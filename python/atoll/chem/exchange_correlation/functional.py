"""Density functionals by name: what kind they are, and how much exact exchange goes with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from atoll.chem.integrals import pyscf_grids
from atoll.chem.molecules import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Rows of a density on points: itself; its gradient; tau.
COMPONENTS = {"HF": 0, "LDA": 1, "GGA": 4, "MGGA": 5}


@dataclass(frozen=True)
class Functional:
    """A functional that libxc knows. See `from_name`."""

    name: str
    """As PySCF understands it, without a dispersion correction."""
    kind: str
    """"HF" (exact exchange alone: nothing to integrate), "LDA", "GGA" or "MGGA"."""
    hybrid: float
    """Share of exact exchange; of a range-separated functional that of the short range."""
    omega: float
    """1/bohr: where short range turns into long range; 0: the range is not separated."""
    long_range: float
    """Share of exact exchange in the long range, where the range is separated (else 0)."""
    dispersion: str | None
    """The correction that the name asks for, as "d3bj" of "b3lyp-d3bj"."""
    incomplete: bool
    """Whether it was made with a dispersion correction that is not in it, as B97-D."""

    @classmethod
    def from_name(cls, name: str) -> Functional:
        """Find a functional: "pbe", "b3lyp", "lda,vwn", "hf", "camb3lyp", "pbe0-d3bj", ...

        Raises:
            InputError: libxc does not know it.
            NotImplementedError: it needs nonlocal correlation (VV10) or the density's Laplacian.

        """
        try:
            inner, without_nonlocal, version = pyscf_grids.split_dispersion(name)
            kind = pyscf_grids.functional_kind(inner)
        except NotImplementedError:
            raise NotImplementedError(f"functional '{name}' is not supported") from None
        except Exception:  # PySCF's parser raises of many kinds
            raise InputError(f"functional '{name}' is unknown to libxc") from None
        if not inner.strip():
            raise InputError("the name of the functional is empty")
        if pyscf_grids.needs_nonlocal(inner) and not without_nonlocal:
            raise NotImplementedError(
                f"functional '{name}' needs nonlocal correlation (VV10), which is not supported"
            )
        if kind not in COMPONENTS:
            raise NotImplementedError(f"functional '{name}' is of a kind that is not supported")
        if kind == "MGGA" and pyscf_grids.needs_laplacian(inner):
            raise NotImplementedError(
                f"functional '{name}' needs the Laplacian of the density, which is not supported"
            )
        omega, long_range, hybrid = pyscf_grids.exchange_coefficients(inner)
        incomplete = pyscf_grids.meant_with_dispersion(inner)
        long_range = long_range if omega else 0.0
        return cls(inner, kind, hybrid, omega, long_range, version, incomplete)

    @property
    def components(self) -> int:
        """Rows of a density on points: itself; its gradient; tau, as far as they are needed."""
        return COMPONENTS[self.kind]

    @property
    def derivatives(self) -> int:
        """Highest derivative of basis functions that the density needs."""
        return 0 if self.kind == "LDA" else 1

    @property
    def exchange(self) -> tuple[float, float, float]:
        """Omega, long-range and (short-range) exact exchange: PySCF's `rsh_and_hybrid_coeff`."""
        return self.omega, self.long_range, self.hybrid

    def evaluate(
        self, densities: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Evaluate it on points.

        Args:
            densities: Spins (1: all electrons; 2) x `components` x points, atomic units.

        Returns:
            Energy an electron (points), and the derivatives of the energy density by
            `densities`, in their shape.

        """
        spins, components, _ = densities.shape
        given = densities[:, 0] if components == 1 else densities
        return pyscf_grids.evaluate_functional(
            self.name, self.kind, given[0] if spins == 1 else given, spins
        )

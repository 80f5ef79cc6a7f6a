"""What is told of the states that MRCI has found, as its methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import atoll
    from atoll.chem.correlation.multireference.properties import ReferencePart
    from atoll.chem.correlation.multireference.reference import Reference

    Values = float | NDArray[np.float64]


class StateMethods:
    """Energies, spins, densities and orbitals of states; `MRCI` tells of them."""

    roots: int
    _group: atoll.Group
    _reference: Reference
    _coefficients: NDArray[np.float64]
    """Of all orbitals, as rank 0 has them."""
    _constant: float
    _energies: NDArray[np.float64] | None
    _parts: list[ReferencePart]
    _spin_squares: list[float]
    _densities: list[NDArray[np.float64]]

    @property
    def e_tot(self) -> Values:
        """Energy in hartree; an array for several roots."""
        return self._shown(self._computed())

    @property
    def e_ref(self) -> Values:
        """Energy in hartree of the reference's part of each state, by itself."""
        self._computed()
        return self._shown([part.energy + self._constant for part in self._parts])

    @property
    def e_corr(self) -> Values:
        """Energy in hartree that excitations add to `e_ref`."""
        return self._shown(self._computed() - self._constant - [p.energy for p in self._parts])

    @property
    def e_tot_q(self) -> Values:
        """Energy in hartree with Davidson's correction for quadruple excitations."""
        correlation = np.atleast_1d(self.e_corr)
        weights = np.array([part.weight for part in self._parts])
        return self._shown(self._computed() + (1.0 - weights) * correlation)

    @property
    def reference_weight(self) -> Values:
        """Sum of the squares of the reference's coefficients, 0 to 1."""
        self._computed()
        return self._shown([part.weight for part in self._parts])

    def summary(self) -> list[dict[str, float]]:
        """Give of each state the energy, with Davidson's correction too, the spin, the reference.

        In hartree, under the names energy, energy_q, reference_energy, reference_weight,
        spin_square and multiplicity.
        """
        columns = {
            "energy": self.e_tot,
            "energy_q": self.e_tot_q,
            "reference_energy": self.e_ref,
            "reference_weight": self.reference_weight,
        }
        states = []
        for root in range(self.roots):
            square, multiplicity = self.spin_square(root)
            state = {name: float(np.atleast_1d(each)[root]) for name, each in columns.items()}
            states.append(state | {"spin_square": square, "multiplicity": multiplicity})
        return states

    def spin_square(self, root: int = 0) -> tuple[float, float]:
        """Give <S^2> and the multiplicity 2 S + 1 of a state."""
        self._computed()
        square = self._spin_squares[self._checked(root)]
        return square, float(2 * np.sqrt(max(0.0, square + 0.25)))

    def make_rdm1(self, root: int = 0, ao_repr: bool = False) -> NDArray[np.float64]:
        """Give the density of a state, both spins together.

        Args:
            root: Which state.
            ao_repr: Over basis functions, instead of the orbitals of `mf`.

        Returns:
            Orbitals x orbitals (or functions), whole on every rank.

        """
        self._computed()
        reference = self._reference
        count = reference.coefficients.shape[1]
        density = np.zeros((count, count))
        density[reference.frozen, reference.frozen] = 2.0
        place = np.ix_(reference.correlated, reference.correlated)
        density[place] = self._densities[self._checked(root)]
        if ao_repr:
            return np.asarray(self._coefficients @ density @ self._coefficients.T)
        return density

    @collective
    def make_natorbs(self, root: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give a state's natural occupations, descending, and orbitals. Collective.

        Orbitals are functions x orbitals.
        """
        density = self.make_rdm1(root)
        occupations, vectors = np.linalg.eigh(density)
        # Degenerate ones may be turned differently on each rank.
        natural = self._group.broadcast(np.ascontiguousarray(vectors[:, ::-1]))
        return occupations[::-1], self._coefficients @ np.asarray(natural).reshape(density.shape)

    def _computed(self) -> NDArray[np.float64]:
        if self._energies is None:
            raise RuntimeError("the energy has not been computed yet: call kernel() or run()")
        return self._energies

    def _checked(self, root: int) -> int:
        if not 0 <= root < self.roots:
            raise ValueError(f"root is {root}, expected 0 to {self.roots - 1}")
        return root

    def _shown(self, values: Any) -> Values:
        """As a number for one root."""
        return float(values[0]) if self.roots == 1 else np.array(values)

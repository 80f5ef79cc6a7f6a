"""How the energy curves at a solution: whether it is a minimum, or a saddle with a way down.

The second derivative along a rotation x of the orbitals, C -> C exp(s A) with A = x - x^T, is how
much the slope of the energy changes for a small s. The slope is the commutator of Fock matrix and
density, as in the loop: so this is for all that the loop is for, at a build for each derivative.
Davidson's method looks for the lowest one, and ends as soon as its sign is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import atoll
from atoll._stop import stop_point
from atoll.chem.self_consistency import open_shells
from atoll.chem.self_consistency.davidson import lowest_eigenvalue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.self_consistency.assembly import ExactExchange
    from atoll.chem.self_consistency.hamiltonian import Effective, Hamiltonian
    from atoll.chem.self_consistency.occupations import Occupations
    from atoll.chem.self_consistency.state import State

    Vector = list[atoll.Array]

DOWNWARD = -1e-3
"""Hartree: second derivatives below this are a way down."""
LEAST_BUILDS, MOST_BUILDS = 3, 16
"""For one lowest second derivative; fewer where a way down is seen at once."""
UNLIKE = -0.5
"""What beta's orbitals are turned by at the start, where alpha's are by 1."""
_STEP = 1e-4  # angle of a difference
_ANGLES = (0.5, 1.0, 1.6)  # up to an electron in another orbital, with the sign of either side
_SMALLEST_GAP = 0.1  # hartree, in what derivatives are divided by
_ORDERS = {False: 3, True: 16}  # of the series of a rotation: by a small angle, or a large one


def sure_gap(exchange: ExactExchange, open_shells: bool) -> float:
    """Give the gap between full and empty orbitals from which on no saddle has been seen, hartree.

    Turning i into a costs the gap less the attraction of what leaves i and what comes to a, which
    is in the gap of exact exchange alone; closed shells gain nothing by their spins.
    """
    share = max(exchange.full, exchange.full + exchange.long)
    return 0.05 + share * (0.95 if open_shells else 0.25)


class Found(NamedTuple):
    """The lowest second derivative, as far as it was looked for."""

    value: float
    """In hartree."""
    rotation: list[atoll.Array]
    """Of each shell, of length 1; see `_Shell`."""

    @property
    def is_saddle(self) -> bool:
        """Whether the energy falls along the rotation."""
        return self.value < DOWNWARD


@dataclass(frozen=True)
class _Shell:
    """Orbitals of equal occupation, which are turned into those behind them."""

    of: int
    """Which set of orbitals."""
    begin: int
    end: int
    gaps: NDArray[np.float64]
    """Orbitals behind x those of the shell: about the second derivatives."""


class Curvature:
    """Of one solution. Collective throughout.

    Args:
        hamiltonian: Builds Fock matrices.
        occupations: How orbitals are occupied, without smearing.
        overlap: S.
        state: The solution.
        effective: That of its densities.

    """

    def __init__(
        self,
        hamiltonian: Hamiltonian,
        occupations: Occupations,
        overlap: atoll.Array,
        state: State,
        effective: Effective,
    ) -> None:
        self._hamiltonian, self._occupations = hamiltonian, occupations
        self._overlap, self._state = overlap, state
        self._orbitals = [each.coefficients for each in state.orbitals]
        self._shells = [
            shell
            for number, (each, filled) in enumerate(
                zip(state.orbitals, state.occupations, strict=True)
            )
            for shell in _shells(number, each.energies, filled, occupations.full)
        ]
        matrices = [density.matrix for density in state.densities]
        self._slope = self._slopes(effective, matrices)

    @property
    def smallest_gap(self) -> float:
        """Hartree; infinite where nothing can be turned."""
        return min((float(s.gaps.min()) for s in self._shells if s.gaps.size), default=np.inf)

    def lowest(self) -> Found | None:
        """Find the lowest second derivative, or one that is a way down; None: there is none."""
        start = self._start()
        if not start:
            return None
        group = self._overlap.group
        diagonal = [
            atoll.from_numpy(np.maximum(shell.gaps, _SMALLEST_GAP), group=group)
            for shell in self._shells
        ]

        def apply(vector: Vector) -> Vector:
            stop_point(group, saved=False)
            there, effective = self._turned(vector, _STEP)
            slope = self._slopes(effective, [density.matrix for density in there.densities])
            for new, old in zip(slope, self._slope, strict=True):
                new.add_scaled(1.0 / _STEP, new, -1.0 / _STEP, old)
            return slope

        found = lowest_eigenvalue(
            apply, diagonal, start, max_iterations=MOST_BUILDS, enough=_sign_is_known
        )
        return Found(found.value, found.vector)

    def down(self, found: Found) -> State:
        """Give the lowest state of some along a rotation, far from the solution."""
        best, lowest = None, np.inf
        for angle in (each * side for each in _ANGLES for side in (1.0, -1.0)):
            state, effective = self._turned(found.rotation, angle)
            if best is None or effective.energy < lowest - 1e-8:
                best, lowest = state, effective.energy
        assert best is not None
        return best

    def _turned(self, rotation: Vector, angle: float) -> tuple[State, Effective]:
        """Give the state with turned orbitals, and what is built of it."""
        large = abs(angle) > 10 * _STEP
        turned = []
        for number, orbitals in enumerate(self._orbitals):
            generator = self._generator(number, rotation, angle)
            turned.append(_exponential(orbitals, generator, _ORDERS[large]))
        occupations = self._state.occupations
        densities = open_shells.densities_of(
            turned, occupations, self._overlap, self._occupations.shared
        )
        state = type(self._state)(densities, (), ())
        return state, self._hamiltonian.build(densities)

    def _generator(self, number: int, rotation: Vector, angle: float) -> atoll.Array:
        count = self._orbitals[number].shape[1]
        lower = atoll.zeros((count, count), group=self._overlap.group, name="rotation")
        for shell, x in zip(self._shells, rotation, strict=True):
            if shell.of == number and shell.gaps.size:
                lower.at[shell.end :, shell.begin : shell.end].copy_from(x)
        generator = lower - lower.T
        generator.scale(angle)
        return generator

    def _slopes(self, effective: Effective, densities: Sequence[atoll.Array]) -> Vector:
        """Give the slope of the energy by rotations of the solution's orbitals."""
        operators = list(effective.focks)
        if self._occupations.shared:
            operators = [open_shells.coupled(operators, densities, self._overlap)]
            densities = [densities[0] + densities[1]]
        matrices = []
        for operator, density in zip(operators, densities, strict=True):
            product = operator @ density @ self._overlap
            matrices.append(product - product.T)
        return self._by_shell(matrices, 1.0 / self._occupations.full)

    def _by_shell(self, matrices: Sequence[atoll.Array], factor: float) -> Vector:
        """Give C^T M C of matrices over functions, the orbitals behind x those of each shell."""
        transformed = [
            atoll.matmul(c.at[...].T, matrix @ c)
            for c, matrix in zip(self._orbitals, matrices, strict=True)
        ]
        parts = []
        for shell in self._shells:
            part = atoll.zeros(shell.gaps.shape, group=self._overlap.group, name="slope")
            if shell.gaps.size:
                whole = transformed[shell.of]
                part.copy_from(whole.at[shell.end :, shell.begin : shell.end])
                part.scale(factor)
            parts.append(part)
        return parts

    def _start(self) -> Vector:
        """Give a rotation in which every symmetry is, more where the gap is small.

        Also that between spins: where both have the same orbitals, theirs are turned unlike.
        """
        generic = generic_operator(self._overlap)
        vector = self._by_shell([generic for _ in self._orbitals], 1.0)
        for shell, part in zip(self._shells, vector, strict=True):
            weights = np.maximum(shell.gaps, _SMALLEST_GAP) ** -2
            factor = UNLIKE if shell.of == 1 else 1.0
            for key, block in part.blocks():
                block *= factor * weights[key]
        self._overlap.group.sync()
        has_any = any(float(part.max()) != 0.0 or float(part.min()) != 0.0
                      for part, shell in zip(vector, self._shells, strict=True)
                      if shell.gaps.size)  # fmt: skip
        return vector if has_any else []


def generic_operator(overlap: atoll.Array) -> atoll.Array:
    """Give a symmetric operator that is nobody's: without any symmetry, always the same.

    A rotation made of it has a part in every symmetry.
    """
    generic = overlap.duplicate()
    for (rows, columns), block in generic.blocks():
        i = np.arange(rows.start, rows.stop) + 1.0
        j = np.arange(columns.start, columns.stop) + 1.0
        block[...] = np.cos(np.outer(i, j))
    generic.group.sync()
    return overlap @ generic @ overlap


def axis_operator(overlap: atoll.Array, mole: Any) -> atoll.Array:
    """Give a symmetric operator that tells x, y and z apart, and that mirrors across them keep.

    Degenerate orbitals have no order of their own: rounding would decide. They get one by it,
    along the axes where the molecule has them.
    """
    kinds: list[tuple[int, int]] = []  # of each function: angular momentum, number in its shell
    for shell in range(mole.nbas):
        momentum = int(mole.bas_angular(shell))
        count = (momentum + 1) * (momentum + 2) // 2 if mole.cart else 2 * momentum + 1
        kinds += [(momentum, m) for m in range(count)] * int(mole.bas_nctr(shell))
    numbers = {kind: number for number, kind in enumerate(sorted(set(kinds)), start=1)}
    weights = np.array([numbers[kind] for kind in kinds]) / len(numbers)
    weighted = overlap.duplicate()
    for (rows, columns), block in weighted.blocks():
        i, j = np.arange(rows.start, rows.stop), np.arange(columns.start, columns.stop)
        block[...] = np.where(i[:, None] == j, weights[i][:, None], 0.0)
    weighted.group.sync()
    return overlap @ weighted @ overlap


def _shells(
    number: int, energies: NDArray[np.float64], filled: NDArray[np.float64], full: float
) -> list[_Shell]:
    """Cut orbitals, in the order of their electrons, where the occupation changes."""
    ends = [*(int(x) + 1 for x in np.flatnonzero(np.diff(filled))), len(filled)]
    shells, begin = [], 0
    for end in ends[:-1]:
        fewer = filled[begin] - filled[end:, None]
        gaps = (energies[end:, None] - energies[None, begin:end]) * fewer / full
        shells.append(_Shell(number, begin, end, gaps))
        begin = end
    return shells


def _sign_is_known(value: float, residual: float, builds: int) -> bool:
    """Tell whether what is found is a way down, or nothing near it is."""
    if value < DOWNWARD:
        return residual < -value / 2
    return builds >= LEAST_BUILDS and value - residual > DOWNWARD


def _exponential(orbitals: atoll.Array, generator: atoll.Array, order: int) -> atoll.Array:
    """Give C exp(A) by its series."""
    total, term = orbitals.copy(), orbitals
    for power in range(1, order + 1):
        term = term @ generator
        term.scale(1.0 / power)
        total += term
    return total

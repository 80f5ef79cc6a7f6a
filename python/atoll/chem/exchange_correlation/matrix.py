"""Kohn-Sham matrices: the exchange-correlation energy and potential of distributed densities.

The six steps of Palmer, Nieplocha and Aprà (2003, section 4): the density is copied to every node,
each task gets the patch of it that its chunk of the grid sees, evaluates density and functional on
the points, and adds the potential's matrix to its node's copy; the copies are merged at the end.
Nothing but that copy and that merge goes over the network. Without mirrored arrays each task reads
and writes the distributed ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.exchange_correlation.chunks import ChunkValues
from atoll.chem.exchange_correlation.grid import MolecularGrid
from atoll.chem.exchange_correlation.own_first import OwnFirst
from atoll.chem.exchange_correlation.patch import NARROW_BETWEEN_NODES, NARROW_IN_MEMORY
from atoll.chem.exchange_correlation.pointwise import (
    density_on_points,
    forces_on_functions,
    half_of_potential,
)
from atoll.chem.exchange_correlation.stopwatch import Stopwatch
from atoll.chem.integrals import pyscf_grids
from atoll.chem.integrals.node_memory import share_of_node

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from atoll.chem.exchange_correlation.chunks import Chunk
    from atoll.chem.exchange_correlation.functional import Functional
    from atoll.chem.fock.two_electron import Progress
    from atoll.chem.integrals.blocked_basis import BlockedBasis

KEPT_BYTES, KEPT_SHARE = 512 << 20, 8
"""Memory of each rank for values of functions that are kept from one build to the next: this, or
its part of an eighth of what the node has left."""
MIRRORED_BYTES = 4 << 30
"""Memory of each node up to which matrices are mirrored when nobody says otherwise."""
ARRAYS = ("auto", "mirrored", "distributed")


@dataclass(frozen=True)
class XcResult:
    """What a build found, over all ranks."""

    energy: float
    """Exchange-correlation energy in hartree, without exact exchange."""
    electrons: tuple[float, ...]
    """Integral of each density over the grid: how good the grid is."""
    seconds: float
    efficiency: float
    """Mean over largest time that the ranks spent on chunks; 1: an even load."""
    arrays: str
    """"mirrored" or "distributed"."""
    chunks: int
    points: int
    details: dict[str, float]
    """Seconds by activity, the mean of the ranks."""
    patch_bytes: int
    """What patches read and added came to, whichever way they went."""


class ExchangeCorrelation:
    """Integrates a functional over a molecule's grid. Collective throughout.

    Attributes:
        basis: The molecule's functions and how matrices are distributed.
        functional: What is integrated.
        grid: The points; None for the functional "hf", which needs none.
        arrays: "mirrored", "distributed" or "auto"; may change from one build to the next.

    """

    def __init__(
        self,
        basis: BlockedBasis,
        functional: Functional,
        level: int = 3,
        arrays: str = "auto",
        *,
        grids: Any = None,
        keep_bytes: int | None = None,
        mirrored_bytes: int = MIRRORED_BYTES,
    ) -> None:
        """Make the grid.

        Args:
            basis: The molecule's functions.
            functional: What to integrate.
            level: PySCF's level of the grid, 0 to 9.
            arrays: "mirrored", "distributed", or "auto": mirrored where there are several nodes
                and the matrices fit `mirrored_bytes` on each.
            grids: A `Grids` of PySCF whose settings are used instead of `level`.
            keep_bytes: Memory of each rank for values of functions; None: `KEPT_BYTES`.
            mirrored_bytes: See `arrays`.

        Raises:
            ValueError: no such level or kind of arrays, on all ranks.

        """
        if arrays not in ARRAYS:
            raise ValueError(f"arrays is {arrays!r}, expected one of {', '.join(ARRAYS)}")
        self.basis, self.functional = basis, functional
        self._group = basis.group
        self.arrays, self._mirrored_bytes = arrays, mirrored_bytes
        self._mirrors: list[tuple[atoll.Array, atoll.Array]] = []
        self.grid: MolecularGrid | None = None
        if functional.kind == "HF":
            return
        self.grid = MolecularGrid(basis.mole, self._group, level, grids)
        self._tasks = OwnFirst(self.grid.starts, self._group)
        room = min(KEPT_BYTES, share_of_node(KEPT_SHARE)) if keep_bytes is None else keep_bytes
        self._chunks = ChunkValues(basis.mole, self.grid, room)

    def build(
        self,
        densities: Sequence[atoll.Array],
        potentials: Sequence[atoll.Array],
        progress: Progress | None = None,
    ) -> XcResult:
        """Overwrite the potentials with those of the densities, symmetric. Collective.

        Args:
            densities: One of all electrons, or those of alpha and of beta electrons: functions x
                functions, symmetric, as `BlockedBasis.matrix` makes them. Nobody writes to them.
            potentials: One for each density, made likewise.
            progress: Called as `progress(done, total)` before each chunk of this rank.

        Raises:
            ValueError: neither one nor two densities, or other potentials. On all ranks.

        """
        self._check(densities, potentials)
        for potential in potentials:
            potential.fill(0.0)
        if self.grid is None:
            return XcResult(0.0, (0.0,) * len(densities), 0.0, 1.0, "none", 0, 0, {}, 0)
        watch = Stopwatch()
        mirrored = self._is_mirrored(len(densities))
        sources, targets = list(densities), list(potentials)
        if mirrored:
            sources, targets = self._copies(densities)
        watch.lap("copy to nodes")
        totals = np.zeros(2 + len(densities))

        def do(chunk: Chunk) -> None:
            matrices = [chunk.patch.read(source) for source in sources]
            watch.lap("get")
            found, on_points = self._on_points(chunk, matrices, watch)
            totals[0] += 2 * len(sources) * chunk.patch.nbytes
            totals[1:] += found
            for values, target in zip(on_points, targets, strict=True):
                half = half_of_potential(chunk.values, values)
                watch.lap("potential")
                chunk.patch.add(half, target)
                watch.lap("accumulate")

        self._run(do, self.functional.derivatives, watch, progress, mirrored=mirrored, keep=True)
        busy = watch.total
        self._group.sync()
        watch.lap("wait")
        for target, potential in zip(targets, potentials, strict=True):
            if mirrored:
                target.merge_into(potential)
            atoll.linalg.symmetrize(potential)
            potential.at[...].scale(2.0)
        watch.lap("merge")
        totals = np.asarray(self._group.reduce(totals))
        most, mean = self._group.reduce(busy, "max"), self._group.reduce(busy) / self._group.size
        return XcResult(
            energy=float(totals[1]),
            electrons=tuple(totals[2:].tolist()),
            seconds=watch.total,
            efficiency=float(mean / most) if most > 0 else 1.0,
            arrays="mirrored" if mirrored else "distributed",
            chunks=len(self.grid),
            points=self.grid.size,
            details=watch.means(self._group),
            patch_bytes=int(totals[0]),
        )

    def gradient(self, densities: Sequence[atoll.Array]) -> NDArray[np.float64]:
        """Compute the gradient of the energy by the atoms' positions, on every rank. Collective.

        The grid is held fixed, as PySCF does by default, and so are the densities: what their
        change adds is that of the whole Kohn-Sham matrix.

        Args:
            densities: As in `build`.

        Returns:
            Atoms x 3, hartree/bohr.

        """
        self._check(densities, densities)
        mole = self.basis.mole
        gradient = np.zeros((mole.natm, 3))
        if self.grid is None:
            return gradient
        watch = Stopwatch()
        sources = list(densities)
        mirrored = self._is_mirrored(len(densities))
        if mirrored:
            sources, _ = self._copies(densities)
        atoms = _atoms_of_functions(mole)

        def do(chunk: Chunk) -> None:
            matrices = [chunk.patch.read(source) for source in sources]
            _, on_points = self._on_points(chunk, matrices, watch)
            for matrix, values in zip(matrices, on_points, strict=True):
                forces = forces_on_functions(chunk.values, matrix, values)
                np.add.at(gradient, atoms[chunk.patch.functions], forces.T)

        self._run(do, self.functional.derivatives + 1, watch, mirrored=mirrored, keep=False)
        self._group.sync()
        return np.asarray(self._group.reduce(gradient))

    def close(self) -> None:
        """Free the grid and the copies. Collective."""
        for pair in self._mirrors:
            for array in pair:
                array.destroy()
        self._mirrors.clear()
        if self.grid is not None:
            self._tasks.close()
            self.grid.close()

    def _check(self, densities: Sequence[atoll.Array], potentials: Sequence[atoll.Array]) -> None:
        if len(densities) not in (1, 2):
            raise ValueError(f"{len(densities)} densities, expected one, or alpha and beta")
        if len(potentials) != len(densities):
            raise ValueError(f"{len(potentials)} potentials for {len(densities)} densities")
        expected = (self.basis.functions,) * 2
        for array in (*densities, *potentials):
            if array.shape != expected:
                raise ValueError(f"an array of shape {array.shape}, expected {expected}")

    def _is_mirrored(self, spins: int) -> bool:
        if self.arrays != "auto":
            return self.arrays == "mirrored"
        # On one node distributed arrays lie in shared memory already.
        needed = 2 * spins * 8 * self.basis.functions**2
        return self._group.nodes > 1 and needed <= self._mirrored_bytes

    def _copies(
        self, densities: Sequence[atoll.Array]
    ) -> tuple[list[atoll.Array], list[atoll.Array]]:
        """Copy densities to every node; give the copies, and zeros for potentials. Collective."""
        shape = (self.basis.functions,) * 2
        while len(self._mirrors) < len(densities):
            names = ("density on nodes", "Kohn-Sham matrix on nodes")
            pair = [atoll.zeros(shape, mirrored=True, group=self._group, name=n) for n in names]
            self._mirrors.append((pair[0], pair[1]))
        pairs = self._mirrors[: len(densities)]
        for density, (copy, zeros) in zip(densities, pairs, strict=True):
            copy.copy_from(density)
            zeros.fill(0.0)
        return [copy for copy, _ in pairs], [zeros for _, zeros in pairs]

    def _run(
        self,
        do: Callable[[Chunk], None],
        derivatives: int,
        watch: Stopwatch,
        progress: Progress | None = None,
        *,
        mirrored: bool,
        keep: bool,
    ) -> None:
        """Do something with every chunk of the grid, on whatever rank. Collective."""
        assert self.grid is not None
        in_memory = mirrored or self._group.nodes == 1
        narrow = NARROW_IN_MEMORY if in_memory else NARROW_BETWEEN_NODES
        self._tasks.reset()
        watch.lap("wait")
        with pyscf_grids.single_thread():
            for done, number in enumerate(self._tasks):
                if progress:
                    progress(done, len(self.grid))
                watch.lap("next")
                chunk = self._chunks.get(number, derivatives, narrow=narrow, keep=keep)
                watch.lap("functions")
                if len(chunk.patch.functions) > 0:
                    do(chunk)
        watch.lap("next")

    def _on_points(
        self, chunk: Chunk, matrices: Sequence[NDArray[np.float64]], watch: Stopwatch
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Evaluate the functional on the points of a chunk.

        Gives its share of the energy and of each number of electrons, and for each density the
        weighted potential, components x points.
        """
        components = self.functional.components
        densities = np.stack(
            [density_on_points(chunk.values, matrix, components) for matrix in matrices]
        )
        watch.lap("density")
        energy, potential = self.functional.evaluate(densities)
        charges = densities[:, 0] * chunk.weights
        totals = np.array([charges.sum(axis=0) @ energy, *charges.sum(axis=1)])
        watch.lap("functional")
        return totals, potential * chunk.weights


def _atoms_of_functions(mole: Any) -> NDArray[np.intp]:
    """Give the atom of each basis function."""
    atoms = [int(mole.bas_atom(shell)) for shell in range(mole.nbas)]
    return np.repeat(atoms, np.diff(mole.ao_loc))

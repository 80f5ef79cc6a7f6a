"""Coupled cluster under PySCF's names, for mean fields of PySCF's kind.

>>> from pyscf import gto, scf
>>> from atoll.chem import cc
>>> mol = gto.M(atom="H 0 0 0; H 0 0 0.74", basis="cc-pvdz", verbose=0)
>>> round(cc.CCSD(scf.RHF(mol).run()).run().e_corr, 5)
-0.03469
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll._agreement import collective, warn
from atoll.chem.correlation import orbitals
from atoll.chem.correlation.coupled_cluster import checkpoints, diagnostics
from atoll.chem.correlation.coupled_cluster.amplitudes import first_order, from_turned, turned
from atoll.chem.correlation.coupled_cluster.equations import Equations
from atoll.chem.correlation.coupled_cluster.extrapolation import Extrapolation
from atoll.chem.correlation.coupled_cluster.fock_matrix import (
    TwoElectronSum,
    canonical,
    of_orbitals,
)
from atoll.chem.correlation.coupled_cluster.four_index import four_index
from atoll.chem.correlation.coupled_cluster.half_transform import AtomicIntegrals
from atoll.chem.correlation.coupled_cluster.integrals import Integrals
from atoll.chem.correlation.coupled_cluster.ladder import Ladder
from atoll.chem.correlation.coupled_cluster.lambda_methods import LambdaMethods
from atoll.chem.correlation.coupled_cluster.pairs import occupied_pairs, virtual_pairs
from atoll.chem.correlation.coupled_cluster.solver import Tolerances, solve
from atoll.chem.correlation.coupled_cluster.storage import storage

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from typing_extensions import Self

    from atoll.chem.correlation.coupled_cluster.amplitudes import Amplitudes
    from atoll.chem.correlation.coupled_cluster.fock_matrix import OrbitalFock
    from atoll.chem.correlation.coupled_cluster.four_index import FourIndex
    from atoll.chem.correlation.coupled_cluster.solver import Iteration
    from atoll.chem.correlation.coupled_cluster.storage import Storage

__all__ = ["CCSD", "RCCSD"]

MEMORY = 1 << 30
"""Bytes a rank."""
DIIS_SPACE = 6


class CCSD(LambdaMethods):
    """Closed-shell CCSD on all ranks of a group.

    Args:
        mf: A converged restricted mean field, as PySCF's `scf.RHF`: `mol`, `mo_coeff`, `mo_energy`,
            `mo_occ` and `e_tot`; real orbitals, full or empty ones. Those of the group's rank 0 are
            used everywhere. The Fock matrix is computed from `get_hcore()`; where `mf` has no such
            method, the orbitals are taken for canonical ones with `mo_energy`.
        frozen: So many lowest orbitals, or a list of orbitals, that are not correlated.
        memory: Bytes a rank. Where integrals of four virtual orbitals, or earlier amplitudes, need
            more beside the rest, they go to disk arrays. Less than what amplitudes and other
            integrals need is as if it were that.
        scratch: A folder for disk arrays, seen by all ranks, or with "{node}" in its name one for
            each node; none: the first one of `ATOLL_SCRATCH`, which each node has.
        group: Ranks that take part; none: the default group.

    Attributes:
        conv_tol: Largest change of the energy in the last iteration, hartree.
        conv_tol_normt: Largest length of the change of the amplitudes then.
        max_cycle: Iterations at most.
        diis_space: Iterations that DIIS looks back; below two it is off.
        checkpoint: Folder that the amplitudes are saved in after each iteration; None: nowhere.
        restart_from: Folder whose amplitudes are begun with, of a run on any number of ranks.
        verbose: From 3 on rank 0 prints the result, from 4 iterations too.
        observer: Called with each iteration on every rank.
        e_corr: Correlation energy in hartree, after `kernel` or `run`, on every rank.
        converged: Whether it is final.
        iterations: What each iteration came to.
        t1, t2: Amplitudes t_i^a and t_ij^ab as distributed arrays [i, a] and [i, j, a, b].
        l1, l2: Multipliers likewise, after `solve_lambda`.
        converged_lambda: Whether they are final.
        lambda_iterations: What each of their iterations came to; the energy is what it would be
            with the multipliers for amplitudes.
        storage: What lay on disk, and bytes; after `kernel`.
        seconds: What the time went to on this rank: "integrals", "iterations", "lambda".
        seconds_waited: What this rank has waited for the disk.

    """

    @collective
    def __init__(
        self,
        mf: Any,
        frozen: int | Sequence[int] | None = None,
        *,
        memory: int = MEMORY,
        scratch: str | os.PathLike[str] | None = None,
        group: atoll.Group | None = None,
    ) -> None:
        if not isinstance(memory, int) or memory < 1:
            raise ValueError(f"memory is {memory!r}, expected a number of bytes above zero")
        if getattr(mf, "with_df", None) is not None:
            raise NotImplementedError("CCSD of a mean field with fitted integrals (mf.with_df)")
        if getattr(mf, "with_solvent", None) is not None:
            raise NotImplementedError("CCSD of a mean field in a solvent (mf.with_solvent)")
        self._group = atoll.default_group() if group is None else group
        self._reference = orbitals.agreed(mf, self._group, "CCSD")
        if self._reference.spins != 1:
            raise NotImplementedError("CCSD of an unrestricted mean field")
        self._core = None
        if hasattr(mf, "get_hcore"):
            core = np.ascontiguousarray(mf.get_hcore(), dtype=np.float64)
            self._core = np.asarray(self._group.broadcast(core)).reshape(core.shape)
        if not getattr(mf, "converged", True) and self._group.rank == 0:
            warn("mf has not converged")
        self.mol = mf.mol
        self.frozen = frozen
        self.memory, self.scratch = memory, scratch
        self.conv_tol, self.conv_tol_normt = 1e-7, 1e-5
        self.max_cycle, self.diis_space = 50, DIIS_SPACE
        self.checkpoint: str | os.PathLike[str] | None = None
        self.restart_from: str | os.PathLike[str] | None = None
        self.verbose = int(getattr(mf.mol, "verbose", 0))
        self.observer: Callable[[Iteration], None] | None = None
        self.e_corr: float | None = None
        self.converged = False
        self.iterations: list[Iteration] = []
        self.t1: atoll.Array | None = None
        self.t2: atoll.Array | None = None
        self.l1: atoll.Array | None = None
        self.l2: atoll.Array | None = None
        self.converged_lambda = False
        self.lambda_iterations: list[Iteration] = []
        self.storage: Storage | None = None
        self.seconds = {"integrals": 0.0, "iterations": 0.0, "lambda": 0.0}
        self.seconds_waited = 0.0
        self._integrals: Integrals | None = None
        self._fock: OrbitalFock | None = None
        self._space: orbitals.Correlated | None = None
        self._active: NDArray[np.bool_] = np.zeros(0, dtype=bool)
        self._singles: NDArray[np.float64] = np.zeros((0, 0))

    @collective
    def kernel(self) -> float:
        """Solve the equations; give `e_corr`. Collective.

        Amplitudes that are there, of a call before, are gone on with; those of `restart_from` are
        taken before them.
        """
        tolerances = self._tolerances()
        space = self._reference.correlated(0, self.frozen)
        self.close()
        self._space, self._active = space, self._reference.active(0, self.frozen)
        self.l1, self.l2, self.converged_lambda, self.lambda_iterations = None, None, False, []
        self.iterations, self.converged, self.seconds_waited = [], False, 0.0
        self.seconds["lambda"] = 0.0
        if 0 in (space.occupied.shape[1], space.virtual.shape[1]):
            return self._without_amplitudes(space)
        found = self._solve(space, tolerances)
        self._singles = found.singles
        self.t1, self.t2 = turned(found, self._group)
        found.doubles.destroy()
        self._tell()
        assert self.e_corr is not None
        return self.e_corr

    def run(self) -> Self:
        """Compute, and give this object. Collective."""
        self.kernel()
        return self

    @property
    def e_tot(self) -> float:
        """Energy in hartree, with that of the mean field."""
        if self.e_corr is None:
            raise RuntimeError("the energy has not been computed yet: call kernel() or run()")
        return self._reference.energy + self.e_corr

    @collective
    def amplitudes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give t1[i, a] and t2[i, j, a, b] as NumPy arrays, whole on every rank. Collective."""
        if self.t1 is None or self.t2 is None:
            raise RuntimeError("there are no amplitudes yet: call kernel() or run()")
        return self.t1[...], self.t2[...]

    @collective
    def integrals(self) -> FourIndex:
        """Give `ovov`, `ovvv`, `ovoo` as new distributed arrays, after `kernel`. Collective."""
        if self._integrals is None:
            raise RuntimeError("there are no integrals: call kernel() or run(), and not close()")
        return four_index(self._integrals)

    def ccsd_t(self) -> float:
        """Give the energy of connected triples, (T). Not there yet."""
        raise NotImplementedError("ccsd_t: the energy of connected triples")

    @property
    def t1_diagnostic(self) -> float:
        """Length of the single amplitudes by electron (Lee and Taylor 1989): small up to 0.02."""
        return diagnostics.t1_diagnostic(self._singles, self._singles.shape[1])

    @property
    def d1_diagnostic(self) -> float:
        """Largest singular value of the single amplitudes (Janssen and Nielsen 1998)."""
        return diagnostics.d1_diagnostic(self._singles)

    @collective
    def close(self) -> None:
        """Free the integrals, which stay for who goes on from here. Collective."""
        if self._integrals is not None:
            self._integrals.close()
            self._integrals = None

    def _tolerances(self) -> Tolerances:
        for name in ("conv_tol", "conv_tol_normt"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)!r}, expected more than 0")
        for name, least in (("max_cycle", 1), ("diis_space", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or value < least:
                raise ValueError(f"{name} is {value!r}, expected an integer from {least} on")
        return Tolerances(self.conv_tol, self.conv_tol_normt, self.max_cycle)

    def _without_amplitudes(self, space: orbitals.Correlated) -> float:
        """Nobody to correlate, or nowhere to go."""
        o, v = space.occupied.shape[1], space.virtual.shape[1]
        self.t1 = atoll.zeros((o, v), group=self._group)
        self.t2 = atoll.zeros((o, o, v, v), group=self._group)
        self._singles = np.zeros((v, o))
        self.e_corr, self.converged = 0.0, True
        return 0.0

    def _solve(self, space: orbitals.Correlated, tolerances: Tolerances) -> Amplitudes:
        group, occupied, virtual = (
            self._group,
            space.occupied.shape[1],
            space.virtual.shape[1],
        )
        self.storage = storage(group, occupied, virtual, self.diis_space, self.memory)
        begun = self._begun_with(space)
        started = time.perf_counter()
        integrals, ladder, fock = self._prepared(space, self.storage)
        self.seconds["integrals"] = time.perf_counter() - started
        started = time.perf_counter()
        equations = Equations(integrals, ladder, fock)
        amplitudes = first_order(integrals, fock.energies) if begun is None else begun
        extrapolation = None
        try:
            extrapolation = Extrapolation(
                amplitudes,
                integrals.shares,
                self.diis_space,
                on_disk=self.storage.diis_on_disk,
                scratch=self.scratch,
            )
            self.iterations, self.converged = solve(
                equations,
                integrals,
                amplitudes,
                fock,
                extrapolation,
                tolerances,
                lambda iteration, last: self._after(iteration, last, amplitudes, space),
            )
        finally:
            self.seconds_waited += ladder.seconds_waited
            if extrapolation is not None:
                self.seconds_waited += extrapolation.seconds_waited
                extrapolation.close()
            ladder.close()
            equations.close()
        self.seconds["iterations"] = time.perf_counter() - started
        self.e_corr = self.iterations[-1].energy
        return amplitudes

    def _prepared(
        self, space: orbitals.Correlated, stored: Storage
    ) -> tuple[Integrals, Ladder, OrbitalFock]:
        """Compute the integrals, but those that are there, and the Fock matrix."""
        virtual, occupied = space.virtual.shape[1], space.occupied.shape[1]
        atomic = AtomicIntegrals(self.mol, self._group, stored.work // 4)
        ladder = Ladder(
            atomic,
            space.virtual,
            virtual_pairs(virtual),
            [kind.sign for kind in occupied_pairs(occupied)],
            stored.work,
            on_disk=stored.ladder_on_disk,
            scratch=self.scratch,
        )
        if self._integrals is not None and self._fock is not None:
            ladder.fill()
            return self._integrals, ladder, self._fock
        wanted = Integrals.wanted(space)
        if ladder.strips == 1:  # in the same pass
            wanted.append(ladder.wanted(0))
        potential = TwoElectronSum(self._reference.density())
        halves = atomic.half_transformed(wanted, potential)
        self._fock = self._fock_matrix(potential, space)
        self._integrals = Integrals(atomic, halves[:2], space, stored.work)
        ladder.fill(halves[2] if ladder.strips == 1 else None)
        return self._integrals, ladder, self._fock

    def _fock_matrix(self, potential: TwoElectronSum, space: orbitals.Correlated) -> OrbitalFock:
        total = np.asarray(self._group.reduce(potential.matrix)).reshape(potential.matrix.shape)
        return canonical(space) if self._core is None else of_orbitals(self._core + total, space)

    def _begun_with(self, space: orbitals.Correlated) -> Amplitudes | None:
        """Give amplitudes that are there already."""
        shape = (space.occupied.shape[1], space.virtual.shape[1])
        before, self.t1 = self.t1, None
        doubles, self.t2 = self.t2, None
        if self.restart_from is not None:
            return checkpoints.load(self.restart_from, self.mol, space, self._group)
        if before is None or doubles is None or before.shape != shape:
            return None
        return from_turned(before, doubles)

    def _after(
        self, iteration: Iteration, last: bool, amplitudes: Amplitudes, space: orbitals.Correlated
    ) -> None:
        """Save and tell what an iteration came to."""
        if self.checkpoint is not None:
            checkpoints.save(self.checkpoint, amplitudes, space, iteration.number, iteration.energy)
        if self.observer is not None:
            self.observer(iteration)
        if self.verbose >= 4 and self._group.rank == 0:
            print(
                f"cycle = {iteration.number}  E_corr(CCSD) = {iteration.energy:.15g}  "
                f"dE = {iteration.change:.9g}  norm(t1,t2) = {iteration.step:.6g}"
                f"{'  converged' if last else ''}",
                flush=True,
            )

    def _tell(self) -> None:
        """Print the result, and warn of what is doubtful."""
        concern = diagnostics.concern(self.t1_diagnostic, self.d1_diagnostic)
        if self._group.rank != 0:
            return
        if self.verbose >= 3:
            print(f"E(CCSD) = {self.e_tot:.15g}  E_corr = {self.e_corr:.15g}", flush=True)
        if not self.converged:
            warn(f"CCSD has not converged in {len(self.iterations)} iterations")
        if concern:
            warn(f"CCSD: {concern}")


RCCSD = CCSD

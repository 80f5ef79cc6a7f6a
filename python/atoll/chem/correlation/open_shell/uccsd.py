"""`UCCSD`, which `atoll.chem.cc` gives."""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll._agreement import collective
from atoll.chem.correlation.coupled_cluster import diagnostics, triples_methods
from atoll.chem.correlation.coupled_cluster.assembly import repulsion
from atoll.chem.correlation.coupled_cluster.driver import MEMORY, SAME_ENERGY, Driver
from atoll.chem.correlation.coupled_cluster.fock_matrix import SpinSum, canonical, of_orbitals
from atoll.chem.correlation.coupled_cluster.triples_result import nothing
from atoll.chem.correlation.open_shell import checkpoints, reference
from atoll.chem.correlation.open_shell.amplitudes import (
    OpenShellAmplitudes,
    energy,
    first_order,
    from_turned,
    turned,
)
from atoll.chem.correlation.open_shell.equations import OpenShellEquations
from atoll.chem.correlation.open_shell.four_index import four_index
from atoll.chem.correlation.open_shell.integrals import OpenShellIntegrals
from atoll.chem.correlation.open_shell.ladders import StoredLadders, direct_ladder
from atoll.chem.correlation.open_shell.packing import PackedExtrapolation
from atoll.chem.correlation.open_shell.solver import solve
from atoll.chem.correlation.open_shell.spin_pairs import spin_pairs
from atoll.chem.correlation.open_shell.storage import storage
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.pyscf_calls.of_correlation import (
    as_array,
    refuse_half,
    refuse_other_integrals,
    refuse_others,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.fock_matrix import OrbitalFock
    from atoll.chem.correlation.coupled_cluster.ladder_choice import LadderProduct
    from atoll.chem.correlation.coupled_cluster.solver import Iteration, Tolerances
    from atoll.chem.correlation.open_shell.four_index import OpenShellFourIndex
    from atoll.chem.correlation.orbitals import Correlated

    Matrix = NDArray[np.float64]
    Solved = tuple[float, tuple[atoll.Array, ...], tuple[atoll.Array, ...]]


class UCCSD(Driver):
    """Open-shell CCSD on all ranks of a group.

    Args:
        mf: A converged mean field, as PySCF's `scf.UHF`, `scf.ROHF` or `scf.RHF`, with the
            attributes that `RCCSD` wants. Of ROHF, whose `get_hcore()` is needed, orbitals are
            made semicanonical: occupied ones of a spin, and virtual ones, diagonalise its Fock
            matrix among themselves.
        frozen: So many lowest orbitals of each spin, or a list of orbitals, that are not
            correlated; or a list for each spin.
        mo_coeff, mo_occ: Orbitals in place of those of `mf`, as for `RCCSD`.
        memory: Bytes a rank, as for `RCCSD`.
        ladder: Where integrals of four virtual orbitals are, as there.
        scratch: Folder for disk arrays, as there.
        group: Ranks that take part; none: the default group.

    Attributes:
        conv_tol, conv_tol_normt, max_cycle, diis_space: As those of `RCCSD`, as are
        checkpoint, restart_from, verbose, observer: and
        e_corr, converged, iterations, storage, seconds, seconds_waited: what it came to.
        t1: Amplitudes of alpha and beta, distributed arrays [i, a].
        t2: Amplitudes of two alpha, alpha and beta, two beta electrons [i, j, a, b], as PySCF has
            them.
        spaces: Orbitals of alpha and beta that all this is over, after `kernel`.

    """

    _name = "UCCSD"

    @collective
    def __init__(
        self,
        mf: Any,
        frozen: int | Sequence[Any] | None = None,
        mo_coeff: Any = None,
        mo_occ: Any = None,
        *,
        memory: int = MEMORY,
        ladder: str = "auto",
        scratch: str | os.PathLike[str] | None = None,
        group: atoll.Group | None = None,
    ) -> None:
        given = mo_coeff, mo_occ
        super().__init__(mf, reference.agreed, frozen, memory, ladder, scratch, group, *given)
        self._shared = reference.has_shared_open_shells(mf)
        if self._shared and self._core is None:
            raise ValueError("mf has no get_hcore(), expected one of a mean field as scf.ROHF")
        self.t1: tuple[atoll.Array, ...] | None = None
        self.t2: tuple[atoll.Array, ...] | None = None
        self.spaces: dict[int, Correlated] = {}
        self._spaces_of: str | None = None
        self._integrals: OpenShellIntegrals | None = None
        self._fock: dict[int, OrbitalFock] = {}
        self._singles: dict[int, Matrix] = {}
        self._guard()

    def _counterpart(self) -> Any:
        return pyscf_wheel.class_of("pyscf.cc.uccsd", "UCCSD")

    @collective
    def kernel(
        self, t1: Any = None, t2: Any = None, eris: Any = None, mbpt2: bool = False
    ) -> Solved:
        """Solve the equations; give `e_corr`, `t1` and `t2`. Collective.

        Amplitudes that are there, of a call before, are gone on with; those of `restart_from` are
        taken before them.

        Args:
            t1: Amplitudes to begin with, as `t1` or as NumPy arrays; and
            t2: those of two electrons.
            eris: What `ao2mo` gave; PySCF's integrals are not supported.
            mbpt2: Whether to stop at what the iterations begin with: second-order perturbation.

        """
        refuse_other_integrals("UCCSD.kernel", eris, self)
        refuse_half("UCCSD.kernel", t1, t2)
        self._require_unchanged()
        if t1 is not None:
            self.t1 = tuple(as_array(each, self._group) for each in t1)
            self.t2 = tuple(as_array(each, self._group) for each in t2)
        tolerances = self._tolerances()
        if mbpt2:
            tolerances = self._second_order(tolerances, given=(t1, t2))
        chosen = reference.correlated(self._reference, self.frozen)
        self.close()
        self.e_corr = self.triples = None  # of other amplitudes, should this fail
        self.iterations, self.converged, self.seconds_waited = [], False, 0.0
        saved = self._saved()
        self._choose(chosen, saved)
        spaces = {s: space for s, space in self.spaces.items() if _size(space) > 0}
        found = OpenShellAmplitudes({}, {})
        self.e_corr, self.converged = 0.0, True  # nobody to correlate, or nowhere to go
        if spaces:
            found = self._solve(spaces, saved, tolerances)
            self.converged |= mbpt2
        self._singles = found.singles
        counts = {
            s: (space.occupied.shape[1], space.virtual.shape[1]) for s, space in self.spaces.items()
        }
        singles, doubles = turned(found, counts, self._group)
        self.t1, self.t2 = tuple(singles), tuple(doubles)
        found.destroy()
        if spaces:
            self._tell()
        return self.e_corr, self.t1, self.t2

    ccsd = kernel

    @collective
    def amplitudes(self) -> tuple[tuple[Matrix, ...], tuple[NDArray[np.float64], ...]]:
        """Give `t1` and `t2` as NumPy arrays, whole on every rank. Collective."""
        if self.t1 is None or self.t2 is None:
            raise RuntimeError("there are no amplitudes yet: call kernel() or run()")
        return tuple(array[...] for array in self.t1), tuple(array[...] for array in self.t2)

    @collective
    def integrals(self) -> OpenShellFourIndex:
        """Give `ovov`, `ovvv`, `ovoo` by spins as new distributed arrays, after `kernel`.

        Collective. A spin without correlated electrons or without virtual orbitals is not there.
        """
        if self._integrals is None:
            raise RuntimeError("there are no integrals: call kernel() or run(), and not close()")
        return four_index(self._integrals)

    def fock(self) -> dict[int, OrbitalFock]:
        """Give the Fock matrix over `spaces` of each spin that has integrals, hartree."""
        if not self._fock:
            raise RuntimeError("there are no Fock matrices: call kernel() or run()")
        return dict(self._fock)

    @collective
    def uccsd_t(self, t1: Any = None, t2: Any = None, eris: Any = None) -> float:
        """Compute the energy of connected triples, (T), in hartree. Collective.

        `t1` and `t2` may only be those that were found.

        `triples` keeps what else there is to tell, [T] as its `bracket`. Where
        `triples_checkpoint` names a folder, finished tasks are saved there each
        `triples_interval` seconds, and gone on from with these same amplitudes and orbitals.

        Raises:
            RuntimeError: There are no amplitudes, or no integrals after `close`.
            ValueError: Orbitals are not canonical, `memory` is too small, or the checkpoint is of
                another calculation.

        """
        refuse_others((t1, self.t1), (t2, self.t2))
        refuse_other_integrals("ccsd_t", eris, self)
        if self.t1 is None or self.t2 is None:
            raise RuntimeError("there are no amplitudes yet: call kernel() or run()")
        if not self._fock:
            self.triples = nothing()
            return 0.0
        if self._integrals is None:
            raise RuntimeError("there are no integrals: call ccsd_t() before close()")
        triples_methods.require_canonical(self._fock.values(), closed=False)
        triples_methods.warn_of_amplitudes(self._group, self.converged)
        counts = {
            s: (space.occupied.shape[1], space.virtual.shape[1]) for s, space in self.spaces.items()
        }
        found = triples_methods.of_open_shells(
            self,
            self._group,
            (self.t1, self.t2),
            self.integrals(),
            self._fock,
            counts,
            self.memory,
        )
        self.triples = found
        return found.energy

    ccsd_t = uccsd_t

    @property
    def t1_diagnostic(self) -> float:
        """Length of the single amplitudes by electron, that of closed shells where they are."""
        electrons = sum(singles.shape[1] for singles in self._singles.values())
        return diagnostics.open_shell_t1_diagnostic(self._singles.values(), electrons)

    @property
    def d1_diagnostic(self) -> float:
        """Largest singular value of the single amplitudes of either spin."""
        return max(map(diagnostics.d1_diagnostic, self._singles.values()), default=0.0)

    def _saved(self) -> dict[str, Any] | None:
        """Give what `restart_from` holds."""
        if self.restart_from is None:
            return None
        return checkpoints.read(self.restart_from, self._group)

    def _choose(self, chosen: dict[int, Correlated], saved: dict[str, Any] | None) -> None:
        """Choose the orbitals, or keep those that amplitudes may be there for."""
        wanted = repr(self.frozen)
        if self._spaces_of == wanted and saved is None:
            return
        self._spaces_of, self.spaces = wanted, chosen
        if self._shared:
            atomic = repulsion(self.mol, self._fit, self._group, self.memory)
            potential = SpinSum(self._reference.densities())
            atomic.half_transformed([], potential)
            atomic.close()
            fock = dict(enumerate(self._basis_fock(potential)))
            self.spaces = reference.semicanonical(chosen, fock, self._group)
            if saved is not None:
                self.spaces = checkpoints.adopted(saved, self.mol, self.spaces)

    def _basis_fock(self, potential: SpinSum) -> Matrix:
        """Give both spins' Fock matrices over basis functions."""
        total = np.asarray(self._group.reduce(potential.matrix)).reshape(potential.matrix.shape)
        assert self._core is not None
        both: Matrix = self._core + total
        self._hamiltonian.check(
            0.5 * float(np.vdot(self._reference.densities(), self._core + both))
        )
        return both

    def _solve(
        self,
        spaces: dict[int, Correlated],
        saved: dict[str, Any] | None,
        tolerances: Tolerances,
    ) -> OpenShellAmplitudes:
        begun = self._begun_with(spaces, saved)
        if begun is not None and self._is_finished(begun, spaces, tolerances):
            return begun.amplitudes
        ladder = self._prepared(spaces)
        assert ladder is not None
        integrals, stored = self._integrals, self.storage
        assert integrals is not None
        assert stored is not None
        started = time.perf_counter()
        equations = OpenShellEquations(integrals, ladder, self._fock)
        energies = {s: fock.energies for s, fock in self._fock.items()}
        amplitudes = first_order(integrals, energies) if begun is None else begun.amplitudes

        def save(folder: str | os.PathLike[str], iteration: Iteration) -> None:
            checkpoints.save(folder, amplitudes, spaces, iteration)

        extrapolation = None
        try:
            extrapolation = PackedExtrapolation(
                amplitudes,
                self._group,
                self._diis_length,
                on_disk=stored.diis_on_disk,
                scratch=self.scratch,
            )
            self.iterations, self.converged = solve(
                equations,
                integrals,
                amplitudes,
                self._fock,
                extrapolation,
                tolerances,
                functools.partial(self._after, save),
            )
            if self.iterations:
                self.e_corr = self.iterations[-1].energy
            else:
                self.e_corr = energy(amplitudes, integrals, self._fock)
        finally:
            if extrapolation is not None:
                self.seconds_waited += extrapolation.seconds_waited
                extrapolation.close()
            self.seconds_waited += ladder.seconds_waited
            ladder.close()
            equations.close()
        self.seconds["iterations"] = time.perf_counter() - started
        return amplitudes

    def _is_finished(
        self, begun: checkpoints.Begun, spaces: dict[int, Correlated], tolerances: Tolerances
    ) -> bool:
        """Take final amplitudes of a checkpoint as they are; False: there is more to do."""
        last = begun.last
        if last is None or not tolerances.are_met_by(last.change, last.step):
            return False
        self._prepared(spaces, with_ladder=False)
        assert self._integrals is not None
        self.e_corr = energy(begun.amplitudes, self._integrals, self._fock)
        self.seconds["iterations"] = 0.0
        self.converged = abs(self.e_corr - last.energy) <= SAME_ENERGY
        if not self.converged:  # of other integrals, fitted ones maybe
            self.close()
        return self.converged

    def _prepared(
        self, spaces: dict[int, Correlated], *, with_ladder: bool = True
    ) -> LadderProduct | None:
        """Compute the integrals; give those of four virtual orbitals."""
        occupied = {s: space.occupied.shape[1] for s, space in spaces.items()}
        virtual = {s: space.virtual.shape[1] for s, space in spaces.items()}
        choice, counts = self._ladder_choice(), (occupied, virtual)
        plan = self.storage = storage(self._group, *counts, self._diis_length, self.memory, choice)
        if with_ladder:
            self._tell_storage(plan)
        started = time.perf_counter()
        atomic = repulsion(self.mol, self._fit, self._group, plan.work)
        pairs = spin_pairs(occupied, virtual)
        stored = None
        if with_ladder and plan.ladder_from != "direct":
            stored = StoredLadders(atomic, spaces, pairs, plan, self.scratch)
        wanted = OpenShellIntegrals.wanted(spaces)
        count = len(wanted)
        if stored is not None:
            wanted += stored.wanted()
        potential = SpinSum(self._reference.densities())
        halves = atomic.half_transformed(wanted, potential)
        self._fock = self._fock_matrices(potential, spaces)
        self._integrals = OpenShellIntegrals(atomic, halves[:count], spaces, plan.work)
        if stored is not None:
            stored.fill(halves[count:])
        atomic.close()
        made: LadderProduct | None = stored
        if with_ladder and stored is None:
            made = direct_ladder(self.mol, spaces, pairs, self._group, plan.work)
        self.seconds["integrals"] = time.perf_counter() - started
        return made

    def _fock_matrices(
        self, potential: SpinSum, spaces: dict[int, Correlated]
    ) -> dict[int, OrbitalFock]:
        if self._core is None:
            return {s: canonical(space) for s, space in spaces.items()}
        fock = self._basis_fock(potential)
        return {s: of_orbitals(fock[s], space) for s, space in spaces.items()}

    def _begun_with(
        self, spaces: dict[int, Correlated], saved: dict[str, Any] | None
    ) -> checkpoints.Begun | None:
        """Give amplitudes that are there already."""
        singles, self.t1 = self.t1, None
        doubles, self.t2 = self.t2, None
        if self.restart_from is not None and saved is not None:
            folder = self.restart_from
            return checkpoints.begun_with(folder, saved, self.mol, spaces, self._group)
        if singles is None or doubles is None:
            return None
        for s, space in spaces.items():
            if singles[s].shape != (space.occupied.shape[1], space.virtual.shape[1]):
                return None
        return checkpoints.Begun(from_turned(singles, doubles, list(spaces)), None)


def _size(space: Correlated) -> int:
    return int(space.occupied.shape[1] * space.virtual.shape[1])

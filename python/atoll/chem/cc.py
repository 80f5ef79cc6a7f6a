"""Coupled cluster under PySCF's names, for mean fields of PySCF's kind.

>>> from pyscf import gto, scf
>>> from atoll.chem import cc
>>> mol = gto.M(atom="H 0 0 0; H 0 0 0.74", basis="cc-pvdz", verbose=0)
>>> round(cc.CCSD(scf.RHF(mol).run()).run().e_corr, 5)
-0.03467
"""

from __future__ import annotations

import contextlib
import functools
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll._agreement import collective
from atoll.chem.correlation import orbitals
from atoll.chem.correlation.coupled_cluster import checkpoints, diagnostics, triples_methods
from atoll.chem.correlation.coupled_cluster.amplitudes import (
    energy,
    first_order,
    from_turned,
    turned,
)
from atoll.chem.correlation.coupled_cluster.assembly import assemble, assemble_without_ladder
from atoll.chem.correlation.coupled_cluster.checkpoints import Begun
from atoll.chem.correlation.coupled_cluster.driver import (
    DIIS_SPACE,
    MEMORY,
    SAME_ENERGY,
    Driver,
)
from atoll.chem.correlation.coupled_cluster.equations import Equations
from atoll.chem.correlation.coupled_cluster.extrapolation import Extrapolation
from atoll.chem.correlation.coupled_cluster.four_index import four_index
from atoll.chem.correlation.coupled_cluster.lambda_methods import LambdaMethods
from atoll.chem.correlation.coupled_cluster.solver import solve
from atoll.chem.correlation.coupled_cluster.storage import storage
from atoll.chem.correlation.coupled_cluster.triples_result import nothing
from atoll.chem.correlation.given_orbitals import computed
from atoll.chem.correlation.open_shell import reference
from atoll.chem.correlation.open_shell.uccsd import UCCSD
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.pyscf_calls import modules
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

    from atoll.chem.correlation.coupled_cluster.amplitudes import Amplitudes
    from atoll.chem.correlation.coupled_cluster.assembly import Parts
    from atoll.chem.correlation.coupled_cluster.fock_matrix import OrbitalFock
    from atoll.chem.correlation.coupled_cluster.four_index import FourIndex
    from atoll.chem.correlation.coupled_cluster.integrals import Integrals
    from atoll.chem.correlation.coupled_cluster.solver import Iteration, Tolerances
    from atoll.chem.correlation.coupled_cluster.storage import Storage

    Solved = tuple[float, atoll.Array, atoll.Array]

__all__ = ["CCSD", "DIIS_SPACE", "RCCSD", "UCCSD"]

__getattr__ = modules.stand_in(__name__)


class RCCSD(LambdaMethods, Driver):
    """Closed-shell CCSD on all ranks of a group.

    Args:
        mf: A converged restricted mean field, as PySCF's `scf.RHF`: `mol`, `mo_coeff`, `mo_energy`,
            `mo_occ` and `e_tot`; real orbitals, full or empty ones. Those of the group's rank 0 are
            used everywhere. The Fock matrix is computed from `get_hcore()`; where `mf` has no such
            method, the orbitals are taken for canonical ones with `mo_energy`. Where it has
            `with_df`, all integrals are fitted by the same set, as PySCF's are.
        frozen: So many lowest orbitals, or a list of orbitals, that are not correlated; -1 in it
            is the last one.
        mo_coeff: Orbitals in place of those of `mf`, functions x orbitals; what belongs to them is
            computed by its methods.
        mo_occ: Their electrons; none: those of `mf`.
        memory: Bytes a rank. Where integrals of four virtual orbitals, or earlier amplitudes, need
            more beside the rest, they go to disk arrays. Less than what amplitudes and other
            integrals need is as if it were that.
        ladder: Where integrals of four virtual orbitals are: "memory", "disk", or "direct", which
            keeps none and computes integrals over functions anew in each iteration; "auto": in
            memory, on a disk if they need more than that, direct if the disk has no room. Fitted
            integrals, and those of Cartesian functions, are not direct.
        scratch: A folder for disk arrays, seen by all ranks, or with "{node}" in its name one for
            each node; none: the first one of `ATOLL_SCRATCH`, which each node has.
        group: Ranks that take part; none: the default group.

    Attributes:
        conv_tol: Largest change of the energy in the last iteration, hartree.
        conv_tol_normt: Largest length of the change of the amplitudes then.
        max_cycle: Iterations at most.
        diis_space: Iterations that DIIS looks back; below two it is off.
        checkpoint: Folder that the amplitudes are saved in after each iteration; None: nowhere.
        restart_from: Folder whose amplitudes are begun with, of a run on any number of ranks; final
            ones over the same orbitals are not iterated again.
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
        storage: What lay on disk or was computed anew, and bytes; after `kernel`.
        seconds: What the time went to on this rank: "integrals", "iterations", "lambda".
        seconds_waited: What this rank has waited for the disk.

    """

    _name = "CCSD"

    @collective
    def __init__(
        self,
        mf: Any,
        frozen: int | Sequence[int] | None = None,
        mo_coeff: Any = None,
        mo_occ: Any = None,
        *,
        memory: int = MEMORY,
        ladder: str = "auto",
        scratch: str | os.PathLike[str] | None = None,
        group: atoll.Group | None = None,
    ) -> None:
        given = mo_coeff, mo_occ
        super().__init__(mf, orbitals.agreed, frozen, memory, ladder, scratch, group, *given)
        if self._reference.spins != 1:
            raise NotImplementedError("CCSD of an unrestricted mean field: cc.UCCSD")
        self.t1: atoll.Array | None = None
        self.t2: atoll.Array | None = None
        self.l1: atoll.Array | None = None
        self.l2: atoll.Array | None = None
        self.converged_lambda = False
        self.lambda_iterations: list[Iteration] = []
        self.seconds["lambda"] = 0.0
        self._integrals: Integrals | None = None
        self._fock: OrbitalFock | None = None
        self._space: orbitals.Correlated | None = None
        self._active: NDArray[np.bool_] = np.zeros(0, dtype=bool)
        self._singles: NDArray[np.float64] = np.zeros((0, 0))
        self._guard()

    def _counterpart(self) -> Any:
        return pyscf_wheel.class_of("pyscf.cc.ccsd", "CCSD")

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
        refuse_other_integrals("CCSD.kernel", eris, self)
        refuse_half("CCSD.kernel", t1, t2)
        self._require_unchanged()
        if t1 is not None:
            self.t1, self.t2 = as_array(t1, self._group), as_array(t2, self._group)
        tolerances = self._tolerances()
        if mbpt2:
            tolerances = self._second_order(tolerances, given=(t1, t2))
        space = self._reference.correlated(0, self.frozen)
        self.close()
        self.e_corr = self.triples = None  # of other amplitudes, should this fail
        self._space, self._active = space, self._reference.active(0, self.frozen)
        self.l1, self.l2, self.converged_lambda, self.lambda_iterations = None, None, False, []
        self.iterations, self.converged, self.seconds_waited = [], False, 0.0
        self.seconds["lambda"] = 0.0
        if 0 in (space.occupied.shape[1], space.virtual.shape[1]):
            self._without_amplitudes(space)
            return self._solved()
        found = self._solve(space, tolerances)
        self.converged |= mbpt2
        self._singles = found.singles
        self.t1, self.t2 = turned(found, self._group)
        found.doubles.destroy()
        self._tell()
        return self._solved()

    ccsd = kernel

    def _solved(self) -> Solved:
        assert self.e_corr is not None
        assert self.t1 is not None
        assert self.t2 is not None
        return self.e_corr, self.t1, self.t2

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

    @collective
    def ccsd_t(self, t1: Any = None, t2: Any = None, eris: Any = None) -> float:
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
        if 0 in self.t1.shape:
            self.triples = nothing()
            return 0.0
        if self._fock is None or self._integrals is None:
            raise RuntimeError("there are no integrals: call ccsd_t() before close()")
        triples_methods.require_canonical([self._fock], closed=True)
        triples_methods.warn_of_amplitudes(self._group, self.converged)
        self.triples = triples_methods.of_closed_shells(
            self, self._group, (self.t1, self.t2), self.integrals(), self._fock, self.memory
        )
        return self.triples.energy

    @property
    def orbital_energies(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Diagonal of the Fock matrix, of the correlated occupied and the virtual orbitals."""
        if self._fock is None:
            raise RuntimeError("the energy has not been computed yet: call kernel() or run()")
        return self._fock.energies

    @property
    def t1_diagnostic(self) -> float:
        """Length of the single amplitudes by electron (Lee and Taylor 1989): small up to 0.02."""
        return diagnostics.t1_diagnostic(self._singles, self._singles.shape[1])

    @property
    def d1_diagnostic(self) -> float:
        """Largest singular value of the single amplitudes (Janssen and Nielsen 1998)."""
        return diagnostics.d1_diagnostic(self._singles)

    @collective
    def get_d2_diagnostic(self) -> float:
        """Give the largest norm of the double amplitudes at an orbital. Collective."""
        if self.t2 is None:
            raise RuntimeError("there are no amplitudes yet: call kernel() or run()")
        return diagnostics.d2_diagnostic(self.t2) if 0 not in self.t2.shape else 0.0

    def _without_amplitudes(self, space: orbitals.Correlated) -> None:
        """Nobody to correlate, or nowhere to go."""
        o, v = space.occupied.shape[1], space.virtual.shape[1]
        self.t1 = atoll.zeros((o, v), group=self._group)
        self.t2 = atoll.zeros((o, o, v, v), group=self._group)
        self._singles = np.zeros((v, o))
        self.e_corr, self.converged = 0.0, True

    def _solve(self, space: orbitals.Correlated, tolerances: Tolerances) -> Amplitudes:
        occupied, virtual = space.occupied.shape[1], space.virtual.shape[1]
        choice = self._ladder_choice()
        plan = storage(self._group, occupied, virtual, self._diis_length, self.memory, choice)
        self._tell_storage(plan)
        begun = self._begun_with(space)
        if begun is not None and self._is_finished(begun, space, plan, tolerances):
            return begun.amplitudes
        started = time.perf_counter()
        parts = self._assembled(space, plan)
        self.storage, self._integrals, self._fock = plan, parts.integrals, parts.fock
        self.seconds["integrals"] = time.perf_counter() - started
        started = time.perf_counter()
        if begun is None:
            amplitudes = first_order(parts.integrals, parts.fock.energies)
        else:
            amplitudes = begun.amplitudes
        self._iterate(amplitudes, parts, space, tolerances)
        self.seconds["iterations"] = time.perf_counter() - started
        return amplitudes

    def _is_finished(
        self, begun: Begun, space: orbitals.Correlated, plan: Storage, tolerances: Tolerances
    ) -> bool:
        """Take final amplitudes of a checkpoint as they are; False: there is more to do."""
        last, amplitudes = begun.last, begun.amplitudes
        if last is None or not tolerances.are_met_by(last.change, last.step):
            return False
        started = time.perf_counter()
        density = self._reference.density()
        integrals, fock = assemble_without_ladder(
            self.mol, self._fit, space, density, self._hamiltonian, plan, self._group
        )
        found = energy(amplitudes, integrals, fock)
        integrals.release()
        if abs(found - last.energy) > SAME_ENERGY:  # of other integrals, fitted ones maybe
            integrals.close()
            return False
        self.storage, self._integrals, self._fock = plan, integrals, fock
        self.e_corr, self.converged = found, True
        self.seconds |= {"integrals": time.perf_counter() - started, "iterations": 0.0}
        return True

    def _assembled(self, space: orbitals.Correlated, plan: Storage) -> Parts:
        """Compute integrals and the Fock matrix; who asks frees them."""
        density = self._reference.density()
        return assemble(
            self.mol, self._fit, space, density, self._hamiltonian, plan, self.scratch, self._group
        )

    def _iterate(
        self,
        amplitudes: Amplitudes,
        parts: Parts,
        space: orbitals.Correlated,
        tolerances: Tolerances,
    ) -> None:
        """Improve amplitudes, and free what nobody needs afterwards."""

        def save(folder: str | os.PathLike[str], iteration: Iteration) -> None:
            checkpoints.save(folder, amplitudes, space, iteration)

        assert self.storage is not None
        with contextlib.ExitStack() as leaving:
            leaving.callback(parts.integrals.release)
            leaving.callback(parts.ladder.close)
            equations = Equations(*parts)
            leaving.callback(equations.close)
            extrapolation = Extrapolation(
                amplitudes,
                parts.integrals.shares,
                self._diis_length,
                on_disk=self.storage.diis_on_disk,
                scratch=self.scratch,
            )
            leaving.callback(extrapolation.close)
            self.iterations, self.converged = solve(
                equations,
                parts.integrals,
                amplitudes,
                parts.fock,
                extrapolation,
                tolerances,
                functools.partial(self._after, save),
            )
            self.seconds_waited = parts.ladder.seconds_waited + extrapolation.seconds_waited
            if self.iterations:
                self.e_corr = self.iterations[-1].energy
            else:
                self.e_corr = energy(amplitudes, parts.integrals, parts.fock)

    def _begun_with(self, space: orbitals.Correlated) -> Begun | None:
        """Give amplitudes that are there already."""
        shape = (space.occupied.shape[1], space.virtual.shape[1])
        before, self.t1 = self.t1, None
        doubles, self.t2 = self.t2, None
        if self.restart_from is not None:
            return checkpoints.load(self.restart_from, self.mol, space, self._group)
        if before is None or doubles is None or before.shape != shape:
            return None
        return Begun(from_turned(before, doubles), None)


@collective
def CCSD(  # noqa: N802  # PySCF's name
    mf: Any,
    frozen: int | Sequence[Any] | None = None,
    mo_coeff: Any = None,
    mo_occ: Any = None,
    *,
    memory: int = MEMORY,
    ladder: str = "auto",
    scratch: str | os.PathLike[str] | None = None,
    group: atoll.Group | None = None,
) -> RCCSD | UCCSD:
    """Make CCSD of a mean field: `RCCSD` of closed shells, else `UCCSD`. Collective.

    What is given to both is told there. A mean field of unrestricted orbitals, or of singly
    occupied ones as PySCF's `scf.ROHF`, is one of open shells.
    """
    computed(mf, "CCSD")
    kind = UCCSD if reference.is_open(mf) else RCCSD
    return kind(
        mf, frozen, mo_coeff, mo_occ, memory=memory, ladder=ladder, scratch=scratch, group=group
    )

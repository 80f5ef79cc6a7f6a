"""Multipliers, density and properties as methods of CCSD, under PySCF's names."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

import atoll
from atoll._agreement import collective, warn
from atoll.chem.correlation.coupled_cluster.amplitudes import from_turned, turned
from atoll.chem.correlation.coupled_cluster.extrapolation import Extrapolation
from atoll.chem.correlation.coupled_cluster.lambda_equations import like_doubles
from atoll.chem.correlation.coupled_cluster.lambda_solver import solve_multipliers
from atoll.chem.correlation.coupled_cluster.response import response
from atoll.chem.correlation.coupled_cluster.storage import DOUBLES, storage
from atoll.chem.correlation.natural_orbitals import natural_orbitals
from atoll.chem.properties.given_density import GivenDensity
from atoll.chem.pyscf_calls.of_correlation import as_array, refuse_other_integrals, refuse_others

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

    from atoll.chem.correlation.coupled_cluster.assembly import Parts
    from atoll.chem.correlation.coupled_cluster.ladder_choice import LadderChoice
    from atoll.chem.correlation.coupled_cluster.solver import Iteration, Tolerances
    from atoll.chem.correlation.coupled_cluster.storage import Storage
    from atoll.chem.correlation.orbitals import Correlated, Reference

    Matrix = NDArray[np.float64]


class HasAmplitudes(Protocol):
    """What CCSD gives these methods."""

    mol: Any
    frozen: Any
    memory: int
    scratch: str | os.PathLike[str] | None
    verbose: int
    t1: atoll.Array | None
    t2: atoll.Array | None
    l1: atoll.Array | None
    l2: atoll.Array | None
    converged_lambda: bool
    lambda_iterations: list[Iteration]
    seconds: dict[str, float]
    seconds_waited: float
    _group: atoll.Group
    _reference: Reference
    _space: Correlated | None
    _active: NDArray[np.bool_]

    @property
    def stdout(self) -> Any:
        """Where lines are printed to."""

    @property
    def _diis_length(self) -> int:
        """Iterations that DIIS looks back."""

    def _tolerances(self) -> Tolerances:
        """Give them."""

    def _ladder_choice(self) -> LadderChoice:
        """Give what is asked for and what there is. Collective."""

    def _assembled(self, space: Correlated, plan: Storage) -> Parts:
        """Compute integrals and the Fock matrix."""

    def solve_lambda(self) -> tuple[atoll.Array, atoll.Array]:
        """Give the multipliers."""

    def make_rdm1(self, ao_repr: bool = False) -> Matrix:
        """Give the density."""


class LambdaMethods:
    """What needs the multipliers. All are collective."""

    l1: atoll.Array | None
    l2: atoll.Array | None

    @collective
    def solve_lambda(
        self: HasAmplitudes,
        t1: Any = None,
        t2: Any = None,
        l1: Any = None,
        l2: Any = None,
        eris: Any = None,
    ) -> tuple[atoll.Array, atoll.Array]:
        """Solve the equations for the multipliers of the amplitudes; give `l1`, `l2`. Collective.

        `t1` and `t2` may only be those that were found, `eris` what `ao2mo` gave; `l1` and `l2`
        are begun with. Tolerances and `max_cycle` are those of the amplitudes, `conv_tol` that of
        what the energy would be with multipliers for amplitudes. Multipliers that are there are
        gone on with. The integrals are computed again, and freed.

        Raises:
            RuntimeError: There are no amplitudes.
            OSError: The disk is full, or failed. On all ranks.

        """
        refuse_others((t1, self.t1), (t2, self.t2))
        refuse_other_integrals("solve_lambda", eris, self)
        if self.t1 is None or self.t2 is None:
            raise RuntimeError("there are no amplitudes yet: call kernel() or run()")
        if (l1 is None) != (l2 is None):
            raise ValueError("only one of l1 and l2 was given, expected both or none")
        if l1 is not None:
            self.l1, self.l2 = as_array(l1, self._group), as_array(l2, self._group)
        tolerances = self._tolerances()
        if 0 in self.t2.shape:
            found = [atoll.zeros(t.shape, group=self._group) for t in (self.t1, self.t2)]
            self.converged_lambda = True
        else:
            started = time.perf_counter()
            found = _solved(self, self.t1, self.t2, tolerances)
            self.seconds["lambda"] = time.perf_counter() - started
        self.l1, self.l2 = found
        return found[0], found[1]

    @collective
    def make_rdm1(self: HasAmplitudes, ao_repr: bool = False) -> Matrix:
        """Compute the density of all electrons without orbital relaxation. Collective.

        Multipliers that are not there yet are solved for.

        Args:
            ao_repr: Over basis functions, instead of the mean field's orbitals.

        Returns:
            Functions x functions, or orbitals x orbitals, whole on every rank.

        """
        if self.l1 is None:
            self.solve_lambda()
        assert self.t1 is not None
        density = np.diag(self._reference.occupations[0])
        if 0 not in self.t1.shape:
            _add_correlation(density, self)
        if not ao_repr:
            return density
        c = self._reference.coefficients[0]
        over_functions: Matrix = c @ density @ c.T
        return over_functions

    @collective
    def make_natorbs(self: HasAmplitudes, rdm1_mo: Matrix | None = None) -> tuple[Matrix, Matrix]:
        """Give natural occupations, descending, and orbitals (functions x orbitals). Collective.

        Args:
            rdm1_mo: What `make_rdm1()` gave, if it is there.

        """
        density = self.make_rdm1() if rdm1_mo is None else np.asarray(rdm1_mo)
        return natural_orbitals(density, self._reference.coefficients[0], self._group)

    @collective
    def dip_moment(
        self: HasAmplitudes, unit: str = "Debye", origin: ArrayLike | None = None
    ) -> Matrix:
        """Give the dipole moment of `make_rdm1`'s density, 3 numbers in debye. Collective.

        Args:
            unit: "Debye", or "AU" for atomic units.
            origin: A position in bohr; it matters where the molecule is charged.

        """
        density = GivenDensity(self.mol, self.make_rdm1(ao_repr=True), self._group)
        return density.dip_moment(unit=unit, origin=origin)


def _solved(
    owner: HasAmplitudes, t1: atoll.Array, t2: atoll.Array, tolerances: Tolerances
) -> list[atoll.Array]:
    """Solve for the multipliers; give them as distributed arrays."""
    group, space = owner._group, owner._space
    assert space is not None
    o, v = t1.shape
    arrays = DOUBLES + like_doubles(o, v)
    choice = owner._ladder_choice()
    stored = storage(group, o, v, owner._diis_length, owner.memory, choice, arrays)
    parts = owner._assembled(space, stored)
    amplitudes = from_turned(t1, t2)
    begun = (t1, t2) if owner.l1 is None or owner.l2 is None else (owner.l1, owner.l2)
    multipliers = from_turned(*begun)
    with contextlib.ExitStack() as leaving:
        leaving.callback(amplitudes.doubles.destroy)
        leaving.callback(parts.integrals.close)
        leaving.callback(parts.integrals.release)
        leaving.callback(parts.ladder.close)
        extrapolation = Extrapolation(
            multipliers,
            parts.integrals.shares,
            owner._diis_length,
            on_disk=stored.diis_on_disk,
            scratch=owner.scratch,
        )
        leaving.callback(extrapolation.close)
        owner.lambda_iterations, owner.converged_lambda = solve_multipliers(
            amplitudes,
            multipliers,
            parts,
            extrapolation,
            tolerances,
            lambda iteration, last: _tell(owner, iteration, last),
        )
        owner.seconds_waited += parts.ladder.seconds_waited + extrapolation.seconds_waited
    found = turned(multipliers, group)
    multipliers.doubles.destroy()
    if not owner.converged_lambda and group.rank == 0:
        count = len(owner.lambda_iterations)
        warn(f"the multipliers of CCSD have not converged in {count} iterations")
    return list(found)


def _add_correlation(density: Matrix, owner: HasAmplitudes) -> None:
    """Add to the density of the determinant, over its orbitals."""
    assert owner.t1 is not None
    assert owner.t2 is not None
    assert owner.l1 is not None
    assert owner.l2 is not None
    amplitudes = from_turned(owner.t1, owner.t2)
    multipliers = from_turned(owner.l1, owner.l2)
    found = response(amplitudes, multipliers)
    amplitudes.doubles.destroy()
    multipliers.doubles.destroy()
    full = owner._reference.occupations[0] > 0
    occupied, virtual = owner._active & full, owner._active & ~full
    density[np.ix_(occupied, occupied)] += found.oo + found.oo.T
    density[np.ix_(virtual, virtual)] += found.vv + found.vv.T
    mixed = amplitudes.singles + multipliers.singles + found.ov
    density[np.ix_(virtual, occupied)] += mixed
    density[np.ix_(occupied, virtual)] += mixed.T


def _tell(owner: HasAmplitudes, iteration: Iteration, last: bool) -> None:
    if owner.verbose >= 4 and owner._group.rank == 0:
        print(
            f"lambda cycle = {iteration.number}  norm(l1,l2) = {iteration.step:.6g}"
            f"{'  converged' if last else ''}",
            file=owner.stdout,
            flush=True,
        )

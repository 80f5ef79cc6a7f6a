"""Mean fields under PySCF's names: what its users set, call and read, over any number of ranks."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import atoll
from atoll._agreement import collective
from atoll.chem.df import DF, settings_of
from atoll.chem.exchange_correlation.stopwatch import Stopwatch
from atoll.chem.gradients.methods import GradientMethods
from atoll.chem.integrals import fitting_sets, pyscf_wheel
from atoll.chem.integrals.blocked_basis import BlockedBasis
from atoll.chem.molecules import InputError
from atoll.chem.molecules.agreed import agree_on, agree_on_settings
from atoll.chem.properties.methods import PropertyMethods
from atoll.chem.pyscf_calls.arguments import densities_given, of_spins
from atoll.chem.pyscf_calls.mean_field import PyscfCalls
from atoll.chem.pyscf_calls.relativity import ScalarX2C
from atoll.chem.pyscf_twin import to_pyscf
from atoll.chem.self_consistency import guess
from atoll.chem.self_consistency.assembly import ExactExchange, Fitting, assemble, storage_of
from atoll.chem.self_consistency.checkpoints import CheckpointMethods
from atoll.chem.self_consistency.curvature import sure_gap
from atoll.chem.self_consistency.cycle import SelfConsistency, Solution
from atoll.chem.self_consistency.hamiltonian import Hamiltonian
from atoll.chem.self_consistency.lines import Lines, say_result, summary_of
from atoll.chem.self_consistency.occupations import Occupations
from atoll.chem.self_consistency.one_electron_methods import REPLACEABLE, OneElectronMethods
from atoll.chem.self_consistency.open_shells import densities_of
from atoll.chem.self_consistency.pyscf_settings import PySCFSettings
from atoll.chem.self_consistency.settings import Settings
from atoll.chem.self_consistency.smearing import Smeared
from atoll.chem.self_consistency.stability_methods import StabilityMethods
from atoll.chem.self_consistency.state import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from typing_extensions import Self

    from atoll.chem.fock.two_electron import Density
    from atoll.chem.self_consistency.cycle import Observer
    from atoll.chem.self_consistency.hamiltonian import Parts, XcBuilder


_COMPARED = (
    "init_guess", "init_guess_breaksym", "direct_scf_tol", "integral_storage", "with_df",
    "only_dfj", "xc", "xc_arrays", "disp", "fix_spin",
)  # fmt: skip
"""Further settings that have to be the same on all ranks."""


class MeanField(
    PyscfCalls, Smeared, PropertyMethods, GradientMethods, StabilityMethods, OneElectronMethods,
    CheckpointMethods, PySCFSettings,
):  # fmt: skip
    """What all mean fields have in common. Making one is collective over the group.

    Args:
        mol: PySCF's `Mole`, the same on every rank.
        group: Ranks that compute; none: the default group.

    Attributes:
        mol: The molecule.
        conv_tol: Largest energy change in the last iteration, hartree.
        conv_tol_grad: Largest DIIS error then, an element of F D S - S D F in an orthonormal
            basis; None: a tenth of the root of `conv_tol`.
        max_cycle: Iterations at most; 0: the energy of what is begun with.
        init_guess: "minao", "atom", "huckel", "mod_huckel", "sap", "vsap", "1e", "hcore" or
            "chkfile".
        level_shift: By so much empty orbitals are raised in the iterations, hartree; or a pair, for
            alpha and for beta.
        damp: Share of the Fock matrix before, as long as the error is large; or a pair.
        diis: True, False, "diis" or "adiis".
        diis_space, diis_start_cycle: Iterations that DIIS looks back; those before it begins.
        direct_scf_tol: Contributions to the Fock matrix below this are left out, hartree.
        smearing: Width of a Fermi distribution of the occupations, hartree; 0: none. Called, as
            PySCF's method, it gives a mean field that is smeared.
        saddles: Of a solution that is no minimum: "follow" the way down, "tell", or "ignore" it;
            None: see `_saddles`.
        restart_from: File whose orbitals are begun with, Atoll's or PySCF's; those of this very
            molecule that are a solution already are taken as they are.
        integral_storage: "auto": integrals are kept in memory, and others, where a folder or a
            quota is given, on disk if that pays; "direct": they are computed anew; "disk": all are
            kept, in memory and in files.
        memory: Bytes of each rank for kept integrals; None: `mol.max_memory`, PySCF's 4000 MB, but
            no more than the rank's share of half of what its node has left.
        disk_quota: Bytes of each rank on disk; None: what there is.
        scratch: Folder for them; None: the first one of `ATOLL_SCRATCH`.
        chkfile: File that the orbitals are written to after each iteration, as PySCF does.
        with_df, only_dfj: How integrals are fitted; see `density_fit`.
        verbose: From 3 on rank 0 prints the result, from 4 iterations too.
        e_tot, converged, cycles, mo_energy, mo_occ, scf_summary: Results, on every rank; of
            smeared ones also e_free, e_zero, entropy.
        mo_coeff: Orbitals as a NumPy array: a copy, made when one asks. `orbitals` are the
            distributed arrays, one a spin.

    """

    spins: ClassVar[int] = 1
    """Sets of orbitals."""
    shared: ClassVar[bool] = False
    """Whether the spins have densities of their own, but the same orbitals."""
    method: ClassVar[str] = "RHF"
    _replaceable = REPLACEABLE
    _converted: ClassVar[dict[str, Callable[[Any], Any]]] = {"with_df": settings_of}

    @collective
    def __init__(self, mol: Any, group: atoll.Group | None = None) -> None:
        self._group = atoll.default_group() if group is None else group
        agree_on(mol, self._group, self.method)
        self.mol = mol
        self._seen = _tables(mol)
        self.conv_tol = 1e-9
        self.conv_tol_grad: float | None = None
        self.max_cycle = 50
        self.init_guess = "minao"
        self.level_shift: float | tuple[float, float] = 0.0
        self.damp: float | tuple[float, float] = 0.0
        self.diis: bool | str = True
        self.diis_space = 8
        self.diis_start_cycle = 1
        self.direct_scf_tol = 1e-13
        self.smearing, self.fix_spin, self._entropy = 0.0, True, 0.0
        self.saddles: str | None = None
        self.chkfile: str | None = None
        self.restart_from: str | None = None
        self.integral_storage = "auto"
        self.memory: int | None = None
        self.disk_quota: int | None = None
        self.scratch: str | None = None
        self.verbose = int(getattr(mol, "verbose", 0))
        self.observer: Observer | None = None
        self.with_df: DF | None = None
        self.only_dfj = False
        self.orbitals: tuple[atoll.Array, ...] = ()
        self._energies: tuple[NDArray[np.float64], ...] = ()
        self._occupations: tuple[NDArray[np.float64], ...] = ()
        self.e_tot = 0.0
        self.converged = False
        self.cycles = 0
        self.scf_summary: dict[str, float] = {}
        self.solution: Solution | None = None
        self._basis: BlockedBasis | None = None
        self._begin()
        self._guard()

    @collective
    def reset(self, mol: Any = None) -> Self:
        """Forget integrals and orbitals, for a changed molecule, or another one. Collective."""
        changed = self.mol if mol is None else mol
        agree_on(changed, self._group, "reset")
        before = self.mol
        self.mol, self._seen = changed, _tables(changed)
        if self.with_df is not None:
            self.with_df = self.with_df.moved_to(changed, before, self.fitting_set)
        for name, value in vars(self).items():
            if isinstance(value, ScalarX2C):
                vars(self)[name] = value.moved_to(changed)
        self._basis = self.solution = None
        self.forget_integrals()
        self._moved()
        self.orbitals = self._energies = self._occupations = ()
        self.converged = False
        return self

    def forget_if_changed(self) -> None:
        """Forget integrals and orbitals of a molecule that was changed in place since.

        Collective where it was, as `set_geom_` and `build` change it.
        """
        if _tables(self.mol) != self._seen:
            self.reset()

    # What the methods of a mean field differ in.

    def electrons(self) -> tuple[int, ...]:
        """Give the electrons of each spin; for closed shells one number of both."""
        total = int(self.mol.nelectron)
        if int(self.mol.spin) != 0:
            raise InputError(
                f"{type(self).__name__}: spin is {self.mol.spin}, expected 0; open shells are UHF's"
            )
        return (total,)

    def exact_exchange(self) -> ExactExchange:
        """Give the exchange of the method."""
        return ExactExchange()

    def make_xc(self, basis: BlockedBasis) -> XcBuilder | None:
        """Make what builds exchange and correlation beside exact exchange. Collective."""
        del basis
        return None

    def make_parts(self, xc: XcBuilder | None = None) -> Parts:
        """Make what builds the two-electron part of Fock matrices; who asks closes it. Collective.

        `xc` goes with it.
        """
        fitting = None if self.with_df is None else Fitting(self.with_df, self.only_dfj)
        storage = storage_of(
            self.mol, self.integral_storage, self.memory, self.disk_quota, self.scratch
        )
        exchange = self.exact_exchange()
        return assemble(self.basis, exchange, xc, self.direct_scf_tol, fitting, storage)

    def correction(self) -> dict[str, float]:
        """Give parts of the energy that do not depend on the density, by name."""
        return {}

    def _begin(self) -> None:
        """Set the attributes that a kind of mean field has of its own."""

    def _moved(self) -> None:
        """Forget what a kind of mean field has made for where the atoms were."""

    # What PySCF's users call; much of it is in `PyscfCalls`.

    @collective
    def kernel(self, dm0: Any = None) -> float:
        """Compute the energy; give `e_tot`, hartree. Collective.

        It goes on from orbitals that are there.

        Args:
            dm0: Density to begin with, NumPy arrays as `make_rdm1` gives or a list as
                `density_arrays` does; none: `init_guess`.

        Raises:
            InputError: The basis is too small for the electrons. On all ranks.

        """
        self.forget_if_changed()
        self.forget_replaced()
        watch = Stopwatch()
        width = float(self.smearing)
        occupations = Occupations(self.electrons(), width, self.shared, self.fix_spin)
        settings = self._settings(from_guess=self._begins_anew(dm0))
        agree_on_settings(self._group, self.method, (settings, width, *map(self._fact, _COMPARED)))
        basis, integrals = self.basis, self.integrals
        watch.lap("one-electron integrals")
        orthonormal = self.orthonormal
        watch.lap("orthogonalisation")
        if occupations.occupied(0) > orthonormal.independent:
            raise InputError(
                f"the basis has only {orthonormal.independent} independent functions for "
                f"{occupations.occupied(0)} occupied orbitals"
            )
        start = self._start(dm0, occupations)
        watch.lap("starting guess")
        constant = {"nuclear repulsion": self.nuclear_energy(), **self.correction()}
        xc = self.make_xc(basis)
        watch.lap("other" if xc is None else "integration grid")
        parts = self.make_parts(xc)
        watch.lap("integral bounds" if self.with_df is None else "fitted integrals")
        hamiltonian = Hamiltonian(basis, integrals, constant, parts, self._densities)
        watching = self._watcher(), self if self.chkfile else None, watch
        loop = SelfConsistency(hamiltonian, orthonormal, occupations, settings, *watching)
        self._take(loop.solve(start))
        parts.close()
        if self.chkfile:
            self.dump_chk()
        if self.verbose >= 3 and self._group.rank == 0 and self.observer is None:
            say_result(self.e_tot, self.converged, self.solution, self.stdout)
        return self.e_tot

    scf = kernel

    def density_fit(
        self, auxbasis: Any = None, with_df: DF | None = None, only_dfj: bool = False
    ) -> Self:
        """Give a mean field like this one whose integrals are fitted. Collective.

        Args:
            auxbasis: Fitting set; None: PySCF's choice for the basis and the functional.
            with_df: Settings of the fit, `atoll.chem.df.DF`, instead.
            only_dfj: Whether only the Coulomb matrix is fitted (RI-J).

        """
        fitted = copy.copy(self)
        if with_df is None and auxbasis is None:
            with_df = DF.by_default(self.mol, self.fitting_set())
        fitted.with_df = DF(self.mol, auxbasis) if with_df is None else with_df
        fitted.only_dfj = bool(only_dfj)
        return fitted

    def fitting_set(self) -> Any:
        """Give the fitting set that PySCF's `density_fit()` would choose."""
        return fitting_sets.of_mean_field(self.mol)

    @property
    def auxbasis(self) -> Any:
        """The fitting set that was asked for."""
        return None if self.with_df is None else self.with_df.auxbasis

    @property
    def group(self) -> atoll.Group:
        """The ranks that compute."""
        return self._group

    @property
    def basis(self) -> BlockedBasis:
        """How functions are cut and matrices distributed. Collective when first asked for."""
        self.forget_if_changed()
        if self._basis is None:
            self._basis = BlockedBasis(self.mol, self._group)
        return self._basis

    @collective
    def density_arrays(self, dm: Any = None) -> list[Density]:
        """Give the density of each spin as distributed arrays. Collective.

        It is that of the result, or of `dm`: NumPy arrays as `make_rdm1` gives them.
        """
        if dm is not None:
            return densities_given(dm, "dm", self.basis, self._densities)
        self._require_orbitals()
        overlap = self.integrals.overlap
        return list(densities_of(self.orbitals, self._occupations, overlap, self.shared))

    def to_pyscf(self) -> Any:
        """Give PySCF's object with these settings and results, whole on every rank. Collective.

        Raises NotImplementedError for a setting that PySCF has not.
        """
        return to_pyscf(self)

    def take_results(
        self,
        orbitals: tuple[atoll.Array, ...],
        energies: tuple[NDArray[np.float64], ...],
        occupations: tuple[NDArray[np.float64], ...],
        *,
        energy: float,
        converged: bool,
        cycles: int,
        summary: dict[str, float],
    ) -> None:
        """Take what was computed elsewhere for this molecule, equal on every rank."""
        self.orbitals, self._energies, self._occupations = orbitals, energies, occupations
        self.e_tot, self.converged, self.cycles = energy, converged, cycles
        self.scf_summary = summary
        self.solution = None

    def _counterpart(self) -> Any:
        return pyscf_wheel.mean_field_class(self.method)

    @property
    def _label(self) -> str:
        return self.method

    def _settings(self, from_guess: bool) -> Settings:
        kinds = {True: "auto", False: "none", None: "none"}
        diis: Any = kinds.get(self.diis, self.diis)  # type: ignore[arg-type]
        if not isinstance(self.max_cycle, (int, np.integer)) or self.max_cycle < 0:
            raise ValueError(f"max_cycle is {self.max_cycle!r}, expected 0 or more")
        return Settings(
            convergence=self.conv_tol,
            gradient=self.conv_tol_grad,
            max_iterations=int(self.max_cycle) + 1,  # the first is that of what is begun with
            level_shift=of_spins(self.level_shift, "level_shift", self.spins),
            damping=of_spins(self.damp, "damp", self.spins),
            diis=diis,
            diis_length=self.diis_space,
            diis_start=self.diis_start_cycle + 1,
            saddles=self._saddles(from_guess),
            sure_gap=sure_gap(self.exact_exchange(), open_shells=self._densities == 2),
        )

    def _fact(self, name: str) -> object:
        value = getattr(self, name, None)
        return value if isinstance(value, (bool, int, float, str, tuple)) else type(value).__name__

    def _start(self, dm0: Any, occupations: Occupations) -> State:
        file = self.restart_from
        if dm0 is None and not self.orbitals and (file or self.init_guess.startswith("chk")):
            if file is None and self.chkfile is None:
                raise ValueError("init_guess is 'chkfile' and chkfile is None, expected a file")
            return guess.saved_state(str(file or self.chkfile), self.basis, self.spins, self.shared)
        if dm0 is not None:
            densities = densities_given(dm0, "dm0", self.basis, self._densities)
        elif self.orbitals:  # go on from what was found before, as PySCF does
            densities = self.density_arrays()
        else:
            unlike = getattr(self, "init_guess_breaksym", False)
            densities = guess.starting_densities(self.init_guess, self.basis, occupations, unlike)
        return State(tuple(densities), (), ())

    def _take(self, solution: Solution) -> None:
        self.solution = solution
        self.converged = solution.converged
        self.cycles = solution.cycles
        self.orbitals = tuple(o.coefficients for o in solution.state.orbitals)
        self._energies = tuple(o.energies for o in solution.state.orbitals)
        self._occupations = solution.state.occupations
        self.e_tot, self._entropy = solution.effective.energy, solution.entropy
        self.scf_summary = summary_of(solution)

    @property
    def _densities(self) -> int:
        return 2 if self.shared else self.spins

    def _require_orbitals(self) -> None:
        self.forget_if_changed()
        if not self.orbitals:
            raise RuntimeError(
                "there are no orbitals yet, or none of the molecule as it is now: call kernel() or "
                "run()"
            )

    def _watcher(self) -> Observer | None:
        if self.observer is None and self.verbose >= 4 and self._group.rank == 0:
            return Lines(self.stdout)
        return self.observer


def _tables(mol: Any) -> tuple[Any, ...]:
    """Give what integrals depend on, to find out later whether it has changed."""
    # What lies before is PySCF's for the moment: origins, screening, range separation.
    tables = (mol._atm, mol._bas, mol._env[pyscf_wheel.FIRST_OF_MOLECULE :], mol._ecpbas)
    return (mol.charge, mol.spin, *(np.asarray(table).tobytes() for table in tables))

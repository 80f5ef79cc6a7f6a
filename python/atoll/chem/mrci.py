"""Multireference configuration interaction, as PySCF's classes are, for its orbitals and ours.

>>> from pyscf import gto, scf
>>> from atoll.chem import mrci
>>> mol = gto.M(atom="H 0 0 0; H 0 0 1.4", basis="6-31g", verbose=0)
>>> round(mrci.MRCI(scf.RHF(mol).run(), active=(2, 2)).run().e_tot, 6)
-1.066775
"""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import atoll
from atoll._agreement import collective
from atoll.chem.correlation.mean_field_hamiltonian import hamiltonian_of, require_orbitals
from atoll.chem.correlation.multireference import checkpoints, properties
from atoll.chem.correlation.multireference.compressed import CompressedStore
from atoll.chem.correlation.multireference.davidson import Davidson, Eigenpairs, Iteration
from atoll.chem.correlation.multireference.integrals import Integrals, StringTables
from atoll.chem.correlation.multireference.product import Product
from atoll.chem.correlation.multireference.reference import make_reference
from atoll.chem.correlation.multireference.space import Space, Symmetry, count_determinants
from atoll.chem.correlation.multireference.start import Diagonal, generic_vector, start_vectors
from atoll.chem.correlation.multireference.states import StateMethods
from atoll.chem.correlation.multireference.vectors import MemoryStore
from atoll.chem.correlation.same_problem import OtherCalculationError, span_the_same
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.molecules.agreed import agree_on_settings, require_unchanged
from atoll.chem.pyscf_calls.configured import Configured

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.correlation.multireference.checkpoints import Saved
    from atoll.chem.correlation.multireference.states import Values
    from atoll.chem.correlation.multireference.vectors import Store, Vector

MEMORY = 1 << 30
"""Bytes a rank."""
MAX_SPACE = 12
"""Vectors of the subspace."""
PROBES = 12
"""How often it is looked, at most, for states below those found."""
GUARDS = 4
"""Vectors that look for them at a time."""
SLOW = 50
"""Iterations of the first search after which it goes on together with these where it has not
converged: one vector alone does not get on among states that lie close to each other.
"""
SAME_STATE = 1e-6
"""Hartree by which energies of the same states may differ."""
_SEGMENT = 4 << 20
_LEAST_SEGMENT = 1 << 16
_SEGMENTS_A_RANK = 4  # and more: segments do not go beyond equally many holes and particles
_IN_MEMORY = 128  # segments that a rank has at hand at most, of all vectors of a subspace
STORES = ("auto", "memory", "file")


def most_vectors(roots: int, max_space: int = MAX_SPACE) -> int:
    """Give the number of vectors that there are at a time, at most."""
    followed = roots + GUARDS
    return 2 * max(max_space, 8 * followed) + 3 * followed


class MRCI(StateMethods, Configured):
    """Single and double excitations from a complete active space, uncontracted.

    All determinants with up to two holes in the inactive and up to two electrons in the external
    orbitals are mixed, those of the active space in all ways. Without active orbitals that is CISD,
    with all orbitals active full configuration interaction. The states found are the lowest of all
    spins that the number of unpaired electrons (Ms) allows; `spin_square` tells which they are.

    Args:
        mf: A converged mean field with the same orbitals for both spins (`scf.RHF`, `scf.ROHF`),
            or `mcscf.CASCI`, `mcscf.CASSCF`: `mol` and `mo_coeff`, inactive orbitals first, then
            active ones. Those of the group's rank 0 are used everywhere. Integrals are exact, also
            where the mean field's are fitted.
        active: Electrons, or those of each spin, and orbitals, as (6, 6) or ((4, 2), 6); none: the
            active space's own.
        roots: How many states.
        frozen: So many lowest orbitals, or a list, that are not correlated: inactive ones keep two
            electrons, external ones none.
        irrep: Name of the representation that the states belong to, of D2h or a subgroup; none:
            all. The molecule must have been made with `symmetry`, and its orbitals have it.
        memory: Bytes a rank, about: half of it for vectors, half for tables of strings and work.
        store: Where vectors are: "memory", as they are, in distributed arrays, however much that
            is; "file": compressed, in one file that all ranks share; "auto": "memory" if half of
            the memory holds them, else compressed, in that half while it lasts and in the file.
        compress: Whether elements in the file are rounded to multiples of 2^-38, so that they take
            two or three bytes; else all bytes are kept, but for zeros.
        scratch: Folder of that file, seen by all ranks; none: the first one of `ATOLL_SCRATCH`.
        segment_bytes: Vectors are moved in pieces of at most so many bytes; none: as it suits the
            number of ranks.
        conv_tol: Largest change of an energy in the last iteration, hartree.
        conv_tol_residual: Largest norm of a residual, hartree.
        max_cycle: Iterations at most, of each search: after the first one generic vectors look for
            states below those found, until there are none; also where the first one has not
            converged in 50 iterations or more.
        max_space: Vectors in the subspace at most; at least three times the roots are taken.
        group: Ranks that take part; none: the default group.

    Attributes:
        checkpoint: Folder that the best vectors are saved in after each iteration, seen by all
            ranks; None: nowhere.
        restart_from: Such a folder, of a run on any number of ranks, whose vectors are begun with.
        e_tot: Energy in hartree after `kernel` or `run`, on every rank; an array for several roots.
        e_ref: That of each state's own reference part, the determinants of the active space.
        e_corr: What the excitations add to it.
        e_tot_q: Energy with Davidson's correction, (1 - weight of the reference) x `e_corr`.
        reference_weight: Sum of the squares of the reference's coefficients.
        converged: Whether all states are.
        determinants: How many are mixed.
        file_bytes: How long the shared file has become, after `kernel`; 0 without one.
        iterations: Energies, without the constant, and residuals of each iteration.

    Raises:
        ValueError, TypeError: On all ranks, for an argument that makes no sense, by its name.

    """

    _fixed = frozenset({"mol", "frozen", "roots", "irrep", "determinants", "segment_bytes"})

    @collective
    def __init__(
        self,
        mf: Any,
        active: Any = None,
        roots: int = 1,
        frozen: int | Sequence[int] | None = 0,
        *,
        irrep: str | None = None,
        memory: int = MEMORY,
        store: Literal["auto", "memory", "file"] = "auto",
        compress: bool = True,
        scratch: str | os.PathLike[str] | None = None,
        segment_bytes: int | None = None,
        conv_tol: float = 1e-10,
        conv_tol_residual: float = 1e-5,
        max_cycle: int = 60,
        max_space: int = MAX_SPACE,
        group: atoll.Group | None = None,
    ) -> None:
        self._group = atoll.default_group() if group is None else group
        self.mol = mf.mol
        self.roots, self.frozen, self.memory = roots, frozen, memory
        self.store, self.compress, self.scratch = store, compress, scratch
        self.conv_tol, self.conv_tol_residual = conv_tol, conv_tol_residual
        self.max_cycle, self.max_space = max_cycle, max_space
        self.segment_bytes = _LEAST_SEGMENT if segment_bytes is None else segment_bytes
        self._check_settings()
        require_orbitals(mf, "MRCI")
        self._hamiltonian = hamiltonian_of(mf, self._group, "MRCI")
        self._reference = make_reference(mf, active, frozen)
        orbitals, electrons = self._reference.orbitals, self._reference.electrons
        self.irrep = irrep
        self._symmetry = None if irrep is None else self._symmetry_of(irrep)
        self.determinants = count_determinants(orbitals, electrons, self._symmetry)
        if self.roots > self.determinants:
            raise ValueError(f"roots is {roots}, expected at most {self.determinants}, the states")
        self.segment_bytes = self._suitable() if segment_bytes is None else segment_bytes
        facts = (orbitals, electrons, self._symmetry, self.roots, list(self._reference.correlated))
        agree_on_settings(self._group, "MRCI", (facts, self._facts()))
        self.checkpoint: str | os.PathLike[str] | None = None
        self.restart_from: str | os.PathLike[str] | None = None
        self._segment_bytes_given = segment_bytes is not None
        self.converged = False
        self.file_bytes = 0
        self.iterations: list[Iteration] = []
        self._constant = 0.0
        self._energies: NDArray[np.float64] | None = None
        self._parts: list[properties.ReferencePart] = []
        self._spin_squares: list[float] = []
        self._densities: list[NDArray[np.float64]] = []
        self._coefficients: NDArray[np.float64] = np.zeros((0, 0))
        self._before = self.mol.copy()
        self._guard()

    def _counterpart(self) -> Any:
        return pyscf_wheel.class_of("pyscf.mcscf.casci", "CASCI")

    def _check_settings(self) -> None:
        for name in ("roots", "memory", "max_cycle", "max_space", "segment_bytes"):
            number = getattr(self, name)
            if not isinstance(number, (int, np.integer)) or number < 1:
                raise ValueError(f"{name} is {number!r}, expected an integer above zero")
        for name in ("conv_tol", "conv_tol_residual"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)!r}, expected more than zero")
        if self.store not in STORES:
            known = ", ".join(map(repr, STORES))
            raise ValueError(f"store is {self.store!r}, expected one of {known}")

    def _facts(self) -> tuple[object, ...]:
        """Give the settings that have to be the same on all ranks."""
        limits = self.roots, self.conv_tol, self.conv_tol_residual, self.max_cycle, self.max_space
        return *limits, self.segment_bytes, self.memory, self.store, self.compress

    def _symmetry_of(self, irrep: str) -> Symmetry:
        if not getattr(self.mol, "symmetry", False):
            raise ValueError(f"irrep is {irrep!r}, expected None: the molecule has no symmetry")
        orbitals = self._reference.coefficients[:, self._reference.correlated]
        try:
            irreps, wanted = pyscf_wheel.orbital_irreps(self.mol, orbitals, irrep)
        except ValueError as error:
            raise ValueError(f"irrep is {irrep!r}: {error}") from None
        return Symmetry(tuple(irreps), wanted)

    def _suitable(self) -> int:
        """Choose the bytes of a segment, so that there are enough for all ranks."""
        share = 8 * self.determinants // (_SEGMENTS_A_RANK * self._group.size)
        return max(_LEAST_SEGMENT, min(_SEGMENT, share, self.memory // _IN_MEMORY))

    @collective
    def kernel(self) -> Values:
        """Compute the states; give `e_tot`. Collective.

        Raises:
            OSError: The disk is full, or failed; what `restart_from` names is not there. On all
                ranks.
            ValueError: That is of another calculation: of another molecule, or of orbitals that
                span other spaces.

        """
        self._check_settings()
        require_unchanged(self.mol, self._before, "MRCI")
        agree_on_settings(self._group, "MRCI", self._facts())
        self._energies, self.converged = None, False
        saved = self._saved()
        integrals = self._integrals()
        self._constant = integrals.constant
        reference = self._reference
        space = Space(reference.orbitals, reference.electrons, self.segment_bytes, self._symmetry)
        tables = StringTables(integrals, self.memory // 2)
        store = self._make_store(space)
        try:
            self._solve(store, tables, saved)
        finally:  # all ranks are here, also after an error
            if isinstance(store, CompressedStore):
                self.file_bytes = store.extents.file_bytes
            store.close()
        return self.e_tot

    def _make_store(self, space: Space) -> Store:
        room = self.memory // 2
        needed = 8 * space.size * most_vectors(self.roots, self.max_space) // self._group.size
        if self.store == "memory" or (self.store == "auto" and needed <= room):
            return MemoryStore(space, self._group)
        first = 0 if self.store == "file" else room
        return CompressedStore(space, self._group, first, self.scratch, not self.compress)

    @collective
    def _solve(self, store: Store, tables: StringTables, saved: Saved | None) -> None:
        diagonal = Diagonal(tables.integrals)
        keeper = self._keeper(store, saved)
        davidson = Davidson(
            store,
            Product(store.space, tables, self._group).add,
            diagonal.of,
            tolerance=self.conv_tol,
            residual=self.conv_tol_residual,
            max_iterations=self.max_cycle,
            max_space=self.max_space,
            after=None if keeper is None else keeper.keep,
        )
        if saved is None:
            start = start_vectors(store, tables.integrals, diagonal, self.roots)
        else:
            start = checkpoints.load(store, saved)
        found = davidson.solve(start, None if saved is None else saved.values)
        if saved is None or not saved.searched:
            found = self._look_below(found, davidson, store, diagonal)
        if keeper is not None and found.converged.all():
            keeper.finish()
        self.converged = bool(found.converged.all())
        self.iterations = found.iterations
        self._energies = found.values + self._constant
        self._look_at(store, tables, found.vectors)
        for vector in found.vectors:
            vector.destroy()

    def _look_below(
        self, found: Eigenpairs, davidson: Davidson, store: Store, diagonal: Diagonal
    ) -> Eigenpairs:
        """Look for states below those found, with generic vectors, until there are none."""
        for number in range(PROBES if self.determinants > max(self.roots, 1) else 0):
            before = found
            slow = number == 0 and len(before.iterations) >= SLOW
            if not (before.converged.all() or slow):
                break  # which is told
            lowest = float(before.values[0])
            generic = [
                generic_vector(store, diagonal, lowest, GUARDS * number + each)
                for each in range(min(GUARDS, self.determinants - self.roots))
            ]
            found = davidson.solve([*before.vectors, *generic], before.values, len(generic))
            found = found._replace(iterations=before.iterations + found.iterations)
            if np.abs(found.values - before.values).max() < SAME_STATE:
                break
        return found

    def _keeper(self, store: Store, saved: Saved | None) -> checkpoints.Keeper | None:
        """Give what saves vectors after each iteration; None: nothing does."""
        if self.checkpoint is None:
            return None
        same = saved is not None and os.fspath(self.checkpoint) == saved.folder
        return checkpoints.Keeper(
            self.checkpoint,
            store,
            self.mol,
            self._problem(),
            self.segment_bytes,
            self._coefficients,
            last=saved.file if same and saved is not None else 1,
        )

    def _problem(self) -> dict[str, Any]:
        """Say what vectors are of, but for molecule and orbitals, as JSON can tell."""
        reference = self._reference
        return {
            "inactive, active and external orbitals": list(reference.orbitals),
            "correlated orbitals": [int(each) for each in reference.correlated],
            "electrons": list(reference.electrons),
            "roots": self.roots,
            "irrep": self.irrep,
        }

    def _saved(self) -> Saved | None:
        """Give what `restart_from` holds, and take its orbitals and segments."""
        if self.restart_from is None:
            return None
        saved = checkpoints.read(self.restart_from, self.mol, self._problem(), self._group)
        if self._segment_bytes_given and self.segment_bytes != saved.segment_bytes:
            raise ValueError(
                f"segment_bytes is {self.segment_bytes}, expected {saved.segment_bytes} as "
                f"{saved.folder} has"
            )
        mine = np.ascontiguousarray(self._reference.coefficients)
        of_first = np.asarray(self._group.broadcast(mine)).reshape(mine.shape)
        spaces = self._reference.spaces()
        pairs = [each[:, space] for space in spaces for each in (saved.coefficients, of_first)]
        if not span_the_same(self.mol, *pairs):
            raise OtherCalculationError(f"{saved.folder} has vectors over other orbitals")
        self._reference = dataclasses.replace(self._reference, coefficients=saved.coefficients)
        if self.irrep is not None:
            self._symmetry = self._symmetry_of(self.irrep)
        object.__setattr__(self, "segment_bytes", saved.segment_bytes)
        return saved

    def _look_at(self, store: Store, tables: StringTables, vectors: list[Vector]) -> None:
        self._parts = properties.reference_parts(store, tables, vectors)
        self._spin_squares = properties.spin_squares(store, tables, vectors)
        self._densities = [properties.density(store, tables, vector) for vector in vectors]

    def _integrals(self) -> Integrals:
        """Compute the integrals on rank 0 and give them to all."""
        reference, c = self._reference, self._reference.coefficients
        own: tuple[Any, ...] = (None, None, None, None)
        hamiltonian = self._hamiltonian
        hamiltonian.check_determinant()
        if self._group.rank == 0:
            frozen, correlated = c[:, reference.frozen], c[:, reference.correlated]
            plain = hamiltonian.constant, hamiltonian.core
            own = (*pyscf_wheel.hamiltonian_over_orbitals(self.mol, *plain, frozen, correlated), c)
        constant, one, two, coefficients = (self._group.broadcast(each) for each in own)
        self._coefficients = np.asarray(coefficients).reshape(c.shape)
        n = len(reference.correlated)
        return Integrals(
            float(constant), np.asarray(one).reshape(n, n), np.asarray(two).reshape(n * n, n * n)
        )

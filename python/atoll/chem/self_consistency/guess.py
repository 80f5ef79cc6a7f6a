"""Densities to begin with."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.fock.two_electron import Density
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.integrals.one_electron import symmetric_matrix
from atoll.chem.molecules.agreed import are_same, have_same_functions
from atoll.chem.results import chkfile
from atoll.chem.self_consistency.open_shells import densities_of
from atoll.chem.self_consistency.orthonormal import Orbitals
from atoll.chem.self_consistency.state import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.self_consistency.occupations import Occupations

KINDS = ("minao", "atom", "huckel", "mod_huckel", "sap", "vsap", "1e", "hcore")
"""PySCF's names for guesses."""
BETWEEN_ATOMS = 1e-2
"""Of the overlap: what breaks the symmetry of spins in a guess without a part between atoms."""
LARGEST_DENSE = 1000
"""Functions up to which "minao" is PySCF's, made as one matrix on the group's first rank."""


def starting_densities(
    kind: str, basis: BlockedBasis, occupations: Occupations, break_symmetry: bool | int | str
) -> list[Density]:
    """Make densities of each spin by one of `KINDS`. Collective.

    "minao" of many functions is the sum of atoms' own densities ("atom"), which no rank holds
    whole; the other kinds are PySCF's, whole on the first rank. With `break_symmetry`, and as many
    electrons of either spin, those of the spins are unlike: a calculation could not get there by
    itself. As PySCF's (1, True) beta loses what it has between atoms, or alpha gets something there
    where atoms alone make the guess, (2) two electrons more are alpha than beta, or ("mix") HOMO
    and LUMO of "minao" are mixed, whole on the first rank; "atom": beta loses what it has on the
    first atom.

    Raises ValueError for another kind, on all ranks, and NotImplementedError for another way to
    break symmetry.
    """
    if break_symmetry not in (None, False, True, 2, "mix", "atom"):
        raise NotImplementedError(
            f"init_guess_breaksym is {break_symmetry!r}, expected 0, 1, 2, 'mix' or 'atom'"
        )
    if kind not in KINDS:
        raise ValueError(f"init_guess is {kind!r}, expected one of {', '.join(KINDS)}")
    total = basis.matrix("density")
    of_atoms = kind == "atom" or (kind == "minao" and basis.functions > LARGEST_DENSE)
    if of_atoms:
        _put_atoms(total, basis)
    elif basis.group.rank == 0:
        total[...] = pyscf_wheel.starting_density(basis.mole, kind)
    basis.group.sync()
    if len(occupations.electrons) == 1:
        return [Density(total)]
    return _by_spin(total, basis, occupations, break_symmetry, of_atoms)


def saved_state(path: str, basis: BlockedBasis, spins: int, shared: bool = False) -> State:
    """Make the densities of orbitals in a checkpoint file, Atoll's or PySCF's. Collective.

    Those of another basis are projected, those of other positions go along with their atoms; of
    this very molecule, and as many sets of orbitals, the orbitals are there, too. `shared`: both
    spins have densities, of the same orbitals. Raises OSError or ValueError on all ranks.
    """
    saved = chkfile.read(path, basis.group)
    there = pyscf_wheel.molecule_of(saved.mole)
    very_same = are_same(there, basis.mole)
    same = very_same or have_same_functions(there, basis.mole)
    found = []
    for spin in range(saved.spins):
        orbitals = atoll.zeros((saved.functions, saved.orbitals), group=basis.group, name="saved")
        chkfile.read_orbitals(path, spin, orbitals)
        found.append(orbitals if same else _projected(orbitals, there, basis))
    if saved.spins == spins and very_same:
        return State(
            densities_of(found, list(saved.occupations), basis.matrix("density"), shared),
            tuple(map(Orbitals, saved.energies, found)),
            tuple(saved.occupations),
        )
    wanted = 2 if shared else spins
    return State(tuple(_densities(found, saved.occupations, basis, wanted)), (), ())


def is_of(path: str, mole: Any, spins: int, group: atoll.Group) -> bool:
    """Tell whether a file is of this very molecule and as many sets of orbitals. Collective.

    Raises OSError or ValueError on all ranks.
    """
    saved = chkfile.read(path, group)
    return saved.spins == spins and are_same(pyscf_wheel.molecule_of(saved.mole), mole)


def _densities(
    orbitals: list[atoll.Array],
    occupations: NDArray[np.float64],
    basis: BlockedBasis,
    spins: int,
) -> list[Density]:
    """Give the densities of so many spins from orbitals of one or two."""
    like = basis.matrix("density")
    are_open = spins == 2 and len(orbitals) == 1 and bool(np.any(occupations == 1.0))
    found = densities_of(orbitals, list(occupations), like, shared=are_open)
    totals = [density.matrix for density in found]
    if spins == 1 and len(totals) == 2:
        totals = [totals[0] + totals[1]]
    elif spins == 2 and len(totals) == 1:
        totals[0].scale(0.5)
        totals = [totals[0], totals[0]]
    return [Density(total) for total in totals]


def _projected(orbitals: atoll.Array, there: Any, basis: BlockedBasis) -> atoll.Array:
    """Give S^-1 S' C: the orbitals that are nearest in this basis. Collective."""
    mixed = atoll.zeros((basis.functions, there.nao), group=basis.group, name="overlap of bases")
    blocks = basis.blocks
    for block in range(basis.group.rank, blocks.count, basis.group.size):
        shells, rows = blocks.shell_range(block), blocks.function_range(block)
        mixed[rows] = pyscf_wheel.mixed_overlap(basis.mole, there, (shells.start, shells.stop))
    basis.group.sync()
    overlap = symmetric_matrix(basis, ["int1e_ovlp"])
    return atoll.linalg.solve(overlap, mixed @ orbitals)


def _put_atoms(total: atoll.Array, basis: BlockedBasis) -> None:
    slices = basis.mole.aoslice_by_atom()
    of_element: dict[str, np.ndarray] = {}
    for atom in range(basis.group.rank, basis.mole.natm, basis.group.size):
        symbol = basis.mole.atom_symbol(atom)
        if symbol not in of_element:
            of_element[symbol] = pyscf_wheel.atom_density(basis.mole, atom)
        functions = slice(int(slices[atom, 2]), int(slices[atom, 3]))
        total[functions, functions] = of_element[symbol]


def _by_spin(
    total: atoll.Array,
    basis: BlockedBasis,
    occupations: Occupations,
    break_symmetry: bool | int | str,
    of_atoms: bool,
) -> list[Density]:
    electrons = occupations.electrons
    densities = []
    for count in electrons:
        part = total.copy()
        part.scale(count / max(1, sum(electrons)))
        densities.append(part)
    if break_symmetry and electrons[0] == electrons[1] and basis.mole.natm > 0:
        ends = [int(end) for end in basis.mole.aoslice_by_atom()[:, 3]]
        if break_symmetry == "atom":
            densities[1].at[: ends[0], :].scale(0.0)
            densities[1].at[:, : ends[0]].scale(0.0)
        elif break_symmetry == 2:
            overlap = symmetric_matrix(basis, ["int1e_ovlp"])
            half = float(atoll.algebra.sum_of_products(densities[0], overlap))
            densities[0].scale((half + 1.0) / half)
            densities[1].scale((half - 1.0) / half)
        elif break_symmetry == "mix":
            if basis.group.rank == 0:
                mixed = pyscf_wheel.mixed_frontier_densities(basis.mole)
                densities[0][...], densities[1][...] = mixed
            basis.group.sync()
        elif of_atoms:
            between = symmetric_matrix(basis, ["int1e_ovlp"])
            between.scale(BETWEEN_ATOMS)
            for begin, end in pairwise([0, *ends]):
                between.at[begin:end, begin:end].scale(0.0)
            densities[0] += between
        else:
            for begin, end in pairwise([0, *ends]):
                densities[1].at[begin:end, end:].scale(0.0)
                densities[1].at[begin:end, :begin].scale(0.0)
    return [Density(part) for part in densities]

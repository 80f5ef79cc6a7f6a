"""Fock builds over ranks: against PySCF, with tight memory, on groups, and how work is cut."""

import atoll
import numpy as np
import pytest
from atoll.chem.integrals.blocks import cut_shells, even_starts, grid_of, make_blocks, matrix_starts
from atoll.chem.fock import FockBuilder
from atoll.chem.integrals.one_electron import one_electron_integrals
from pyscf import scf

PEROXIDE = "O 0 0.7 0; O 0 -0.7 0.1; H 0.8 0.9 0.4; H -0.8 -0.9 0.4"


def check(builder, subject, density):
    root = builder.group.rank == 0
    coulomb, exchange, statistics = builder.build(density if root else None)
    assert statistics.tasks <= len(builder.tasks.quartets)
    assert 0.0 < statistics.efficiency <= 1.0
    if not root:
        assert coulomb is None
        assert exchange is None
        return statistics
    expected_coulomb, expected_exchange = scf.hf.get_jk(subject.mole, density, hermi=1)
    np.testing.assert_allclose(coulomb, expected_coulomb, rtol=0, atol=1e-10)
    np.testing.assert_allclose(exchange, expected_exchange, rtol=0, atol=1e-10)
    return statistics


def test_coulomb_and_exchange_are_those_of_pyscf(world, molecule, symmetric_matrix):
    subject = molecule(PEROXIDE, "cc-pvdz")
    with FockBuilder(subject) as builder:
        for seed in range(3):  # a builder serves many densities
            check(builder, subject, symmetric_matrix(subject.functions, seed))
        statistics = check(builder, subject, np.zeros((subject.functions, subject.functions)))
    assert (statistics.tasks, statistics.quartets) == (0, 0)


def test_tight_memory_flushes_results_and_fetches_densities_again(
    world, molecule, symmetric_matrix
):
    subject = molecule(PEROXIDE, "6-31g")
    with FockBuilder(subject, cache_bytes=1) as builder:
        check(builder, subject, symmetric_matrix(subject.functions))
        assert len(builder._density_tiles) <= 1


def test_a_part_of_the_ranks_builds(world, molecule, symmetric_matrix):
    subject = molecule(PEROXIDE, "6-31g")
    group = world.split(world.rank % 2)
    with FockBuilder(subject, group) as builder:
        check(builder, subject, symmetric_matrix(subject.functions))


def test_rank_zero_must_give_a_density(molecule):
    if atoll.size() > 1:
        pytest.skip("raises on rank 0 only")
    with (
        FockBuilder(molecule("He 0 0 0", "sto-3g")) as builder,
        pytest.raises(ValueError, match="density"),
    ):
        builder.build(None)


@pytest.mark.parametrize(
    ("atoms", "basis"), [(PEROXIDE, "cc-pvdz"), ("I 0 0 0; Cl 0 0 2.3", "lanl2dz")]
)
def test_one_electron_integrals_are_those_of_pyscf(world, molecule, atoms, basis):
    mole = molecule(atoms, basis).mole
    integrals = one_electron_integrals(mole, make_blocks(mole, world.size), world)
    assert (integrals is None) == (world.rank != 0)
    if integrals is not None:
        core = scf.hf.get_hcore(mole)
        np.testing.assert_allclose(integrals.kinetic + integrals.attraction, core, atol=1e-11)
        np.testing.assert_allclose(integrals.overlap, mole.intor("int1e_ovlp"), atol=1e-13)


def test_blocks_hold_whole_atoms_unless_these_are_large():
    widths, atoms = [1, 1, 3, 1, 1, 1, 3, 5], [0, 0, 0, 1, 2, 3, 3, 3]
    assert cut_shells(widths, atoms, 7) == [0, 5, 8]
    assert cut_shells(widths, atoms, 4) == [0, 3, 6, 7, 8]
    assert cut_shells(widths, atoms, 1) == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert cut_shells(widths, atoms, 100) == [0, 8]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 7, 12, 100])
@pytest.mark.parametrize("count", [1, 2, 5, 30])
def test_arrays_are_cut_at_block_boundaries_for_any_number_of_ranks(ranks, count):
    boundaries = np.concatenate([[0], np.cumsum(1 + np.arange(count) % 4)]).astype(np.int32)
    rows, columns = grid_of(ranks, count)
    assert 1 <= rows * columns <= ranks
    assert max(rows, columns) <= count
    for starts, parts in zip(matrix_starts(boundaries, ranks), (rows, columns), strict=True):
        assert len(starts) == parts
        assert starts[0] == 0
        assert set(starts) <= set(boundaries[:-1].tolist())
        assert starts == sorted(set(starts))
    assert even_starts(np.array([0, 10, 11, 12], dtype=np.int32), 3) == [0, 10, 11]

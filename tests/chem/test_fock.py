"""Fock builds over ranks: against PySCF, with tight memory, on groups, and how work is cut."""

import atoll
import numpy as np
import pytest
from atoll.chem.fock import Density, DirectFock
from atoll.chem.integrals.blocked_basis import BlockedBasis
from atoll.chem.integrals.blocks import cut_shells, even_starts, grid_of, matrix_starts
from pyscf import scf

PEROXIDE = "O 0 0.7 0; O 0 -0.7 0.1; H 0.8 0.9 0.4; H -0.8 -0.9 0.4"


def distributed(basis, matrix):
    array = basis.matrix("density")
    if basis.group.rank == 0:
        array[...] = matrix
    basis.group.sync()
    return array


def check(builder, densities, *, coulomb=True, exchange=True, omega=0.0):
    """Build what is wanted, compare with PySCF on every rank, and return the statistics."""
    basis = builder.basis
    J = basis.matrix("Coulomb") if coulomb else None
    K = [basis.matrix("exchange") for _ in densities] if exchange else []
    statistics = builder.build([Density(distributed(basis, d)) for d in densities], J, K)
    assert statistics.tasks <= len(builder.tasks.quartets)
    assert 0.0 < statistics.efficiency <= 1.0
    with basis.mole.with_range_coulomb(omega):
        expected_J, expected_K = scf.hf.get_jk(basis.mole, np.array(densities), hermi=1)
    if coulomb:
        np.testing.assert_allclose(J[...], expected_J.sum(0), rtol=0, atol=1e-10)
    for got, expected in zip(K, expected_K, strict=False):
        np.testing.assert_allclose(got[...], expected, rtol=0, atol=1e-10)
    basis.group.sync()
    return statistics


def test_coulomb_and_exchange_are_those_of_pyscf(world, molecule, symmetric_matrix):
    subject = molecule(PEROXIDE, "cc-pvdz")
    builder = DirectFock(BlockedBasis(subject.mole, world))
    for seed in range(3):  # a builder serves many densities
        check(builder, [symmetric_matrix(subject.functions, seed)])
    statistics = check(builder, [np.zeros((subject.functions, subject.functions))])
    assert (statistics.tasks, statistics.quartets) == (0, 0)


@pytest.mark.parametrize("wanted", [(True, True), (True, False), (False, True)])
def test_one_pass_serves_the_densities_of_both_spins(world, molecule, symmetric_matrix, wanted):
    subject = molecule(PEROXIDE, "6-31g")
    builder = DirectFock(BlockedBasis(subject.mole, world))
    spins = [symmetric_matrix(subject.functions, seed) for seed in range(2)]
    coulomb, exchange = wanted
    both = check(builder, spins, coulomb=coulomb, exchange=exchange)
    one = check(builder, spins[:1], coulomb=coulomb, exchange=exchange)
    assert both.quartets < 1.1 * one.quartets  # the integrals of one pass


def test_densities_that_cancel_have_exchange_and_no_coulomb(world, molecule, symmetric_matrix):
    subject = molecule(PEROXIDE, "6-31g")
    builder = DirectFock(BlockedBasis(subject.mole, world))
    spin = symmetric_matrix(subject.functions)
    check(builder, [spin, -spin])
    assert check(builder, [spin, -spin], exchange=False).quartets == 0


@pytest.mark.parametrize("omega", [0.3, -0.3], ids=["long range", "short range"])
def test_a_range_of_the_interaction_is_that_of_pyscf(world, molecule, symmetric_matrix, omega):
    subject = molecule(PEROXIDE, "6-31g*")
    basis = BlockedBasis(subject.mole, world)
    check(DirectFock(basis, omega=omega), [symmetric_matrix(subject.functions)], omega=omega)
    assert subject.mole.omega == 0.0


def test_small_integrals_that_meet_a_large_density_are_kept(world, molecule):
    mole = molecule("Ne 0 0 0; Ne 0 0 2.5; Ne 0 0 5.5; Ne 0 0 9", "6-31g").mole
    builder = DirectFock(BlockedBasis(mole, world), screening=1e-8)
    density = np.full((36, 36), 1e3)
    K = builder.basis.matrix("exchange")
    statistics = builder.build([Density(distributed(builder.basis, density))], None, [K])
    expected = scf.hf.get_jk(mole, density, hermi=1)[1]
    np.testing.assert_allclose(K[...], expected, rtol=0, atol=1e-6)
    assert 10 < statistics.tasks < 55
    world.sync()


def test_tight_memory_flushes_results_and_fetches_densities_again(
    world, molecule, symmetric_matrix
):
    subject = molecule(PEROXIDE, "6-31g")
    builder = DirectFock(BlockedBasis(subject.mole, world), cache_bytes=1)
    check(builder, [symmetric_matrix(subject.functions, seed) for seed in range(2)])


def test_a_part_of_the_ranks_builds(world, molecule, symmetric_matrix):
    subject = molecule(PEROXIDE, "6-31g")
    group = world.split(world.rank % 2)
    builder = DirectFock(BlockedBasis(subject.mole, group))
    check(builder, [symmetric_matrix(subject.functions)])


def test_bad_arguments_raise_on_all_ranks(world, molecule, symmetric_matrix):
    subject = molecule("He 0 0 0; He 0 0 2", "sto-3g")
    basis = BlockedBasis(subject.mole, world)
    builder = DirectFock(basis)
    density, J, K = Density(distributed(basis, np.eye(2))), basis.matrix("J"), basis.matrix("K")
    wrong = atoll.zeros((3, 3))
    for text, arguments in {
        "densities is empty": ([], J, []),
        "exchange has 1 matrices": ([density, density], J, [K]),
        "coulomb is None": ([density], None, []),
        "coulomb is of shape": ([density], wrong, []),
        r"exchange\[0\] is of shape": ([density], J, [wrong]),
        r"densities\[1\].matrix is of shape": ([density, Density(wrong)], J, []),
    }.items():
        with pytest.raises(ValueError, match=text):
            builder.build(*arguments)
    for bad in (np.nan, np.inf, 1e9):
        with pytest.raises(ValueError, match="densities have an element"):
            builder.build([Density(distributed(basis, np.diag([1.0, bad])))], J, [K])
    with pytest.raises(ValueError, match="screening is 0"):
        DirectFock(basis, screening=0.0)


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

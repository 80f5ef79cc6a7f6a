"""Exchange-correlation matrices, energies and gradients against PySCF's, on equal grids."""

import atoll
import numpy as np
import pytest
from atoll.chem.exchange_correlation import ExchangeCorrelation, Functional
from atoll.chem.exchange_correlation.own_first import OwnFirst
from atoll.chem.exchange_correlation.patch import Patch
from atoll.chem.integrals.blocked_basis import BlockedBasis
from pyscf import dft, gto, scf
from pyscf.grad import rks, uks

MOLECULES = {
    "water": {"atom": "O 0 0 0; H 0 0 0.96; H 0.93 0 -0.24", "basis": "cc-pvdz"},
    "hydroxyl": {"atom": "O 0 0 0; H 0 0.3 0.92", "basis": "6-31g*", "spin": 1},
    # Atoms that do not see all of the others: chunks without some of the functions in between.
    "chain": {"atom": "; ".join(f"He 0 0 {4 * i}" for i in range(5)), "basis": "sto-3g"},
    "chloride": {"atom": "Cl 0 0 0; H 0 0 1.27", "basis": "def2-svp", "cart": True},
}
CLASSES = ["lda,vwn", "pbe", "b3lyp", "camb3lyp", "tpss"]


class Case:
    """A molecule with densities, and what PySCF makes of them."""

    def __init__(self, name, world):
        self.mole = gto.M(**MOLECULES[name], verbose=0)
        self.basis = BlockedBasis(self.mole, world)
        mean_field = scf.UHF(self.mole) if self.mole.spin else scf.RHF(self.mole)
        guess = np.asarray(mean_field.get_init_guess())
        self.densities = guess.reshape(-1, *guess.shape[-2:])
        # The first guess is symmetric under turns: a less special density shows more mistakes.
        # It is one of orbitals: where the kinetic energy density is less than any can have,
        # the potential of TPSS turns on the last digit, and so on the processor.
        occupations, orbitals = np.linalg.eigh(self.densities)
        orbitals *= np.sqrt(np.maximum(occupations, 0.0))[:, None, :]
        orbitals += 0.02 * np.random.default_rng(7).normal(size=orbitals.shape)
        self.densities = orbitals @ orbitals.transpose(0, 2, 1)
        self.arrays = [self.matrix(density) for density in self.densities]
        self.potentials = [self.matrix(density) for density in self.densities]
        self.given = self.densities if self.mole.spin else self.densities[0]

    def matrix(self, values):
        array = self.basis.matrix("test")
        for key, part in array.blocks():
            part[...] = values[key]
        array.group.sync()
        return array

    def grids(self, level):
        grids = dft.gen_grid.Grids(self.mole)
        grids.level = level
        return grids.build(with_non0tab=True)

    def reference(self, name, level):
        numint = dft.numint.NumInt()
        build = numint.nr_uks if self.mole.spin else numint.nr_rks
        electrons, energy, potentials = build(self.mole, self.grids(level), name, self.given)
        shape = self.densities.shape
        return energy, np.atleast_1d(electrons), np.reshape(potentials, shape)

    def reference_gradient(self, name, level):
        of_spins = uks if self.mole.spin else rks
        numint = dft.numint.NumInt()
        _, derivative = of_spins.get_vxc(numint, self.mole, self.grids(level), name, self.given)
        by_spin = np.reshape(derivative, (len(self.densities), 3, *self.densities.shape[1:]))
        return np.array([
            2 * np.einsum("sxij,sij->x", by_spin[:, :, first:end], self.densities[:, first:end])
            for _, _, first, end in self.mole.aoslice_by_atom()
        ])  # fmt: skip


@pytest.fixture(scope="module")
def case():
    made = {}

    def make(name):
        if name not in made:
            made[name] = Case(name, atoll.world())
        return made[name]

    return make


@pytest.mark.parametrize("arrays", ["mirrored", "distributed"])
@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("molecule", ["water", "hydroxyl"])
def test_energy_electrons_and_matrices_are_those_of_pyscf(molecule, name, arrays, case):
    given = case(molecule)
    ours = ExchangeCorrelation(given.basis, Functional.from_name(name), level=1, arrays=arrays)
    result = ours.build(given.arrays, given.potentials)
    energy, electrons, potentials = given.reference(name, level=1)
    assert result.arrays == arrays
    assert result.energy == pytest.approx(energy, abs=1e-9)
    assert result.electrons == pytest.approx(electrons, abs=1e-9)
    for array, expected in zip(given.potentials, potentials, strict=True):
        found = array[...]
        assert np.abs(found - expected).max() < 1e-9
        assert (found == found.T).all()
    given.basis.group.sync()
    ours.close()


@pytest.mark.parametrize("molecule", ["chain", "chloride"])
@pytest.mark.parametrize("keep_bytes", [0, 200_000, 1 << 30])
def test_a_second_build_finds_the_same_whatever_is_kept(keep_bytes, molecule, case):
    given = case(molecule)
    functional = Functional.from_name("pbe")
    ours = ExchangeCorrelation(
        given.basis, functional, level=2, arrays="mirrored", keep_bytes=keep_bytes
    )
    energy, _, potentials = given.reference("pbe", level=2)
    for _ in range(2):
        result = ours.build(given.arrays, given.potentials)
        assert result.energy == pytest.approx(energy, abs=1e-9)
        assert np.abs(given.potentials[0][...] - potentials[0]).max() < 1e-9
        given.basis.group.sync()
    ours.close()


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("molecule", ["water", "hydroxyl"])
def test_gradient_is_that_of_pyscf(molecule, name, case):
    given = case(molecule)
    ours = ExchangeCorrelation(given.basis, Functional.from_name(name), level=1, arrays="mirrored")
    gradient = ours.gradient(given.arrays)
    assert np.abs(gradient - given.reference_gradient(name, level=1)).max() < 1e-8
    ours.close()


def test_a_build_after_a_gradient_is_the_same(case):
    given = case("water")
    ours = ExchangeCorrelation(given.basis, Functional.from_name("pbe"), level=1)
    first = ours.build(given.arrays, given.potentials)
    gradient = ours.gradient(given.arrays)
    assert ours.build(given.arrays, given.potentials).energy == pytest.approx(first.energy)
    assert np.abs(ours.gradient(given.arrays) - gradient).max() < 1e-12
    ours.close()


def test_hartree_fock_has_nothing_to_integrate(case):
    given = case("water")
    ours = ExchangeCorrelation(given.basis, Functional.from_name("hf"))
    result = ours.build(given.arrays, given.potentials)
    assert (result.energy, ours.grid) == (0.0, None)
    assert not given.potentials[0][...].any()
    assert not ours.gradient(given.arrays).any()
    given.basis.group.sync()
    ours.close()


def test_arrays_are_mirrored_where_there_are_several_nodes_and_room(case, world):
    given = case("water")
    functional = Functional.from_name("lda,vwn")
    for room, mirrored in ((1 << 20, world.nodes > 1), (100, False)):
        ours = ExchangeCorrelation(given.basis, functional, level=0, mirrored_bytes=room)
        result = ours.build(given.arrays, given.potentials)
        assert result.arrays == ("mirrored" if mirrored else "distributed")
        ours.close()


def test_progress_is_told_and_the_statistics_add_up(case, world):
    given = case("water")
    ours = ExchangeCorrelation(given.basis, Functional.from_name("pbe"), level=1)
    calls = []
    result = ours.build(given.arrays, given.potentials, lambda *numbers: calls.append(numbers))
    assert int(world.reduce(len(calls))) == result.chunks == len(ours.grid)
    assert all(total == result.chunks for _, total in calls)
    assert result.points == ours.grid.size
    assert 0 < result.efficiency <= 1
    assert sum(result.details.values()) == pytest.approx(
        world.reduce(result.seconds) / world.size, rel=1e-6
    )
    assert 0 < result.patch_bytes <= 2 * 8 * given.basis.functions**2 * result.chunks
    ours.close()


def test_wrong_arguments_are_refused_on_every_rank(case):
    given = case("water")
    functional = Functional.from_name("pbe")
    with pytest.raises(ValueError, match="arrays is 'replicated', expected one of auto, mirrored"):
        ExchangeCorrelation(given.basis, functional, arrays="replicated")
    with pytest.raises(ValueError, match="level is 10, expected an integer from 0 to 9"):
        ExchangeCorrelation(given.basis, functional, level=10)
    ours = ExchangeCorrelation(given.basis, functional, level=0)
    three = given.arrays * 3
    with pytest.raises(ValueError, match="3 densities, expected one, or alpha and beta"):
        ours.build(three, three)
    with pytest.raises(ValueError, match="1 potentials for 2 densities"):
        ours.build(given.arrays * 2, given.potentials)
    other = case("chain")
    with pytest.raises(ValueError, match=r"shape \(5, 5\), expected \(24, 24\)"):
        ours.build(other.arrays, given.potentials)
    ours.close()


@pytest.mark.parametrize("workers", ["all", "the last"])
def test_tasks_of_one_rank_are_done_once_by_whoever_has_time(workers, world):
    starts = np.array([0, 100] + [100] * (world.size - 1))  # all belong to the first rank
    tasks = OwnFirst(starts, world)
    for _ in range(2):
        tasks.reset()
        mine = np.zeros(100, dtype=int)
        if workers == "all" or world.rank == world.size - 1:
            for task in tasks:
                mine[task] += 1
        assert (world.reduce(mine) == 1).all()
    tasks.close()


def test_a_patch_with_gaps_is_read_whole_and_added_once(world):
    n = 60
    values = np.random.default_rng(3).normal(size=(n, n))
    symmetric = values + values.T
    matrix = atoll.from_numpy(symmetric)
    total = atoll.zeros((n, n))
    # Two runs of their own, the first with gaps in it, and a single function far away.
    chosen = np.array([0, 1, 4, 5, 8, 24, 25, 26, 59], dtype=np.int32)
    patch = Patch(chosen, narrow=10)
    assert (patch.read(matrix) == symmetric[np.ix_(chosen, chosen)]).all()
    if world.rank == 0:
        patch.add(values[np.ix_(chosen, chosen)], total)
    world.sync()
    whole = total[...]
    assert patch.nbytes == 8 * (9 * 9 + 3 * (3 + 9) + 1 * (1 + 3 + 9))
    expected = np.zeros((n, n))
    expected[np.ix_(chosen, chosen)] = symmetric[np.ix_(chosen, chosen)]
    assert np.abs(whole + whole.T - expected).max() < 1e-14
    world.sync()


def test_a_patch_of_no_functions_is_empty(world):
    assert Patch(np.empty(0, dtype=np.int32), narrow=10).nbytes == 0

"""The quartet kernel alone against PySCF's Coulomb and exchange matrices. No communication."""

import atoll
import numpy as np
import pytest
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.integrals.blocks import cut_shells
from pyscf import scf

pytestmark = pytest.mark.skipif(atoll.size() > 1, reason="one process says all")

WATER = "O 0 0 0; H 0 0 1; H 0 1 0"
CASES = {
    "general contractions": (WATER, "cc-pvdz", 0),
    "g functions": (WATER, "cc-pvqz", 0),
    "more than eight functions in a shell": ("H 0 0 0; H 0 0.1 0.7", "ano", 0),
    "segmented, second row": ("S 0 0 0; H 0 0 1.3; H 0 1.3 0", "def2-tzvp", 0),
    "no symmetry, far apart": ("C 0 0 0; O 0 0 1.1; F 0 3 0; H 4 0 0", "6-311++g**", 0),
    "core potential": ("I 0 0 0; Cl 0 0 2.3", "lanl2dz", 0),
}
TOLERANCE = 1e-13


class Serial:
    """Coulomb and exchange matrices by a plain loop over all canonical tasks."""

    def __init__(self, mole, target):
        first = mole.ao_loc
        atoms = [mole.bas_atom(shell) for shell in range(mole.nbas)]
        self.shells = np.array(cut_shells(np.diff(first).tolist(), atoms, target), dtype=np.int32)
        self.blocks = range(len(self.shells) - 1)
        self.ranges = [slice(first[self.shells[b]], first[self.shells[b + 1]]) for b in self.blocks]
        self.bounds = np.zeros((mole.nbas, mole.nbas))
        screen = pyscf_wheel.make_bounds_kernel(mole, self.shells, TOLERANCE)
        for p in self.blocks:
            for q in self.blocks:
                rows = slice(self.shells[p], self.shells[p + 1])
                columns = slice(self.shells[q], self.shells[q + 1])
                self.bounds[rows, columns] = screen.schwarz_bounds(p, q)
        self.kernel, self.optimizer = pyscf_wheel.make_fock_kernel(mole, self.shells, TOLERANCE)
        self.kernel.set_bounds(self.bounds, TOLERANCE)

    def build(self, *densities, coulomb=True, exchange=True):
        """J of the sum of the densities, K of each, and the number of shell quartets computed."""
        kernel, ranges = self.kernel, self.ranges
        pairs = [(p, q) for p in self.blocks for q in range(p + 1)]

        def tiles_of(matrices):
            return {
                (p, q): kernel.density_tile(
                    p, q, np.ascontiguousarray(matrices[:, ranges[p], ranges[q]])
                )
                for p, q in pairs
            }

        each, total = tiles_of(np.array(densities)), tiles_of(np.array([sum(densities)]))
        J = {pair: kernel.fock_tile(*pair, 1) for pair in pairs}
        K = {pair: kernel.fock_tile(*pair, len(densities)) for pair in pairs}
        quartets = 0
        for number, (i, j) in enumerate(pairs):
            for k, l in pairs[: number + 1]:  # noqa: E741
                two = [(i, j), (k, l)]
                four = [(i, k), (i, l), (max(j, k), min(j, k)), (max(j, l), min(j, l))]
                quartets += kernel.contract(
                    (i, j, k, l),
                    (*(total[p] for p in two), *(J[p] for p in two)) if coulomb else None,
                    (*(each[p] for p in four), *(K[p] for p in four)) if exchange else None,
                    0,
                    kernel.rows(i, j),
                )
        return self.whole(J, 1)[0], self.whole(K, len(densities)), quartets

    def whole(self, tiles, matrices):
        n = self.ranges[-1].stop
        whole = np.zeros((matrices, n, n))
        for (p, q), tile in tiles.items():
            whole[:, self.ranges[p], self.ranges[q]] = self.kernel.unpack(tile)
        return whole + whole.transpose(0, 2, 1)


@pytest.mark.parametrize("target", [1, 12, 1000], ids=["small blocks", "blocks", "one block"])
@pytest.mark.parametrize("case", CASES)
def test_coulomb_and_exchange_are_those_of_pyscf(case, target, molecule, symmetric_matrix):
    mole = molecule(*CASES[case]).mole
    if target == 1 and mole.nao > 100:
        pytest.skip("thousands of tasks that show nothing new")
    density = symmetric_matrix(mole.nao)
    coulomb, (exchange,), quartets = Serial(mole, target).build(density)
    expected_coulomb, expected_exchange = scf.hf.get_jk(mole, density, hermi=1)
    scale = max(1.0, np.abs(expected_coulomb).max())
    np.testing.assert_allclose(coulomb, expected_coulomb, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(exchange, expected_exchange, rtol=0, atol=1e-12 * scale)
    pairs = mole.nbas * (mole.nbas + 1) // 2
    assert 0 < quartets <= pairs * (pairs + 1) // 2


@pytest.mark.parametrize("target", [1, 1000], ids=["small blocks", "one block"])
@pytest.mark.parametrize("wanted", ["both", "coulomb", "exchange"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_one_pass_serves_many_densities(count, wanted, target, molecule, symmetric_matrix):
    mole = molecule(WATER, "6-31g").mole
    densities = [symmetric_matrix(mole.nao, seed) for seed in range(count)]
    coulomb, exchange, quartets = Serial(mole, target).build(
        *densities, coulomb=wanted != "exchange", exchange=wanted != "coulomb"
    )
    expected_coulomb, expected_exchange = scf.hf.get_jk(mole, np.array(densities), hermi=1)
    if wanted == "exchange":
        expected_coulomb[...] = 0
    if wanted == "coulomb":
        expected_exchange[...] = 0
    np.testing.assert_allclose(coulomb, expected_coulomb.sum(0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(exchange, expected_exchange, rtol=0, atol=1e-12)
    pairs = mole.nbas * (mole.nbas + 1) // 2
    assert 0 < quartets <= pairs * (pairs + 1) // 2


def test_schwarz_bounds_are_those_of_pyscf(molecule):
    mole = molecule(WATER, "cc-pvdz").mole
    expected = scf.RHF(mole).init_direct_scf().q_cond
    np.testing.assert_allclose(Serial(mole, 10).bounds, expected, rtol=1e-12, atol=0)


def test_screening_leaves_out_far_pairs_and_small_densities(molecule, symmetric_matrix):
    mole = molecule("He 0 0 0; He 0 0 30; He 0 30 0", "6-31g").mole
    serial = Serial(mole, 1)
    density = symmetric_matrix(mole.nao)
    coulomb, (exchange,), quartets = serial.build(density)
    pairs = mole.nbas * (mole.nbas + 1) // 2
    assert quartets < pairs * (pairs + 1) // 4
    expected_coulomb, expected_exchange = scf.hf.get_jk(mole, density, hermi=1)
    np.testing.assert_allclose(coulomb, expected_coulomb, rtol=0, atol=1e-11)
    np.testing.assert_allclose(exchange, expected_exchange, rtol=0, atol=1e-11)
    assert serial.build(1e-16 * density)[2] == 0
    assert serial.build(np.zeros_like(density))[2] == 0


def test_wrong_arguments_raise(molecule):
    mole = molecule(WATER, "sto-3g").mole
    serial = Serial(mole, 5)
    kernel = serial.kernel
    assert list(serial.blocks) == [0, 1]
    with pytest.raises(IndexError):
        kernel.fock_tile(0, 2, 1)
    with pytest.raises(ValueError, match="matrix at least"):
        kernel.fock_tile(0, 0, 0)
    with pytest.raises(IndexError):
        kernel.schwarz_bounds(-1, 0)
    with pytest.raises(ValueError, match="size of its blocks"):
        kernel.density_tile(0, 0, np.zeros((1, 2, 2)))
    with pytest.raises(ValueError, match="shells by shells"):
        kernel.set_bounds(np.zeros((2, 2)), 1e-10)
    with pytest.raises(ValueError, match="positive"):
        kernel.set_bounds(serial.bounds, 0.0)
    for starts in ([0], [0, 2], [1, mole.nbas], [0, 3, 3, mole.nbas]):
        with pytest.raises(ValueError, match="shell blocks"):
            pyscf_wheel.make_kernel(mole, np.array(starts, dtype=np.int32))
    density, fock = kernel.density_tile(0, 0, np.zeros((1, 5, 5))), kernel.fock_tile(0, 0, 1)
    coulomb, exchange = (density, density, fock, fock), (*[density] * 4, *[fock] * 4)
    with pytest.raises(ValueError, match="canonical"):
        kernel.contract((0, 1, 0, 0), coulomb, exchange, 0, 0)
    with pytest.raises(ValueError, match="canonical"):
        kernel.rows(0, 1)
    with pytest.raises(ValueError, match="does not belong"):
        kernel.contract((1, 0, 0, 0), coulomb, exchange, 0, 0)
    with pytest.raises(IndexError, match="rows"):
        kernel.contract((0, 0, 0, 0), coulomb, exchange, 0, kernel.rows(0, 0) + 1)
    two = kernel.fock_tile(0, 0, 2)
    with pytest.raises(ValueError, match="numbers of densities"):
        kernel.contract((0, 0, 0, 0), coulomb, (*[density] * 4, *[two] * 4), 0, 0)
    with pytest.raises(ValueError, match="bounds"):
        pyscf_wheel.make_kernel(mole, serial.shells).contract((0,) * 4, coulomb, exchange, 0, 0)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_the_quartets_computed_are_those_that_the_rule_keeps(molecule, symmetric_matrix, size):
    mole = molecule("He 0 0 0; He 0 0 4; He 0 5 0", "6-31g").mole
    serial = Serial(mole, 1)
    serial.kernel.set_bounds(serial.bounds, tolerance := 1e-4)
    density = size * symmetric_matrix(mole.nao)
    first, shells = mole.ao_loc, range(mole.nbas)
    D = np.array(
        [
            [
                np.abs(density[first[i] : first[i + 1], first[j] : first[j + 1]]).max()
                for j in shells
            ]
            for i in shells
        ]
    )
    kept, Q = 0, serial.bounds
    pairs = [(i, j) for i in shells for j in range(i + 1)]
    for number, (i, j) in enumerate(pairs):
        for k, l in pairs[: number + 1]:  # noqa: E741
            met = max(4 * D[i, j], 4 * D[k, l], D[i, k], D[i, l], D[j, k], D[j, l])
            kept += Q[i, j] * Q[k, l] * met > tolerance
    assert 0 < kept < len(pairs) * (len(pairs) + 1) // 2 or size != 1.0
    assert serial.build(density)[2] == kept


def test_a_density_beyond_what_screening_can_tell_is_refused(molecule):
    mole = molecule(WATER, "sto-3g").mole
    with pytest.raises(ValueError, match="density element"):
        Serial(mole, 5).build(np.full((mole.nao, mole.nao), 1e9))
    with pytest.raises(ValueError, match="density element"):
        Serial(mole, 5).build(np.full((mole.nao, mole.nao), np.nan))

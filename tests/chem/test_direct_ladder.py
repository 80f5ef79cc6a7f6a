"""The ladder from integrals over functions, against PySCF and against dense sums."""

import warnings

import atoll
import numpy as np
import pytest
from atoll.chem import cc, methods
from atoll.chem.correlation.coupled_cluster import direct_ladder, driver
from atoll.chem.correlation.coupled_cluster.direct_ladder import DirectLadder
from atoll.chem.correlation.coupled_cluster.function_pairs import PairKind
from atoll.chem.correlation.coupled_cluster.pairs import virtual_pairs
from atoll.chem.correlation.coupled_cluster.shares import Shares
from atoll.chem.correlation.open_shell.spin_pairs import spin_pairs
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.molecules import InputError
from atoll.chem.molecules.options import Options
from pyscf import cc as pyscf_cc
from pyscf import gto, scf

WATER = "O 0 0 0; H 0 0 0.96; H 0.93 0 -0.24"


@pytest.fixture(scope="module")
def water():
    return scf.RHF(gto.M(atom=WATER, basis="6-31g", verbose=0)).run(conv_tol=1e-12)


def tight(mf, frozen=None, **options):
    ours = cc.CCSD(mf, frozen, **options)
    ours.conv_tol, ours.conv_tol_normt = 1e-9, 1e-7
    return ours


def of_pyscf(ours, mf):
    """PySCF's energy, from amplitudes of here on."""
    value, amplitudes = np.zeros(1), ours.amplitudes()
    if atoll.rank() == 0:
        theirs = pyscf_cc.CCSD(mf, frozen=ours.frozen)
        theirs.conv_tol, theirs.conv_tol_normt = 1e-10, 1e-6
        value[0] = theirs.kernel(*amplitudes)[0]
        assert theirs.converged
    return atoll.world().broadcast(value)[0]


def interrupted(ours, iterations=4):
    ours.max_cycle = iterations
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours.kernel()
    ours.max_cycle = 50


def test_a_direct_ladder_gives_the_energy_of_pyscf_also_after_a_restart(
    water, world, tmp_path, capsys
):
    folder = str(world.broadcast(str(tmp_path / "run")))
    ours = tight(water, 1, ladder="direct")
    ours.checkpoint, ours.verbose = folder, 3
    interrupted(ours)
    assert ours.storage.ladder_from == "direct"
    if world.rank == 0:
        assert "four virtual orbitals computed anew in each iteration" in capsys.readouterr().out
    going_on = tight(water, 1, ladder="direct")
    going_on.restart_from = folder
    going_on.kernel()
    assert going_on.iterations[0].energy == pytest.approx(ours.e_corr, abs=1e-4)
    assert going_on.e_corr == pytest.approx(of_pyscf(going_on, water), abs=5e-9)


def test_a_direct_ladder_of_open_shells_gives_the_energy_of_pyscf():
    mol = gto.M(atom="O 0 0 0; H 0 0 0.97", basis="6-31g", spin=1, verbose=0)
    mf = scf.UHF(mol).run(conv_tol=1e-12)
    ours = tight(mf, 1, ladder="direct")
    ours.kernel()
    assert ours.storage.ladder_from == "direct"
    assert ours.e_corr == pytest.approx(of_pyscf(ours, mf), abs=5e-9)


def test_it_is_taken_where_neither_memory_nor_disk_has_room(water, monkeypatch):
    energies, found = [], []
    for free in (1e12, 0.0):
        monkeypatch.setattr(driver, "free_space", lambda *_, free=free: free)
        ours = tight(water, memory=1)
        interrupted(ours, 2)  # the same way, if not to the end
        energies.append(ours.e_corr)
        found.append(ours.storage.ladder_from)
    assert found == ["disk", "direct"]
    assert np.ptp(energies) < 1e-9
    ours = tight(water, memory=1, ladder="memory")
    interrupted(ours, 1)
    assert ours.storage.ladder_from == "memory"


@pytest.mark.filterwarnings("ignore:the multipliers of CCSD have not converged")
def test_multipliers_are_the_same_with_a_direct_ladder():
    mol = gto.M(atom="Li 0 0 0; H 0 0 1.6", basis="6-31g", verbose=0)
    mf = scf.RHF(mol).run(conv_tol=1e-12)
    found = []
    for ladder in ("memory", "direct"):
        ours = tight(mf, ladder=ladder)
        interrupted(ours)
        ours.max_cycle = 3
        found.append(ours.make_rdm1())
    assert found[1] == pytest.approx(found[0], abs=1e-9)


def sums(kind, integrals, amplitudes):
    """What a direct ladder gives, from all integrals (ml|ns)."""
    c, d = kind.pairs.left, kind.pairs.right
    square = np.zeros((kind.left.shape[1], kind.right.shape[1], kind.columns))
    square[c, d] = amplitudes
    if kind.sign:
        square = square + kind.sign * square.transpose(1, 0, 2)
    whole = np.einsum(
        "mlns,ma,lc,nb,sd,cdx->abx", integrals, *[kind.left] * 2, *[kind.right] * 2, square,
        optimize=True,
    )  # fmt: skip
    weights = np.where((c == d) & (kind.sign != 0), 0.5, 1.0)
    return weights[:, None] * whole[c, d]


def test_the_sums_are_those_of_dense_integrals_for_any_blocks(world, monkeypatch):
    monkeypatch.setattr(direct_ladder, "WIDEST", 4)
    monkeypatch.setattr(direct_ladder, "NARROWEST", 4)
    mol = gto.M(atom=WATER + "; He 9 0 0", basis="6-31g", verbose=0)  # some is screened
    assert direct_ladder.function_blocks(mol, 1).count >= 4  # all kinds of quartets
    rng = np.random.default_rng(5)
    c = {0: rng.normal(size=(15, 7)), 1: rng.normal(size=(15, 6))}
    of_spins = spin_pairs({0: 3, 1: 2}, {0: 7, 1: 6})
    kinds = [PairKind(1, c[0], c[0], virtual_pairs(7), 6)]
    kinds += [PairKind(p.sign, *(c[s] for s in p.spins), p.virtual, p.size) for p in of_spins]
    given, out = [], []
    for kind in kinds:
        shares = Shares(world, kind.pairs.count)
        given.append(shares.ragged(kind.columns, kind.pairs.first, "given"))
        out.append(given[-1].duplicate())
    values = [rng.normal(size=array.shape) for array in given]
    for array, value in zip(given, values, strict=True):
        if world.rank == 0:
            array[...] = value
    world.sync()
    ladder = DirectLadder(mol, kinds, world, 1)  # columns one by one
    for _ in range(2):
        ladder.multiply(given, out)
    integrals = mol.intor("int2e")
    for kind, array, value in zip(kinds, out, values, strict=True):
        expected = sums(kind, integrals, value)
        assert array[...] == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())
    ladder.close()


def test_integrals_of_blocks_refuse_what_does_not_fit():
    mol = gto.M(atom="H 0 0 0; H 0 0 1", basis="sto-3g", verbose=0)
    starts = np.array([0, 1, 2], dtype=np.int32)
    blocks, _ = pyscf_wheel.make_block_integrals(mol, starts, 1e-12)
    ones, one = np.ones((2, 2)), np.empty(1)
    with pytest.raises(ValueError, match="bounds have not been set"):
        blocks.compute((1, 0, 1, 0), ones, one)
    blocks.set_bounds(ones, 1e-12)
    assert blocks.compute((1, 0, 1, 0), ones, one) == 1
    assert one[0] == pytest.approx(mol.intor("int2e")[1, 0, 1, 0], abs=1e-12)
    assert blocks.compute((1, 0, 1, 0), 0 * ones, one) == 0
    with pytest.raises(ValueError, match="canonical"):
        blocks.compute((0, 1, 1, 0), ones, one)
    with pytest.raises(ValueError, match="hold the integrals"):
        blocks.compute((1, 0, 1, 0), ones, np.empty(2))
    with pytest.raises(ValueError, match="shells by shells"):
        blocks.compute((1, 0, 1, 0), np.ones((1, 2)), one)


def test_what_cannot_be_direct_is_refused(water, world):
    with pytest.raises(ValueError, match="ladder is 'tape', expected one of auto, memory"):
        cc.CCSD(water, ladder="tape" if world.rank == world.size - 1 else "auto")
    with pytest.raises(NotImplementedError, match="direct' with fitted integrals"):
        cc.CCSD(water.density_fit(), ladder="direct")
    cartesian = gto.M(atom="He 0 0 0", basis="6-31g", cart=True, verbose=0)
    with pytest.raises(NotImplementedError, match="direct' with Cartesian"):
        cc.CCSD(scf.RHF(cartesian).run(), ladder="direct")
    useless = Options(basis="6-31g", method="hf", ladder="direct")
    with pytest.raises(InputError, match="ladder means nothing to method 'hf'"):
        methods.calculation(water.mol, useless, world)
    fitted = Options(basis="6-31g", method="ccsd", ladder="direct", density_fitting=True)
    with pytest.raises(InputError, match="ladder 'direct' does not go with density-fitting"):
        methods.calculation(water.mol, fitted, world)
    ours = cc.CCSD(water)
    ours.ladder = "tape"
    with pytest.raises(ValueError, match="ladder is 'tape'"):
        ours.kernel()

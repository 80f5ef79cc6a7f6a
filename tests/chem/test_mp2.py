"""RI-MP2 against PySCF's, any number of ranks."""

import os
import resource
import warnings

import atoll
import numpy as np
import pytest
from atoll import _core
from atoll.chem import mp
from pyscf import gto, scf
from pyscf.mp import dfmp2, dfump2

MOLECULES = {
    "water": ("O 0 0 0; H 0 0 0.96; H 0.93 0 -0.24", "cc-pvdz", 0),
    "hydrogen": ("H 0 0 0; H 0 0 0.74", "cc-pvtz", 0),
    "hydroxyl": ("O 0 0 0; H 0 0 0.97", "cc-pvdz", 1),
    "oxygen": ("O 0 0 0; O 0 0 1.21", "cc-pvdz", 2),
    "hydrogen atom": ("H 0 0 0", "cc-pvdz", 1),  # nobody to correlate with
}


@pytest.fixture(scope="module")
def mean_field():
    made = {}

    def make(name):
        if name not in made:
            atoms, basis, spin = MOLECULES[name]
            mol = gto.M(atom=atoms, basis=basis, spin=spin, verbose=0)
            kind = scf.RHF if spin == 0 else scf.UHF
            made[name] = kind(mol).run(conv_tol=1e-12)
        return made[name]

    return make


def reference(mf, frozen=None, with_t2=False):
    kind = dfmp2.DFMP2 if isinstance(mf, scf.rhf.RHF) else dfump2.DFUMP2
    theirs = kind(mf, frozen=frozen)
    theirs.verbose = 0
    theirs.kernel(with_t2=with_t2)
    return theirs


@pytest.mark.parametrize("name", MOLECULES)
def test_energies_are_those_of_pyscf(name, mean_field, world):
    mf = mean_field(name)
    ours = mp.DFMP2(mf).run()
    theirs = reference(mf)
    assert ours.e_corr == pytest.approx(theirs.e_corr, abs=1e-8)
    assert ours.e_tot == pytest.approx(theirs.e_tot, abs=1e-8)
    assert ours.e_tot_scs == pytest.approx(theirs.e_tot_scs, abs=1e-8)
    everywhere = world.reduce(np.array([ours.e_corr, -ours.e_corr]), "max")
    assert everywhere[0] == -everywhere[1]  # the same on all ranks


@pytest.mark.parametrize("frozen", [1, [0], [0, 12]])
def test_frozen_orbitals_are_left_out(frozen, mean_field):
    mf = mean_field("water")
    ours = mp.DFMP2(mf, frozen=frozen).run()
    assert ours.e_corr == pytest.approx(reference(mf, frozen).e_corr, abs=1e-8)


def test_a_fitted_mean_field_says_which_set_is_used(mean_field):
    mol = mean_field("water").mol
    for fit in ({}, {"auxbasis": "weigend"}):
        mf = scf.RHF(mol).density_fit(**fit).run(conv_tol=1e-12)
        assert mp.DFMP2(mf).kernel()[0] == pytest.approx(reference(mf).e_corr, abs=1e-8)
    own = mp.DFMP2(mf, auxbasis="cc-pvdz-ri").kernel()[0]
    mf.with_df = None
    assert own == pytest.approx(mp.DFMP2(mf).kernel()[0], abs=1e-11)


def test_little_memory_gives_the_same_in_more_blocks(mean_field):
    mf = mean_field("water")
    assert mp.DFMP2(mf, memory=1).kernel()[0] == pytest.approx(mp.DFMP2(mf).kernel()[0], abs=1e-11)


@pytest.mark.parametrize("name", ["water", "hydroxyl"])
def test_a_tensor_on_disk_gives_the_same(name, mean_field, world, tmp_path):
    mf = mean_field(name)
    expected = mp.DFMP2(mf).run()
    folder = str(world.broadcast(str(tmp_path)))
    for memory in (30_000, 1):
        ours = mp.DFMP2(mf, memory=memory, scratch=folder).run()
        assert ours.on_disk
        assert not expected.on_disk
        assert ours.e_corr_ss == pytest.approx(expected.e_corr_ss, abs=1e-11)
        assert ours.e_corr_os == pytest.approx(expected.e_corr_os, abs=1e-11)
    assert os.listdir(folder) == []


def test_a_failing_disk_is_told_on_all_ranks(mean_field, world, tmp_path):
    folder = str(world.broadcast(str(tmp_path)))
    ours = mp.DFMP2(mean_field("water"), memory=1, scratch=folder)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    if world.rank == world.size - 1:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(
            OSError, match=r"File too large.* \(integrals .ia\|Q., 0.\d+ MB, go to a disk"
        ):
            ours.kernel()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert ours.kernel()[0] == pytest.approx(reference(mean_field("water")).e_corr, abs=1e-8)
    assert os.listdir(folder) == []


@pytest.mark.parametrize(
    ("name", "frozen"), [("water", None), ("water", [0, 20]), ("hydroxyl", None), ("oxygen", 2)]
)
def test_densities_are_those_of_pyscf(name, frozen, mean_field):
    mf = mean_field(name)
    ours = mp.DFMP2(mf, frozen=frozen)
    theirs = reference(mf, frozen, with_t2=True)
    assert ours.make_rdm1() == pytest.approx(np.array(theirs.make_rdm1()), abs=1e-9)
    over_functions = np.array(theirs.make_rdm1(ao_repr=True))
    assert ours.make_rdm1(ao_repr=True) == pytest.approx(over_functions, abs=1e-9)


def test_a_density_from_disk_is_the_same(mean_field):
    mf = mean_field("water")
    expected = mp.DFMP2(mf).make_rdm1()
    assert mp.DFMP2(mf, memory=20_000).make_rdm1() == pytest.approx(expected, abs=1e-11)


def test_natural_orbitals_diagonalise_the_density(mean_field):
    mf = mean_field("water")
    ours = mp.DFMP2(mf)
    occupations, orbitals = ours.make_natorbs()
    assert occupations.sum() == pytest.approx(mf.mol.nelectron, abs=1e-10)
    assert (np.diff(occupations) <= 1e-14).all()
    density = (orbitals * occupations) @ orbitals.T
    assert density == pytest.approx(ours.make_rdm1(ao_repr=True), abs=1e-10)
    with pytest.raises(NotImplementedError, match="unrestricted"):
        mp.DFMP2(mean_field("hydroxyl")).make_natorbs()


def test_orbitals_of_rank_0_count_where_degenerate_ones_are_turned(mean_field):
    mf = mean_field("oxygen").copy()
    expected = mp.DFMP2(mf).kernel()[0]
    mf.mo_coeff = np.array(mf.mo_coeff)
    if atoll.rank() > 0:
        mf.mo_coeff[:, :, 0] *= -1  # as good
        mf.mo_coeff[:, :, 3:5] = mf.mo_coeff[:, :, 4:2:-1]
    assert mp.DFMP2(mf).kernel()[0] == pytest.approx(expected, abs=1e-11)


def test_wrong_arguments_are_named(mean_field):
    mf = mean_field("hydrogen")
    with pytest.raises(ValueError, match="frozen is 99"):
        mp.DFMP2(mf, frozen=99).kernel()
    with pytest.raises(ValueError, match=r"frozen is \[99\]"):
        mp.DFMP2(mf, frozen=[99]).kernel()
    with pytest.raises(ValueError, match="memory is 0"):
        mp.DFMP2(mf, memory=0)
    with pytest.raises(RuntimeError, match="not been computed"):
        _ = mp.DFMP2(mf).e_tot


def test_mean_fields_that_it_would_get_wrong_are_refused(mean_field):
    mol = mean_field("oxygen").mol
    with pytest.raises(ValueError, match=r"mo_occ holds \[0.0, 1.0, 2.0\]"):
        mp.DFMP2(scf.ROHF(mol).run())
    mf = mean_field("hydrogen").copy()
    mf.mo_coeff = mf.mo_coeff * 1j
    with pytest.raises(TypeError, match="mo_coeff is complex"):
        mp.DFMP2(mf)
    with pytest.raises(TypeError, match="Kohn-Sham mean field"):
        mp.DFMP2(mean_field("hydrogen").mol.RKS(xc="lda").run())


def test_a_mean_field_that_has_not_converged_is_told(mean_field, world):
    mf = mean_field("hydrogen").mol.RHF().run(max_cycle=1, conv_tol=1e-15)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        mp.DFMP2(mf)
    told = [str(each.message) for each in found if "has not converged" in str(each.message)]
    assert told == ["mf has not converged"] * (world.rank == 0)


def test_kohn_sham_orbitals_are_taken_for_double_hybrids(mean_field):
    mf = mean_field("hydrogen").mol.RKS(xc="lda").run()
    ours = mp.DFMP2(mf, kohn_sham=True).run()
    theirs = dfmp2.DFMP2(mf.to_rhf(), mo_coeff=mf.mo_coeff, mo_energy=mf.mo_energy)
    energy, _ = dfmp2.kernel(theirs, with_t2=False)  # its method would turn the orbitals
    assert ours.e_corr_ss == pytest.approx(energy.e_corr_ss, abs=1e-8)
    assert ours.e_corr_os == pytest.approx(energy.e_corr_os, abs=1e-8)


def test_what_one_rank_passes_wrongly_is_raised_on_all(mean_field):
    mf = mean_field("hydrogen")
    last = atoll.rank() == atoll.size() - 1
    with pytest.raises(ValueError, match="memory is 0"):
        mp.DFMP2(mf, memory=0 if last else 1)
    with pytest.raises(ValueError, match="frozen is 99"):
        mp.DFMP2(mf, frozen=99 if last else 0).kernel()
    assert mp.DFMP2(mf).kernel()[0] == pytest.approx(reference(mf).e_corr, abs=1e-8)


def test_pair_energies_are_sums_over_orbitals():
    rng = np.random.default_rng(5)
    occupied, virtual = -1 - rng.random(5), 1 + rng.random(37)  # more than a tile, no multiple
    g = rng.normal(size=(2, 37, 3, 37))
    d = occupied[1:3, None, None, None] + occupied[None, None, :3, None]
    d = d - virtual[:, None, None] - virtual
    weights = np.array([[2, 1, 0], [2, 2, 1]])  # i is 1 and 2, j is 0 to 2
    opposite = np.einsum("iajb,iajb,ij->", g / d, g, weights)
    exchange = np.einsum("iajb,ibja,ij->", g / d, g, weights)
    of_block = (g.reshape(2 * 37, -1), occupied[1:3], 1, occupied[:3], 0, virtual)
    found = _core.pair_energies(*of_block, virtual, True)
    assert found == pytest.approx((opposite - exchange, opposite), rel=1e-12)
    of_two = _core.pair_energies(*of_block, virtual, False)
    assert of_two == pytest.approx((0, np.sum(g * g / d)), rel=1e-12)
    with pytest.raises(ValueError, match="integrals are 8214, expected 7992"):
        _core.pair_energies(*of_block, virtual[:36], False)

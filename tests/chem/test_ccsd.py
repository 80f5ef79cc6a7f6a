"""Closed-shell CCSD against PySCF's, any number of ranks."""

import os
import resource
import warnings
from types import SimpleNamespace

import atoll
import numpy as np
import pytest
from atoll.chem import cc
from atoll.chem import scf as atoll_scf
from atoll.chem.correlation.coupled_cluster.ladder import Ladder
from atoll.chem.correlation.coupled_cluster.pairs import occupied_pairs, unpacked, virtual_pairs
from pyscf import ao2mo, gto, scf
from pyscf import cc as pyscf_cc

MOLECULES = {
    "water": ("O 0 0 0; H 0 0 0.96; H 0.93 0 -0.24", "6-31g", {}),
    "nitrogen": ("N 0 0 0; N 0 0 1.1", "6-31g", {}),
    "carbon monoxide": ("C 0 0 0; O 0 0 1.13", "sto-3g", {}),
    "hydrogen fluoride": ("H 0 0 0; F 0 0 0.92", "cc-pvdz", {}),  # with d functions
    "lithium hydride": ("Li 0 0 0; H 0 0 1.6", "6-31g*", {"cart": True}),
    "ammonia": ("N 0 0 0.1; H 0.94 0 -0.27; H -0.47 0.81 -0.27; H -0.47 -0.81 -0.27", "6-31g", {}),
    "hydrogen": ("H 0 0 0; H 0 0 0.74", "cc-pvdz", {}),  # one pair of electrons
    "hydrogen, two orbitals": ("H 0 0 0; H 0 0 0.74", "sto-3g", {}),
}


@pytest.fixture(scope="module")
def mean_field():
    made = {}

    def make(name):
        if name not in made:
            atoms, basis, options = MOLECULES[name]
            mol = gto.M(atom=atoms, basis=basis, verbose=0, **options)
            made[name] = scf.RHF(mol).run(conv_tol=1e-13)
        return made[name]

    return make


@pytest.fixture(scope="module")
def reference():
    """PySCF's energy, T1 and D1 for a mean field, computed by one rank.

    It begins with amplitudes from here, to be quick: right ones stay, others do not.
    """
    made = {}

    def make(mf, ours):
        key = (id(mf), str(ours.frozen))
        if key not in made:
            values, begin = np.zeros(3), ours.amplitudes()
            if atoll.rank() == 0:
                theirs = pyscf_cc.CCSD(mf, frozen=ours.frozen)
                theirs.conv_tol, theirs.conv_tol_normt = 1e-10, 1e-6
                theirs.kernel(*begin)
                assert theirs.converged
                values[:] = theirs.e_corr, theirs.get_t1_diagnostic(), theirs.get_d1_diagnostic()
            made[key] = atoll.world().broadcast(values), mf
        return made[key][0]

    return make


def ccsd(mf, frozen=None, tight=1e-9, **options):
    ours = cc.CCSD(mf, frozen, **options)
    ours.conv_tol, ours.conv_tol_normt = tight, 1e2 * tight
    return ours


@pytest.mark.filterwarnings("ignore:CCSD. large single amplitudes")  # lithium hydride's
@pytest.mark.parametrize("name", MOLECULES)
def test_energies_and_diagnostics_are_those_of_pyscf(name, mean_field, reference, world):
    mf = mean_field(name)
    ours = ccsd(mf).run()
    energy, t1, d1 = reference(mf, ours)
    assert ours.converged
    assert ours.e_corr == pytest.approx(energy, abs=5e-9)
    assert ours.e_tot == pytest.approx(mf.e_tot + energy, abs=5e-9)
    assert ours.t1_diagnostic == pytest.approx(t1, abs=1e-6)
    assert ours.d1_diagnostic == pytest.approx(d1, abs=1e-6)
    everywhere = world.reduce(np.array([ours.e_corr, -ours.e_corr]), "max")
    assert everywhere[0] == -everywhere[1]  # the same on all ranks


@pytest.mark.parametrize("frozen", [1, [0, 1, 12]])
def test_frozen_orbitals_are_left_out(frozen, mean_field, reference):
    mf = mean_field("water")
    ours = ccsd(mf, frozen=frozen).run()
    assert ours.e_corr == pytest.approx(reference(mf, ours)[0], abs=5e-9)


def test_a_mean_field_from_here_gives_the_same(mean_field, reference):
    theirs = mean_field("water")
    mf = atoll_scf.RHF(theirs.mol)
    mf.verbose = 0
    ours = ccsd(mf.run()).run()
    assert ours.e_corr == pytest.approx(reference(theirs, ours)[0], abs=5e-9)


def test_orbitals_need_not_be_converged(mean_field, reference):
    mf = mean_field("water").mol.RHF().run(conv_tol=1e-5)
    ours = ccsd(mf).run()
    assert ours.e_corr == pytest.approx(reference(mf, ours)[0], abs=5e-9)


def test_occupied_and_virtual_orbitals_turned_among_themselves_give_the_same(mean_field, reference):
    mf = mean_field("water")
    other = mf.copy()
    other.mo_coeff = np.array(mf.mo_coeff)
    for pair in ([1, 3], [2, 4], [5, 8], [7, 9]):
        other.mo_coeff[:, pair] = other.mo_coeff[:, pair] @ np.array(
            [[0.98, -0.199], [0.199, 0.98]]
        )
    other.mo_coeff[:, 0] *= -1
    gram = other.mo_coeff.T @ mf.get_ovlp() @ other.mo_coeff
    other.mo_coeff /= np.sqrt(np.diag(gram))
    ours = ccsd(other).run()
    assert ours.e_corr == pytest.approx(reference(mf, ours)[0], abs=5e-9)


def test_without_a_core_hamiltonian_orbitals_are_taken_for_canonical(mean_field, reference):
    mf = mean_field("water")
    names = ("mol", "mo_coeff", "mo_energy", "mo_occ", "e_tot")
    bare = SimpleNamespace(**{name: getattr(mf, name) for name in names})
    ours = ccsd(bare).run()
    assert ours.e_corr == pytest.approx(reference(mf, ours)[0], abs=5e-9)


@pytest.mark.parametrize("memory", [1, 1 << 30])
def test_fitted_mean_fields_have_fitted_integrals(memory, mean_field, reference):
    mf = mean_field("water").mol.RHF().density_fit(auxbasis="weigend").run(conv_tol=1e-11)
    ours = ccsd(mf, frozen=1, memory=memory).run()
    assert ours.e_corr == pytest.approx(reference(mf, ours)[0], abs=5e-9)


def test_amplitudes_and_integrals_are_those_of_pyscf(mean_field, world):
    mf = mean_field("water")
    ours = ccsd(mf, frozen=1).run()
    t1, t2 = ours.amplitudes()
    assert ours.t1.shape == t1.shape == (4, 8)
    assert ours.t2.shape == t2.shape == (4, 4, 8, 8)
    c_o, c_v = mf.mo_coeff[:, 1:5], mf.mo_coeff[:, 5:]
    integrals = ours.integrals()
    # PySCF's orbital energies are of the Fock matrix before the last density.
    levels = np.einsum("ip,ij,jp->p", mf.mo_coeff, mf.get_fock(), mf.mo_coeff)
    assert np.hstack(ours.orbital_energies) == pytest.approx(levels[1:], abs=1e-9)
    for array, orbitals in (
        (integrals.ovov, (c_o, c_v, c_o, c_v)),
        (integrals.ovvv, (c_o, c_v, c_v, c_v)),
        (integrals.ovoo, (c_o, c_v, c_o, c_o)),
    ):
        shape = [c.shape[1] for c in orbitals]
        expected = ao2mo.kernel(mf.mol, orbitals, compact=False).reshape(shape)
        assert array[...] == pytest.approx(expected, abs=1e-10)
    if world.rank == 0:
        theirs = pyscf_cc.CCSD(mf, frozen=1)
        theirs.conv_tol, theirs.conv_tol_normt = 1e-11, 1e-8
        theirs.kernel()
        assert t1 == pytest.approx(theirs.t1, abs=1e-6)
        assert t2 == pytest.approx(theirs.t2, abs=1e-6)
    world.sync()


@pytest.mark.parametrize("memory", [1, 500_000])
def test_little_memory_puts_things_on_disk_and_gives_the_same(
    memory, mean_field, reference, world, tmp_path
):
    mf = mean_field("water")
    folder = str(world.broadcast(str(tmp_path)))
    ours = ccsd(mf, memory=memory, scratch=folder).run()
    assert ours.e_corr == pytest.approx(reference(mf, ours)[0], abs=5e-9)
    stored = ours.storage
    assert stored.ladder_on_disk == (stored.fixed + stored.ladder > memory * 3 // 4)
    assert stored.ladder_on_disk or memory > 1
    assert os.listdir(folder) == []


def test_integrals_in_several_passes_are_the_same(mean_field, reference, monkeypatch):
    mf = mean_field("water")
    strips = []
    original = Ladder.__init__

    def with_several_strips(self, *args, **options):
        original(self, *args, **options)
        strips.append(self.strips)
        self.strips = max(1, self._shares.most // 2)

    monkeypatch.setattr(Ladder, "__init__", with_several_strips)
    ours = ccsd(mf)
    assert ours.kernel()[0] == pytest.approx(reference(mf, ours)[0], abs=5e-9)
    assert not ours.storage.ladder_on_disk
    assert strips == [1]


def test_a_failing_disk_is_told_on_all_ranks(mean_field, reference, world, tmp_path):
    mf = mean_field("water")
    folder = str(world.broadcast(str(tmp_path)))
    ours = ccsd(mf, memory=1, scratch=folder)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    if world.rank == world.size - 1:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(OSError, match=r"File too large.* \(integrals .ac\|bd., 0.\d+ MB, go"):
            ours.kernel()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert ours.kernel()[0] == pytest.approx(reference(mf, ours)[0], abs=5e-9)
    assert os.listdir(folder) == []


def turned_orbitals(mf):
    """As good as before: signs changed, and the degenerate ones of nitrogen turned."""
    mf = mf.copy()
    mf.mo_coeff = np.array(mf.mo_coeff)
    mf.mo_coeff[:, [0, 3, 9]] *= -1
    for first in np.flatnonzero(np.diff(mf.mo_energy) < 1e-8):
        pair = mf.mo_coeff[:, first : first + 2]
        pair[...] = pair @ np.array([[0.8, -0.6], [0.6, 0.8]])
    return mf


def test_a_run_that_was_cut_off_goes_on_with_other_orbitals_and_ranks(
    mean_field, reference, world, tmp_path
):
    mf = mean_field("nitrogen")
    folder = str(world.broadcast(str(tmp_path / "run")))
    cut_off = ccsd(mf, frozen=2)
    cut_off.checkpoint, cut_off.max_cycle = folder, 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cut_off.run()
    assert not cut_off.converged
    alone = world.split(colour=world.rank)
    going_on = ccsd(turned_orbitals(mf), frozen=2, group=alone)
    going_on.restart_from = folder
    assert going_on.kernel()[0] == pytest.approx(reference(mf, going_on)[0], abs=5e-9)
    first = going_on.iterations[0]  # near to where it was cut off
    assert first.energy == pytest.approx(cut_off.e_corr, abs=1e-4)
    other = ccsd(mf, frozen=1)
    other.restart_from = folder
    with pytest.raises(ValueError, match=r"holds 5 occupied orbitals of 18 .* expected 6 of 18"):
        other.kernel()
    moved = mf.copy()
    moved.mo_coeff = np.roll(np.array(mf.mo_coeff), 1, axis=1)
    other = ccsd(moved, frozen=2)
    other.restart_from = folder
    with pytest.raises(ValueError, match="amplitudes of other occupied orbitals"):
        other.kernel()


def test_a_second_call_goes_on_from_the_first(mean_field, reference):
    mf = mean_field("ammonia")
    ours = ccsd(mf)
    ours.max_cycle = 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours.run()
    before = ours.iterations[-1]
    ours.max_cycle = 50
    assert ours.kernel()[0] == pytest.approx(reference(mf, ours)[0], abs=5e-9)
    assert ours.iterations[0].step < 3 * before.step
    ours.kernel()
    assert len(ours.iterations) <= 2


@pytest.mark.parametrize("diis_space", [1, 3])
def test_fewer_vectors_of_diis_give_the_same(diis_space, mean_field, reference):
    mf = mean_field("hydrogen, two orbitals")
    ours = ccsd(mf)
    ours.diis_space = diis_space
    assert ours.kernel()[0] == pytest.approx(reference(mf, ours)[0], abs=5e-9)


def test_nobody_to_correlate_is_no_correlation(mean_field):
    mol = gto.M(atom="He 0 0 0", basis="sto-3g", verbose=0)  # no virtual orbitals
    assert cc.CCSD(scf.RHF(mol).run()).kernel()[0] == 0.0
    ours = cc.CCSD(mean_field("hydrogen"), frozen=1).run()
    assert ours.e_corr == 0.0
    assert ours.converged
    assert [array.shape for array in ours.amplitudes()] == [(0, 9), (0, 0, 9, 9)]


def test_doubts_are_told(mean_field, world):
    mol = gto.M(atom="N 0 0 0; O 0 0 1.3", basis="sto-3g", charge=1, verbose=0)
    mf = scf.RHF(mol).run(conv_tol=1e-12)
    ours = cc.CCSD(mf)
    ours.max_cycle = 4
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        ours.run()
    texts = " ".join(str(each.message) for each in found)
    assert ours.t1_diagnostic > 0.02
    if world.rank == 0:
        assert "CCSD has not converged in 4 iterations" in texts
        assert f"large single amplitudes: T1 {ours.t1_diagnostic:.4f}" in texts
    else:
        assert "CCSD" not in texts


def test_wrong_arguments_are_named(mean_field):
    mf = mean_field("hydrogen")
    with pytest.raises(ValueError, match="frozen is 99"):
        cc.CCSD(mf, frozen=99).kernel()
    with pytest.raises(ValueError, match="memory is 0"):
        cc.CCSD(mf, memory=0)
    with pytest.raises(RuntimeError, match="not been computed"):
        _ = cc.CCSD(mf).e_tot
    with pytest.raises(RuntimeError, match="no amplitudes yet"):
        cc.CCSD(mf).amplitudes()
    for name, value in {"conv_tol": 0.0, "max_cycle": -1, "diis_space": -1}.items():
        ours = cc.CCSD(mf)
        setattr(ours, name, value)
        with pytest.raises(ValueError, match=f"{name} is {value}"):
            ours.kernel()
    ours = cc.CCSD(mf)
    ours.restart_from = "/there/is/no/such/folder"
    with pytest.raises(OSError, match="no/such/folder"):
        ours.kernel()


def test_mean_fields_that_it_would_get_wrong_are_refused(mean_field):
    mol = gto.M(atom="O 0 0 0", basis="sto-3g", spin=2, verbose=0)
    with pytest.raises(NotImplementedError, match="unrestricted"):
        cc.RCCSD(scf.UHF(mol).run())
    with pytest.raises(ValueError, match=r"mo_occ holds \[1.0, 2.0\]"):
        cc.RCCSD(scf.ROHF(mol).run())
    with pytest.raises(TypeError, match="Kohn-Sham mean field"):
        cc.CCSD(mean_field("hydrogen").mol.RKS(xc="lda").run())
    with pytest.raises(NotImplementedError, match="whose exchange is not fitted"):
        cc.CCSD(mean_field("hydrogen").mol.RHF().density_fit(only_dfj=True).run())
    mf = mean_field("hydrogen").copy()
    mf.with_solvent = object()
    with pytest.raises(NotImplementedError, match="in a solvent"):
        cc.CCSD(mf)


def test_what_one_rank_passes_wrongly_is_raised_on_all(mean_field, reference):
    mf = mean_field("hydrogen")
    last = atoll.rank() == atoll.size() - 1
    with pytest.raises(ValueError, match="memory is 0"):
        cc.CCSD(mf, memory=0 if last else 1)
    with pytest.raises(ValueError, match="frozen is 99"):
        cc.CCSD(mf, frozen=99 if last else 0).kernel()
    ours = ccsd(mf).run()
    assert ours.e_corr == pytest.approx(reference(mf, ours)[0], abs=5e-9)


@pytest.mark.parametrize("count", [0, 1, 2, 5, 8])
def test_every_pair_of_virtual_orbitals_is_kept_by_one_of_the_two(count):
    pairs = virtual_pairs(count)
    found = sorted(tuple(sorted(pair)) for pair in zip(pairs.left, pairs.right, strict=True))
    assert found == [(a, b) for a in range(count) for b in range(a, count)]
    sizes = np.diff(pairs.first)
    assert count == 0 or sizes.max() - sizes.min() <= 1
    assert list(np.repeat(np.arange(count), sizes)) == list(pairs.left)


@pytest.mark.parametrize("order", [1, 4])
def test_packed_squares_come_back(order):
    squares = np.random.default_rng(3).normal(size=(5, order, order))
    pairs = occupied_pairs(order)
    parts = [kind.packed(squares) / 2 for kind in pairs]
    assert unpacked(parts, pairs) == pytest.approx(squares, abs=1e-14)

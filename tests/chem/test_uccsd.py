"""Open-shell CCSD against PySCF's, any number of ranks."""

import os
import warnings
from types import SimpleNamespace

import atoll
import numpy as np
import pytest
from atoll.chem import cc
from atoll.chem import scf as atoll_scf
from atoll.chem.correlation.coupled_cluster.ladder import Ladder
from atoll.chem.correlation.open_shell.storage import storage
from pyscf import ao2mo, fci, gto, scf
from pyscf import cc as pyscf_cc

MOLECULES = {
    "hydroxyl": ("O 0 0 0; H 0 0 0.97", "6-31g", {"spin": 1}),
    "hydroxyl, minimal": ("O 0 0 0; H 0 0 0.97", "sto-3g", {"spin": 1}),
    "oxygen": ("O 0 0 0; O 0 0 1.2", "sto-3g", {"spin": 2}),
    "methylene": ("C 0 0 0; H 0 0.98 0.35; H 0 -0.98 0.35", "6-31g", {"spin": 2}),
    "nitric oxide": ("N 0 0 0; O 0 0 1.08", "sto-3g", {"spin": 1}),
    "carbon monoxide": ("C 0 0 0; O 0 0 1.12", "sto-3g", {"spin": 1, "charge": 1}),
    "lithium": ("Li 0 0 0", "6-31g*", {"spin": 1, "cart": True}),  # one beta electron
    "water": ("O 0 0 0; H 0 0 0.96; H 0.93 0 -0.24", "sto-3g", {}),
    "helium": ("He 0 0 0", "cc-pvdz", {"spin": 2}),  # no beta electrons
    "hydrogen": ("H 0 0 0", "6-31g", {"spin": 1}),
}


@pytest.fixture(scope="module")
def mean_field():
    made = {}

    def make(name, kind=scf.UHF):
        if (name, kind) not in made:
            atoms, basis, options = MOLECULES[name]
            mol = gto.M(atom=atoms, basis=basis, verbose=0, **options)
            made[name, kind] = kind(mol).run(conv_tol=1e-13)
        return made[name, kind]

    return make


@pytest.fixture(scope="module")
def reference():
    """PySCF's energy for a mean field, computed by one rank."""
    made = {}

    def make(mf, frozen=None):
        key = (id(mf), str(frozen))
        if key not in made:
            value = np.zeros(1)
            if atoll.rank() == 0:
                value[:] = converged_by_pyscf(mf, frozen).e_corr
            made[key] = float(atoll.world().broadcast(value)[0]), mf
        return made[key][0]

    return make


def converged_by_pyscf(mf, frozen=None):
    theirs = pyscf_cc.UCCSD(mf.to_uhf(), frozen=frozen)
    theirs.conv_tol, theirs.conv_tol_normt = 1e-11, 1e-8
    theirs.kernel()
    return theirs


def uccsd(mf, frozen=None, tight=1e-9, **options):
    ours = cc.UCCSD(mf, frozen, **options)
    ours.conv_tol, ours.conv_tol_normt = tight, 1e3 * tight
    return ours


@pytest.mark.parametrize(
    ("name", "kind", "frozen"),
    [
        ("hydroxyl", scf.UHF, None),
        ("oxygen", scf.UHF, 2),
        ("nitric oxide", scf.UHF, [[0, 1], [1, 9]]),
        ("lithium", scf.UHF, [1]),
        ("methylene", scf.ROHF, None),
        ("hydroxyl", scf.ROHF, [[0, 10], [0, 9]]),
        ("water", scf.RHF, 1),
    ],
)
def test_energies_are_those_of_pyscf(name, kind, frozen, mean_field, reference, world):
    mf = mean_field(name, kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # large amplitudes
        ours = uccsd(mf, frozen).run()
    energy = reference(mf, frozen)
    assert ours.converged
    assert ours.e_corr == pytest.approx(energy, abs=1e-8)
    assert ours.e_tot == pytest.approx(mf.e_tot + energy, abs=1e-8)
    everywhere = world.reduce(np.array([ours.e_corr, -ours.e_corr]), "max")
    assert everywhere[0] == -everywhere[1]  # the same on all ranks


@pytest.mark.parametrize("kind", [scf.UHF, scf.ROHF])
def test_fitted_mean_fields_have_fitted_integrals(kind, mean_field, reference):
    mol = mean_field("methylene").mol
    mf = kind(mol).density_fit(auxbasis="weigend").run(conv_tol=1e-12)
    ours = uccsd(mf).run()
    assert ours.e_corr == pytest.approx(reference(mf), abs=2e-9)
    exact = reference(mean_field("methylene", kind))
    assert abs(ours.e_corr - exact) > 1e-6  # else nothing was fitted


def test_two_electrons_of_one_spin_are_exact(mean_field, world):
    mf = mean_field("helium")
    ours = uccsd(mf).run()
    exact = np.zeros(1)
    if world.rank == 0:
        h1 = [c.T @ mf.get_hcore() @ c for c in mf.mo_coeff]
        whole = ao2mo.kernel(mf.mol, mf.mo_coeff[0])
        exact[:] = fci.direct_spin1.kernel(h1[0], whole, mf.mo_coeff.shape[2], (2, 0))[0]
    assert ours.e_tot == pytest.approx(float(world.broadcast(exact)[0]), abs=1e-9)
    shapes = [[array.shape for array in each] for each in ours.amplitudes()]
    assert shapes == [[(2, 3), (0, 5)], [(2, 2, 3, 3), (2, 0, 3, 5), (0, 0, 5, 5)]]
    assert list(ours.integrals().ovov) == [(0, 0)]


def test_one_electron_is_not_correlated(mean_field):
    ours = uccsd(mean_field("hydrogen")).run()
    assert ours.e_corr == pytest.approx(0, abs=1e-14)
    assert ours.converged
    alone = uccsd(mean_field("hydrogen"), frozen=1).run()
    assert alone.e_corr == 0.0
    assert alone.amplitudes()[0][0].shape == (0, 1)
    assert alone.t1_diagnostic == alone.d1_diagnostic == 0.0


def test_closed_shells_give_what_closed_shell_ccsd_does(mean_field):
    mf = mean_field("water", scf.RHF)
    closed = cc.RCCSD(mf)
    closed.conv_tol, closed.conv_tol_normt = 1e-10, 1e-7
    closed.run()
    ours = uccsd(mf).run()
    assert ours.e_corr == pytest.approx(closed.e_corr, abs=1e-9)
    assert ours.t1_diagnostic == pytest.approx(closed.t1_diagnostic, abs=1e-7)
    assert ours.d1_diagnostic == pytest.approx(closed.d1_diagnostic, abs=1e-7)
    (t1, _), (t2_equal, t2, _) = ours.amplitudes()
    assert t1 == pytest.approx(closed.amplitudes()[0], abs=1e-6)
    assert t2 == pytest.approx(closed.amplitudes()[1], abs=1e-6)
    assert t2_equal == pytest.approx(t2 - t2.transpose(1, 0, 2, 3), abs=1e-6)


def test_ccsd_takes_closed_and_open_shells(mean_field):
    assert type(cc.CCSD(mean_field("water", scf.RHF))) is cc.RCCSD
    assert type(cc.CCSD(mean_field("water"))) is cc.UCCSD
    assert type(cc.CCSD(mean_field("hydroxyl"), 1, memory=1 << 20)) is cc.UCCSD
    assert type(cc.CCSD(mean_field("hydroxyl", scf.ROHF))) is cc.UCCSD


def test_a_mean_field_from_here_gives_the_same(mean_field, reference):
    theirs = mean_field("hydroxyl, minimal")
    mf = atoll_scf.UHF(theirs.mol)
    mf.conv_tol, mf.verbose = 1e-12, 0
    ours = cc.CCSD(mf.run())
    ours.conv_tol, ours.conv_tol_normt = 1e-9, 1e-6
    assert ours.kernel()[0] == pytest.approx(reference(theirs), abs=1e-8)


def test_orbitals_need_not_be_converged(mean_field, reference):
    mf = mean_field("hydroxyl, minimal").mol.UHF().run(conv_tol=1e-4)
    assert uccsd(mf).kernel()[0] == pytest.approx(reference(mf), abs=1e-8)


def test_without_a_core_hamiltonian_orbitals_are_taken_for_canonical(mean_field, reference):
    mf = mean_field("hydroxyl, minimal")
    names = ("mol", "mo_coeff", "mo_energy", "mo_occ", "e_tot")
    bare = SimpleNamespace(**{name: getattr(mf, name) for name in names})
    assert uccsd(bare).kernel()[0] == pytest.approx(reference(mf), abs=1e-8)
    mf = mean_field("hydroxyl, minimal", scf.ROHF)
    bare = SimpleNamespace(**{name: getattr(mf, name) for name in names})
    with pytest.raises(ValueError, match="mf has no get_hcore"):
        cc.UCCSD(bare)


def test_amplitudes_and_integrals_are_those_of_pyscf(mean_field, world):
    mf = mean_field("hydroxyl, minimal")
    ours = uccsd(mf, frozen=1).run()
    t1, t2 = ours.amplitudes()
    assert [array.shape for array in ours.t2] == [array.shape for array in t2]
    occupied = [mf.mo_coeff[s][:, 1 : mf.mol.nelec[s]] for s in (0, 1)]
    virtual = [mf.mo_coeff[s][:, mf.mol.nelec[s] :] for s in (0, 1)]
    integrals = ours.integrals()
    for s, t in ((0, 0), (0, 1), (1, 0), (1, 1)):
        for blocks, second in (
            (integrals.ovov, (occupied[t], virtual[t])),
            (integrals.ovvv, (virtual[t], virtual[t])),
            (integrals.ovoo, (occupied[t], occupied[t])),
        ):
            orbitals = (occupied[s], virtual[s], *second)
            shape = [c.shape[1] for c in orbitals]
            expected = ao2mo.kernel(mf.mol, orbitals, compact=False).reshape(shape)
            assert blocks[s, t][...] == pytest.approx(expected, abs=1e-10)
    integrals.destroy()
    for s in (0, 1):
        assert ours.fock()[s].energies[0] == pytest.approx(
            mf.mo_energy[s][1 : mf.mol.nelec[s]], abs=1e-7
        )
    if world.rank == 0:
        theirs = converged_by_pyscf(mf, 1)
        for mine, other in zip((*t1, *t2), (*theirs.t1, *theirs.t2), strict=True):
            assert mine == pytest.approx(other, abs=1e-6)
    world.sync()


def test_orbitals_of_restricted_open_shells_are_made_semicanonical(mean_field):
    ours = cc.UCCSD(mean_field("methylene", scf.ROHF), frozen=1)
    ours.max_cycle = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours.run()
    for s in (0, 1):
        fock, space = ours.fock()[s], ours.spaces[s]
        assert fock.oo == pytest.approx(np.diag(space.occupied_energies), abs=1e-10)
        assert fock.vv == pytest.approx(np.diag(space.virtual_energies), abs=1e-10)
    assert np.abs(fock.vo).max() > 1e-3


def test_little_memory_puts_things_on_disk_and_gives_the_same(
    mean_field, reference, world, tmp_path
):
    mf = mean_field("hydroxyl")
    folder = str(world.broadcast(str(tmp_path)))
    ours = uccsd(mf, memory=1, scratch=folder).run()
    assert ours.e_corr == pytest.approx(reference(mf), abs=1e-8)
    stored = ours.storage
    assert stored.ladder_on_disk
    assert stored.diis_on_disk
    enough = 2 * (stored.fixed + stored.ladder + stored.diis)
    whole = storage(world, {0: 5, 1: 4}, {0: 6, 1: 7}, 6, enough)
    assert not whole.ladder_on_disk
    assert not whole.diis_on_disk
    assert (whole.fixed, whole.ladder) == (stored.fixed, stored.ladder)
    assert os.listdir(folder) == []


def test_integrals_in_several_passes_are_the_same(mean_field, reference, monkeypatch):
    mf = mean_field("hydroxyl, minimal")
    original = Ladder.fill

    def fill(self, first=None):
        if first is not None:
            first.array.destroy()
        self.strips = 2
        original(self, None)

    monkeypatch.setattr(Ladder, "fill", fill)
    assert uccsd(mf).kernel()[0] == pytest.approx(reference(mf), abs=2e-9)


def turned_orbitals(mf):
    """As good as before, or turned among the occupied orbitals of alpha."""
    mf = mf.copy()
    mf.mo_coeff = np.array(mf.mo_coeff)
    mf.mo_coeff[:, :, [0, 3, 9]] *= -1
    pair = mf.mo_coeff[0][:, 1:3]
    pair[...] = pair @ np.array([[0.8, -0.6], [0.6, 0.8]])
    return mf


def test_a_run_that_was_cut_off_goes_on_with_other_orbitals_and_ranks(
    mean_field, reference, world, tmp_path
):
    mf = mean_field("hydroxyl")
    folder = str(world.broadcast(str(tmp_path / "run")))
    cut_off = uccsd(mf, frozen=1)
    cut_off.checkpoint, cut_off.max_cycle = folder, 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cut_off.run()
    assert not cut_off.converged
    alone = world.split(colour=world.rank)
    for group in (world, alone):
        going_on = uccsd(turned_orbitals(mf), frozen=1, group=group)
        going_on.restart_from = folder
        assert going_on.kernel()[0] == pytest.approx(reference(mf, 1), abs=1e-8)
        first = going_on.iterations[0]  # near to where it was cut off
        assert first.energy == pytest.approx(cut_off.e_corr, abs=1e-4)
    other = uccsd(mf)
    other.restart_from = folder
    with pytest.raises(ValueError, match=r"holds 4 alpha occupied orbitals of 11 .* expected 5"):
        other.kernel()
    other = uccsd(mean_field("helium"))
    other.restart_from = folder
    with pytest.raises(ValueError, match="of alpha and beta electrons, expected alpha"):
        other.kernel()
    closed = cc.RCCSD(mean_field("water", scf.RHF))
    closed.restart_from = folder
    with pytest.raises(ValueError, match="something else than closed-shell coupled cluster"):
        closed.kernel()


def test_a_second_call_goes_on_from_the_first(mean_field, reference):
    mf = mean_field("hydroxyl, minimal", scf.ROHF)
    ours = uccsd(mf)
    ours.max_cycle = 6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours.run()
        before = ours.iterations[-1]
        ours.max_cycle = 50
        assert ours.kernel()[0] == pytest.approx(reference(mf), abs=1e-8)
    assert ours.iterations[0].step < 3 * before.step


def test_doubts_are_told(mean_field, world):
    ours = cc.UCCSD(mean_field("carbon monoxide"))
    ours.max_cycle = 4
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        ours.run()
    texts = " ".join(str(each.message) for each in found)
    assert ours.t1_diagnostic > 0.02
    if world.rank == 0:
        assert "UCCSD has not converged in 4 iterations" in texts
        assert f"large single amplitudes: T1 {ours.t1_diagnostic:.4f}" in texts
    else:
        assert "UCCSD" not in texts


def test_wrong_arguments_are_named(mean_field):
    mf = mean_field("hydroxyl, minimal")
    for frozen, message in (
        (99, "frozen is 99"),
        ([[0], [99]], r"frozen is \[\[0\], \[99\]\], expected orbitals from 0 to 5"),
        ([[0], [0], [0]], r"frozen is .*expected a list for each of two spins"),
        ([0, [0]], r"frozen is .*expected a list for each of two spins"),
    ):
        with pytest.raises(ValueError, match=message):
            cc.UCCSD(mf, frozen).kernel()
    with pytest.raises(RuntimeError, match="not been computed"):
        _ = cc.UCCSD(mf).e_tot
    for absent in ("amplitudes", "integrals", "fock"):
        with pytest.raises(RuntimeError, match=r"there are no .*: call kernel"):
            getattr(cc.UCCSD(mf), absent)()
    with pytest.raises(TypeError, match="Kohn-Sham mean field"):
        cc.CCSD(mf.mol.UKS(xc="lda").run(max_cycle=1))
    with pytest.raises(NotImplementedError, match="whose exchange is not fitted"):
        cc.CCSD(mf.mol.UHF().density_fit(only_dfj=True).run(max_cycle=1))
    fractional = mf.copy()
    fractional.mo_occ = np.array(mf.mo_occ) * 0.5
    with pytest.raises(ValueError, match=r"mo_occ holds \[0.0, 0.5\]"):
        cc.CCSD(fractional)


def test_what_one_rank_passes_wrongly_is_raised_on_all(mean_field):
    mf = mean_field("hydroxyl, minimal")
    last = atoll.rank() == atoll.size() - 1
    with pytest.raises(ValueError, match="memory is 0"):
        cc.CCSD(mf, memory=0 if last else 1)
    with pytest.raises(TypeError, match="mf is namespace"):
        cc.CCSD(SimpleNamespace() if last else mf)
    with pytest.raises(ValueError, match="frozen is 99"):
        cc.UCCSD(mf, frozen=99 if last else 0).kernel()

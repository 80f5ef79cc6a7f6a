"""Settings that PySCF's users make are honoured, as PySCF does, or refused by name."""

from types import SimpleNamespace

import numpy as np
import pytest
from atoll.chem import cc, df, dft, from_pyscf, grad, mp, mrci, scf
from one_water import water
from pyscf import df as pyscf_df
from pyscf import dft as pyscf_dft
from pyscf import gto
from pyscf import scf as pyscf_scf
from pyscf.dft import gen_grid
from pyscf.mp.dfmp2 import DFMP2


def test_settings_of_coupled_cluster_have_pyscfs_effect(world):
    mf = pyscf_scf.RHF(water()).run()
    plain = cc.CCSD(mf).run()
    slow = cc.CCSD(mf)
    slow.diis = False
    assert slow.run().cycles > plain.cycles
    assert slow.e_corr == pytest.approx(plain.e_corr, abs=1e-6)
    frozen = cc.CCSD(mf)
    frozen.frozen = 1
    assert frozen.kernel()[0] == pytest.approx(mf.CCSD(frozen=1).run().e_corr, abs=1e-6)
    direct = cc.CCSD(mf)
    direct.direct, direct.max_memory = True, 500
    assert (direct.ladder, direct.memory) == ("direct", 500_000_000)
    assert direct.run().storage.ladder_from == "direct"
    for name, value in {"cc2": True, "level_shift": 0.1, "iterative_damping": 0.5}.items():
        with pytest.raises(NotImplementedError, match=f"{name} is"):
            setattr(plain, name, value)
        setattr(plain, name, getattr(plain, name))  # as PySCF has it by itself


def test_fits_that_are_put_on_an_object_are_taken_or_refused(world):
    mol = water()
    mf = pyscf_scf.RHF(mol).run()
    mine, theirs = mp.DFMP2(mf), DFMP2(mf)
    for each in (mine, theirs):
        each.with_df = pyscf_df.DF(mol, "weigend")
    assert mine.kernel()[0] == pytest.approx(theirs.run().e_corr, abs=1e-8)
    named = mp.DFMP2(mf)
    named.with_df.auxbasis = "weigend"
    assert named.kernel()[0] == pytest.approx(theirs.e_corr, abs=1e-8)
    assert abs(mp.DFMP2(mf).kernel()[0] - theirs.e_corr) > 1e-6
    theirs = pyscf_scf.RHF(mol).density_fit("weigend")
    by_theirs = scf.RHF(mol)
    by_theirs.with_df = fit = pyscf_df.DF(mol)
    fit.auxbasis = "weigend"  # also later
    assert by_theirs.kernel() == pytest.approx(theirs.kernel(), abs=1e-8)
    own = pyscf_scf.RHF(mol).density_fit()
    own.with_df._cderi = np.zeros((3, 28))
    with pytest.raises(NotImplementedError, match="_cderi"):
        from_pyscf(own)
    for target in (by_theirs, named):
        with pytest.raises(NotImplementedError, match="_cderi"):
            target.with_df = own.with_df
    with pytest.raises(NotImplementedError, match="_cderi"):
        df.DF(mol)._cderi = np.zeros((3, 28))
    done = pyscf_scf.RHF(mol).density_fit().run()
    done.with_df = own.with_df
    for method in (cc.CCSD, mp.DFMP2):
        with pytest.raises(NotImplementedError, match="_cderi"):
            method(done)
    with pytest.raises(NotImplementedError, match="SGX"):
        mp.DFMP2(pyscf_scf.RHF(mol).COSX().run())


def test_grids_of_ones_own_are_integrated_over(world):
    mol = water()
    given = gen_grid.Grids(mol)
    given.level = 0
    given.build()
    for kind, theirs in ((dft.RKS, pyscf_dft.RKS), (dft.UKS, pyscf_dft.UKS)):
        fields = [kind(mol, "pbe"), theirs(mol, "pbe")]
        for mf in fields:
            mf.grids.coords, mf.grids.weights = given.coords, 1.001 * given.weights
            mf.conv_tol = 1e-10
            mf.kernel()
        assert fields[0].e_tot == pytest.approx(fields[1].e_tot, abs=1e-8)
        if kind is dft.RKS:
            gradients = [mf.nuc_grad_method().kernel() for mf in fields]
            np.testing.assert_allclose(*gradients, atol=1e-6)
    fields[0].grids.level = 1  # as in PySCF, the points are gone
    assert fields[0].grids.coords is None
    moved = dft.RKS(mol, "lda")
    moved.grids = given
    assert moved.as_scanner()(mol).conjugate() is not None
    wrong = dft.RKS(mol)
    wrong.grids.coords, wrong.grids.weights = given.coords, given.weights[1:]
    with pytest.raises(ValueError, match=r"grids\.coords has shape"):
        wrong.kernel()


def test_grids_and_functionals_of_other_kinds_are_refused_by_name(world):
    mol = water()
    mf = dft.RKS(mol, "lda")
    for name, value in {"levl": 5, "cutoff": 1e-3, "gen_partition": print}.items():
        with pytest.raises(AttributeError, match=name):
            setattr(mf.grids, name, value)
    theirs = gen_grid.Grids(mol)
    mf.grids = theirs
    theirs.get_partition = print  # later
    with pytest.raises(NotImplementedError, match="get_partition of grids"):
        mf.kernel()
    for text, change in {
        "of _numint was replaced": lambda ks: ks.define_xc_(lambda *_: None, "LDA"),
        "omega is 0.3": lambda ks: setattr(ks._numint, "omega", 0.3),
        "libxc is": lambda ks: setattr(ks._numint, "libxc", SimpleNamespace(__name__="xcfun")),
        "_numint is": lambda ks: setattr(ks, "_numint", SimpleNamespace()),
    }.items():
        ks = pyscf_dft.RKS(mol, "lda")
        change(ks)
        with pytest.raises(NotImplementedError, match=text):
            from_pyscf(ks)
    for name in ("_numint", "nlc", "omega"):
        with pytest.raises(AttributeError, match=name):
            setattr(mf, name, "vv10")


def test_settings_of_gradients_and_mrci_are_taken_or_refused(world):
    mf = dft.RKS(water(), "lda").run()
    gradient = grad.Gradients(mf)
    with pytest.raises(NotImplementedError, match="grid_response is True"):
        gradient.grid_response = True
    with pytest.raises(AttributeError, match="grid_respons'"):
        gradient.grid_respons = True
    second = mp.DFMP2(scf.RHF(water()).run()).nuc_grad_method()
    whole = second.kernel()
    second.frozen = 1
    assert np.abs(second.kernel() - whole).max() > 1e-7
    with pytest.raises(NotImplementedError, match="frozen"):
        second.frozen = [3]
    ci = mrci.MRCI(mf, (2, 2))
    for name in ("frozen", "roots", "irrep"):
        with pytest.raises(NotImplementedError, match=f"{name} of MRCI is given when"):
            setattr(ci, name, 1)
    ci.store = "nowhere"
    with pytest.raises(ValueError, match="store is 'nowhere'"):
        ci.kernel()


def test_settings_of_many_scripts_are_taken(world, capsys):
    mf = dft.RKS(water(), "lda")
    assert (mf.max_memory, mf.direct_scf, mf.conv_check) == (mf.mol.max_memory, True, True)
    mf.max_memory, mf.conv_check, mf.small_rho_cutoff, mf.direct_scf = 50, False, 1e-7, False
    assert (mf.memory, mf.integral_storage) == (50_000_000, "disk")
    mf.direct_scf = True
    assert mf.integral_storage == "auto"
    lines = []
    mf.stdout = SimpleNamespace(write=lines.append, flush=lambda: None)
    mf.verbose = 4
    mf.kernel()
    assert capsys.readouterr().out == ""
    assert ("converged SCF energy" in "".join(lines)) == (world.rank == 0)
    assert not hasattr(mf, "newton")
    with pytest.raises(NotImplementedError, match=r"RKS\.newton of PySCF"):
        mf.newton()
    back = from_pyscf(mf.to_pyscf())
    assert (back.conv_check, back.small_rho_cutoff, back.memory) == (False, 1e-7, 50_000_000)


def test_a_scanner_goes_on_to_other_molecules(world):
    for start, kind in ((scf.RHF(water()), pyscf_scf.RHF), (scf.RHF(water()).density_fit(), None)):
        scanner = start.as_scanner()
        scanner(water())
        hydrogen_fluoride = gto.M(atom="H 0 0 0; F 0 0 0.9", basis="6-31g", verbose=0)
        for mol in (water("6-31g"), hydrogen_fluoride, water(charge=2)):
            theirs = kind(mol) if kind else pyscf_scf.RHF(mol).density_fit()
            assert scanner(mol) == pytest.approx(theirs.kernel(), abs=1e-7)


@pytest.mark.parametrize("unlike", [1, 2, "mix"])
def test_symmetry_is_broken_as_pyscf_does(unlike, world):
    mol = gto.M(atom="H 0 0 0; F 0 0 1.5", basis="sto-3g", verbose=0)
    theirs = pyscf_scf.UHF(mol)
    theirs.init_guess_breaksym, theirs.max_cycle = unlike, 1
    theirs.verbose = 0
    mine = from_pyscf(theirs)
    assert mine.init_guess_breaksym == unlike
    start = mine._start(None, mine_occupations(mine)).densities
    expected = theirs.get_init_guess(mol, "minao")
    for density, dm in zip(start, expected, strict=True):
        np.testing.assert_allclose(density.matrix[...], dm, atol=1e-10)
    with pytest.raises(NotImplementedError, match="init_guess_breaksym is 'other'"):
        scf.UHF(mol).run(init_guess_breaksym="other")


def mine_occupations(mf):
    from atoll.chem.self_consistency.occupations import Occupations

    return Occupations(mf.electrons(), 0.0, False)


def test_electrons_of_smearing_count_by_their_share(world):
    mol = gto.M(atom="O 0 0 0; O 0 0 1.6", basis="sto-3g", spin=2, verbose=0)
    mf = scf.UHF(mol).run(smearing=0.05)
    alpha, beta = mf.make_rdm1()
    overlap = mol.intor("int1e_ovlp")
    count = [np.vdot(dm, overlap) for dm in (alpha, beta)]
    half = (count[0] - count[1]) / 2
    square = half * (half + 1) + count[1] - np.trace(alpha @ overlap @ beta @ overlap)
    assert mf.spin_square()[0] == pytest.approx(square, abs=1e-8)
    assert np.count_nonzero((mf.mo_occ > 1e-3) & (mf.mo_occ < 0.999)) > 1


def test_the_guess_vsap_is_not_minao(world):
    from atoll.chem.integrals import pyscf_wheel

    mol = water()
    expected = pyscf_dft.RKS(mol).get_init_guess(mol, "vsap")
    found = pyscf_wheel.starting_density(mol, "vsap")
    np.testing.assert_allclose(found, expected, atol=1e-10)
    assert np.abs(found - pyscf_wheel.starting_density(mol, "minao")).max() > 1e-3


def changed_in_place(mol, how):
    if how == "moved":
        mol.set_geom_("O 0 0 0; H 0 0 1; H 0 0.9 -0.3")
    else:
        mol.basis = "6-31g"
        mol.build(False, False)
    return mol


@pytest.mark.parametrize("how", ["moved", "with another basis"])
def test_results_of_a_molecule_are_not_taken_for_those_of_what_it_was_changed_to(world, how):
    reference = pyscf_scf.RHF(changed_in_place(water(), how)).run(conv_tol=1e-11)

    def changed():
        field = scf.RHF(water()).run(conv_tol=1e-11)
        changed_in_place(field.mol, how)
        return field

    gradient = changed().nuc_grad_method().kernel()
    np.testing.assert_allclose(gradient, reference.nuc_grad_method().kernel(), atol=1e-6)
    expected = reference.CCSD().run().e_tot
    assert cc.CCSD(changed()).run().e_tot == pytest.approx(expected, abs=1e-6)
    second = mp.DFMP2(changed()).run().e_tot
    assert second == pytest.approx(mp.DFMP2(reference).run().e_tot, abs=1e-7)
    np.testing.assert_allclose(changed().get_hcore(), reference.get_hcore(), atol=1e-9)
    for ask in (scf.RHF.dip_moment, scf.RHF.make_rdm1, lambda mf: mrci.MRCI(mf, (2, 2))):
        with pytest.raises(RuntimeError, match="no orbitals yet"):
            ask(changed())
    given = changed()
    given.mo_coeff, given.mo_occ = reference.mo_coeff, reference.mo_occ
    dipole = reference.dip_moment(verbose=0)
    np.testing.assert_allclose(given.dip_moment(), dipole, atol=1e-6)
    assert given.energy_tot() == pytest.approx(reference.e_tot, abs=1e-8)


@pytest.mark.parametrize("how", ["moved", "with another basis"])
@pytest.mark.parametrize("package", [scf, pyscf_scf])
def test_correlation_of_orbitals_of_a_molecule_that_was_changed_is_refused(world, how, package):
    field = package.RHF(water()).run()
    methods = [cc.RCCSD(field), cc.UCCSD(package.UHF(field.mol).run()), mp.DFMP2(field)]
    methods.append(mrci.MRCI(field, (2, 2)))
    changed_in_place(field.mol, how)
    for method in methods:
        with pytest.raises(RuntimeError, match="the molecule was changed"):
            method.kernel()

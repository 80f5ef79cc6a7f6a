"""PySCF's shapes of calls: they give PySCF's numbers here, or are refused by name."""

import importlib

import numpy as np
import pytest
from atoll.chem import cc, dft, grad, mp, scf
from pyscf import cc as pyscf_cc
from pyscf import dft as pyscf_dft
from pyscf import gto
from pyscf import mp as pyscf_mp
from pyscf import scf as pyscf_scf

WATER = "O 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692"
KINDS = {
    "RHF": (scf.RHF, pyscf_scf.RHF, 0),
    "fitted RHF": (
        lambda mol: scf.RHF(mol).density_fit(),
        lambda mol: pyscf_scf.RHF(mol).density_fit(),
        0,
    ),
    "UHF": (scf.UHF, pyscf_scf.UHF, 1),
    "ROHF": (scf.ROHF, pyscf_scf.ROHF, 1),
    "RKS": (dft.RKS, pyscf_dft.RKS, 0),
    "ROKS of a hybrid": (
        lambda m: dft.RKS(m, "b3lyp"),
        lambda m: pyscf_dft.RKS(m, "b3lyp"),
        1,
    ),
    "UKS of a hybrid": (lambda m: dft.UKS(m, "b3lyp"), lambda m: pyscf_dft.UKS(m, "b3lyp"), 1),
}


def water(spin=0, basis="6-31g"):
    return gto.M(atom=WATER, basis=basis, charge=spin, spin=spin, verbose=0)


def flat(value):
    if isinstance(value, (tuple, list)):
        return np.concatenate([flat(each) for each in value])
    return np.ravel(np.asarray(value, dtype=float))


@pytest.fixture(scope="module", params=list(KINDS))
def both(request):
    """A converged mean field of ours, and PySCF's, with the same orbitals."""
    ours, theirs, spin = KINDS[request.param]
    mol = water(spin)
    mine, reference = ours(mol), theirs(mol)
    for field in (mine, reference):
        if hasattr(reference, "grids"):
            field.grids.level = 1
        field.conv_tol = 1e-11
    reference.kernel()
    mine.kernel(reference.make_rdm1())
    mine.mo_coeff, mine.mo_energy = reference.mo_coeff, reference.mo_energy
    mine.mo_occ = reference.mo_occ
    return mine, reference


def densities(reference, symmetric):
    n = reference.mol.nao
    spins = np.ndim(reference.make_rdm1()) - 1
    values = np.random.default_rng(3).random((spins, n, n))
    if symmetric:
        values = 1e-3 * (values + values.transpose(0, 2, 1)) + reference.make_rdm1()
    return values[0] if spins == 1 else values


def test_matrices_and_energies_of_a_density_are_those_of_pyscf(both, world):
    mine, reference = both
    mol = mine.mol
    assert mine.e_tot == pytest.approx(reference.e_tot, abs=1e-9)
    for name in ("nuc", "e1", "e2", "coul", "exc"):
        parts = mine.scf_summary[name], reference.scf_summary[name]
        assert parts[0] == pytest.approx(parts[1], abs=5e-6), name
    given = densities(reference, symmetric=True)
    uneven = densities(reference, symmetric=False)
    c, n = reference.mo_coeff, reference.mo_occ
    calls = {
        "get_hcore": (mol,), "get_ovlp": (mol,), "get_jk": (mol, given), "get_veff": (mol, given),
        "get_fock": (), "energy_elec": (given,), "energy_tot": (), "get_occ": (),
        "make_rdm1": (c, n), "get_grad": (c, n), "canonicalize": (c, n), "get_init_guess": (),
        "init_guess_by_sap": (), "init_guess_by_mod_huckel": (), "analyze": (),
        "spin_square": (), "mulliken_meta": (mol, given, 0),
        "eig": (reference.get_fock(), reference.get_ovlp()),
    }  # fmt: skip
    for name, arguments in calls.items():
        expected = flat(getattr(reference, name)(*arguments))
        found = flat(getattr(mine, name)(*arguments))
        if name in ("canonicalize", "eig"):  # an orbital is one with either sign
            expected, found = np.abs(expected), np.abs(found)
        np.testing.assert_allclose(found, expected, atol=2e-6, err_msg=name)
    for name in ("get_j", "get_k"):  # of a density that is not symmetric
        expected = getattr(reference, name)(mol, uneven, hermi=0)
        np.testing.assert_allclose(getattr(mine, name)(mol, uneven, hermi=0), expected, atol=1e-9)
    bare = reference.get_hcore(water(basis="sto-3g"))
    np.testing.assert_allclose(mine.get_hcore(water(basis="sto-3g")), bare, atol=1e-10)


def test_a_functional_of_open_shells_is_there_among_mean_fields(world):
    energies = []
    for package in (scf, pyscf_scf):
        field = package.UKS(water(1))
        field.xc, field.grids.level = "pbe", 0
        energies.append(field.kernel())
    assert energies[0] == pytest.approx(energies[1], abs=1e-7)


def test_the_spins_square_of_orbitals_of_ones_own_is_pyscfs(world):
    mol = water(1)
    theirs = pyscf_scf.UHF(mol).run()
    mine = scf.UHF(mol).run(theirs.make_rdm1())
    overlap = 1.1 * mol.intor("int1e_ovlp")
    alpha, beta = theirs.mo_coeff[0][:, [0, 1, 2, 4, 6]], theirs.mo_coeff[1][:, [0, 3, 5]]
    calls = {
        "orbitals": ((alpha, beta),),
        "orbitals and overlap": ((alpha, beta), overlap),
        "more beta": ((beta, alpha), overlap),
        "overlap": (None, overlap),
        "none": (),
    }
    for name, given in calls.items():
        expected = theirs.spin_square(*given)
        np.testing.assert_allclose(mine.spin_square(*given), expected, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("cycles", [0, 1, 2, 4])
def test_iterations_are_counted_as_pyscf_counts_them(world, cycles):
    mol = water()
    mine, reference = scf.RHF(mol), pyscf_scf.RHF(mol)
    for field in (mine, reference):
        field.max_cycle = cycles
        field.kernel()
    assert mine.e_tot == pytest.approx(reference.e_tot, abs=1e-9)
    assert mine.cycles == reference.cycles == cycles
    np.testing.assert_allclose(mine.make_rdm1(), reference.make_rdm1(), atol=1e-7)
    if cycles:  # the energy is that of these orbitals
        assert mine.energy_tot() == pytest.approx(mine.e_tot, abs=1e-9)
    mine.max_cycle = reference.max_cycle = 50
    mine.kernel(), reference.kernel()
    assert abs(mine.cycles - reference.cycles) <= 1


def test_settings_come_by_keyword_and_in_pairs(world):
    mol = water(1)
    plain = pyscf_scf.UHF(mol).run().e_tot
    shifted = scf.UHF(mol).set(level_shift=(0.3, 0.2), damp=(0.1, 0.0)).run(max_cycle=100)
    assert shifted.e_tot == pytest.approx(plain, abs=1e-8)
    for guess in ("hcore", "sap", "mod_huckel"):
        assert scf.RHF(water()).run(init_guess=guess).e_tot == pytest.approx(
            pyscf_scf.RHF(water()).run().e_tot, abs=1e-8
        )
    field = scf.RHF(water())
    field.DIIS = pyscf_scf.ADIIS
    assert field.diis == "adiis"
    assert field.build().copy().apply(lambda mf: mf.diis) == "adiis"
    with pytest.raises(NotImplementedError, match="EDIIS"):
        field.DIIS = pyscf_scf.EDIIS
    with pytest.raises(AttributeError, match="no setting 'nonsense'"):
        field.set(nonsense=1)
    with pytest.raises(NotImplementedError, match="complex"):
        field.mo_coeff = 1j * np.eye(13)


@pytest.mark.parametrize("fix_spin", [True, False])
def test_smearing_is_a_method_with_the_energies_of_pyscf(world, fix_spin):
    mol = gto.M(atom="O 0 0 0", basis="6-31g", spin=2, verbose=0)
    start = scf.UHF(mol).run(max_cycle=2).make_rdm1()
    field = scf.UHF(mol).smearing(0.1, fix_spin=fix_spin)
    theirs = pyscf_scf.UHF(mol).smearing(0.1, fix_spin=fix_spin).set(conv_tol=1e-12)
    field.kernel(start), theirs.kernel(start)
    for name in ("e_tot", "e_free", "e_zero"):
        assert getattr(field, name) == pytest.approx(getattr(theirs, name), abs=1e-6)
    assert field.entropy == pytest.approx(theirs.entropy, abs=1e-5)
    assert field.undo_smearing().smearing == 0.0
    with pytest.raises(NotImplementedError, match="gauss"):
        scf.UHF(mol).smearing(0.1, method="gauss")


def test_mean_fields_turn_into_others(world):
    field = scf.RHF(water()).run()
    other = field.to_uhf()
    assert isinstance(other, scf.UHF)
    np.testing.assert_allclose(other.make_rdm1().sum(axis=0), field.make_rdm1(), atol=1e-10)
    assert other.to_rhf().e_tot == field.e_tot
    functional = field.to_ks("pbe")
    assert (type(functional), functional.xc, functional.converged) == (dft.RKS, "pbe", False)
    assert functional.run().e_tot == pytest.approx(
        pyscf_dft.RKS(water(), xc="pbe").run().e_tot, abs=1e-6
    )
    fitted = field.density_fit()
    assert fitted.undo_df().run().e_tot == pytest.approx(field.e_tot, abs=1e-8)
    cation = scf.RHF(water(1))
    assert isinstance(cation, scf.ROHF)
    assert np.shape(cation.run().to_uhf().mo_occ) == (2, 13)


@pytest.mark.parametrize("guess", ["minao", "atom", "huckel", "mod_huckel", "sap", "1e"])
def test_the_spins_of_as_many_electrons_begin_unlike_as_pyscfs_do(world, guess):
    first = []
    for package in (scf, pyscf_scf):
        field = package.UHF(water())
        field.init_guess, field.max_cycle = guess, 0
        first.append(field.kernel())
    assert first[0] == pytest.approx(first[1], abs=1e-8)
    alike = scf.UHF(water()).set(init_guess=guess, init_guess_breaksym=0, max_cycle=0)
    assert abs(alike.kernel() - first[1]) > 1e-6


def test_what_is_written_into_orbitals_that_were_handed_out_is_refused(world):
    for field in (scf.RHF(water()).run(), scf.UHF(water(1)).run()):
        for name in ("mo_coeff", "mo_energy", "mo_occ"):
            with pytest.raises(NotImplementedError, match="set the attribute"):
                getattr(field, name)[..., [0, 1]] = 0.0
            changed = getattr(field, name).copy()
            changed[..., [0, 1]] = changed[..., [1, 0]]
            setattr(field, name, changed)
            np.testing.assert_array_equal(getattr(field, name), changed)
        orbitals = field.mo_coeff
        for result in (2 * orbitals, orbitals @ orbitals.swapaxes(-1, -2), orbitals.sum(axis=0)):
            assert type(result) is np.ndarray
        for number in (
            np.linalg.norm(orbitals),
            orbitals.sum(),
            abs(orbitals).max(),
            orbitals.mean(),
        ):
            assert round(number, 3) == pytest.approx(float(number), abs=1e-3)


def test_open_shells_of_shared_orbitals_have_functionals(world):
    for xc in ("lda,vwn", "camb3lyp", "tpss"):
        ours, theirs = dft.ROKS(water(1), xc), pyscf_dft.ROKS(water(1), xc)
        for field in (ours, theirs):
            field.grids.level = 1
            field.conv_tol = 1e-10
        assert ours.kernel() == pytest.approx(theirs.kernel(), abs=1e-8)
    assert ours.spin_square()[0] == 0.75
    assert isinstance(ours.to_hf(), scf.ROHF)
    assert isinstance(scf.ROHF(water(1)).to_rks("pbe"), dft.ROKS)


def test_space_is_divided_by_the_scheme_that_is_asked_for(world):
    mol = gto.M(atom="Ne 0 0 0; Ne 0 0 3.2", basis="6-31g", verbose=0)
    ours, theirs, plain = dft.RKS(mol, "pbe"), pyscf_dft.RKS(mol, "pbe"), dft.RKS(mol, "pbe")
    for field in (ours, theirs, plain):
        field.grids.level = 0
    for field in (ours, theirs):
        field.grids.becke_scheme = pyscf_dft.gen_grid.becke_lko
    assert ours.kernel() == pytest.approx(theirs.kernel(), abs=1e-8)
    assert abs(ours.e_tot - plain.kernel()) > 1e-5
    ours.grids.becke_scheme = lambda g: g
    with pytest.raises(NotImplementedError, match="becke_lko"):
        ours.kernel()


def test_the_spin_free_x2c_hamiltonian_goes_along_with_the_molecule(world):
    reference, field = pyscf_scf.RHF(water()).x2c().run(), scf.RHF(water()).x2c().run()
    assert field.e_tot == pytest.approx(reference.e_tot, abs=1e-8)
    assert reference.e_tot < pyscf_scf.RHF(water()).run().e_tot - 0.01
    moved = water()
    moved.set_geom_(1.01 * moved.atom_coords(), unit="bohr")
    expected = pyscf_scf.RHF(moved).x2c().run().e_tot
    assert field.as_scanner()(moved) == pytest.approx(expected, abs=1e-7)
    assert field.reset(moved).kernel() == pytest.approx(expected, abs=1e-7)
    theirs = pyscf_cc.CCSD(reference).run()
    assert cc.CCSD(scf.RHF(water()).x2c()).run().e_tot == pytest.approx(theirs.e_tot, abs=1e-6)
    with pytest.raises(NotImplementedError, match="get_hcore"):
        field.nuc_grad_method().kernel()
    own = scf.RHF(water())
    own.get_hcore = pyscf_scf.hf.get_hcore
    with pytest.raises(NotImplementedError, match="x2c of a mean field whose get_hcore"):
        own.x2c()


def test_stability_gives_orbitals_that_lead_down(world):
    mol = gto.M(atom="H 0 0 0; H 0 0 2.2", basis="6-31g", verbose=0)
    field = scf.RHF(mol).run(conv_tol=1e-12)
    inner, outer, stable, stable_outside = field.stability(external=True, return_status=True)
    assert (stable, stable_outside) == (True, False)
    np.testing.assert_allclose(inner, field.mo_coeff)
    open_shells = field.to_uhf()
    lower = open_shells.kernel(open_shells.make_rdm1(outer, open_shells.mo_occ))
    _, expected, _, _ = field.to_pyscf().stability(external=True, return_status=True)
    theirs = pyscf_scf.UHF(mol)
    theirs.kernel(theirs.make_rdm1(expected, open_shells.mo_occ))
    assert lower == pytest.approx(theirs.e_tot, abs=1e-7)
    assert lower < field.e_tot - 0.1
    assert field.stability()[1] is None
    with pytest.raises(NotImplementedError, match="external"):
        open_shells.stability(external=True)


def test_coupled_cluster_takes_and_gives_what_pyscf_does(world):
    mol = water()
    reference = pyscf_scf.RHF(mol).run(conv_tol=1e-12)
    field = scf.RHF(mol).run(conv_tol=1e-12)
    energy, t1, t2 = field.CCSD().kernel()
    theirs = pyscf_cc.CCSD(reference).run(conv_tol=1e-9)
    assert energy == pytest.approx(theirs.e_corr, abs=1e-6)
    np.testing.assert_allclose(np.abs(t2[...]), np.abs(theirs.t2), atol=1e-5)
    assert t1.shape == theirs.t1.shape
    mixed = reference.mo_coeff.copy()
    turn, _ = np.linalg.qr(np.random.default_rng(1).random((5, 5)))
    mixed[:, :5] = mixed[:, :5] @ turn  # of the same determinant, not canonical
    swapped = reference.mo_coeff[:, [0, 1, 2, 3, 5, 4, *range(6, 13)]]  # of another one
    for orbitals, frozen in ((mixed, [0, -1]), (swapped, None)):
        mine = cc.CCSD(field, mo_coeff=orbitals, frozen=frozen).run(conv_tol=1e-8, max_cycle=100)
        theirs = pyscf_cc.CCSD(reference, mo_coeff=orbitals, frozen=frozen)
        theirs.run(conv_tol=1e-8, max_cycle=100)
        assert mine.e_hf == pytest.approx(theirs.e_hf, abs=1e-9)
        assert mine.e_tot == pytest.approx(theirs.e_tot, abs=1e-6)
        assert (mine.nocc, mine.nmo) == (theirs.nocc, theirs.nmo)
    again = cc.ccsd.CCSD(field).set(frozen=1).run()
    before = again.cycles
    assert again.kernel(*again.amplitudes())[0] == pytest.approx(again.e_corr, abs=1e-7)
    assert again.cycles < before
    with pytest.raises(NotImplementedError, match="eris"):
        again.kernel(eris=1)
    assert cc.ccsd.CC is cc.RCCSD
    theirs = pyscf_cc.CCSD(reference, frozen=1).run(conv_tol=1e-9)
    assert again.get_d2_diagnostic() == pytest.approx(theirs.get_d2_diagnostic(), abs=1e-5)


@pytest.mark.parametrize("spin", [0, 1])
def test_integrals_are_handed_back_to_the_method_that_they_are_of(world, spin):
    field = (scf.UHF if spin else scf.RHF)(water(spin)).run(conv_tol=1e-11)
    method = cc.CCSD(field, frozen=1)
    eris = method.ao2mo()
    assert method.kernel(eris=eris)[0] == pytest.approx(cc.CCSD(field, 1).kernel()[0], abs=1e-7)
    assert method.ccsd_t(eris=eris) == method.ccsd_t()
    for other in (cc.CCSD(field), cc.CCSD(field, frozen=[0, -1])):
        with pytest.raises(NotImplementedError, match="eris"):
            other.kernel(eris=eris)
    with pytest.raises(NotImplementedError, match="oooo"):
        eris.oooo  # noqa: B018
    second = pyscf_mp.MP2((pyscf_scf.UHF if spin else pyscf_scf.RHF)(water(spin)).run(), frozen=1)
    second.kernel()
    assert method.kernel(mbpt2=True)[0] == pytest.approx(second.e_corr, abs=1e-6)
    assert method.converged
    with pytest.raises(ValueError, match="given with mbpt2"):
        method.kernel(*method.amplitudes(), mbpt2=True)
    first = cc.CCSD(field, frozen=1).set(max_cycle=0)
    assert first.kernel()[0] == pytest.approx(second.e_corr, abs=1e-6)
    assert not first.converged


def test_amplitudes_of_ones_own_have_no_triples(world):
    again = cc.CCSD(scf.RHF(water()).run()).run()
    with pytest.raises(NotImplementedError, match="amplitudes of one's own"):
        again.ccsd_t(np.zeros(1))


def test_second_order_takes_and_gives_what_pyscf_does(world):
    mol = water()
    reference = pyscf_scf.RHF(mol).density_fit().run(conv_tol=1e-12)
    field = scf.RHF(mol).density_fit().run(conv_tol=1e-12)
    with mp.DFMP2(field) as correlation:
        energy, amplitudes = correlation.kernel()
    assert amplitudes is None
    assert energy == pytest.approx(pyscf_mp.MP2(reference).run().e_corr, abs=1e-8)
    frozen = pyscf_mp.MP2(reference, frozen=[0, -1]).run().e_corr
    assert field.MP2().run(frozen=[0, -1]).e_corr == pytest.approx(frozen, abs=1e-8)
    assert mp.DFMP2(field).set_frozen().frozen == 1
    own = mp.DFMP2(field, mo_coeff=field.mo_coeff).run()
    assert own.e_corr == pytest.approx(energy, abs=1e-8)
    with pytest.raises(NotImplementedError, match="orbitals of one's own"):
        own.nuc_grad_method()
    with pytest.raises(NotImplementedError, match="exact integrals"):
        scf.RHF(mol).run().MP2()
    with pytest.raises(NotImplementedError, match="t2"):
        mp.DFMP2(field).kernel(with_t2=True)


def test_a_correlated_method_computes_a_mean_field_that_has_not_run(world):
    mol = water(basis="sto-3g")
    expected = pyscf_scf.RHF(mol).run().CCSD().run().e_tot
    for mf in (scf.RHF(mol), pyscf_scf.RHF(mol)):
        assert cc.CCSD(mf).run().e_tot == pytest.approx(expected, abs=1e-6)
    expected = mp.DFMP2(scf.RHF(mol).run()).run().e_tot
    assert mp.DFMP2(scf.RHF(mol)).run().e_tot == pytest.approx(expected, abs=1e-9)


def test_amplitudes_of_one_kind_alone_are_refused_by_name(world):
    for method in (cc.CCSD(scf.RHF(water(basis="sto-3g"))), cc.UCCSD(scf.UHF(water(1, "sto-3g")))):
        _, t1, t2 = method.kernel()
        for given, name in (({"t1": t1}, "t1 of .*without t2"), ({"t2": t2}, "t2 of .*without t1")):
            with pytest.raises(NotImplementedError, match=name):
                method.kernel(**given)


def test_paths_of_pyscf_lead_to_ours_or_to_what_works_on_arrays(world):
    assert importlib.import_module("atoll.chem.scf.hf").RHF is scf.RHF
    assert (scf.uhf.UHF, scf.rohf.ROHF, scf.RKS) == (scf.UHF, scf.ROHF, dft.RKS)
    assert (scf.UKS, scf.ROKS, dft.uks.UKS) == (dft.UKS, dft.ROKS, dft.UKS)
    assert (cc.uccsd.UCCSD, mp.dfmp2.DFMP2) == (cc.UCCSD, mp.DFMP2)
    mol = water(basis="sto-3g")
    np.testing.assert_allclose(scf.hf.get_ovlp(mol), mol.intor("int1e_ovlp"))
    field = scf.density_fit(scf.RHF(mol), "weigend").run()
    assert field.with_df.auxbasis == "weigend"
    assert scf.addons.convert_to_uhf(field).spins == 2
    assert scf.hf.kernel(field)[:2] == (True, pytest.approx(field.e_tot))
    theirs = grad.rhf.grad_nuc(mol)
    np.testing.assert_allclose(grad.Gradients(field).grad_nuc(), theirs, atol=1e-12)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda mol: scf.GHF(mol), "scf.GHF"),
        (lambda mol: scf.dhf.UHF(mol), "scf.dhf.UHF"),
        (lambda mol: scf.newton(scf.RHF(mol)), "newton"),
        (lambda mol: cc.GCCSD(scf.RHF(mol)), "cc.GCCSD"),
        (lambda mol: scf.stability.rhf_internal(scf.RHF(mol)), "scf.stability.rhf_internal"),
    ],
)
def test_what_is_at_a_path_of_pyscf_and_not_here_is_refused_by_name(world, call, name):
    with pytest.raises(NotImplementedError, match=name):
        call(water())
    assert not isinstance(scf.RHF(water()), scf.GHF)
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        scf.nothing_of_that_name  # noqa: B018

"""PySCF's objects as Atoll's and back: every one of PySCF's keys arrives, or is refused."""

import numpy as np
import pytest
from atoll.chem import dft, from_pyscf, scf
from pyscf import dft as pyscf_dft
from pyscf import gto
from pyscf import scf as pyscf_scf
from pyscf.dft import gen_grid

WATER = "O 0 0 0.11779; H 0 0.755453 -0.471161; H 0 -0.755453 -0.471161"
# Other than the defaults; the classes that have the key.
SETTINGS = {
    "conv_tol": 1e-8,
    "conv_tol_grad": 1e-4,
    "max_cycle": 40,
    "init_guess": "atom",
    "level_shift": 0.05,
    "damp": 0.1,
    "diis_space": 6,
    "diis_start_cycle": 2,
    "direct_scf_tol": 1e-12,
    "direct_scf": False,
    "DIIS": pyscf_scf.ADIIS,
    "init_guess_breaksym": 0,
    "xc": "pbe",
    "verbose": 0,
}
RESULTS = ("e_tot", "converged", "cycles", "mo_energy", "mo_occ", "mo_coeff")


def keys_of(mf):
    return set().union(*(getattr(kind, "_keys", ()) for kind in type(mf).__mro__))


def theirs_of(method, spin=0, fitted=False):
    atom, charge = (WATER, 0) if spin == 0 else ("O 0 0 0; H 0 0.2 0.95", 0)
    mol = gto.M(atom=atom, basis="6-31g", charge=charge, spin=spin, verbose=0)
    mf = getattr(pyscf_dft if method.endswith("KS") else pyscf_scf, method)(mol)
    return mf.density_fit("def2-svp-jkfit", only_dfj=True) if fitted else mf


def equal(a, b):
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return bool(a == b)


@pytest.mark.filterwarnings("ignore:remove_linear_dep_")  # PySCF calls what it will remove
@pytest.mark.parametrize(
    ("method", "spin", "fitted"),
    [("RHF", 0, False), ("UHF", 1, False), ("RKS", 0, True), ("UKS", 1, False), ("ROKS", 1, False)],
)
def test_all_keys_of_pyscf_come_back_from_a_round_trip(method, spin, fitted, world, tmp_path):
    theirs = theirs_of(method, spin, fitted)
    for name, value in SETTINGS.items():
        if name in keys_of(theirs) or name == "verbose":
            setattr(theirs, name, value)
    theirs.chkfile = str(tmp_path / "chk")
    if hasattr(theirs, "grids"):
        theirs.grids.level, theirs.grids.prune = 0, gen_grid.treutler_prune
        theirs.grids.atom_grid = {"H": (20, 50)}
    theirs.run()
    mine = from_pyscf(theirs)
    assert type(mine).__name__ == method
    back = mine.to_pyscf()
    assert type(back) is type(theirs)
    with_own_class = {"grids", "nlcgrids", "with_df", "opt", "mo_coeff", "mo_energy", "e_tot"}
    for name in keys_of(theirs) - with_own_class:
        assert equal(getattr(back, name, None), getattr(theirs, name, None)), name
    # Each rank ran PySCF: results are those of the first, equal but for rounding.
    assert type(back.mo_coeff) is np.ndarray
    for name in RESULTS:
        found = np.asarray(getattr(back, name), dtype=float)
        first = world.broadcast(np.asarray(getattr(theirs, name), dtype=float))
        np.testing.assert_array_equal(found, first, err_msg=name)
        np.testing.assert_array_equal(np.asarray(getattr(mine, name), dtype=float), first)
    if hasattr(theirs, "grids"):
        for name in ("level", "prune", "atom_grid", "radi_method", "becke_scheme"):
            assert equal(getattr(back.grids, name), getattr(theirs.grids, name)), name
    if fitted:
        assert back.with_df.auxbasis == theirs.with_df.auxbasis


def test_settings_and_results_of_atoll_come_back_from_a_round_trip(world):
    mol = gto.M(atom=WATER, basis="sto-3g", verbose=0)
    mine = scf.RHF(mol)
    mine.diis, mine.max_cycle, mine.conv_tol = "adiis", 30, 1e-8
    mine.run()
    back = from_pyscf(mine.to_pyscf())
    for name in ("diis", "max_cycle", "conv_tol", "chkfile", "verbose", *RESULTS):
        assert equal(getattr(back, name), getattr(mine, name)), name


def test_memory_that_was_set_is_honoured_in_both_directions(world):
    theirs = theirs_of("RHF")
    assert from_pyscf(theirs).memory is None
    assert from_pyscf(theirs).to_pyscf().max_memory == theirs.max_memory
    theirs.max_memory = 0.5
    mine = from_pyscf(theirs)
    assert (mine.integral_storage, mine.memory) == ("auto", 500_000)
    assert mine.to_pyscf().max_memory == 0.5


def test_either_goes_on_from_the_others_result(world):
    theirs = theirs_of("RHF").run(conv_tol=1e-11)
    mine = from_pyscf(theirs)
    np.testing.assert_allclose(mine.make_rdm1(), theirs.make_rdm1(), atol=1e-6)
    np.testing.assert_allclose(mine.dip_moment(), theirs.dip_moment(verbose=0), atol=1e-5)
    gradient = theirs.nuc_grad_method().kernel()
    np.testing.assert_allclose(mine.nuc_grad_method().kernel(), gradient, atol=1e-5)
    assert mine.kernel() == pytest.approx(theirs.e_tot, abs=1e-9)
    assert mine.cycles <= 3
    back = mine.to_pyscf()
    assert back.kernel(back.make_rdm1()) == pytest.approx(theirs.e_tot, abs=1e-9)
    assert back.cycles <= 2


def test_an_object_without_results_keeps_its_settings(world):
    theirs = theirs_of("RKS")
    theirs.xc, theirs.disp, theirs.max_cycle = "b3lyp", "d3bj", 7
    mine = from_pyscf(theirs)
    assert isinstance(mine, dft.RKS)
    assert (mine.xc, mine.disp, mine.max_cycle) == ("b3lyp", "d3bj", 7)
    assert mine.mo_coeff is None
    assert mine.chkfile is None
    assert mine.to_pyscf().mo_coeff is None


def refused():
    """What is no mean field of Atoll's, with what the error names."""
    mol = gto.M(atom=WATER, basis="sto-3g", verbose=0)
    rhf = pyscf_scf.RHF(mol)
    return {
        "GHF": pyscf_scf.GHF(mol),
        "sfX2C1eRHF": rhf.x2c(),
        "SmearingRHF": pyscf_scf.addons.smearing(rhf, 0.01),
        "SecondOrderRHF": rhf.newton(),
        "ddCOSMORHF": rhf.DDCOSMO(),
        "GKS": pyscf_dft.GKS(mol),
        "SymAdaptedRHF": pyscf_scf.RHF(gto.M(atom="He", symmetry=True, verbose=0)),
    }


@pytest.mark.parametrize("name", list(refused()))
def test_other_kinds_of_mean_fields_are_refused_by_name(name):
    with pytest.raises(NotImplementedError, match=name):
        from_pyscf(refused()[name])


def test_settings_that_mean_nothing_here_are_refused_by_name(world):
    def changed(**values):
        mf = theirs_of("RKS")
        for name, value in values.items():
            setattr(mf, name, value)
        return mf

    cases = {
        "nlc is 'vv10'": changed(nlc="vv10"),
        "conv_tol_cpscf is 0.1": changed(conv_tol_cpscf=0.1),
        "DIIS is EDIIS": changed(DIIS=pyscf_scf.EDIIS),
        "callback is ": changed(callback=print),
        "get_veff of the mean field was replaced": changed(get_veff=print),
    }
    for text, mf in cases.items():
        with pytest.raises(NotImplementedError, match=text):
            from_pyscf(mf)
    excited = theirs_of("RHF").run(conv_tol=1e-6)
    excited.mo_occ[[4, 5]] = [0.0, 2.0]
    with pytest.raises(NotImplementedError, match="mo_occ has empty orbitals"):
        from_pyscf(excited)
    smeared = scf.RHF(excited.mol).run(smearing=0.01)
    assert smeared.to_pyscf().e_free == smeared.e_free

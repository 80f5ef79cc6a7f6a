"""Kohn-Sham and fitted mean fields against PySCF, equal grids and fitting sets, to 1e-8 hartree."""

import pytest
from atoll.chem import InputError, df, dft, scf
from pyscf import dft as pyscf_dft
from pyscf import gto
from pyscf import scf as pyscf_scf

WATER = ("O 0 0 0.11779; H 0 0.755453 -0.471161; H 0 -0.755453 -0.471161", "6-31g*", 0)
METHYL = ("C 0 0 0; H 1.079 0 0; H -0.5395 0.9344 0; H -0.5395 -0.9344 0", "6-31g", 1)
CHLORIDE = ("H 0 0 0; Cl 0 0 1.275", "def2-svp", 0)


def make_mole(case):
    atoms, basis, spin = case
    return gto.M(atom=atoms, basis=basis, spin=spin, verbose=0)


def converged_by_pyscf(field):
    field.small_rho_cutoff = 0  # else it drops points after the first iteration
    field.conv_tol, field.conv_tol_grad = 1e-11, 1e-6
    field.kernel()
    assert field.converged
    return field.e_tot


@pytest.mark.parametrize("functional", ["lda,vwn", "pbe", "b3lyp", "tpss", "camb3lyp"])
@pytest.mark.parametrize("case", [WATER, METHYL, CHLORIDE], ids=["water", "methyl", "HCl"])
def test_energies_of_every_class_are_those_of_pyscf(world, case, functional):
    mole = make_mole(case)
    ours, theirs = (dft.RKS, pyscf_dft.RKS) if mole.spin == 0 else (dft.UKS, pyscf_dft.UKS)
    field, reference = ours(mole), theirs(mole)
    for each in (field, reference):
        each.xc = functional
        each.grids.level = 1
    field.run()
    assert field.converged
    assert field.e_tot == pytest.approx(converged_by_pyscf(reference), abs=1e-8)
    assert world.reduce(field.e_tot, "min") == world.reduce(field.e_tot, "max")


@pytest.mark.parametrize("arrays", ["mirrored", "distributed"])
def test_where_matrices_are_does_not_change_the_energy(world, arrays):
    mole = make_mole(WATER)
    field = dft.RKS(mole, "pbe")
    field.grids.level = 0
    reference = pyscf_dft.RKS(mole, "pbe")
    reference.grids.level = 0
    field.run(xc_arrays=arrays)
    assert field.e_tot == pytest.approx(converged_by_pyscf(reference), abs=1e-8)


def test_kohn_sham_with_hartree_focks_functional_is_hartree_fock(world):
    mole = make_mole(WATER)
    assert dft.RKS(mole, "hf").run().e_tot == pytest.approx(scf.RHF(mole).run().e_tot, abs=1e-9)


@pytest.mark.parametrize("only_coulomb", [False, True], ids=["RI-JK", "RI-J"])
@pytest.mark.parametrize("case", [WATER, METHYL], ids=["water", "methyl"])
def test_fitted_energies_are_those_of_pyscf(world, case, only_coulomb):
    mole = make_mole(case)
    ours, theirs = (scf.RHF, pyscf_scf.RHF) if mole.spin == 0 else (scf.UHF, pyscf_scf.UHF)
    field = ours(mole).density_fit(only_dfj=only_coulomb).run()
    reference = theirs(mole).density_fit(only_dfj=only_coulomb)
    assert field.converged
    assert field.e_tot == pytest.approx(converged_by_pyscf(reference), abs=1e-8)


def test_a_fit_on_disk_gives_the_same_energy(world, tmp_path_factory):
    mole = make_mole(WATER)
    folder = world.broadcast(str(tmp_path_factory.mktemp("scratch")) if world.rank == 0 else "")
    in_memory = scf.RHF(mole).density_fit().run()
    settings = df.DF(mole, memory=50_000, scratch=str(folder))
    on_disk = scf.RHF(mole).density_fit(with_df=settings).run()
    assert on_disk.e_tot == pytest.approx(in_memory.e_tot, abs=1e-9)


def test_a_functional_is_fitted_too(world):
    mole = make_mole(WATER)
    field, reference = dft.RKS(mole, "pbe0"), pyscf_dft.RKS(mole, "pbe0")
    for each in (field, reference):
        each.grids.level = 0
    found = field.density_fit("def2-universal-jkfit").run()
    theirs = converged_by_pyscf(reference.density_fit("def2-universal-jkfit"))
    assert found.e_tot == pytest.approx(theirs, abs=1e-8)
    assert field.with_df is None  # the one that was asked stays as it was


def test_dispersion_adds_to_the_energy(world):
    mole = make_mole(WATER)
    plain, corrected = dft.RKS(mole, "pbe"), dft.RKS(mole, "pbe")
    for each in (plain, corrected):
        each.grids.level = 0
    corrected.disp = "d3bj"
    shift = corrected.run().e_tot - plain.run().e_tot
    assert -1e-2 < shift < -1e-6
    assert corrected.solution.effective.components["dispersion"] == pytest.approx(shift, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("no-such-functional", InputError, "unknown to libxc"),
        ("wb97x_v", NotImplementedError, "VV10"),
    ],
)
def test_functionals_that_cannot_be_are_refused_on_every_rank(world, name, error, message):
    with pytest.raises(error, match=message):
        dft.RKS(make_mole(WATER), name).run()


def test_fitted_exchange_of_a_separated_range_is_that_of_pyscf(world):
    mole = make_mole(WATER)
    field, reference = dft.RKS(mole, "camb3lyp"), pyscf_dft.RKS(mole, "camb3lyp")
    for each in (field, reference):
        each.grids.level = 0
    theirs = converged_by_pyscf(reference.density_fit())
    assert field.density_fit().run().e_tot == pytest.approx(theirs, abs=1e-8)


def test_the_summary_of_a_mean_field_has_its_dispersion(world):
    mol = gto.M(atom="H 0 0 0; H 0 0 0.74", basis="sto-3g", verbose=0)
    field, without = dft.RKS(mol, "pbe").run(disp="d3bj"), dft.RKS(mol, "pbe").run()
    added = field.scf_summary["dispersion"]
    assert added == pytest.approx(field.e_tot - without.e_tot, abs=1e-9)
    assert added < -1e-6
    parts = sum(field.scf_summary[name] for name in ("nuc", "e1", "e2"))
    assert parts == pytest.approx(without.e_tot, abs=1e-7)

"""Optimised geometries and vibrations against PySCF's, for any number of ranks and nodes."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from atoll.chem import mp, scf
from atoll.chem.geometry.frequencies import frequencies
from atoll.chem.geometry.moved import carried_over, moved_to
from atoll.chem.geometry.normal_modes import normal_modes
from atoll.chem.geometry.optimize import optimize
from doors import run_command, xyz
from pyscf import gto
from pyscf import scf as pyscf_scf
from pyscf.geomopt import geometric_solver
from pyscf.hessian import thermo

WATER = "O 0 0 0.11779; H 0 0.755453 -0.471161; H 0 -0.755453 -0.471161"
CASES = {
    "water": ({"atom": "O 0 0 0; H 0 0.1 1.0; H 0.95 0 -0.2", "basis": "sto-3g"}, "RHF"),
    "radical": ({"atom": "O 0 0 0; H 0 0.1 1.0", "basis": "sto-3g", "spin": 1}, "UHF"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_optimised_energy_is_that_of_pyscf_and_geometric(case, world):
    subject, method = CASES[case]
    mol = gto.M(**subject, verbose=0)
    seen = []
    mf = getattr(scf, method)(mol)
    found = optimize(mf, callback=seen.append)
    assert found.converged
    expected = 0.0
    if world.rank == 0:
        theirs = getattr(pyscf_scf, method)(mol)
        best = geometric_solver.optimize(theirs)
        expected = getattr(pyscf_scf, method)(best).run().e_tot
    expected = float(world.broadcast(expected))
    assert found.energies[-1] == pytest.approx(expected, abs=1e-6)
    assert found.mean_field.e_tot == found.energies[-1]
    assert [step.number for step in seen] == list(range(1, len(seen) + 1))
    assert tuple(seen) == found.steps
    assert np.abs(found.steps[-1].gradient).max() < 4.5e-4
    np.testing.assert_allclose(found.mol.atom_coords(), found.steps[-1].positions, atol=1e-10)
    np.testing.assert_array_equal(mf.mol.atom_coords(), mol.atom_coords())
    positions = found.mol.atom_coords()
    assert (world.reduce(positions, "min") == world.reduce(positions, "max")).all()


def test_steps_that_do_not_suffice_are_told(world, tmp_path):
    mol = gto.M(**CASES["water"][0], verbose=0)
    path = tmp_path / "steps.xyz"
    found = optimize(scf.RHF(mol), max_steps=2, trajectory=path)
    assert not found.converged
    if world.rank == 0:
        assert path.read_text().split()[0] == "3"


def test_an_atom_alone_stays_where_it_is(world, tmp_path):
    mf = scf.RHF(gto.M(atom="He 0 0 0.1", basis="6-31g", verbose=0))
    found = optimize(mf, trajectory=tmp_path / "steps.xyz")
    if world.rank == 0:
        last = (tmp_path / "steps.xyz").read_text().split()
        assert (last[0], last[-4], float(last[-1])) == ("1", "He", 0.1)
    assert found.converged
    assert len(found.steps) == 1


def test_a_field_that_does_not_converge_ends_the_optimisation_on_every_rank(world):
    mf = scf.RHF(gto.M(**CASES["water"][0], verbose=0))
    mf.max_cycle = 2
    with pytest.raises(RuntimeError, match="geometry 1 did not converge"):
        optimize(mf)
    with pytest.raises(RuntimeError, match=r"displaced geometry failed: .* did not converge"):
        frequencies(mf.run())


def test_orbitals_carried_over_are_orthonormal_where_the_atoms_are_now(world):
    """Also on ranks that are fewer than those of the mean field."""
    mol = gto.M(atom="O 0 0 0; H 0 0.1 1.0", basis="6-31g", spin=1, verbose=0)
    mf = scf.UHF(mol).run(conv_tol=1e-6)
    stretched = mol.set_geom_(1.1 * mol.atom_coords(), unit="Bohr", inplace=False)
    overlap = stretched.intor("int1e_ovlp")
    for team in (world, world.split(world.rank % 2)):
        moved = moved_to(mf, stretched, team)
        for density, electrons in zip(carried_over(mf, moved), mol.nelec, strict=True):
            D = density.matrix[...]
            assert np.sum(D * overlap) == pytest.approx(electrons, abs=1e-9)
            np.testing.assert_allclose(D @ overlap @ D, D, atol=1e-9)
        world.sync()


@pytest.mark.parametrize("ranks", [1, 2])
def test_what_one_rank_raises_ends_the_work_on_every_rank(ranks, world):
    mf = scf.RHF(gto.M(atom="H 0 0 0; H 0 0 0.74", basis="sto-3g", verbose=0)).run()

    def fail(*args):
        if world.rank == world.size - 1:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        optimize(mf, callback=fail)
    with pytest.raises(RuntimeError, match=r"a displaced geometry failed: .*mine"):
        frequencies(mf, callback=fail, ranks_per_geometry=min(ranks, world.size))
    assert mf.make_rdm1().shape == (2, 2)  # the ranks are still together


def test_a_point_that_is_not_stationary_is_told_with_its_largest_force(world):
    mol = gto.M(atom="H 0 0 0; H 0 0 0.9", basis="sto-3g", verbose=0)
    expected = 0.0
    if world.rank == 0:
        expected = np.abs(pyscf_scf.RHF(mol).run().nuc_grad_method().kernel()).max()
        with pytest.warns(RuntimeWarning, match=rf"largest force is {expected:.1e} hartree/bohr"):
            found = frequencies(scf.RHF(mol))
    else:
        found = frequencies(scf.RHF(mol))
    assert not found.is_stationary
    assert found.largest_force == pytest.approx(float(world.broadcast(expected)), abs=1e-6)
    best = gto.M(atom="H 0 0 0; H 0 0 0.71227", basis="sto-3g", verbose=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert frequencies(scf.RHF(best)).is_stationary


def test_pyscf_optimises_with_the_scanner(world):
    if world.size > 1:
        pytest.skip("PySCF's driver is for one process")
    mf = scf.RHF(gto.M(atom="H 0 0 0; H 0 0 0.74", basis="sto-3g", verbose=0))
    best = geometric_solver.optimize(mf)
    assert scf.RHF(best).run().e_tot == pytest.approx(optimize(mf).energies[-1], abs=1e-6)


def test_wrong_options_are_refused_on_every_rank(world):
    mf = scf.RHF(gto.M(atom="H 0 0 0; H 0 0 0.74", basis="sto-3g", verbose=0))
    with pytest.raises(ValueError, match="max_steps is 0"):
        optimize(mf, max_steps=0)
    with pytest.raises(ValueError, match=r"step is 0\.0"):
        frequencies(mf, step=0.0)
    with pytest.raises(ValueError, match="ranks_per_geometry is 99"):
        frequencies(mf, ranks_per_geometry=99)


def test_without_geometric_the_error_says_what_to_type_on_every_rank(world, monkeypatch):
    monkeypatch.delitem(sys.modules, "atoll.chem.geometry.driver", raising=False)
    monkeypatch.setitem(sys.modules, "geometric", None)
    monkeypatch.setitem(sys.modules, "geometric.engine", None)
    mf = scf.RHF(gto.M(atom="H 0 0 0; H 0 0 0.74", basis="sto-3g", verbose=0))
    with pytest.raises(ImportError, match=r"pip install '\.\[chem\]' in Atoll's folder"):
        optimize(mf)


def of_pyscf(world, mol):
    """PySCF's analytic second derivatives, wave numbers and reduced masses, from rank 0."""
    found = [None] * 3
    if world.rank == 0:
        hessian = pyscf_scf.RHF(mol).run(conv_tol=1e-12).Hessian().kernel()
        modes = thermo.harmonic_analysis(mol, hessian)
        waves = modes["freq_wavenumber"]
        signed = np.where(np.abs(waves.imag) > 0, -np.abs(waves), np.abs(waves))
        flat = hessian.transpose(0, 2, 1, 3).reshape(3 * mol.natm, 3 * mol.natm)
        found = [flat, signed, modes["reduced_mass"]]
    return [world.broadcast(part) for part in found]


@pytest.mark.parametrize("ranks", [1, 2])
def test_frequencies_are_those_of_analytic_derivatives(ranks, world):
    if ranks > world.size:
        pytest.skip("fewer ranks")
    mol = gto.M(atom=WATER, basis="6-31g", verbose=0)
    mf = scf.RHF(mol).run(conv_tol=1e-10)
    seen = []
    found = frequencies(
        mf, ranks_per_geometry=ranks, callback=lambda done, total: seen.append((done, total))
    )
    hessian, waves, _ = of_pyscf(world, mol)
    np.testing.assert_allclose(found.hessian, hessian, atol=5e-5)
    np.testing.assert_allclose(found.wavenumbers, waves, atol=1.0)
    assert found.zero_point_energy == pytest.approx(waves.sum() / 2 / 219474.63, abs=1e-6)
    assert (world.reduce(found.hessian, "min") == world.reduce(found.hessian, "max")).all()
    assert all(total == 18 for _, total in seen)
    # Ranks of a team see the same geometries, and each geometry has one team.
    teams = world.size // ranks + (world.size % ranks > 0)
    smallest = ranks if teams * ranks == world.size else 1
    assert 18 * smallest <= world.reduce(len(seen)) <= 18 * ranks


@pytest.mark.parametrize("atoms", [WATER, "C 0 0 0; O 0 0.1 1.2; S 0 -0.13 -1.56"])
def test_normal_modes_are_those_of_pyscf(atoms, world):
    """Of a bent molecule, and of a linear one that is no minimum."""
    mol = gto.M(atom=atoms, basis="sto-3g", verbose=0)
    hessian, waves, masses = of_pyscf(world, mol)
    found = normal_modes(hessian, mol.atom_mass_list(isotope_avg=True), mol.atom_coords())
    assert len(found.wavenumbers) == len(waves)
    np.testing.assert_allclose(found.wavenumbers, np.sort(waves), rtol=1e-6, atol=1e-3)
    np.testing.assert_allclose(found.reduced_masses, masses[np.argsort(waves)], rtol=1e-4)


def test_what_was_optimised_to_a_line_has_the_vibrations_of_one(world, tmp_path):
    """Carbon dioxide ends at 179.995 degrees, on the command line as the file has it."""
    folder = Path(str(world.broadcast(str(tmp_path))))
    if world.rank == 0:
        atoms = "O 0.05 0.1 -1.25; C 0 0 0; O 0 0.02 1.15"
        folder.joinpath("bent.xyz").write_text(xyz(atoms))
    world.sync()
    best = str(folder / "best.xyz")
    words = ["optimize", str(folder / "bent.xyz"), "--basis", "sto-3g", "--output", best]
    assert run_command(words, world, folder)[0] == 0
    status, found = run_command(["frequencies", best, "--basis", "sto-3g"], world, folder)
    assert status == 0
    # PySCF's, of its analytic derivatives there.
    np.testing.assert_allclose(found["wavenumbers"], [565.9, 565.9, 1435.3, 2535.3], atol=0.5)
    assert found["zero_point_energy"] == pytest.approx(0.011624, abs=2e-6)


@pytest.mark.parametrize("task", [optimize, frequencies])
@pytest.mark.parametrize("kind", ["mean field", "gradient", "second order"])
def test_ghost_atoms_are_refused_by_name_before_anything_is_computed(task, kind, world):
    atoms = "ghost-O 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692"
    mf = scf.RHF(gto.M(atom=atoms, basis="6-31g", verbose=0))
    makers = {
        "mean field": lambda mf: mf,
        "gradient": scf.RHF.nuc_grad_method,
        "second order": mp.DFMP2,
    }
    method = makers[kind](mf if kind != "second order" else mf.run())
    begun = []
    with pytest.raises(NotImplementedError, match="atom 1, GHOST-O, has no mass"):
        task(method, callback=lambda *step: begun.append(step))
    assert begun == []
    assert kind == "second order" or not mf.orbitals


@pytest.mark.parametrize("kind", ["mean field", "second order"])
def test_a_scanner_of_some_atoms_gives_their_gradients_as_pyscfs_does(kind, world):
    mol = gto.M(atom=WATER, basis="sto-3g", verbose=0)
    of = {"mean field": lambda mf: mf, "second order": mp.DFMP2}[kind]
    whole, part = (of(scf.RHF(mol).run()).nuc_grad_method() for _ in range(2))
    part.atmlst = [2, 0]
    moved = "O 0 0 0.12; H 0 0.76 -0.47; H 0 -0.75 -0.5"
    energy, found = part.as_scanner()(moved)
    expected, gradient = whole.as_scanner()(moved)
    assert energy == pytest.approx(expected, abs=1e-8)
    np.testing.assert_allclose(found, gradient[[2, 0]], atol=1e-6)
    if kind == "mean field":
        theirs = pyscf_scf.RHF(mol).run().nuc_grad_method()
        theirs.atmlst = [2, 0]
        np.testing.assert_allclose(found, theirs.as_scanner()(moved)[1], atol=1e-5)
    for task in (optimize, frequencies):
        with pytest.raises(NotImplementedError, match=r"atmlst \[2, 0\]"):
            task(part)

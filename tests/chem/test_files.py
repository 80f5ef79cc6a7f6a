"""Files of results: read back by PySCF, or looked at, for any number of ranks and nodes."""

import importlib
import os
from pathlib import Path

import numpy as np
import pytest
from atoll.chem import scf
from atoll.chem.results import convergence_plot, levels_plot, pictures
from atoll.chem.results.convergence_plot import plot_convergence
from atoll.chem.results.cube import write_density, write_orbital
from atoll.chem.results.frontier import frontier_levels
from atoll.chem.results.levels_plot import plot_levels
from atoll.chem.results.molden import write_molden
from atoll.chem.results.report import Reporter
from pyscf import gto
from pyscf.tools import cubegen, molden

WATER = "O 0 0 0.11779; H 0 0.755453 -0.471161; H 0 -0.755453 -0.471161"
SMALL = {"points": (7, 8, 13), "margin": 2.0}


@pytest.fixture(scope="module")
def closed():
    return scf.RHF(gto.M(atom=WATER, basis="cc-pvdz", verbose=0)).run(conv_tol=1e-7)


@pytest.fixture(scope="module")
def radical():
    mol = gto.M(atom="O 0 0 0; H 0 0.2 0.95", basis="6-31g", spin=1, verbose=0)
    return scf.UHF(mol).run(conv_tol=1e-7)


def of_first(world, path):
    """The same path on every rank."""
    return bytes(world.broadcast(np.frombuffer(os.fsencode(path), dtype=np.uint8))).decode()


@pytest.mark.parametrize("batch", [1 << 24, 1])
def test_pyscf_reads_the_orbitals_from_molden(batch, closed, radical, world, tmp_path, monkeypatch):
    monkeypatch.setattr("atoll.chem.results.molden.BATCH_BYTES", batch)
    for mf in (closed, radical):
        path = of_first(world, tmp_path / f"{mf.method}.molden")
        write_molden(mf, path)
        mol, energies, coefficients, occupations, _, _ = molden.load(path)
        overlap = mol.intor("int1e_ovlp")
        coefficients = np.reshape(coefficients, (mf.spins, *np.shape(coefficients)[-2:]))
        for of_spin in coefficients:
            unit = of_spin.T @ overlap @ of_spin
            np.testing.assert_allclose(unit, np.eye(len(unit)), atol=1e-6)
        np.testing.assert_allclose(energies, mf.mo_energy, atol=1e-8)
        np.testing.assert_allclose(occupations, mf.mo_occ, atol=1e-8)
        np.testing.assert_allclose(mol.atom_coords(), mf.mol.atom_coords(), atol=1e-8)
        world.sync()


def read_cube(path):
    """Numbers of a cube file: of the header, and on the grid."""
    lines = Path(path).read_text().splitlines()[2:]
    atoms = int(lines[0].split()[0])
    header = [[float(word) for word in line.split()] for line in lines[: 4 + atoms]]
    return header, np.array([float(w) for line in lines[4 + atoms :] for w in line.split()])


def test_cubes_are_those_of_pyscf(closed, radical, world, tmp_path):
    path, theirs = (of_first(world, tmp_path / name) for name in ("a.cube", "b.cube"))
    dm_of_closed = closed.make_rdm1()
    for mf in (closed, radical):
        dm = mf.make_rdm1()
        coefficients = mf.mo_coeff if mf.spins == 1 else mf.mo_coeff[1]
        last = {"nx": 7, "ny": 8, "nz": 13, "margin": 2.0}
        write_density(mf, path, **SMALL)
        if world.rank == 0:
            cubegen.density(mf.mol, theirs, dm if dm.ndim == 2 else dm.sum(axis=0), **last)
            same(path, theirs)
        write_orbital(mf, path, 3, mf.spins - 1, **SMALL)
        if world.rank == 0:
            cubegen.orbital(mf.mol, theirs, coefficients[:, 3], **last)
            same(path, theirs)
        world.sync()
    write_density(closed, path, resolution=0.9, margin=1.0)
    if world.rank == 0:
        cubegen.density(closed.mol, theirs, dm_of_closed, resolution=0.9, margin=1.0)
        same(path, theirs)


def same(path, theirs):
    header, values = read_cube(path)
    expected_header, expected = read_cube(theirs)
    assert header == expected_header
    np.testing.assert_allclose(values, expected, rtol=2e-5, atol=1e-9)


def test_pictures_are_drawn(closed, radical, world, tmp_path):
    for plot, mf in ((plot_convergence, closed), (plot_levels, radical), (plot_levels, closed)):
        path = of_first(world, tmp_path / f"{mf.method}{plot.__name__}.png")
        plot(mf, path)
        assert Path(path).read_bytes()[:4] == b"\x89PNG"
        world.sync()


def texts_of(figure):
    axes = figure.axes[0]
    labels = [each.get_text() for each in (*axes.texts, *axes.get_xticklabels())]
    legend = axes.get_legend()
    return labels + ([each.get_text() for each in legend.get_texts()] if legend else [])


def test_pictures_name_what_the_report_names(closed, radical, tmp_path, capsys, monkeypatch):
    """Also the levels that are left out: the 1s level of oxygen, and the highest ones."""
    if closed.group.rank != 0:
        return
    figures = []
    monkeypatch.setattr(pictures, "save", lambda figure, _: figures.append(figure))
    for module in (levels_plot, convergence_plot):
        monkeypatch.setattr(module, "save", pictures.save)
    levels_plot._show(closed, "a.png", None, None)
    levels_plot._show(radical, "a.png", None, None)
    convergence_plot._show(closed, "a.png")
    of_closed, of_radical, of_iterations = map(texts_of, figures)
    filled = closed.mo_energy[closed.mo_occ > 0]
    assert f"HOMO {filled.max():.4f}" in of_closed
    assert f"LUMO {closed.mo_energy[closed.mo_occ == 0].min():.4f}" in of_closed
    assert f"1 level below: {filled.min():.2f}" in of_closed
    drawn = {line.get_ydata()[0] for line in figures[0].axes[0].lines}
    left = sum(energy not in drawn for energy in closed.mo_energy) - 1
    assert any(text.startswith(f"{left} levels above: ") for text in of_closed)
    for spin, name in enumerate(("alpha", "beta")):
        homo = radical.mo_energy[spin][radical.mo_occ[spin] > 0].max()
        assert f"HOMO {homo:.4f}" in of_radical
        core = f"1 level below: {radical.mo_energy[spin].min():.2f}\n{name}"
        assert core in of_radical

    reporter = Reporter()
    for iteration in closed.solution.iterations:
        reporter.iteration(iteration)
    for name, level in frontier_levels(closed).items():
        assert f"{name} {level:.4f}" in of_closed
    header = capsys.readouterr().out.splitlines()[1]
    for name in ("energy change", "DIIS error"):
        assert name in header
        assert f"{name}, hartree" in of_iterations
        assert any(text.startswith(f"{name} to be below ") for text in of_iterations)


def test_a_level_has_as_many_arrows_as_electrons():
    axes = pictures.new_figure(3.0, 3.0).add_subplot()
    energies, occupations = np.array([[-1.0, -0.5, 0.1]]), np.array([[2.0, 1.0, 1e-12]])
    levels_plot._draw(axes, energies, occupations, (-1.5, 0.5))
    arrows = [each for each in axes.texts if getattr(each, "arrowprops", None)]
    heights = [a.xy[1] for a in arrows if a.arrowprops["color"] == levels_plot.ORANGE]
    assert [round(2 * height) / 2 for height in sorted(heights)] == [-1.0, -1.0, -0.5]


def test_degenerate_levels_stand_beside_each_other():
    levels = levels_plot._levels(np.array([-1.0, -0.5, -0.5, 0.1]), np.array([2, 2, 2, 0]), 0.0)
    lefts = [level.x for level in levels]
    assert lefts[0] == lefts[3] == -levels_plot.WIDTH / 2
    assert lefts[1] + levels_plot.WIDTH < lefts[2]
    assert lefts[1] + lefts[2] + levels_plot.WIDTH == pytest.approx(0.0)
    crowd = levels_plot._levels(np.full(30, -0.5), np.full(30, 2.0), 1.0)
    assert crowd[0].x == pytest.approx(1.0 - levels_plot.COLUMN / 2)
    assert crowd[-1].x + crowd[-1].width == pytest.approx(1.0 + levels_plot.COLUMN / 2)


def test_files_that_cannot_be_written_raise_on_every_rank(closed, world):
    for write in (write_molden, write_density):
        options = SMALL if write is write_density else {}
        with pytest.raises(OSError):
            write(closed, "/no/such/folder/file", **options)
    for plot in (plot_convergence, plot_levels):
        with pytest.raises(OSError):
            plot(closed, "/no/such/folder/file.png")
    assert closed.make_rdm1().shape == (24, 24)  # the ranks are still together


def test_a_file_that_fails_leaves_the_one_before(closed, world, tmp_path, monkeypatch):
    path = of_first(world, tmp_path / "kept")
    if world.rank == 0:
        Path(path).write_text("before")

        def broken(*args, **kwargs):
            raise OSError("disk full")

        monkeypatch.setattr(molden, "orbital_coeff", broken)
    with pytest.raises(OSError, match="disk full"):
        write_molden(closed, path)
    if world.rank == 0:
        assert Path(path).read_text() == "before"
        assert os.listdir(os.path.dirname(path)) == ["kept"]


def test_what_makes_no_sense_is_refused_on_every_rank(closed, world):
    fresh = scf.RHF(closed.mol)
    for write in (write_molden, write_density, plot_convergence, plot_levels):
        with pytest.raises(RuntimeError, match="there are no"):
            write(fresh, "file")
    with pytest.raises(ValueError, match="points is"):
        write_density(closed, "file", points=(1, 2, 3))
    with pytest.raises(ValueError, match="resolution is"):
        write_density(closed, "file", resolution=0.0)
    with pytest.raises(ValueError, match="orbital is 24, expected 0 to 23"):
        write_orbital(closed, "file", 24)
    with pytest.raises(ValueError, match="spin is 1, expected 0 to 0"):
        write_orbital(closed, "file", 0, 1)


def test_without_matplotlib_the_error_says_what_to_type(closed, world, monkeypatch):
    found = importlib.import_module

    def missing(name, *args):
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(name)
        return found(name, *args)

    monkeypatch.setattr(pictures.importlib, "import_module", missing)
    for module in (convergence_plot.plot_convergence, levels_plot.plot_levels):
        with pytest.raises(ImportError, match=r"pip install '\.\[chem\]' in Atoll's folder"):
            module(closed, "file.png")

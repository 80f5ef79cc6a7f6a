"""That a self-consistent field which ends at a saddle says so, at both doors, and in files."""

from pathlib import Path

import pytest
from atoll.chem import dft, scf
from doors import molecule, run_command, xyz
from pyscf import scf as pyscf_scf

STRETCHED = "N 0 0 0; N 0 0 2.5"
SHORT = "N 0 0 0; N 0 0 1.12"
NAMES = ("saddle", "second_derivative", "saddles_left")


@pytest.fixture
def told(world, tmp_path, capsys):
    """Run the command line; give its status, the JSON file's fields, and its lines of it."""
    folder = Path(str(world.broadcast(str(tmp_path))))

    def run(command, atoms, *words):
        file = folder / "molecule.xyz"
        if world.rank == 0:
            file.write_text(xyz(atoms))
        world.sync()
        words = [command, str(file), "--basis", "sto-3g", *words]
        status, fields = run_command(words, world, folder)
        lines = capsys.readouterr().out.splitlines()
        return status, fields, [line for line in lines if "second derivative  " in line]

    return run


def check_saddle(world, told, of, value):
    status, fields, lines = told
    assert status == 0
    assert [fields[name] for name in NAMES] == [True, pytest.approx(value, abs=1e-4), 0]
    expected = f"hartree, a SADDLE: there is a lower solution{of}"
    assert len(lines) == (world.rank == 0)
    assert all(line.endswith(expected) and f"{value:.4f}" in line for line in lines)
    assert all(len(line) < 100 for line in lines)


METHODS = {
    "energy": ["energy"],
    "gradient": ["gradient"],
    "functional": ["energy", "--method", "bhandhlyp", "--grid-level", "0"],
    "correlation": ["energy", "--method", "ri-mp2"],
}
"""Commands and methods; the value of a functional is Python's."""


@pytest.mark.parametrize("case", METHODS)
def test_a_saddle_is_told_by_the_command_line(world, told, case):
    command, *words = METHODS[case]
    mol = molecule(STRETCHED, "sto-3g")
    field = scf.RHF(mol)
    if case == "functional":
        field = dft.RKS(mol, "bhandhlyp")
        field.grids.level = 0
    field.run(saddles="tell")
    assert field.solution.curvature < -0.1
    check_saddle(world, told(command, STRETCHED, *words), "", field.solution.curvature)


def test_what_is_told_is_a_saddle_for_pyscf():
    field = pyscf_scf.RHF(molecule(STRETCHED, "sto-3g")).run()
    assert not field.stability(return_status=True)[2]


def test_an_optimisation_tells_of_its_first_geometry(world, told):
    status, fields, lines = told("optimize", STRETCHED, "--max-steps", "1")
    assert status == 1
    value = fields["second_derivative"]
    assert value < -0.1
    check_saddle(world, (0, fields, lines), ", at geometry 1", value)


def test_a_saddle_that_was_gone_on_from_is_counted(world, told):
    status, fields, lines = told("energy", SHORT, "--charge", "1", "--spin", "1")
    assert status == 0
    assert fields["saddle"] is False
    assert fields["second_derivative"] > 0.0
    assert fields["saddles_left"] == 1
    assert world.rank != 0 or lines[0].endswith("hartree, no way down seen (1 saddle left)")
    mol = molecule(SHORT, "sto-3g", charge=1, spin=1)
    field = scf.UHF(mol).run()
    assert field.solution.saddles_left == 1
    assert fields["energy"] == pytest.approx(field.e_tot, abs=1e-8)
    assert scf.UHF(mol).run(saddles="tell").e_tot > field.e_tot + 1e-3


def test_where_nobody_looked_nothing_is_told(world, told):
    for words in ([], ["--smearing", "0.01"], ["--max-iterations", "2"]):
        atoms = STRETCHED if words else SHORT
        status, fields, lines = told("energy", atoms, *words)
        assert status == (1 if "--max-iterations" in words else 0)
        assert [fields[name] for name in NAMES] == [None, None, 0]
        assert lines == []


def test_stability_is_in_the_file_beside_it(told):
    _, fields, _ = told("energy", STRETCHED, "--stability")
    assert set(fields["stability"]) == {"internal", "external"}
    assert fields["stability"]["internal"] < fields["second_derivative"] / 2


def test_python_prints_it_below_the_energy(world, capsys):
    mol = molecule(STRETCHED, "sto-3g")
    field = scf.RHF(mol)
    field.verbose = 3
    field.run()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == (2 if world.rank == 0 else 0)
    assert all("a SADDLE: there is a lower solution" in line for line in lines[1:])
    field.run(saddles="ignore")  # goes on from its orbitals
    assert len(capsys.readouterr().out.splitlines()) == (world.rank == 0)

"""Files of basis sets and core potentials: each line is understood, or the file is refused by it.

Files that are right are compared with PySCF's own set of that name. No communication.
"""

import re

import numpy as np
import pytest
from atoll.chem import InputError, Molecule
from atoll.chem.molecules import basis_sets
from atoll.chem.molecules.core_potentials import core_potentials
from pyscf import gto
from pyscf.gto.basis import parse_nwchem, parse_nwchem_ecp

HYDROGEN = "2\n\nH 0 0 0\nH 0 0 0.74\n"
SHELL = "H    S\n 3.4 0.15\n 0.62 0.53\n 0.168 0.44\n"
HEADING, ABOVE = "expected a heading as H S", "expected a heading above it"
BEHIND = "expected BASIS, ECP or nothing behind END"
NOT_NWCHEM = {
    "Gaussian": ("****\nH 0\nS 3 1.00\n 3.4 0.15\n****\n", f"line 1, '****': {ABOVE}"),
    "Gaussian, by -H": ("-H 0\nS 1 1.00\n 3.4 0.15\n****\n", f"line 1, '-H 0': {ABOVE}"),
    "Psi4": ("spherical\n****\nH 0\nS 1 1.00\n 3.4 1.0\n", f"line 2, '****': {ABOVE}"),
    "Turbomole": ("$basis\n*\nh sto-3g\n*\n 1 s\n 3.4 0.15\n*\n$end\n", f"'$basis': {ABOVE}"),
    "GAMESS": ("HYDROGEN\nS 1\n1 3.4 1.0\n\n", f"line 1, 'HYDROGEN': {HEADING}"),
    "CP2K": ("H SZV\n 1\n 1 0 0 1 1\n 3.4 1.0\n", f"line 1, 'H SZV': {HEADING}"),
    "CP2K of two": (
        "H SZV q1\n 1\n 1 0 0 1 1\n 3.4 1.0\nH DZV q1\n 1\n 1 0 0 1 1\n 0.2 1.0\n",
        f"line 1, 'H SZV q1': {HEADING}",
    ),
    "ORCA": ("NewGTO H\nS 1\n1 3.4 1.0\nend\n", f"line 2, 'S 1': {HEADING}"),
    "Molpro": ("basis={\ns, H , 3.4\nc, 1.1, 1.0\n}\n", f"line 1, 'basis={{': {HEADING}"),
    "Molcas": ("/H.STO-3G...\n 1.0 0\n 1 1\n3.4\n1.0\n", f"'/H.STO-3G...': {ABOVE}"),
    "Dalton": ("a 1\n 1 1\n 3.4 1.0\n", f"line 1, 'a 1': {HEADING}"),
    "JSON": ('{"H": [[0, [3.4, 0.15]]]}\n', ABOVE),
    "unknown letter": (SHELL + "H Q\n 1.0 1.0\n", f"line 5, 'H Q': {HEADING}"),
    "s and p, or l = 8": (SHELL + "H L\n 1.0 1.0 0.5\n", f"line 5, 'H L': {HEADING}"),
    "three shells": (SHELL + "H SPD\n 1.0 1.0 0.5 0.3\n", f"line 5, 'H SPD': {HEADING}"),
    "number for a letter": (SHELL + "H 1\n 1.0 1.0\n", f"line 5, 'H 1': {HEADING}"),
    "scale": (SHELL.replace("H    S", "H S 1.24"), f"line 1, 'H S 1.24': {HEADING}"),
    "letter alone": ("S\n 3.4 0.15\n", f"line 1, 'S': {HEADING}"),
    "library": ("* library sto-3g\n" + SHELL, f"line 1, '* library sto-3g': {ABOVE}"),
    "library of H": ("H library sto-3g\n", f"line 1, 'H library sto-3g': {HEADING}"),
    "word": ('BASIS "ao basis" SPHERIC\n' + SHELL, "'SPHERIC' is not understood"),
    "relativistic": ("BASIS own REL\n" + SHELL, "'REL' is not understood"),
    "spin-orbit": (SHELL + "SO\nH S\n 2 1.0 1.0\nEND\n", f"line 5, 'SO': {HEADING}"),
    "an input": (SHELL + "END\ntask scf\n", f"line 6, 'task scf': {BEHIND}"),
    "numbers behind the end": (SHELL + "END\n 1.0 1.0\n", f"line 6, '1.0 1.0': {BEHIND}"),
    "numbers first": ("1.0 1.0\n" + SHELL, f"line 1, '1.0 1.0': {ABOVE}"),
    "numbers of another section": (SHELL + "BASIS\n 1.0 1.0\n", f"'1.0 1.0': {ABOVE}"),
    "potential": (SHELL + "ECP\nH nelec two\nEND\n", "'H nelec two': expected a heading as"),
    "projector": (SHELL + "ECP\nH nelec 0\nH nl\n 2 1.0 1.0\n", "line 7, 'H nl': expected a"),
}  # fmt: skip


def own(folder, text):
    file = folder / "own.nw"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("kind", NOT_NWCHEM)
def test_what_is_not_understood_is_refused_by_its_line(tmp_path, kind):
    text, message = NOT_NWCHEM[kind]
    file = own(tmp_path, text)
    for word in ("basis", "auxiliary-basis"):
        with pytest.raises(InputError, match=re.escape(f"{word} '{file}' is not of NWChem's")) as e:
            basis_sets.functions(str(file), ("H", "H"), word)
        assert message in str(e.value)
    with pytest.raises(InputError, match=re.escape(message)):
        Molecule.from_xyz(HYDROGEN, "sto-3g", core_potential=str(file))


NOT_WHOLE = {
    "SP of two": (SHELL + "H SP\n 1.0 1.0\n", "'1.0 1.0' in line 6: expected an exponent and its"),
    "SP of four": (SHELL + "H SP\n 1.0 1.0 0.5 0.3\n", "in line 6: expected an exponent and its"),
    "other columns": ("H S\n 3.4 0.15\n 0.6 0.5 0.2\n", "'0.6 0.5 0.2' in line 3: expected"),
    "no rows": (SHELL + "H P\nEND\n", "'H P' in line 5 has no functions"),
    "other atoms": ("H S\n 3.4 1.0\nH_bridge S\n 0.4 1.0\n", "H and H_BRIDGE are both H: expected"),
    "twice": (f"BASIS\n{SHELL}END\nBASIS\n{SHELL}END\n", "H is in two sections, before and behind"),
    "none": ("# nothing\n", "has no functions for H"),
}  # fmt: skip


@pytest.mark.parametrize("kind", NOT_WHOLE)
def test_shells_that_are_not_whole_are_refused(tmp_path, kind):
    text, message = NOT_WHOLE[kind]
    with pytest.raises(InputError, match=re.escape(message)):
        Molecule.from_xyz(HYDROGEN, str(own(tmp_path, text)))


WRONG_POTENTIALS = {
    "without a number of electrons": ("I ul\n2 1.0 0.0\n", "of I has no 'nelec'"),
    "of the number alone": ("I nelec 46\n", "of I has no rows"),
    "that is there twice": ("I nelec 46\nI ul\n2 1.0 0.0\nI UL\n2 1.0 0.0\n", "has 'UL' twice"),
    "of two columns": ("I nelec 46\nI ul\n2 1.0\n", "'2 1.0' in line 8: expected a power of r"),
    "with a spin-orbit part": ("I nelec 46\nI ul\n2 1.0 2.0 3.0\n", "'2 1.0 2.0 3.0' in line 8"),
    "of a broken power": ("I nelec 46\nI ul\n1.5 1.0 2.0\n", "'1.5 1.0 2.0' in line 8"),
    "of a high power": ("I nelec 46\nI ul\n7 1.0 2.0\n", "'7 1.0 2.0' in line 8"),
    "in two sections": (
        "I nelec 46\nI ul\n2 1.0 1.0\nEND\nECP\nI S\n2 1.0 1.0\n",
        "I is in two sections",
    ),
}


@pytest.mark.parametrize("kind", WRONG_POTENTIALS)
def test_core_potentials_that_are_not_whole_are_refused(tmp_path, kind):
    text, message = WRONG_POTENTIALS[kind]
    shells = "I S\n 0.7242 1.0\nI P\n 1.29 1.0\n"
    file = own(tmp_path, f"{shells}ECP\n{text}END\n")
    with pytest.raises(InputError, match=re.escape(message)):
        core_potentials(str(file), {"I": [[0, [0.7242, 1.0]]]}, ["I"])


def test_a_part_of_a_file_is_not_asked_of_pyscf(tmp_path, monkeypatch):
    own(tmp_path, SHELL + "H Q\n 1.0 1.0\n")
    monkeypatch.chdir(tmp_path)
    for name in ("own.nw@1s", "uncown.nw"):
        with pytest.raises(InputError, match=f"'{name}' is a part of the file 'own.nw'"):
            Molecule.from_xyz(HYDROGEN, name)


@pytest.mark.parametrize("heading", ["", "BASIS", "basis own spherical", "BASIS 'a b' NOSEGMENT"])
@pytest.mark.parametrize("number", ["3.4", "0.34d+01", "34.D-1", "+3.4E0"])
def test_headings_and_numbers_may_be_written_in_all_ways_of_nwchem(tmp_path, heading, number):
    text = SHELL.replace("3.4", number).replace("H    S", "h s  ! narrow") + "# the end\nEnd\n"
    mole = Molecule.from_xyz(HYDROGEN, str(own(tmp_path, f"{heading}\n{text}"))).mole
    assert mole._basis["H"] == [[0, [3.4, 0.15], [0.62, 0.53], [0.168, 0.44]]]


def test_sets_without_quotes_have_names_too(tmp_path):
    file = own(tmp_path, f"BASIS\n{SHELL}END\nbasis ri-mp2 spherical\n{SHELL}H P\n1.0 1.0\nEND\n")
    assert Molecule.from_xyz(HYDROGEN, str(file)).functions == 2
    fitting = basis_sets.functions(str(file), ("H",), "auxiliary-basis")
    assert [shell[0] for shell in fitting["H"]] == [0, 1]


@pytest.mark.parametrize("apart", [False, True])
def test_a_file_with_core_potentials_is_pyscfs_set_of_that_name(tmp_path, apart):
    """Functions and potential of one file, or of two of which one has the potential alone."""
    name = "def2-svp"
    shells = parse_nwchem.convert_basis_to_nwchem("I", gto.basis.load(name, "I"))
    core = parse_nwchem_ecp.convert_ecp_to_nwchem("I", gto.basis.load_ecp(name, "I"))
    file, other = own(tmp_path, f"{shells}\n"), tmp_path / "core.nw"
    other.write_text(f"ECP\n{core}\nEND\n")
    if not apart:
        file.write_text(f"BASIS\n{shells}\nEND\n{other.read_text()}")
    text = "2\n\nI 0 0 0\nH 0 0 1.6\n"
    basis, named = f"{name},I={file}", str(other) if apart else ""
    mole = Molecule.from_xyz(text, basis, core_potential=f"I={named}" if named else "").mole
    truth = Molecule.from_xyz(text, name).mole
    assert mole.nelectron == truth.nelectron == 26
    for integral in ("int1e_kin", "ECPscalar"):
        np.testing.assert_allclose(mole.intor(integral), truth.intor(integral), atol=1e-7)
    if apart:
        with pytest.raises(InputError, match="no functions for the inner electrons of I"):
            Molecule.from_xyz(text, basis)

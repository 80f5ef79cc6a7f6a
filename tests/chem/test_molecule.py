"""Reading molecules: XYZ text, elements, charge and spin, basis sets. No communication."""

import re

import numpy as np
import pytest
from atoll.chem import InputError, Molecule
from atoll.chem.molecules import basis_sets
from atoll.chem.molecules.elements import SYMBOLS, atomic_number, symbol_of
from atoll.chem.molecules.molecule import parse_xyz
from pyscf import gto


def test_an_xyz_file_is_read():
    symbols, positions = parse_xyz("2\nany comment\n o 0 0 1e-1 extra\n\t17 -1.5 2 3\n\n", "file")
    assert symbols == ("O", "Cl")
    np.testing.assert_array_equal(positions, [[0, 0, 0.1], [-1.5, 2, 3]])


HYDROXIDE = (("O", "H"), [[0, 0, 0.1], [-1.5, 2, 3]])


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff2\r\nUTF-8 with a byte order mark\r\nO 0 0 0.1\r\nH -1.5 2 3\r\n",
        "2\nform \x0c feed\nO 0 0 0.1\nH -1.5 2 3",
        "2\nProperties=Z:I:1:charge:R:1:pos:R:3\n8 -0.8 0 0 0.1\n1 0.4 -1.5 2 3\n",
        '2\nenergy=-1 properties="pos:R:3:species:S:1:forces:R:3"\n0 0 .1 O 1 2 3\n'
        "-1.5 2. 3 H 4 5 6\n",
        '2\nLattice="9 0 0 0 9 0 0 0 9" pbc="F F F"\nO 0 0 0.1\nH -1.5 2 3\n',
        "2\nof the kind of QM9\nO 0 0 1.0*^-1 -0.3\nH -1.5D0 2 3 0.3\n3803.63\t3907.7\n"
        "[OH-]\t[OH-]\nInChI=1S/H2O/h1H2/p-1\tInChI=1S/H2O/h1H2/p-1\n",
    ],
)
def test_files_of_other_programs_are_read_by_what_they_say(text):
    symbols, positions = parse_xyz(text, "file")
    assert symbols == HYDROXIDE[0]
    np.testing.assert_array_equal(positions, HYDROXIDE[1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f, line 1: an XYZ file begins with the number of atoms"),
        ("water\n", "f, line 1: an XYZ file begins with the number of atoms"),
        ("0\n\n", "f, line 1: 0 is no number of atoms"),
        ("2\n\nH 0 0 0\n", "f: 2 atoms are announced, but 1 follow"),
        ("1", "f: 1 atoms are announced, but 0 follow"),
        ("1_0\n\nH 0 0 0\n", "f, line 1: an XYZ file begins with the number of atoms"),
        ("\u0661\n\nH 0 0 0\n", "f, line 1: an XYZ file begins with the number of atoms"),
        (
            "1\n\nH 0 0 0\nH 0 0 1\n",
            "f, line 4: 'H 0 0 1' after the 1 atoms announced may be another atom or a vector of a "
            "cell",
        ),
        (
            "1\n\nH 0 0 0\nTv 4 0 0\n",
            "f, line 4: 'Tv 4 0 0' after the 1 atoms announced may be another atom or a vector of "
            "a cell",
        ),
        (
            "1\n\nH 0 0 0\n\n1\n\nH 0 0 1\n",
            "f, line 5: '1' after the 1 atoms announced may be another structure",
        ),
        (
            "1\n\nH 0 0 0\ncharge 1\n",
            "f, line 4: 'charge 1' after the 1 atoms announced may be a setting",
        ),
        (
            "1\nProperties=pos:R:3:Z:I:1\n0 0 0 1\n0 0 1 1\n",
            "f, line 4: '0 0 1 1' after the 1 atoms announced may be another atom or a vector of a "
            "cell",
        ),
        ("1\n\nH 0 0\n", "f, line 3: expected an element and three coordinates"),
        ("1\n\nXx 0 0 0\n", "f, line 3: 'Xx' is not an element"),
        ("1\n\n0 0 0 0\n", "f, line 3: '0' is not an element"),
        ("1\n\nH 0 0 here\n", "f, line 3: the coordinates are not three numbers"),
        ("1\n\nH 0 0 nan\n", "f, line 3: the coordinates are not three numbers"),
        ("1\n\nH 0 0 1_0\n", "f, line 3: the coordinates are not three numbers"),
        ("1\n\nH 0 0 \u0661\n", "f, line 3: the coordinates are not three numbers"),
        ("1\n\nH 0 0 1e999\n", "f, line 3: the coordinates are not three numbers"),
        ("1\n\n\u017fi 0 0 0\n", "f, line 3: '\u017fi' is not an element"),
        (
            "1\nProperties=species:S:1:forces:R:3\nH 0 0 0\n",
            "f, line 2: Properties is 'species:S:1:forces:R:3', expected pos:R:3 in it",
        ),
        (
            "1\nProperties=pos:R:3:charge:R:1\n0 0 0 1\n",
            "f, line 2: Properties is 'pos:R:3:charge:R:1', expected species:S:1 or Z:I:1 in it",
        ),
        (
            "1\nProperties=species:S:pos\nH 0 0 0\n",
            "f, line 2: Properties is 'species:S:pos', expected name:type:columns:...",
        ),
        (
            "1\nProperties=species:S:1:pos:R:3\nH 0 0 0 1\n",
            "f, line 3: 5 columns, expected 4 as Properties says",
        ),
        (
            '1\nLattice="4 0 0 0 4 0 0 0 4"\nH 0 0 0\n',
            "f, line 2: Lattice is that of a periodic system, expected a molecule: "
            'pbc="F F F" beside it',
        ),
        ("2\n\nH 0 0 0\nH 0 0 0.001\n", "f: atoms 1 and 2 are in the same place"),
    ],
)
def test_a_malformed_file_is_told_with_its_line(text, message):
    with pytest.raises(InputError) as caught:
        parse_xyz(text, "f")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("charge", "spin", "message"),
    [
        (1, 0, "9 electrons (charge 1) cannot all be paired: check --charge and --spin"),
        (0, 1, "10 electrons (charge 0) cannot have 1 unpaired"),
        (0, 12, "10 electrons (charge 0) cannot have 12 unpaired"),
        (1, 2, "9 electrons (charge 1) cannot have 2 unpaired"),
        (0, -2, "spin -2: the number of unpaired electrons cannot be negative"),
        (10, 0, "charge 10 leaves no electron"),
    ],
)
def test_charge_and_spin_are_checked(charge, spin, message):
    with pytest.raises(InputError) as caught:
        Molecule.from_xyz("3\n\nO 0 0 0\nH 0 0 1\nH 0 1 0\n", "sto-3g", charge, spin)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("basis", "message"),
    [
        ("nonsense", "basis 'nonsense' is unknown"),
        (" ", "the name of the basis is empty"),
        ("cc-pvdz", "basis 'cc-pvdz' has no functions for I"),
        ("gth-szv", "basis 'gth-szv' needs GTH pseudopotentials, which are not supported"),
    ],
)
def test_a_basis_that_cannot_be_is_told(basis, message):
    with pytest.raises(InputError) as caught:
        Molecule.from_xyz("1\n\nI 0 0 0\n", basis, -1)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["gth-jobs/own.nw", "charge=0/own.nw", "a=1,b=2.nw"])
def test_the_path_of_a_basis_is_no_name_and_no_assignment(tmp_path, name):
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("BASIS SPHERICAL\nHe S\n 6.0 0.2\n 1.0 0.5\n 0.3 0.4\nEND\n")
    assert Molecule.from_xyz("1\n\nHe 0 0 0\n", str(file)).functions == 1


def test_what_a_molecule_says_of_itself():
    text = "5\n\nCl 0 0 0\nC 0 0 1.8\nH 1 0 2.2\nH -1 0 2.2\nH 0 1 2.2\n"
    molecule = Molecule.from_xyz(text, "6-31G(d)", name="chloride.xyz")
    assert molecule.formula == "CH3Cl"
    assert (molecule.electrons, molecule.cores) == (26, ())
    assert molecule.functions == molecule.mole.nao
    ion = Molecule.from_xyz("2\n\nO 0 0 0\nO 0 0 1.5\n", "6-31g", -2)
    assert ion.formula == "O22-"
    assert ion.electrons == 18


def test_core_potentials_come_with_their_basis():
    molecule = Molecule.from_xyz("2\n\nAg 0 0 0\nH 0 0 1.6\n", "def2-svp")
    assert molecule.cores == ("Ag",)
    assert molecule.electrons == 47 - 28 + 1


def test_the_elements():
    assert len(SYMBOLS) == 118
    assert [atomic_number(s) for s in ("H", "Ne", "Xe", "Og")] == [1, 10, 54, 118]
    assert (symbol_of("cL"), symbol_of("17"), symbol_of("119"), symbol_of("H1")) == (
        "Cl",
        "Cl",
        None,
        None,
    )


WATER = "3\nwater\nO 0 0 0\nH 0 0 1\nH 0 1 0\n"
STO_3G = """
BASIS "ao basis" SPHERICAL PRINT
H    S
      0.3425250914E+01       0.1543289673E+00
      0.6239137298E+00       0.5353281423E+00
      0.1688554040E+00       0.4446345422E+00
O    S
      0.1307093214E+03       0.1543289673E+00
      0.2380886605E+02       0.5353281423E+00
      0.6443608313E+01       0.4446345422E+00
O    SP
      0.5033151319E+01      -0.9996722919E-01       0.1559162750E+00
      0.1169596125E+01       0.3995128261E+00       0.6076837186E+00
      0.3803889600E+00       0.7001154689E+00       0.3919573931E+00
END
"""


@pytest.mark.parametrize("comments", [False, True])
@pytest.mark.parametrize("words", [False, True])
def test_a_basis_file_gives_each_element_its_own_shells(tmp_path, comments, words):
    text = STO_3G
    if comments:
        text = text.replace("H    S", "#BASIS SET: (3s) -> [1s]\nH    S").replace(
            "O    S\n", "#BASIS SET: (6s,3p) -> [2s,1p]\nO    S\n"
        )
    if not words:
        text = "\n".join(line for line in text.splitlines() if line[:3] not in ("BAS", "END"))
    file = tmp_path / "basis.nw"
    file.write_text(text)
    mine = Molecule.from_xyz(WATER, str(file)).mole
    truth = Molecule.from_xyz(WATER, "sto-3g").mole
    assert mine.nao == truth.nao == 7
    np.testing.assert_allclose(
        mine.intor("int1e_kin"), truth.intor("int1e_kin"), rtol=1e-6, atol=1e-6
    )


def test_an_element_that_a_basis_file_lacks_is_named(tmp_path):
    file = tmp_path / "basis.nw"
    file.write_text(STO_3G.replace("H    S", "He    S"))
    with pytest.raises(InputError, match="no functions for H"):
        Molecule.from_xyz(WATER, str(file))


@pytest.mark.parametrize("number", ["0.3_425250914E+01", "\u0661.5", "3.4*2", "3.4j"])
@pytest.mark.parametrize("word", ["basis", "core-potential"])
def test_what_is_no_number_in_a_basis_file_is_refused_by_name(tmp_path, number, word):
    """PySCF would take some of it for a formula of Python's, and compute it."""
    file = tmp_path / "basis.nw"
    core = "ECP\nO nelec 2\nO ul\n2 1.0 0.3425250914E+01\nEND\n"
    text = STO_3G if word == "basis" else STO_3G + core
    before, there, after = text.rpartition("0.3425250914E+01")
    file.write_text(before + number + after, encoding="utf-8")
    assert there
    with pytest.raises(InputError, match=re.escape(f"{word} '{file}': '{number}' is not a number")):
        Molecule.from_xyz(WATER, str(file), core_potential=str(file))


def test_a_byte_order_mark_does_no_harm_to_a_basis_file(tmp_path):
    file = tmp_path / "basis.nw"
    file.write_text(STO_3G[STO_3G.index("H    S") :], encoding="utf-8-sig")
    assert Molecule.from_xyz(WATER, str(file)).mole.nao == 7


FIT = STO_3G.replace("ao basis", "ri-mp2 basis").replace("0.3425250914E+01", "1.5")


def test_a_file_of_several_sets_has_one_for_orbitals_and_one_for_fits(tmp_path):
    file = tmp_path / "basis.nw"
    file.write_text(STO_3G + FIT)
    assert Molecule.from_xyz(WATER, str(file)).mole.nao == 7
    fitting = basis_sets.functions(str(file), ("O", "H"), "auxiliary-basis")
    exponents = [row[0] for row in fitting["H"][0][1:]]
    assert exponents == pytest.approx([1.5, 0.6239137298, 0.1688554040])
    file.write_text(FIT + FIT.replace("ri-mp2", "cd"))
    for word in ("basis", "auxiliary-basis"):
        with pytest.raises(InputError, match="sets named 'ri-mp2 basis', 'cd basis'"):
            basis_sets.functions(str(file), ("O", "H"), word)


def test_a_file_of_cartesian_functions_is_refused_where_that_matters(tmp_path):
    file = tmp_path / "basis.nw"
    cartesian = STO_3G.replace("SPHERICAL", "CARTESIAN")
    file.write_text(cartesian)
    assert Molecule.from_xyz(WATER, str(file)).mole.nao == 7
    file.write_text(cartesian.replace("END", "O    D\n  0.8  1.0\nEND"))
    with pytest.raises(InputError, match="is of Cartesian functions: expected spherical ones"):
        Molecule.from_xyz(WATER, str(file))


@pytest.mark.parametrize(
    "text", ["cc-pvdz,O=6-31g(d,p)", " cc-pvdz , o = 6-31g(d,p) ", "H=cc-pvdz,8=6-31g(d,p)"]
)
def test_a_basis_for_each_element_is_pyscfs(text):
    molecule = Molecule.from_xyz(WATER, text)
    truth = gto.M(atom="O 0 0 0; H 0 0 1; H 0 1 0", basis={"O": "6-31g(d,p)", "H": "cc-pvdz"})
    np.testing.assert_array_equal(molecule.mole.intor("int1e_kin"), truth.intor("int1e_kin"))
    assert molecule.mole.basis == {"O": "6-31g(d,p)", "H": "cc-pvdz"}


def test_names_go_to_pyscf_as_they_are():
    molecule = Molecule.from_xyz("2\n\nAg 0 0 0\nH 0 0 1.6\n", "def2-svp")
    assert (molecule.mole.basis, molecule.mole.ecp) == ("def2-svp", {"Ag": "def2-svp"})


@pytest.mark.parametrize("word", ["ghost-Ag", "GHOST.ag", "X-Ag", "@Ag", "Gh(Ag)", "bqAg", "X-47"])
def test_ghosts_have_functions_and_neither_charge_nor_core_potential(word):
    text = f"2\n\n{word} 0 0 0\nHe 0 0 1.6\n"
    molecule = Molecule.from_xyz(text, "def2-svp")
    truth = gto.M(atom="ghost-Ag 0 0 0; He 0 0 1.6", basis="def2-svp", ecp="def2-svp")
    assert molecule.symbols == ("GHOST-Ag", "He")
    assert (molecule.formula, molecule.electrons, molecule.cores) == ("He", 2, ())
    np.testing.assert_array_equal(molecule.mole.intor("int1e_nuc"), truth.intor("int1e_nuc"))
    assert molecule.mole.energy_nuc() == pytest.approx(0.0, abs=1e-100)


def test_positions_in_bohr_are_told_in_angstrom():
    molecule = Molecule.from_xyz("2\n\nH 0 0 0\nH 0 0 1.4\n", "sto-3g", unit="bohr")
    np.testing.assert_array_equal(molecule.mole.atom_coords(), [[0, 0, 0], [0, 0, 1.4]])
    assert molecule.positions[1, 2] == pytest.approx(1.4 * 0.52917721, rel=1e-7)


@pytest.mark.parametrize(
    ("basis", "element", "where", "electrons"),
    [
        ("bfd-vdz", "Si", "bfd-pp", 10),
        ("ccecp-cc-pvtz", "Cl", "ccecp", 10),
        ("ccecphe-aug-cc-pvdz", "Si", "ccecp-he", 2),
        ("aug-cc-pvdz-pp", "Au", "cc-pvdz-pp", 60),
        ("cc-pwCVTZ-PP", "Cu", "cc-pvdz-pp", 10),
        ("def2-mtzvpp", "I", "def2-svp", 28),
        ("lanl2dz", "Cl", "lanl2dz", 10),
    ],
)
def test_core_potentials_that_pyscf_has_under_another_name_come_too(
    basis, element, where, electrons
):
    text = f"2\n\n{element} 0 0 0\nHe 0 0 2\n"
    odd = atomic_number(element) % 2
    molecule = Molecule.from_xyz(text, f"6-31g,{element}={basis}", odd)
    assert molecule.mole.ecp == {element: where}
    assert molecule.mole.atom_nelec_core(0) == electrons
    named = Molecule.from_xyz(text, f"6-31g,{element}={basis}", odd, core_potential=where)
    assert named.mole.ecp[element] == where
    without = Molecule.from_xyz(text, f"6-31g,{element}={basis}", odd, core_potential="none")
    assert without.mole.atom_nelec_core(0) == 0


def test_the_core_potential_of_a_basis_file_goes_along_with_its_functions(tmp_path):
    file = tmp_path / "iodine.nw"
    shells = "I S\n 0.7242 1.0\nI S\n 0.1127 1.0\nI P\n 1.29 1.0\nI P\n 0.1344 1.0\n"
    core = "ECP\nI nelec 46\nI ul\n2 1.0 0.0\nI S\n2 1.06 25.0\nEND\n"
    file.write_text(shells)
    with pytest.raises(InputError, match="no functions for the inner electrons of I"):
        Molecule.from_xyz("1\n\nI 0 0 0\n", str(file), 1)
    file.write_text(shells + core)
    for basis in (str(file), f"H=sto-3g,I={file}"):
        text = "2\n\nH 0 0 0\nI 0 0 1.6\n" if "H" in basis else "1\n\nI 0 0 0\n"
        molecule = Molecule.from_xyz(text, basis, 1 - text.count("H"))
        symbols = [molecule.mole.atom_symbol(atom) for atom in range(molecule.mole.natm)]
        assert molecule.mole.atom_nelec_core(symbols.index("I")) == 46


@pytest.mark.parametrize(
    ("basis", "element", "named"),
    [("cc-pvdz-pp-nr", "Cu", ""), ("qavg-vszps", "Si", ""), ("lanl2dz", "Cl", "Kr=lanl2dz"),
     ("lanl2dz", "Cl", "nonsense")],
)  # fmt: skip
def test_functions_of_the_outer_electrons_alone_are_refused(basis, element, named):
    with pytest.raises(InputError) as caught:
        Molecule.from_xyz(
            f"1\n\n{element} 0 0 0\n", basis, atomic_number(element) % 2, core_potential=named
        )
    expected = {
        "": f"basis '{basis}' has no functions for the inner electrons of {element}",
        "Kr=lanl2dz": "there is no Kr in the molecule",
        "nonsense": "core-potential 'nonsense' is unknown, or has none for this molecule",
    }
    assert expected[named] in str(caught.value)


@pytest.mark.parametrize("basis", ["sto-3g", "sto-6g", "3-21g", "cc-pvtz", "def2-svp"])
@pytest.mark.parametrize("element", ["C", "Na", "Ar"])
def test_basis_sets_of_all_electrons_need_no_core_potential(basis, element):
    molecule = Molecule.from_xyz(f"1\n\n{element} 0 0 0\n", basis, atomic_number(element) % 2)
    assert molecule.cores == ()

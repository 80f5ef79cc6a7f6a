"""The same question at all doors: the command line, Python's classes and PySCF give one number.

A row has words of the command line, and what they mean in PySCF's own terms. A method, an option or
a choice without a row fails the tests at the end. With `-s` they say how many pairs were compared.
"""

import argparse
import functools
from dataclasses import dataclass, field
from pathlib import Path

import atoll
import numpy as np
import pytest
from atoll.chem import InputError, dft
from atoll.chem.calculations.second_order import DOUBLE_HYBRIDS, SCALED
from atoll.chem.exchange_correlation.dispersion import DAMPING
from atoll.chem.methods import COUPLED_CLUSTER
from atoll.chem.molecules.options import CHOICES, types
from doors import CONVERGENCE, PARSER, Pyscf, Python, as_file, molecule, run_command, xyz
from pyscf import df, scf
from pyscf.data.elements import chemcore
from pyscf.gto.basis import parse_nwchem

FLUORIDE = "F 0 0 0; H 0 0 0.917"
NITRENE = "N 0 0 0; H 0 0 1.04"
HYDROGEN = "H 0 0 0; H 0 0 0.74"
PYSCF, PYTHON = Pyscf(), Python()
WITHOUT_GRID = {"hf", "mrci", *SCALED, *COUPLED_CLUSTER}


@dataclass
class Row:
    """A question: as words, and as what to ask PySCF or Python's classes for."""

    words: str
    asked: object
    atoms: str = FLUORIDE
    basis: object = "6-31g"
    """As PySCF takes it; the words name it themselves if they have `--basis`."""
    in_pyscf: str = ""
    """The atoms as PySCF takes them, where the file has them in another way."""
    more: dict = field(default_factory=dict)
    """What `gto.M` is given beside."""
    read: object = lambda fields: fields["energy"]
    """Takes the numbers out of the command's JSON."""
    tolerance: float = 2e-8


def chemistry_commands():
    """The commands that take a basis set, and the names of what each takes."""
    (subcommands,) = (
        action for action in PARSER._actions if isinstance(action, argparse._SubParsersAction)
    )
    options = {
        name: {action.dest for action in parser._actions}
        for name, parser in subcommands.choices.items()
    }
    return {name: taken for name, taken in options.items() if "basis" in taken}


COMMANDS = chemistry_commands()


# What is asked, in PySCF's names: functions of a door and a molecule.


def mean_field(kind="RHF", **settings):
    return lambda door, mol: door.energy(door.mean_field(mol, kind, **settings))


def second_order(shares=(1.0, 1.0), frozen=True, auxbasis=None, kind="RHF", **settings):
    def asked(door, mol):
        mf = door.mean_field(mol, kind, **settings)
        core = chemcore(mol) if frozen else 0
        parts = door.second_order(mf, core, auxbasis, "xc" in settings)
        return door.energy(mf) + np.dot(shares, parts)

    return asked


def double_hybrid(name, **settings):
    hybrid = DOUBLE_HYBRIDS[name]
    shares = (hybrid.opposite, hybrid.same)
    return second_order(shares, False, kind="RKS", xc=hybrid.functional, **settings)


def coupled_cluster(triples=False, frozen=True, kind="RHF", **settings):
    def asked(door, mol):
        core = chemcore(mol) if frozen else 0
        return door.coupled_cluster(door.mean_field(mol, kind, **settings), core, triples)

    return asked


def configurations(active, roots=1, frozen=False):
    def asked(door, mol):
        core = chemcore(mol) if frozen else 0
        return door.configurations(door.mean_field(mol, "RHF"), active, roots, core)

    return asked


def gradient(kind="RHF", **settings):
    return lambda door, mol: (
        door.mean_field(mol, kind, **settings).nuc_grad_method().kernel().ravel()
    )


def properties(door, mol):
    """Dipole, quadrupole, Mulliken's charges, and Loewdin's, which PySCF leaves to its users."""
    mf = door.mean_field(mol, "RHF")
    values, vectors = np.linalg.eigh(mol.intor("int1e_ovlp"))
    root = vectors * np.sqrt(values) @ vectors.T
    electrons = np.diag(root @ mf.make_rdm1() @ root)
    starts = mol.aoslice_by_atom()[:, 2]
    return [
        *mf.dip_moment(verbose=0),
        *np.ravel(mf.quad_moment(verbose=0)),
        *mf.mulliken_pop(verbose=0)[1],
        *(mol.atom_charges() - np.add.reduceat(electrons, starts)),
    ]


# The rows.

PROPERTIES = (
    "dipole_debye", "quadrupole_debye_angstrom", "mulliken_charges", "lowdin_charges",
)  # fmt: skip
BASES = ["sto-3g", "6-31g*", "cc-pvdz", "def2-svp", "file", "cc-pvdz,H=def2-svp"]
IN_PYSCF = {"cc-pvdz,H=def2-svp": {"F": "cc-pvdz", "H": "def2-svp"}}


def rows():
    for basis in BASES:
        named = {"basis": IN_PYSCF.get(basis, basis)}
        yield Row(f"--density-fitting --basis {basis}", mean_field(fit={}), **named)
        yield Row(f"--method ri-mp2 --frozen-core --basis {basis}", second_order(), **named)
    for basis in ("6-31g", "def2-svp"):  # PySCF's choice is another one without exact exchange
        asked = mean_field("RKS", xc="pbe", fit={})
        yield Row("--method pbe --density-fitting", asked, basis=basis)
    for xc in ("LDA,VWN", "lda,vwn"):  # of which PySCF takes the first for no choice
        asked = mean_field("RKS", xc=xc, fit={})
        yield Row(f"--method {xc} --density-fitting", asked, basis="def2-svp")
    yield Row("--fit-coulomb", mean_field(fit={"only_dfj": True}))
    yield Row("--method ri-mp2 --density-fitting", second_order(frozen=False, fit={}))
    yield from methods()
    yield from molecules()
    yield from fitting_sets()
    yield from dispersions()
    yield from ways()
    yield from other_commands()


def methods():
    scaled = {"ri-mp2": (1.0, 1.0), "scs-ri-mp2": (6 / 5, 1 / 3), "sos-ri-mp2": (1.3, 0.0)}
    open_shell = {"atoms": NITRENE, "more": {"spin": 2}}
    yield Row("--method hf --spin 2", mean_field("UHF"), **open_shell)
    for xc in ("lda,vwn", "pbe", "b3lyp", "camb3lyp", "tpss", "HF"):
        asked = mean_field("RKS", xc=xc) if xc != "HF" else mean_field()
        yield Row(f"--method {xc}", asked, basis="sto-3g")
    yield Row("--method b3lyp --spin 2", mean_field("UKS", xc="b3lyp"), **open_shell)
    for name, shares in scaled.items():
        yield Row(f"--method {name}", second_order(shares, frozen=False))
        words = f"--method {name} --spin 2 --frozen-core"
        yield Row(words, second_order(shares, kind="UHF"), **open_shell)
    for name in ("b2plyp", "b2gpplyp", "pbe0-dh"):
        yield Row(f"--method {name}", double_hybrid(name))
    yield Row("--method ccsd --frozen-core", coupled_cluster())
    yield Row("--method ccsd --density-fitting", coupled_cluster(frozen=False, fit={}))
    yield Row("--method ccsd(t)", coupled_cluster(True, frozen=False), basis="sto-3g")
    words = "--method ccsd(t) --spin 2 --frozen-core"
    yield Row(words, coupled_cluster(True, kind="UHF"), **open_shell)
    yield Row("--method mrci --active 0,0 --frozen-core", configurations((0, 0), frozen=True))
    words = "--method mrci --active 2,4 --roots 2"
    read = lambda fields: [state["energy"] for state in fields["states"]]  # noqa: E731
    yield Row(words, configurations((2, 4), 2), atoms=HYDROGEN, read=read)


def molecules():
    yield Row("--charge -1", mean_field(), atoms="O 0 0 0; H 0 0 0.97", more={"charge": -1})
    for unit in CHOICES["unit"]:
        atoms = "F 0 0 0.1; H 0 0 1.8" if unit == "bohr" else FLUORIDE
        yield Row(f"--unit {unit} --method ri-mp2", second_order(frozen=False), atoms=atoms,
                  more={"unit": unit})  # fmt: skip
    ghost = "F 0 0 0; H 0 0 0.917; ghost-He 0 0.3 -1.5"
    yield Row("", mean_field(), atoms=ghost, basis="def2-svp")
    yield Row("--density-fitting", mean_field(fit={}), atoms=ghost, basis="def2-svp")
    yield Row("--ghost 2-3", mean_field(), atoms="He 0 0 0; H 0 0 1; F 0 0 2",
              in_pyscf="He 0 0 0; ghost-H 0 0 1; ghost-F 0 0 2")  # fmt: skip
    yield Row("--method ri-mp2 --frozen-core", second_order(), atoms=ghost, basis="cc-pvdz")
    yield Row("--method pbe", mean_field("RKS", xc="pbe"), atoms=ghost)
    own = {"F": "6-31g", "H": "6-31g", "GHOST-He": "cc-pvdz"}
    yield Row("--basis 6-31g,ghost-He=cc-pvdz --density-fitting", mean_field(fit={}),
              atoms=ghost, basis=own)  # fmt: skip
    chloride = {"atoms": "Cl 0 0 0; H 0 0 1.27", "basis": "lanl2dz", "more": {"ecp": "lanl2dz"}}
    yield Row("--method ri-mp2 --frozen-core", second_order(), **chloride)
    iodide = {"atoms": "I 0 0 0; H 0 0 1.61", "basis": "def2-svp", "more": {"ecp": "def2-svp"}}
    yield Row("--method hf --density-fitting", mean_field(fit={}), **iodide)
    oxide = {"atoms": "C 0 0 0; O 0 0 1.13", "basis": "bfd-vdz", "more": {"ecp": "bfd-pp"}}
    asked = mean_field()
    yield Row("", asked, **oxide)
    yield Row("--core-potential bfd-pp", asked, **oxide)
    bare = {"atoms": "O 0 0 0; H 0 0 0.96", "basis": "bfd-vdz", "more": {"charge": -1}}
    yield Row("--charge -1 --core-potential none", mean_field(), **bare)
    mixed = {"atoms": "Cl 0 0 0; H 0 0 1.27", "basis": {"Cl": "lanl2dz", "H": "6-31g**"},
             "more": {"ecp": {"Cl": "lanl2dz"}}}  # fmt: skip
    yield Row("--basis Cl=lanl2dz,H=6-31g**", asked, **mixed)
    yield Row("--basis TABLE", asked, **mixed)


def fitting_sets():
    other = "def2-universal-jkfit"
    yield Row(f"--density-fitting --auxiliary-basis {other}", mean_field(fit={"auxbasis": other}))
    by_element = {"F": "cc-pvdz-jkfit", "H": other}
    words = f"--density-fitting --auxiliary-basis cc-pvdz-jkfit,H={other}"
    yield Row(words, mean_field(fit={"auxbasis": by_element}))
    words = "--density-fitting --auxiliary-basis autoaux"
    yield Row(words, mean_field(fit={"auxbasis": "autoaux"}))
    yield Row("--density-fitting --auxiliary-basis fit-file",
              mean_field(fit={"auxbasis": "cc-pvdz-jkfit"}))  # fmt: skip
    # PySCF has no functions of helium in the set that it takes, and says that this is to be done.
    completed = lambda door, mol: mean_field(  # noqa: E731
        fit={"auxbasis": df.make_auxbasis(mol)} if door is PYSCF else {}
    )(door, mol)
    yield Row("--density-fitting", completed, atoms="He 0 0 0")
    words = "--method ri-mp2 --auxiliary-basis def2-svp-ri"
    asked = second_order(frozen=False, auxbasis="def2-svp-ri")
    yield Row(words, asked)
    words = "--method ri-mp2 --correlation-auxiliary-basis def2-svp-ri"
    yield Row(words, asked)
    words = f"--method ri-mp2 --density-fitting --auxiliary-basis {other}"
    yield Row(words, second_order(frozen=False, fit={"auxbasis": other}))
    words += " --correlation-auxiliary-basis cc-pvdz-ri"
    yield Row(words, second_order(frozen=False, auxbasis="cc-pvdz-ri", fit={"auxbasis": other}))
    words = "--method b2plyp --density-fitting --correlation-auxiliary-basis cc-pvdz-ri"
    hybrid = DOUBLE_HYBRIDS["b2plyp"]
    asked = second_order((hybrid.opposite, hybrid.same), False, "cc-pvdz-ri", "RKS",
                         xc=hybrid.functional, fit={})  # fmt: skip
    yield Row(words, asked)


def dispersions():
    small = {"basis": "sto-3g", "atoms": HYDROGEN}
    for version in (*DAMPING, "d3bjatm", "d3bj2b"):
        xc = "b3lyp" if version == "d3op" else "pbe"
        asked = mean_field("RKS", xc=xc, disp=(xc, version))
        atoms = "He 0 0 0; He 0 0 2; He 0 1.8 1" if "atm" in version else HYDROGEN
        yield Row(f"--method {xc} --dispersion {version}", asked, atoms=atoms, basis="sto-3g")
    asked = mean_field("RKS", xc="pbe", disp=("pbe", "d3bj"))
    yield Row("--method pbe-d3bj", asked, **small)
    yield Row("--method pbe-d3bj --dispersion none", mean_field("RKS", xc="pbe"), **small)
    yield Row("--method b97-d --dispersion none", mean_field("RKS", xc="b97-d"), **small)
    asked = mean_field("RKS", xc="b97-d", disp=("b97d", "d3bj"))
    for words in ("b97-d --dispersion d3bj", "b97-d-d3bj"):
        yield Row(f"--method {words}", asked, **small)
    for name in ("b2plyp", "b2gpplyp"):
        asked = double_hybrid(name, disp=(name, "d3bj"))
        for words in (f"{name} --dispersion d3bj", f"{name}-d3bj"):
            yield Row(f"--method {words}", asked, **small)


def ways():
    """Options that change how it is computed, and not what comes out."""
    small = {"atoms": "He 0 0 0; He 0 0 1.2"}
    plain, pbe, ccsd = mean_field(), mean_field("RKS", xc="pbe"), coupled_cluster(frozen=False)
    for how in CHOICES["integrals"]:
        yield Row(f"--integrals {how}", plain, **small)
    for how in CHOICES["ladder"]:
        words = f"--method ccsd --ladder {how} --max-iterations 60"
        yield Row(words, ccsd, **small)
    for how in CHOICES["xc_arrays"]:
        yield Row(f"--method pbe --xc-arrays {how}", pbe, **small)
    for how in CHOICES["guess"]:
        yield Row(f"--guess {how}", mean_field(init_guess=how), **small)
    for how in CHOICES["diis"]:
        setting = {"auto": True, "none": False}.get(how, how)
        yield Row(f"--diis {how}", mean_field(diis=setting), **small)
    yield Row("--time-limit 1h", mean_field(), **small)
    yield Row("--method pbe --grid-level 2", mean_field("RKS", xc="pbe", level=2), **small)
    words = "--level-shift 0.2 --damping 0.3 --screening 1e-12"
    yield Row(words, mean_field(level_shift=0.2, damp=0.3, direct_scf_tol=1e-12), **small)
    words = "--density-fitting --memory 10K --scratch FOLDER"
    yield Row(words, mean_field(fit={}), basis="sto-3g")
    yield Row("--integrals disk --disk-quota 1M --scratch FOLDER", plain, **small)
    yield Row("--smearing 0.02", mean_field(sigma=0.02), atoms="Li 0 0 0; Li 0 0 4", tolerance=1e-7,
              basis="sto-3g")  # fmt: skip
    yield Row("--break-symmetry", mean_field("UHF", init_guess_breaksym="mix"),
              atoms="H 0 0 0; H 0 0 2.5")  # fmt: skip
    words = "--method ccsd(t) --chkfile FOLDER/a.chk --checkpoint-interval 0"
    yield Row(words, coupled_cluster(True, frozen=False), **small)
    yield Row("--restart FOLDER/theirs.chk", mean_field(), basis="sto-3g")


def other_commands():
    read = lambda fields: np.ravel(fields["gradient"])  # noqa: E731
    near = {"read": read, "tolerance": 2e-7}
    yield Row("gradient", gradient(), **near)
    yield Row("gradient --density-fitting", gradient(fit={}), basis="cc-pvdz", **near)
    yield Row("gradient --method pbe-d3bj --dispersion none --fit-coulomb",
              gradient("RKS", xc="pbe", fit={"only_dfj": True}), **near)  # fmt: skip
    read_slope = lambda fields: fields["gradient"][1][2]  # noqa: E731
    asked = lambda door, mol: door.second_order_slope(mol, chemcore(mol))  # noqa: E731
    yield Row("gradient --method ri-mp2 --frozen-core", asked, read=read_slope, tolerance=2e-6)
    read = lambda fields: np.concatenate(  # noqa: E731
        [np.ravel(fields[name]) for name in PROPERTIES]
    )
    yield Row("energy --properties", properties, tolerance=2e-6, read=read)
    hydrogen = {"atoms": HYDROGEN, "basis": "sto-3g"}
    asked = lambda door, mol: door.optimized(mol)  # noqa: E731
    yield Row("optimize", asked, tolerance=1e-6, **hydrogen)
    asked = lambda door, mol: door.vibrations(mol)  # noqa: E731
    yield Row("frequencies", asked, tolerance=0.2, read=lambda fields: fields["wavenumbers"],
              **hydrogen)  # fmt: skip


ROWS = list(rows())
PAIRS = 2  # the command line and PySCF, Python and PySCF
FILES = {"file": "file.nw", "fit-file": "fit.nw"}
# Files, pictures and what is told on the way, which other tests look at, and the input itself.
OF_NO_NUMBER = {
    "help", "file", "json", "dry_run", "molden", "cube", "cube_of", "plot_levels",
    "plot_convergence", "output", "trajectory", "max_steps", "ranks_per_geometry", "stability",
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def basis_sets_read_once():
    """PySCF searches the whole file of a basis set, each time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse_nwchem, "search_seg", functools.cache(parse_nwchem.search_seg))
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of the first rank's, with the files that rows name."""
    world = atoll.world()
    path = Path(str(world.broadcast(str(tmp_path_factory.mktemp("doors")))))
    if world.rank == 0:
        path.joinpath("file.nw").write_text(as_file("cc-pvdz", ("F", "H")))
        path.joinpath("fit.nw").write_text(as_file("cc-pvdz-jkfit", ("F", "H")))
        path.joinpath("table.toml").write_text('[basis]\nCl = "lanl2dz"\ndefault = "6-31g**"\n')
        scf.RHF(molecule(FLUORIDE, "sto-3g")).run(chkfile=str(path / "theirs.chk"))
    world.sync()
    return path


def words_of(row, folder="FOLDER"):
    """The words of the command line."""
    words = row.words.replace("FOLDER", str(folder)).split()
    command = words.pop(0) if words[:1] and words[0] in COMMANDS else "energy"
    if words[-2:] == ["--basis", "TABLE"]:
        words[-2:] = ["--options", str(Path(folder) / "table.toml")]
    elif "--basis" not in words:
        words += ["--basis", row.basis]
    words = [str(Path(folder) / FILES[word]) if word in FILES else word for word in words]
    method = words[words.index("--method") + 1] if "--method" in words else "hf"
    if "--grid-level" not in words and method.lower() not in WITHOUT_GRID:
        words += ["--grid-level", "0"]
    return [command, str(Path(folder) / "molecule.xyz"), *words, "--convergence", str(CONVERGENCE)]


ANSWERS = {}


def answer(door, row, mol):
    """What a door says; it is asked once where rows ask the same in other words."""
    key = (door.name, id(row.asked), row.atoms, str(row.basis), str(row.more))
    if key not in ANSWERS:
        ANSWERS[key] = np.atleast_1d(row.asked(door, mol))
    return ANSWERS[key]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.words or 'hf'} {row.basis}" for row in ROWS])
def test_the_command_line_pyscf_and_python_give_one_number(row, world, folder):
    basis = str(folder / FILES["file"]) if row.basis == "file" else row.basis
    mol = molecule(row.in_pyscf or row.atoms, basis, **row.more)
    expected = None
    if world.rank == 0:
        folder.joinpath("molecule.xyz").write_text(xyz(row.atoms))
        expected = answer(PYSCF, row, mol)
    expected = np.asarray(world.broadcast(expected))
    status, fields = run_command(words_of(row, folder), world, folder)
    assert status == 0
    close = {"rtol": 0, "atol": row.tolerance}
    np.testing.assert_allclose(np.atleast_1d(row.read(fields)), expected, **close)
    np.testing.assert_allclose(answer(PYTHON, row, mol), expected, **close)


@pytest.fixture(scope="module")
def given():
    """The names of the options that each row gives, and their values."""
    return [vars(PARSER.parse_args(words_of(row))) for row in ROWS]


def test_every_command_option_and_choice_has_a_row(given):
    for command, options in COMMANDS.items():
        assert command in {words_of(row)[0] for row in ROWS}
        used = {name for each in given for name, value in each.items() if value}
        assert options - used - OF_NO_NUMBER == set(), command
    names = {name for each in given for name in each}
    assert set(types()) - names == set()
    for name, choices in CHOICES.items():
        assert set(choices) == {each[name] for each in given if name in each}, name


def test_every_method_has_a_row(given):
    methods = {each.get("method", "hf").lower() for each in given}
    assert {"hf", "mrci", *SCALED, *DOUBLE_HYBRIDS, *COUPLED_CLUSTER} <= methods
    print(f"two doors, one number: {PAIRS * len(ROWS)} compared pairs")


REFUSED = {
    "hf --correlation-auxiliary-basis cc-pvdz-ri": "correlation-auxiliary-basis means nothing",
    "ccsd --density-fitting --correlation-auxiliary-basis cc-pvdz-ri": "means nothing to method",
    "ri-mp2 --auxiliary-basis def2-svp-ri --correlation-auxiliary-basis cc-pvdz-ri": (
        "auxiliary-basis means nothing beside correlation-auxiliary-basis unfitted"
    ),
    "ri-mp2 --auxiliary-basis nonsense": "auxiliary-basis 'nonsense' is unknown",
    "hf --fit-coulomb --auxiliary-basis cc-pvdz-jkfit,I=sto-3g": "there is no I in the molecule",
    "hf --basis cc-pvdz,He=sto-3g": "basis 'cc-pvdz,He=sto-3g': there is no He in the molecule",
    "hf --basis F=cc-pvdz": "basis 'F=cc-pvdz': H has none",
    "hf --basis cc-pvdz,sto-3g,F=6-31g": "cc-pvdz and sto-3g are both for all elements",
    "hf --basis Q=cc-pvdz": "'Q' is not an element",
    "hf --basis sto-3g,F=cc-pvdz,f=6-31g": "F is there twice",
    "hf --unit feet": "unit is 'feet', expected angstrom, bohr",
    "hf --ghost 3": "ghost is '3', expected atoms from 1 to 2, as 4-6,8",
    "hf --ghost 1 --charge 1": "charge 1 leaves no electron",
    "b97-d": "functional 'b97-d' was made with a dispersion correction that is not in it",
    "hyb_gga_xc_wb97x_d": "choose one",
    "pbe0-dh --dispersion d3bj": "d3bj has no parameters for functional 'pbe0-dh'",
    "pbe --dispersion d3bjatom": "dispersion correction 'd3bjatom' is unknown",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_makes_no_sense_is_refused_by_name(words, world, folder, capsys):
    row = Row(f"--method {words}", None, basis="sto-3g")
    if world.rank == 0:
        folder.joinpath("molecule.xyz").write_text(xyz(FLUORIDE))
    world.sync()
    status, _ = run_command(words_of(row, folder), world, folder)
    assert status == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert REFUSED[words] in told.err if world.rank == 0 else told.err == ""


@pytest.mark.parametrize("command", ["optimize", "frequencies"])
def test_ghost_atoms_neither_move_nor_vibrate(command, world, folder, capsys):
    if world.rank == 0:
        folder.joinpath("molecule.xyz").write_text(xyz("H 0 0 0; H 0 0 0.7; X-He 0 0 2"))
    world.sync()
    status, _ = run_command(words_of(Row(command, None), folder), world, folder)
    assert status == 2
    assert world.rank != 0 or "atom 3, GHOST-He, has no mass" in capsys.readouterr().err


def test_the_output_says_which_fitting_sets_there_are(world, folder, capsys):
    told = {
        "--basis cc-pvdz": ["correlation by cc-pvdz-ri: 70 functions"],
        "--basis file": ["correlation by even-tempered functions: "],
        "--basis cc-pvdz,H=6-31g --density-fitting": [
            "Coulomb and exchange by cc-pvdz-jkfit: ",
            "correlation by cc-pvdz-jkfit: ",
        ],
        "--basis cc-pvdz --fit-coulomb --auxiliary-basis H=def2-svp-jkfit,FOLDER/fit.nw": [
            "Coulomb by H=def2-svp-jkfit,",
            "correlation by H=def2-svp-jkfit,",
        ],
    }
    if world.rank == 0:
        folder.joinpath("molecule.xyz").write_text(xyz(FLUORIDE))
    world.sync()
    for words, lines in told.items():
        row = Row(f"--method ri-mp2 {words}", None)
        status, fields = run_command(words_of(row, folder), world, folder)
        assert status == 0
        assert len(fields["fitting_sets"]) == len(lines)
        out = capsys.readouterr().out
        assert world.rank != 0 or all(f"  fitting    {line}" in out for line in lines), out


def test_functionals_without_their_dispersion_are_refused_in_python():
    mol = molecule(HYDROGEN, "sto-3g")
    with pytest.raises(NotImplementedError, match="'b97-d' was made with a dispersion correction"):
        dft.RKS(mol, "b97-d").kernel()
    with pytest.raises(InputError, match="has no parameters for functional 'nonsense'"):
        dft.RKS(mol, "pbe").run(disp="d3bj:nonsense")

"""`atoll energy --method mrci` of open shells against full CI by PySCF, on any number of ranks."""

import atoll
import numpy as np
import pytest
from atoll.chem import InputError, Molecule, methods
from atoll.chem.correlation.multireference import checkpoints, start
from atoll.chem.molecules.options import checked
from projected_ci import projected
from pyscf import ao2mo, fci, gto, scf

MOLECULES = {  # atoms, basis, charge, unpaired electrons
    "hydroxyl": ("O 0 0 0; H 0 0 0.97", "sto-3g", 0, 1),
    "methylene": ("C 0 0 0; H 0 0.99 0.33; H 0 -0.99 0.33", "sto-3g", 0, 2),
    "singlet": ("C 0 0 0; H 0 0.99 0.33; H 0 -0.99 0.33", "sto-3g", 0, 0),
    "hydrogens": ("H 0 0 0; H 0 0.9 0.2; H 0 -0.9 0.3; H 0 0.1 1.4", "6-31g", 1, 1),
    "quartet": ("N 0 0 0; H 0 0 1.1", "sto-3g", 1, 3),
}


@pytest.fixture(autouse=True)
def few_determinants_to_start_from(monkeypatch):
    """So that small cases are not solved before the first iteration."""
    monkeypatch.setattr(start, "DETERMINANTS", 40)


@pytest.fixture
def file(world, tmp_path_factory):
    return str(world.broadcast(str(tmp_path_factory.mktemp("run") / "a.chk")))


@pytest.fixture(scope="module")
def theirs():
    made = {}

    def make(name):
        if name not in made:
            atoms, basis, charge, spin = MOLECULES[name]
            mol = gto.M(atom=atoms, basis=basis, charge=charge, spin=spin, verbose=0)
            made[name] = scf.ROHF(mol).run(conv_tol=1e-12)
        return made[name]

    return make


def calculation(name, active, group=None, **options):
    """What the command makes of its options, on all ranks or a group."""
    atoms, basis, charge, spin = MOLECULES[name]
    lines = [each.strip() for each in atoms.split(";")]
    text = "\n".join([str(len(lines)), name, *lines])
    molecule = Molecule.from_xyz(text, basis, charge, spin)
    known = checked({"basis": basis, "method": "mrci", "active": active, **options})
    return methods.calculation(molecule.mole, known, group or atoll.world())


@pytest.mark.parametrize(
    ("name", "active", "roots", "frozen"),
    [("hydroxyl", (3, 2), 2, 1), ("methylene", (4, 3), 2, 0), ("quartet", (5, 4), 1, 1)],
)
def test_states_are_those_of_the_projected_hamiltonian(name, active, roots, frozen, theirs):
    text = f"{active[0]},{active[1]}"
    outcome = calculation(name, text, roots=roots, frozen_core=bool(frozen)).run()
    expected = projected(theirs(name), *active, roots, frozen)
    assert outcome.converged
    assert outcome.facts["reference_energy"] == pytest.approx(theirs(name).e_tot, abs=1e-8)
    assert outcome.facts["determinants"] == expected.determinants
    states = outcome.facts["states"]
    energies, weights, with_q = (
        np.array([state[key] for state in states])
        for key in ("energy", "reference_weight", "energy_q")
    )
    assert energies == pytest.approx(expected.energies, abs=1e-8)
    assert weights == pytest.approx(expected.reference_weights, abs=1e-5)
    gained = expected.energies - expected.reference_energies
    corrected = expected.energies + (1 - expected.reference_weights) * gained
    assert with_q == pytest.approx(corrected, abs=1e-6)


def test_all_orbitals_active_give_full_configuration_interaction(theirs):
    mf = theirs("hydrogens")
    expected, vector = fci.FCI(mf).kernel()
    square = fci.spin_op.spin_square(vector, 8, mf.mol.nelec)[0]
    outcome = calculation("hydrogens", "3,8").run()
    assert outcome.energy == pytest.approx(expected, abs=1e-8)
    assert outcome.facts["states"][0]["spin_square"] == pytest.approx(square, abs=1e-5)


def lowest_singlet():
    atoms, basis, charge, spin = MOLECULES["singlet"]
    mf = scf.RHF(gto.M(atom=atoms, basis=basis, charge=charge, spin=spin, verbose=0)).run()
    n, electrons = mf.mo_coeff.shape[1], mf.mol.nelec
    one = mf.mo_coeff.T @ mf.get_hcore() @ mf.mo_coeff
    two = ao2mo.kernel(mf.mol, mf.mo_coeff)
    count = fci.cistring.num_strings(n, electrons[0])
    place, hamiltonian = fci.direct_spin1.pspace(one, two, n, electrons, np=count**2)
    energies, vectors = np.linalg.eigh(hamiltonian)
    for energy, vector in zip(energies, vectors.T, strict=True):
        whole = np.zeros(count**2)
        whole[place] = vector
        square = fci.spin_op.spin_square(whole.reshape(count, count), n, electrons)[0]
        if abs(square) < 1e-6:
            return energy + mf.energy_nuc()
    return None


def test_the_energy_is_that_of_the_multiplicity_asked_for(world):
    """Of methylene, whose lowest state is a triplet, beside all states of full CI."""
    expected = float(world.broadcast(lowest_singlet() if world.rank == 0 else None))
    outcome = calculation("singlet", "8,7", roots=3).run()
    assert outcome.missing == ""
    assert outcome.energy == pytest.approx(expected, abs=1e-8)
    assert sum(outcome.components.values()) == pytest.approx(expected, abs=1e-8)
    number = outcome.facts["state"]
    assert number > 1
    assert outcome.facts["states"][0]["multiplicity"] == pytest.approx(3)
    assert outcome.facts["states"][number - 1]["energy"] == outcome.energy
    assert outcome.facts["states"][number - 1]["multiplicity"] == pytest.approx(1, abs=1e-4)


def test_an_energy_that_cannot_be_given_is_told():
    outcome = calculation("singlet", "8,7", roots=1).run()
    assert outcome.converged
    assert np.isnan(outcome.energy)
    assert outcome.missing == (
        "none: the lowest state has multiplicity 3.000, and spin asks for 1; --roots N looks for "
        "more"
    )


def test_killed_it_goes_on_from_its_vectors_on_more_ranks(theirs, file, world, monkeypatch):
    first_rank = world.split(0 if world.rank == 0 else -1)
    if first_rank is not None:
        keep, kept = checkpoints.Keeper.keep, []

        def keep_and_die(*arguments):
            keep(*arguments)
            kept.append(arguments)
            if len(kept) == 4:
                raise RuntimeError("killed")

        with monkeypatch.context() as patch:
            patch.setattr(checkpoints.Keeper, "keep", keep_and_die)
            with pytest.raises(RuntimeError, match="killed"):
                calculation("methylene", "2,2", first_rank, chkfile=file).run()
    world.sync()
    again = calculation("methylene", "2,2", chkfile=file).run()
    whole = calculation("methylene", "2,2").run()
    assert again.facts["vector_iterations"] <= whole.facts["vector_iterations"] - 2
    expected = projected(theirs("methylene"), 2, 2, 1)
    assert again.energy == pytest.approx(float(expected.energies[0]), abs=1e-8)


@pytest.mark.parametrize(
    ("active", "more", "text"),
    [
        ("0,0", {}, r"active is \(0, 0\): 0 electrons cannot have 2 unpaired ones"),
        ("3,3", {}, r"expected 0 to 8 electrons, so that an even number of the molecule's 8"),
        ("2,1", {}, r"2 \+ 0 electrons do not fit in 1 orbitals"),
        ("8,8", {}, r"0 inactive and 8 active orbitals, the molecule has 7 in all"),
        ("4,3", {"roots": 10**6}, r"roots is 1000000, there are \d+ states"),
        ("4,3", {"density_fitting": True}, "density-fitting does not go with method 'mrci'"),
    ],
)
def test_what_a_triplet_cannot_have_is_refused(active, more, text):
    with pytest.raises(InputError, match=text):
        calculation("methylene", active, **more)

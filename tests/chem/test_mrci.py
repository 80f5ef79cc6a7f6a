"""MRCI against CISD, full CI and its own definition, all by PySCF; any number of ranks."""

import gc
import os
import resource

import atoll
import numpy as np
import pytest
from atoll import _core
from atoll.chem import mrci
from atoll.chem.correlation.multireference import start
from atoll.chem.correlation.multireference.compression import LARGEST_ERROR, compress, decompress
from projected_ci import projected
from pyscf import ao2mo, ci, fci, gto, mcscf, scf
from pyscf.fci import direct_spin1

MOLECULES = {
    "water": ("O 0 0 0; H 0 0 0.96; H 0.93 0 -0.24", "sto-3g", 0),
    "hydride": ("Li 0 0 0; H 0 0 1.8", "sto-3g", 0),
    "hydride, more": ("Li 0 0 0; H 0 0 1.8", "6-31g", 0),
    "hydroxyl": ("O 0 0 0; H 0 0 0.97", "sto-3g", 1),
    "methylene": ("C 0 0 0; H 0 0.99 0.33; H 0 -0.99 0.33", "sto-3g", 2),
}


@pytest.fixture(scope="module")
def mean_field():
    made = {}

    def make(name):
        if name not in made:
            atoms, basis, spin = MOLECULES[name]
            mol = gto.M(atom=atoms, basis=basis, spin=spin, verbose=0)
            made[name] = (scf.ROHF if spin else scf.RHF)(mol).run(conv_tol=1e-12)
        return made[name]

    return make


@pytest.fixture(autouse=True)
def few_determinants_to_start_from(monkeypatch):
    """So that small cases are not solved before the first iteration."""
    monkeypatch.setattr(start, "DETERMINANTS", 40)


CASES = [
    ("water", (4, 3), 2, 0),
    ("hydride, more", (2, 2), 2, 1),
    ("hydroxyl", (3, 2), 2, 1),
    ("methylene", (2, 2), 2, 0),
]


@pytest.mark.parametrize(("name", "active", "roots", "frozen"), CASES)
def test_energies_are_those_of_the_projected_hamiltonian(name, active, roots, frozen, mean_field):
    mf = mean_field(name)
    ours = mrci.MRCI(mf, active, roots, frozen).run()
    expected = projected(mf, *active, roots, frozen)
    assert ours.determinants == expected.determinants
    assert ours.converged
    assert np.atleast_1d(ours.e_tot) == pytest.approx(expected.energies, abs=1e-8)


@pytest.mark.parametrize(("bytes_", "memory"), [(8, 1 << 20), (200, 1), (1 << 22, 1)])
def test_any_size_of_segments_and_few_tables_give_the_same(bytes_, memory, mean_field):
    mf = mean_field("hydroxyl")
    expected = projected(mf, 3, 2, 1, 1).energies
    kind = {"segment_bytes": bytes_, "memory": memory, "store": "memory"}
    ours = mrci.MRCI(mf, (3, 2), 1, 1, **kind).run()
    assert ours.e_tot == pytest.approx(float(expected[0]), abs=1e-8)


@pytest.mark.parametrize(("compress", "memory"), [(True, 1 << 20), (False, 1 << 20), (True, 8000)])
def test_vectors_on_a_shared_file_give_the_same(compress, memory, mean_field, world, tmp_path):
    mf = mean_field("methylene")
    folder = str(world.broadcast(str(tmp_path)))
    ours = mrci.MRCI(
        mf,
        (2, 2),
        frozen=1,
        segment_bytes=1600,
        compress=compress,
        memory=memory,
        store="auto" if memory == 8000 else "file",
        scratch=folder,
    ).run()
    assert ours.file_bytes > 0
    assert os.listdir(folder) == []
    expected = projected(mf, 2, 2, 1, 1).energies
    assert ours.e_tot == pytest.approx(float(expected[0]), abs=1e-8)
    enough = mrci.MRCI(mf, (2, 2), frozen=1).run()
    assert enough.file_bytes == 0
    assert enough.make_rdm1() == pytest.approx(ours.make_rdm1(), abs=1e-5)


def test_a_failing_disk_is_told_on_all_ranks(mean_field, world, tmp_path):
    mf = mean_field("water")
    folder = str(world.broadcast(str(tmp_path)))
    ours = mrci.MRCI(mf, (4, 3), store="file", scratch=folder)
    gc.collect()  # files of PySCF's are written to when they are closed
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    if world.rank == world.size - 1:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            ours.kernel()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert os.listdir(folder) == []
    assert ours.kernel() == pytest.approx(projected(mf, 4, 3, 1).energies[0], abs=1e-8)


def test_compressed_numbers_are_within_the_bound():
    rng = np.random.default_rng(7)
    for count in (1, 127, 128, 5000):
        numbers = rng.normal(size=count) * 10.0 ** rng.uniform(-14, 2, size=count)
        record = compress(numbers)
        assert np.abs(decompress(record, count) - numbers).max() <= LARGEST_ERROR
        assert (decompress(compress(numbers, exact=True), count) == numbers).all()
        assert len(record) <= 8.01 * count + 2
    small = rng.normal(size=5000) * 1e-6
    assert len(compress(small)) < 8 * 5000 * 0.4
    assert len(compress(np.zeros(5000))) == len(compress(np.full(5000, 1e-13))) == 0
    for other in (1e300, np.inf):
        numbers = np.array([other, 1.0])
        assert (decompress(compress(numbers), 2) == numbers).all()


def test_states_of_one_representation_are_those_among_all(mean_field):
    atoms = "O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587"
    mol = gto.M(atom=atoms, basis="sto-3g", symmetry=True, verbose=0)
    mf = scf.RHF(mol).run(conv_tol=1e-12)
    expected, size, *_ = projected(mf, 4, 3, 3)
    of_each = {
        name: mrci.MRCI(mf, (4, 3), irrep=name, segment_bytes=1600) for name in ("A1", "B1", "A2")
    }
    assert of_each["A1"].run().e_tot == pytest.approx(expected[0], abs=1e-8)
    assert of_each["B1"].run().e_tot == pytest.approx(expected[1], abs=1e-8)
    of_each["B2"] = mrci.MRCI(mf, (4, 3), irrep="B2")
    assert sum(each.determinants for each in of_each.values()) == size
    with pytest.raises(ValueError, match="irrep is 'Eu': expected one of A1, B1, B2"):
        mrci.MRCI(mf, (4, 3), irrep="Eu")
    with pytest.raises(ValueError, match="the molecule has no symmetry"):
        mrci.MRCI(mean_field("water"), (4, 3), irrep="A1")


def test_tables_that_do_not_fit_are_refused():
    starts, columns, values = np.array([0, 1]), np.array([3], dtype=np.int32), np.ones(1)
    vector, sigma = np.ones((2, 5)), np.zeros((1, 5))
    with pytest.raises(ValueError, match="columns that the vector has"):
        _core.add_sigma_rows(starts, columns, values, vector, sigma)
    with pytest.raises(ValueError, match="columns of the vector"):
        _core.add_sigma_columns(starts, columns, values, vector, sigma)
    with pytest.raises(ValueError, match="starts that ascend"):
        _core.add_sigma_rows(starts[:1], columns, values, vector, sigma)
    with pytest.raises(ValueError, match="pairs x pairs"):
        _core.same_spin_matrix(*2 * [np.array([1], dtype=np.uint64)], np.eye(2), np.eye(3))
    with pytest.raises(ValueError, match="a record of so many numbers"):
        _core.from_fixed_point(np.array([4, 1], dtype=np.uint8), 1.0, 3)


def test_no_active_orbitals_give_cisd(mean_field):
    mf = mean_field("hydride")
    theirs = ci.CISD(mf).run(conv_tol=1e-11)
    ours = mrci.MRCI(mf, (0, 0)).run()
    assert ours.e_tot == pytest.approx(theirs.e_tot, abs=1e-8)
    assert ours.e_corr == pytest.approx(theirs.e_corr, abs=1e-8)
    assert ours.e_ref == pytest.approx(mf.e_tot, abs=1e-8)
    weight = theirs.ci[0] ** 2  # normalised
    assert ours.reference_weight == pytest.approx(weight, abs=1e-6)
    corrected = theirs.e_tot + (1 - weight) * theirs.e_corr
    assert ours.e_tot_q == pytest.approx(corrected, abs=1e-7)
    assert ours.make_rdm1() == pytest.approx(theirs.make_rdm1(), abs=1e-5)


@pytest.mark.parametrize("name", ["water", "methylene"])
def test_all_orbitals_active_give_full_configuration_interaction(name, mean_field):
    mf = mean_field(name)
    n, electrons = mf.mo_coeff.shape[1], mf.mol.nelec
    solver = direct_spin1.FCI(mf.mol)
    solver.conv_tol = 1e-12
    h1 = mf.mo_coeff.T @ mf.get_hcore() @ mf.mo_coeff
    h2 = ao2mo.kernel(mf.mol, mf.mo_coeff)
    energy, vector = solver.kernel(h1, h2, n, electrons, ecore=mf.mol.energy_nuc())
    ours = mrci.MRCI(mf, (sum(electrons), n)).run()
    assert ours.e_tot == pytest.approx(energy, abs=1e-8)
    assert ours.e_tot_q == ours.e_tot == pytest.approx(ours.e_ref, abs=1e-10)
    density = solver.make_rdm1(vector, n, electrons)
    assert ours.make_rdm1() == pytest.approx(density, abs=1e-5)
    square, multiplicity = fci.spin_op.spin_square(vector, n, electrons)
    assert ours.spin_square() == pytest.approx((square, multiplicity), abs=1e-6)


def test_spins_of_states_are_told(mean_field):
    ours = mrci.MRCI(mean_field("hydride"), (2, 2), roots=3).run()
    squares = [ours.spin_square(root)[0] for root in range(3)]
    assert squares[:2] == pytest.approx([0.0, 2.0], abs=1e-6)  # singlet, triplet
    assert ours.spin_square(1)[1] == pytest.approx(3.0, abs=1e-6)


def test_active_spaces_of_pyscf_bring_their_own(mean_field):
    mf = mean_field("methylene")
    casscf = mcscf.CASSCF(mf, 3, (3, 1))
    casscf.kernel()
    ours = mrci.MRCI(casscf, frozen=1).run()
    same = mf.copy()
    same.mo_coeff = casscf.mo_coeff
    expected = projected(same, 4, 3, 1, 1).energies
    assert ours.e_tot == pytest.approx(float(expected[0]), abs=1e-8)
    singlet = mrci.MRCI(casscf, ((2, 2), 3), frozen=1).run()
    assert singlet.e_tot >= ours.e_tot - 1e-8
    assert mrci.MRCI(casscf, (4, 3), frozen=1).run().e_tot == pytest.approx(ours.e_tot, abs=1e-8)


def test_natural_orbitals_diagonalise_the_density(mean_field, world):
    mf = mean_field("water")
    ours = mrci.MRCI(mf, (4, 3), frozen=[0]).run()
    occupations, orbitals = ours.make_natorbs()
    assert occupations.sum() == pytest.approx(10, abs=1e-10)
    assert occupations[0] == pytest.approx(2.0, abs=1e-12)
    assert (np.diff(occupations) <= 1e-12).all()
    density = (orbitals * occupations) @ orbitals.T
    assert density == pytest.approx(ours.make_rdm1(ao_repr=True), abs=1e-10)
    everywhere = world.reduce(np.array([ours.e_tot, -ours.e_tot]), "max")
    assert everywhere[0] == -everywhere[1]  # the same on all ranks


def test_external_orbitals_can_be_left_out(mean_field):
    mf = mean_field("hydride")
    ours = mrci.MRCI(mf, (0, 0), frozen=[0, 4, 5]).run()
    theirs = ci.CISD(mf, frozen=[0, 4, 5]).run(conv_tol=1e-11)
    assert ours.e_tot == pytest.approx(theirs.e_tot, abs=1e-8)


def test_a_small_subspace_converges_too(mean_field):
    mf = mean_field("hydride")
    expected = mrci.MRCI(mf, (2, 2), 2).run()
    ours = mrci.MRCI(mf, (2, 2), 2, max_space=1).run()
    assert ours.converged
    assert ours.e_tot == pytest.approx(expected.e_tot, abs=1e-8)
    short = mrci.MRCI(mf, (2, 2), 2, max_cycle=2).run()
    assert not short.converged
    assert len(short.iterations) == 2


WRONG = [
    ({"active": None}, ValueError, "active is None, expected"),
    ({"active": (3, 3)}, ValueError, r"active is \(3, 3\): expected 0 to 4 electrons"),
    ({"active": (6, 6)}, ValueError, r"active is \(6, 6\): expected 0 to 4 electrons"),
    ({"active": (4, 1)}, ValueError, r"2 \+ 2 electrons do not fit in 1 orbitals"),
    ({"active": (2, 6)}, ValueError, r"active is \(2, 6\): 1 inactive and 6 active"),
    ({"active": ((2, 1), 3)}, ValueError, "expected 0 to 4 electrons"),
    ({"active": (2,)}, ValueError, r"active is \(2,\), expected \(electrons, orbitals\)"),
    ({"active": "2,2"}, ValueError, "active is '2,2', expected"),
    ({"active": (2, 2), "frozen": [1]}, ValueError, r"frozen is \[1\], expected none of the act"),
    ({"active": (2, 2), "frozen": 7}, ValueError, "frozen is 7, expected 0 to 6"),
    ({"active": (2, 2), "roots": 0}, ValueError, "roots is 0"),
    ({"active": (4, 2), "frozen": [2, 3, 4, 5], "roots": 2}, ValueError, "at most 1, the"),
    ({"active": (2, 2), "memory": 0}, ValueError, "memory is 0"),
    ({"active": (2, 2), "conv_tol": 0.0}, ValueError, "conv_tol is 0.0"),
]


@pytest.mark.parametrize(("arguments", "kind", "text"), WRONG)
def test_wrong_arguments_are_named(arguments, kind, text, mean_field):
    with pytest.raises(kind, match=text):
        mrci.MRCI(mean_field("hydride"), **arguments)


def test_orbitals_that_differ_between_spins_are_refused(mean_field):
    mol = mean_field("methylene").mol
    with pytest.raises(TypeError, match=r"mf.mo_coeff has shape \(2, 7, 7\)"):
        mrci.MRCI(scf.UHF(mol).run(), (2, 2))
    with pytest.raises(RuntimeError, match="no orbitals yet"):
        mrci.MRCI(scf.ROHF(mol), (2, 2))
    with pytest.raises(ValueError, match="2 unpaired"):
        mrci.MRCI(mean_field("methylene"), (0, 0))
    ours = mrci.MRCI(mean_field("methylene"), (2, 2))
    with pytest.raises(RuntimeError, match="not been computed"):
        _ = ours.e_tot
    with pytest.raises(ValueError, match="root is 1"):
        ours.run().make_rdm1(1)


def test_what_one_rank_passes_wrongly_is_raised_on_all(mean_field):
    mf = mean_field("hydride")
    last = atoll.rank() == atoll.size() - 1
    with pytest.raises(ValueError, match="roots is 0"):
        mrci.MRCI(mf, (2, 2), roots=0 if last else 1)
    if atoll.size() > 1:
        with pytest.raises(RuntimeError):
            mrci.MRCI(mf, (2, 2), roots=2 if last else 1)


def test_orbitals_of_rank_0_count_where_signs_differ(mean_field):
    mf = mean_field("hydride").copy()
    expected = mrci.MRCI(mf, (2, 2)).run()
    mf.mo_coeff = mf.mo_coeff.copy()
    if atoll.rank() > 0:
        mf.mo_coeff[:, ::2] *= -1
    ours = mrci.MRCI(mf, (2, 2)).run()
    assert ours.e_tot == pytest.approx(expected.e_tot, abs=1e-10)
    assert ours.make_rdm1(ao_repr=True) == pytest.approx(expected.make_rdm1(ao_repr=True), abs=1e-5)

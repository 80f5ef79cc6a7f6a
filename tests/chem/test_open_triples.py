"""The (T) correction of open shells against PySCF's: any number of ranks, tiles, broken off."""

import itertools

import atoll
import numpy as np
import pytest
from atoll import _core
from atoll.chem.correlation.coupled_cluster import open_triples, triples
from atoll.chem.correlation.coupled_cluster.open_triples_tasks import Orbitals, make_tasks
from atoll.chem.correlation.coupled_cluster.triples_tasks import cut
from pyscf import cc, gto, lib, scf

MOLECULES = {  # atoms, basis, spin, charge, frozen orbitals, restricted
    "hydroxyl": ("O 0 0 0; H 0 0 0.97", "6-31g", 1, 0, 0, False),
    "oxygen": ("O 0 0 0; O 0 0 1.2", "6-31g", 2, 0, 2, False),
    "amino": ("N 0 0 0; H 0 0.8 0.6; H 0 -0.8 0.6", "6-31g", 1, 0, 1, True),
    "oxygen, restricted": ("O 0 0 0; O 0 0 1.2", "sto-3g", 2, 0, 0, True),
    "water, closed": ("O 0 0 0; H 0 0 0.96; H 0.93 0 -0.24", "sto-3g", 0, 0, 0, False),
    "lithium": ("Li 0 0 0", "6-31g*", 1, 0, 0, False),
    "hydrogen": ("H 0 0 0; H 0 0 0.74", "6-31g", 0, 0, 0, False),
}
MEMORY = 1 << 26
ARRAYS = ("t1a", "t1b", "t2aa", "t2ab", "t2bb", *open_triples.Integrals._fields)
NUMBERS = ("e_o_a", "e_o_b", "e_v_a", "e_v_b", "fov_a", "fov_b")


def semicanonical(mf):
    """Orbitals of ROHF, turned so that both Fock matrices are diagonal in both of their blocks."""
    turned = scf.UHF(mf.mol)
    coefficients, energies, occupations = [], [], []
    fock = mf.get_fock()
    for spin, matrix in enumerate((fock.focka, fock.fockb)):
        occupied = mf.mo_occ > spin
        own = [mf.mo_coeff[:, occupied], mf.mo_coeff[:, ~occupied]]
        solved = [np.linalg.eigh(c.T @ matrix @ c) for c in own]
        coefficients.append(np.hstack([c @ u for c, (_, u) in zip(own, solved, strict=True)]))
        energies.append(np.hstack([e for e, _ in solved]))
        occupations.append(np.sort(occupied.astype(float))[::-1])
    turned.mo_coeff, turned.mo_energy = np.array(coefficients), np.array(energies)
    turned.mo_occ, turned.e_tot, turned.converged = np.array(occupations), mf.e_tot, True
    return turned


def by_pyscf(name):
    atoms, basis, spin, charge, frozen, restricted = MOLECULES[name]
    molecule = gto.M(atom=atoms, basis=basis, spin=spin, charge=charge, verbose=0)
    if restricted:
        mf = semicanonical(scf.ROHF(molecule).run(conv_tol=1e-13))
    else:
        mf = scf.UHF(molecule).run(conv_tol=1e-13)
    # Any amplitudes do: no need that they have converged.
    uccsd = cc.UCCSD(mf, frozen=frozen).run(max_cycle=4)
    eris = uccsd.ao2mo()
    known = dict(zip(("t1a", "t1b"), uccsd.t1, strict=True))
    known |= zip(("t2aa", "t2ab", "t2bb"), uccsd.t2, strict=True)
    counts = dict(zip("ovOV", (*uccsd.t1[0].shape, *uccsd.t1[1].shape), strict=True))
    for field in open_triples.Integrals._fields:
        array = np.asarray(getattr(eris, field))
        if field.upper().endswith("VVV"):
            o, a, b, _ = (counts[letter] for letter in field)
            array = lib.unpack_tril(array.reshape(o * a, -1)).reshape(o, a, b, b)
        known[field] = array.reshape([counts[letter] for letter in field])
    for index, letter in enumerate("ab"):
        occupied = len(uccsd.t1[index])
        known[f"e_o_{letter}"] = eris.mo_energy[index][:occupied]
        known[f"e_v_{letter}"] = eris.mo_energy[index][occupied:]
        known[f"fov_{letter}"] = (eris.focka, eris.fockb)[index][:occupied, occupied:]
    known["restricted"] = restricted
    known["(T)"] = uccsd.ccsd_t(eris=eris)
    if not restricted:
        known["[T]"] = uccsd.ccsd_t(t1=[0 * t1 for t1 in uccsd.t1], eris=eris)
    return known


@pytest.fixture(scope="module")
def reference():
    """What PySCF has computed on the first rank: degenerate orbitals turn freely."""
    made = {}

    def make(name="hydroxyl"):
        if name not in made:
            root = atoll.rank() == 0
            known = by_pyscf(name) if root else None
            made[name] = {
                each: atoll.world().broadcast(np.array(known[each], order="C") if root else None)
                for each in (*ARRAYS, *NUMBERS, "(T)", "[T]", "restricted")
                if not (each == "[T]" and MOLECULES[name][-1])
            }
        return made[name]

    return make


def correction(known, group=None, **options):
    group = atoll.world() if group is None else group
    arrays = [atoll.from_numpy(known[name], group=group) for name in ARRAYS]
    numbers = [known[name] for name in NUMBERS]
    if known["restricted"]:
        options = {"fock": tuple(numbers[4:]), **options}
    return open_triples.correction(
        group,
        tuple(arrays[:2]),
        tuple(arrays[2:5]),
        open_triples.Integrals(*arrays[5:]),
        tuple(numbers[:2]),
        tuple(numbers[2:4]),
        **{"memory": MEMORY, **options},
    )


@pytest.mark.parametrize("name", MOLECULES)
def test_energies_are_those_of_pyscf(name, reference, world):
    known = reference(name)
    found = correction(known)
    assert found.energy == pytest.approx(float(known["(T)"]), abs=1e-9)
    if "[T]" in known:
        assert found.bracket == pytest.approx(float(known["[T]"]), abs=1e-9)
    everywhere = world.reduce(np.array([found.energy, -found.energy]), "max")
    assert everywhere[0] == -everywhere[1]  # the same on all ranks


def test_of_closed_shells_it_is_that_of_closed_shells(reference, world):
    known = reference("water, closed")
    names = ("t1a", "t2ab", "ovov", "ovvv", "ovoo")
    arrays = [atoll.from_numpy(known[name], group=world) for name in names]
    expected = triples.correction(world, *arrays, known["e_o_a"], known["e_v_a"], memory=MEMORY)
    found = correction(known)
    assert found.energy == pytest.approx(expected.energy, abs=1e-10)
    assert found.bracket == pytest.approx(expected.bracket, abs=1e-10)


def random_problem(counts):
    """Random numbers with the symmetries of amplitudes and integrals."""
    rng = np.random.default_rng(sum(counts))
    lengths = dict(zip("ovOV", counts, strict=True))
    axes = {"t1a": "ov", "t1b": "OV", "t2aa": "oovv", "t2ab": "oOvV", "t2bb": "OOVV"}
    axes |= {name: name for name in open_triples.Integrals._fields}
    axes |= {"e_o_a": "o", "e_o_b": "O", "e_v_a": "v", "e_v_b": "V", "fov_a": "ov", "fov_b": "OV"}
    known = {
        name: rng.normal(size=[lengths[letter] for letter in letters])
        for name, letters in axes.items()
    }
    for name in ("t2aa", "t2bb"):
        known[name] -= known[name].transpose(1, 0, 2, 3)
        known[name] -= known[name].transpose(0, 1, 3, 2)
    for name in ("ovov", "OVOV"):
        known[name] += known[name].transpose(2, 3, 0, 1)
    for name in open_triples.Integrals._fields:
        if name[2:] not in ("ov", "OV"):
            known[name] += known[name].transpose(0, 1, 3, 2)
    for letter in "ab":
        known[f"e_o_{letter}"] = -1 - abs(known[f"e_o_{letter}"])
        known[f"e_v_{letter}"] = 1 + abs(known[f"e_v_{letter}"])
    return {**known, "restricted": True}


def of_spin_orbitals(known, letters):
    """An array of all spin orbitals from blocks by name: zero where a letter has another spin."""
    lengths = dict(zip("ovOV", (*known["t1a"].shape, *known["t1b"].shape), strict=True))
    whole = np.zeros([lengths[x] + lengths[x.upper()] for x in letters])
    for name in {"ov" + x for x in ("ov", "vv", "oo")}:
        if name != letters:
            continue
        for spins in itertools.product((str.lower, str.upper), repeat=2):
            block = spins[0](name[:2]) + spins[1](name[2:])
            key = tuple(
                slice(lengths[x.lower()], None) if x.isupper() else slice(lengths[x]) for x in block
            )
            values = known["ovOV"].transpose(2, 3, 0, 1) if block == "OVov" else known[block]
            whole[key] = values
    return whole


def doubles_of_spin_orbitals(known):
    (o, v), (other_o, other_v) = known["t1a"].shape, known["t1b"].shape
    t2 = np.zeros((o + other_o, o + other_o, v + other_v, v + other_v))
    t2[:o, :o, :v, :v], t2[o:, o:, v:, v:] = known["t2aa"], known["t2bb"]
    mixed = known["t2ab"]
    t2[:o, o:, :v, v:] = mixed
    t2[o:, :o, v:, :v] = mixed.transpose(1, 0, 3, 2)
    t2[o:, :o, :v, v:] = -mixed.transpose(1, 0, 2, 3)
    t2[:o, o:, v:, :v] = -mixed.transpose(0, 1, 3, 2)
    return t2


def cyclic(x):
    """Sum x_ijkabc over cyclic i, j, k and cyclic a, b, c."""
    turns = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    return sum(x.transpose(*o, *(3 + n for n in v)) for o in turns for v in turns)


def by_einsum(known):
    """[T] and (T) as Watts, Gauss and Bartlett write them, over all spin orbitals."""

    def diagonal(x, y):
        whole = np.zeros(np.add(x.shape, y.shape))
        whole[: x.shape[0], : x.shape[1]], whole[x.shape[0] :, x.shape[1] :] = x, y
        return whole

    t1, f = (diagonal(known[f"{name}a"], known[f"{name}b"]) for name in ("t1", "fov_"))
    t2 = doubles_of_spin_orbitals(known)
    ovov, ovvv, ovoo = (of_spin_orbitals(known, name) for name in ("ovov", "ovvv", "ovoo"))
    ooVV = np.einsum("jbkc->jkbc", ovov) - np.einsum("jckb->jkbc", ovov)
    vovv = np.einsum("icdb->dibc", ovvv) - np.einsum("ibdc->dibc", ovvv)
    ovoo = np.einsum("kajl->lajk", ovoo) - np.einsum("jakl->lajk", ovoo)
    w = np.einsum("jkad,dibc->ijkabc", t2, vovv) - np.einsum("ilbc,lajk->ijkabc", t2, ovoo)
    v = np.einsum("ia,jkbc->ijkabc", t1, ooVV) + np.einsum("ia,jkbc->ijkabc", f, t2)
    w, v = cyclic(w), cyclic(v)
    e_o = np.concatenate([known["e_o_a"], known["e_o_b"]])
    e_v = np.concatenate([known["e_v_a"], known["e_v_b"]])
    d = (e_o[:, None, None] + e_o[:, None] + e_o)[..., None, None, None]
    d = d - (e_v[:, None, None] + e_v[:, None] + e_v)
    return np.sum(w * w / d) / 36, np.sum(w * (w + v) / d) / 36


@pytest.mark.parametrize(
    "counts",  # o and v of alpha, and of beta
    [(4, 5, 3, 6), (2, 6, 5, 3), (1, 4, 2, 3), (3, 2, 1, 1), (4, 4, 0, 6), (0, 0, 3, 3)],
)
def test_the_kernel_sums_what_the_formula_says(counts):
    known = random_problem(counts)
    bracket, energy = by_einsum(known)
    for tile in (4, 2, 1):
        found = correction(known, tile=tile)
        assert found.bracket == pytest.approx(bracket, rel=1e-11)
        assert found.energy == pytest.approx(energy, rel=1e-11)
    canonical = correction(known, fock=None)
    without = {**known, "fov_a": 0 * known["fov_a"], "fov_b": 0 * known["fov_b"]}
    assert canonical.energy == pytest.approx(by_einsum(without)[1], rel=1e-11)


@pytest.mark.parametrize("counts", [(1, 5, 1, 5), (2, 5, 0, 5), (5, 2, 0, 4), (0, 3, 0, 3)])
def test_without_triples_there_is_nothing(counts):
    found = correction(random_problem(counts))
    assert (found.energy, found.bracket, found.tasks) == (0, 0, 0)


def test_tiles_and_ranks_give_the_same(reference, world):
    known = reference()
    expected = correction(known, tile=3).energy
    alone = world.split(world.rank)
    assert correction(known, alone, tile=3).energy == pytest.approx(expected, abs=1e-13)
    for tile in (1, 5, 100):
        found = correction(known, tile=tile)
        assert found.energy == pytest.approx(expected, abs=1e-12)
        assert found.tile == min(tile, 7)
    assert correction(known, tile=100).tasks == 4  # fewer than ranks, if these are five


def test_tasks_have_each_triple_once():
    for counts, width in (((5, 7, 4, 8), 3), ((2, 9, 1, 4), 4), ((3, 4, 3, 4), 9)):
        orbitals = {"a": Orbitals(*counts[:2]), "b": Orbitals(*counts[2:])}
        tiles = {spin: cut(orbitals[spin].virtual, width) for spin in "ab"}
        tasks = make_tasks(orbitals, tiles)
        found = []
        for task in tasks:
            spins = (task.spin, task.spin, task.spin_c)
            numbers = (task.a, task.b, task.c)
            ranges = [
                range(tiles[spin][x].start, tiles[spin][x].stop)
                for spin, x in zip(spins, numbers, strict=True)
            ]
            found += [
                (task.spin_c, tuple(sorted([(task.spin, a), (task.spin, b), (task.spin_c, c)])))
                for a, b, c in itertools.product(*ranges)
                if (a > b or not task.same_ab) and (b > c or not task.same_bc)
            ]
        expected = []
        for spin, other in itertools.product("ab", "ab"):
            if orbitals[spin].occupied < (3 if spin == other else 2):
                continue
            both = list(itertools.combinations(range(orbitals[spin].virtual), 3))
            if spin != other:
                pairs = itertools.combinations(range(orbitals[spin].virtual), 2)
                both = [(*x, c) for x in pairs for c in range(orbitals[other].virtual)]
            expected += [
                (other, tuple(sorted([(spin, a), (spin, b), (other, c)]))) for a, b, c in both
            ]
        assert sorted(found) == sorted(expected)
        costs = [task.cost for task in tasks]
        assert costs == sorted(costs, reverse=True)


@pytest.fixture
def folder(world, tmp_path_factory):
    return str(world.broadcast(str(tmp_path_factory.mktemp("triples") / "run")))


def stop_after(count):
    """What `progress` may be, on the first rank, to break off."""
    shares = []

    def progress(share):
        shares.append(share)
        if len(shares) == count:
            raise RuntimeError(f"after {count} tasks")

    return progress


@pytest.mark.parametrize("done", [1, 7])
def test_broken_off_it_goes_on_with_more_ranks(done, reference, world, folder):
    known = reference()
    alone = world.split(world.rank)
    if world.rank == 0:
        with pytest.raises(RuntimeError, match=f"after {done} tasks"):
            correction(
                known, alone, tile=3, checkpoint=folder, interval=0, progress=stop_after(done)
            )
    world.sync()
    again = correction(known, checkpoint=folder)
    assert (again.tile, again.resumed) == (3, done)  # as the first run had it
    assert again.energy == pytest.approx(float(known["(T)"]), abs=1e-9)
    finished = correction(known, checkpoint=folder)
    assert (finished.energy, finished.bracket) == (again.energy, again.bracket)
    assert (finished.resumed, finished.flops) == (again.tasks, 0)


def test_what_the_first_rank_raises_stops_all(reference, folder):
    known = reference()
    with pytest.raises(RuntimeError, match="after 1 tasks"):
        correction(known, tile=3, checkpoint=folder, interval=0, progress=stop_after(1))
    again = correction(known, checkpoint=folder)
    assert 0 < again.resumed <= again.tasks
    assert again.energy == pytest.approx(float(known["(T)"]), abs=1e-9)


def test_a_checkpoint_of_another_calculation_is_refused(reference, folder, world):
    known = reference()
    correction(known, tile=3, checkpoint=folder)
    for name in ("t1b", "t2ab", "OVoo", "ovVV"):
        other = {**known, name: known[name] * (1 + 1e-7)}
        with pytest.raises(ValueError, match=r"another calculation is saved \(5 \+ 4 occ"):
            correction(other, checkpoint=folder)
    fock = (known["fov_a"] + 1e-7, known["fov_b"])
    with pytest.raises(ValueError, match="another calculation"):
        correction(known, checkpoint=folder, fock=fock)
    shifted = {**known, "e_v_b": known["e_v_b"] + 1e-7}
    with pytest.raises(ValueError, match="another calculation"):
        correction(shifted, checkpoint=folder)
    with pytest.raises(ValueError, match="tile is 2, expected 3"):
        correction(known, tile=2, checkpoint=folder)
    names = ("t1a", "t2aa", "ovov", "ovvv", "ovoo")
    arrays = [atoll.from_numpy(known[name], group=world) for name in names]
    with pytest.raises(ValueError, match="another calculation"):
        triples.correction(
            world, *arrays, known["e_o_a"], known["e_v_a"], memory=MEMORY, checkpoint=folder
        )


def test_progress_rises_to_one(reference, world):
    shares = []
    correction(reference(), tile=3, progress=shares.append)
    if world.rank == 0:
        assert shares == sorted(shares)
        assert shares[-1] == 1
    else:
        assert shares == []


def test_wrong_arguments_are_named(reference, world):
    known = reference()
    for name, shape in (
        ("t2ab", r"\(5, 4, 6, 7\)"),
        ("ovOV", r"\(5, 6, 4, 7\)"),
        ("OVvv", r"\(4, 7, 6, 6\)"),
        ("OVOO", r"\(4, 7, 4, 4\)"),
    ):
        cropped = {**known, name: np.ascontiguousarray(known[name][1:])}
        with pytest.raises(ValueError, match=rf"{name} has shape \(., .*expected {shape}"):
            correction(cropped)
    with pytest.raises(ValueError, match=r"virtual_energies of beta has shape \(6,\), expected"):
        correction({**known, "e_v_b": known["e_v_b"][1:]})
    with pytest.raises(ValueError, match=r"fock of alpha has shape \(6, 5\), expected \(5, 6\)"):
        correction(known, fock=(known["fov_a"].T, known["fov_b"]))
    with pytest.raises(ValueError, match=r"fock is a ndarray, expected a pair of arrays"):
        correction(known, fock=known["fov_a"])
    with pytest.raises(ValueError, match="t1b has shape"):
        correction({**known, "t1b": known["t1b"].ravel()})
    with pytest.raises(TypeError, match="t2bb is of float32"):
        correction({**known, "t2bb": known["t2bb"].astype(np.float32)})
    with pytest.raises(ValueError, match=r"memory is 1000, expected \d+ bytes at least"):
        correction(known, memory=1000)
    one_rank = world.rank == world.size - 1
    with pytest.raises(ValueError, match="memory is 0"):
        correction(known, memory=0 if one_rank else MEMORY)


def test_little_memory_means_narrow_tiles(reference):
    known = reference()
    wide, narrow = correction(known, memory=MEMORY), correction(known, memory=100_000)
    assert narrow.tile < wide.tile
    assert narrow.energy == pytest.approx(wide.energy, abs=1e-12)


def test_parts_of_another_size_are_refused_by_the_kernel():
    shapes = {  # two b; one c in four lanes; three occupied orbitals and pairs
        "products": [(3, 2, 3, 4), (2, 3, 3, 4), (2, 3, 3, 4)],
        "partners": [(1, 2, 3, 3, 4), (1, 3, 3, 4), (1, 2, 3, 3)],
        "singles": [(1, 3), (1, 2, 3), (1, 3, 4)],
    }

    def run(lanes=4, **changed):
        given = {
            name: tuple(np.zeros(shape) for shape in each)
            for name, each in {**shapes, **changed}.items()
        }
        return _core.same_spin_triples(
            **given,
            occupied_energies=(-np.ones(3),) * 2,
            energies=(1.0, np.ones(2), np.ones(lanes)),
            count_c=1,
            same_bc=False,
        )

    assert run() == (0, 0)
    with pytest.raises(ValueError, match="products of b has shape 3 x 2 x 3 x 4, expected 2 x 3"):
        run(products=[(3, 2, 3, 4), (3, 2, 3, 4), (2, 3, 3, 4)])
    with pytest.raises(ValueError, match="partners of ab has shape 1 x 2 x 3 x 2, expected 1 x"):
        run(partners=[*shapes["partners"][:2], (1, 2, 3, 2)])
    with pytest.raises(ValueError, match="singles are of 3 kinds, expected 1 or 2"):
        run(singles=[(3, 3), (3, 2, 3), (3, 3, 4)])
    with pytest.raises(ValueError, match="there are 6 lanes, expected 1 or more, 4 or a multiple"):
        run(lanes=6)

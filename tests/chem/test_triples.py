"""The (T) correction against PySCF's: any number of ranks, any tiles, broken off and not."""

import itertools
import os
from types import SimpleNamespace

import atoll
import numpy as np
import pytest
from atoll import _core
from atoll.chem.correlation.coupled_cluster import triples, triples_record
from atoll.chem.correlation.coupled_cluster.triples_fetching import Fetcher
from atoll.chem.correlation.coupled_cluster.triples_run import cut_runs
from atoll.chem.correlation.coupled_cluster.triples_tasks import cut, make_tasks
from pyscf import cc, gto, scf

MOLECULES = {  # atoms, basis, frozen orbitals
    "water": ("O 0 0 0; H 0 0 0.96; H 0.93 0 -0.24", "6-31g", 0),
    "nitrogen": ("N 0 0 0; N 0 0 1.1", "6-31g", 2),
    "hydrogen fluoride": ("H 0 0 0; F 0 0 0.92", "cc-pvdz", 1),
    "more occupied than virtual": ("N 0 0 0; N 0 0 1.1", "sto-3g", 0),
    "one pair": ("H 0 0 0; H 0 0 0.74", "6-31g", 0),
}
MEMORY = 1 << 26
ARRAYS = ("t1", "t2", "ovov", "ovvv", "ovoo")


def by_pyscf(name):
    atoms, basis, frozen = MOLECULES[name]
    mf = scf.RHF(gto.M(atom=atoms, basis=basis, verbose=0)).run(conv_tol=1e-12)
    ccsd = cc.CCSD(mf, frozen=frozen).run(conv_tol=1e-8)
    eris = ccsd.ao2mo()
    occupied = len(ccsd.t1)
    return {
        "t1": ccsd.t1,
        "t2": ccsd.t2,
        "ovov": np.asarray(eris.ovov),
        "ovvv": eris.get_ovvv(),
        "ovoo": np.asarray(eris.ovoo),
        "occupied_energies": eris.mo_energy[:occupied],
        "virtual_energies": eris.mo_energy[occupied:],
        "(T)": ccsd.ccsd_t(eris=eris),
        "[T]": ccsd.ccsd_t(t1=0 * ccsd.t1, eris=eris),
    }


@pytest.fixture(scope="module")
def reference():
    """What PySCF has computed on the first rank: degenerate orbitals turn freely."""
    made = {}

    def make(name="water"):
        if name not in made:
            root = atoll.rank() == 0
            known = by_pyscf(name) if root else None
            names = [*ARRAYS, "occupied_energies", "virtual_energies", "(T)", "[T]"]
            made[name] = {
                each: atoll.world().broadcast(np.array(known[each], order="C") if root else None)
                for each in names
            }
        return made[name]

    return make


def correction(known, group=None, **options):
    group = atoll.world() if group is None else group
    arrays = [atoll.from_numpy(known[name], group=group) for name in ARRAYS]
    energies = known["occupied_energies"], known["virtual_energies"]
    return triples.correction(group, *arrays, *energies, **{"memory": MEMORY, **options})


@pytest.mark.parametrize("name", MOLECULES)
def test_energies_are_those_of_pyscf(name, reference, world):
    known = reference(name)
    found = correction(known)
    assert found.energy == pytest.approx(float(known["(T)"]), abs=1e-9)
    assert found.bracket == pytest.approx(float(known["[T]"]), abs=1e-9)
    everywhere = world.reduce(np.array([found.energy, -found.energy]), "max")
    assert everywhere[0] == -everywhere[1]  # the same on all ranks


@pytest.mark.parametrize("tile", [1, 3, 5, 13, 100])
def test_tiles_of_any_width_give_the_same(tile, reference):
    known = reference("hydrogen fluoride")  # 19 virtual orbitals; 13: five in lanes for eight
    found = correction(known, tile=tile)
    assert found.energy == pytest.approx(correction(known).energy, abs=1e-12)
    assert found.tile == min(tile, known["t1"].shape[1])


def test_any_ranks_give_the_same(reference, world):
    known = reference()
    alone = world.split(world.rank)
    assert correction(known, alone).energy == pytest.approx(correction(known).energy, abs=1e-13)
    assert correction(known, tile=100).tasks == 1  # fewer than ranks


def random_problem(o, v):
    rng = np.random.default_rng(o)
    known = {
        "t1": rng.normal(size=(o, v)),
        "t2": rng.normal(size=(o, o, v, v)),
        "ovov": rng.normal(size=(o, v, o, v)),
        "ovvv": rng.normal(size=(o, v, v, v)),
        "ovoo": rng.normal(size=(o, v, o, o)),
        "occupied_energies": -1 - rng.random(o),
        "virtual_energies": 1 + rng.random(v),
    }
    known["t2"] += known["t2"].transpose(1, 0, 3, 2)
    known["ovov"] += known["ovov"].transpose(2, 3, 0, 1)
    return known


def orders_of_pairs(x):
    """Sum x_ijkabc over the orders of the pairs ia, jb and kc."""
    orders = itertools.permutations(range(3))
    return sum(x.transpose(*order, *(3 + n for n in order)) for order in orders)


def by_einsum(known):
    """(T) as Rendell, Lee and Komornicki write it, over all i, j, k, a, b and c."""
    t1, t2, ovov, ovvv, ovoo = (known[name] for name in ARRAYS)
    w = np.einsum("iabd,kjcd->ijkabc", ovvv, t2) - np.einsum("kcjl,ilab->ijkabc", ovoo, t2)
    w = orders_of_pairs(w)
    disconnected = np.einsum("ia,jbkc->ijkabc", t1, ovov)
    v = w + orders_of_pairs(disconnected) / 2  # each is met twice
    e_o, e_v = known["occupied_energies"], known["virtual_energies"]
    d = e_o[:, None, None] + e_o[:, None] + e_o
    d = d[..., None, None, None] - e_v[:, None, None] - e_v[:, None] - e_v
    contrast = 4 * w + w.transpose(1, 2, 0, 3, 4, 5) + w.transpose(2, 0, 1, 3, 4, 5)
    return np.sum(contrast * (v - v.transpose(2, 1, 0, 3, 4, 5)) / d) / 3


@pytest.mark.parametrize("occupied", [1, 2, 3, 4, 5, 6, 7, 9, 13])  # rows go in runs of up to six
def test_the_kernel_sums_what_the_formula_says(occupied):
    known = random_problem(occupied, 6)
    expected = by_einsum(known)
    for tile in (6, 4, 1):  # lanes for eight orbitals, and for four
        found = correction(known, tile=tile)
        assert found.energy == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_tasks_have_each_triple_once():
    for virtual, width in ((7, 3), (10, 4), (9, 9), (17, 8), (5, 1)):
        tiles = cut(virtual, width)
        found = []
        for task in make_tasks(tiles):
            a, b, c = (range(tiles[x].start, tiles[x].stop) for x in (task.a, task.b, task.c))
            found += [
                tuple(sorted(x))
                for x in itertools.product(a, b, c)
                if (not task.same_ab or x[0] >= x[1]) and (not task.same_bc or x[1] >= x[2])
            ]
        expected = list(itertools.combinations_with_replacement(range(virtual), 3))
        assert sorted(found) == expected
    costs = [task.cost for task in make_tasks(cut(20, 8))]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("ranks", [1, 3, 100])
def test_runs_hold_every_task_once_and_the_last_ones_are_single(ranks):
    costs = [9] * 40 + [1] * 20
    runs = cut_runs(costs, ranks)
    assert [task for run in runs for task in run] == list(range(60))
    long_ones = [run for run in runs if len(run) > 1]
    assert all(2 * ranks * sum(costs[task] for task in run) < sum(costs) for run in long_ones)
    assert len(runs[-1]) == 1
    assert cut_runs([], ranks) == []


def test_tiles_of_earlier_tasks_stay_while_there_is_room():
    asked = []

    def ask(part):
        asked.append(part)
        return SimpleNamespace(nbytes=10)

    fetcher = Fetcher(ask, room=20)
    for tiles in ([0, 1], [2], [0], [3], [2], [1]):
        wanted = fetcher.begin([("left", tile) for tile in tiles])
        assert list(wanted) == [("left", tile) for tile in tiles]
    # At 3 there is room for two of 0, 1 and 2; 1 was needed least lately.
    assert [tile for _, tile in asked] == [0, 1, 2, 3, 1]


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


@pytest.mark.parametrize("done", [1, 4])
def test_broken_off_it_goes_on_with_more_ranks(done, reference, world, folder):
    known = reference()
    alone = world.split(world.rank)
    if world.rank == 0:
        with pytest.raises(RuntimeError, match=f"after {done} tasks"):
            correction(
                known, alone, tile=2, checkpoint=folder, interval=0, progress=stop_after(done)
            )
    world.sync()
    again = correction(known, checkpoint=folder)
    assert (again.tile, again.resumed) == (2, done)  # as the first run had it
    assert again.energy == pytest.approx(float(known["(T)"]), abs=1e-9)


def test_what_the_first_rank_raises_stops_all(reference, folder):
    known = reference()
    with pytest.raises(RuntimeError, match="after 1 tasks"):
        correction(known, tile=2, checkpoint=folder, interval=0, progress=stop_after(1))
    again = correction(known, checkpoint=folder)
    assert 0 < again.resumed <= again.tasks
    assert again.energy == pytest.approx(float(known["(T)"]), abs=1e-9)


def test_a_finished_one_is_not_done_again(reference, folder):
    known = reference()
    first = correction(known, checkpoint=folder)
    again = correction(known, checkpoint=folder)
    assert (again.energy, again.bracket) == (first.energy, first.bracket)
    assert (first.resumed, again.resumed) == (0, first.tasks)
    assert again.flops == 0


def test_energies_of_a_checkpoint_are_taken_as_they_are_by_fewer_ranks(reference, world, folder):
    known = reference()
    expected = correction(known, tile=3, checkpoint=folder)
    contents = atoll.checkpoint.load(folder)
    energies = contents["energies"]
    energies[2:] = np.nan
    energies[1] += [0.25, 0.5]
    atoll.checkpoint.save(folder, contents)
    some = world.split(0 if world.rank < max(1, world.size - 1) else -1)
    if some is not None:
        again = correction(known, some, checkpoint=folder)
        assert again.resumed == 2
        assert again.bracket == pytest.approx(expected.bracket + 0.25, abs=1e-12)
        assert again.energy == pytest.approx(expected.energy + 0.75, abs=1e-12)


def test_a_checkpoint_of_another_calculation_is_refused(reference, folder):
    known = reference()
    correction(known, tile=3, checkpoint=folder)
    for name in ("t1", "ovoo"):
        other = {**known, name: known[name] * (1 + 1e-7)}
        with pytest.raises(ValueError, match=r"another calculation is saved \(5 occupied and 8"):
            correction(other, checkpoint=folder)
    shifted = {**known, "virtual_energies": known["virtual_energies"] + 1e-7}
    with pytest.raises(ValueError, match="another calculation"):
        correction(shifted, checkpoint=folder)
    with pytest.raises(ValueError, match="another calculation"):
        correction(reference("nitrogen"), checkpoint=folder)
    with pytest.raises(ValueError, match="tile is 2, expected 3"):
        correction(known, tile=2, checkpoint=folder)


def test_rounding_elsewhere_is_no_other_calculation(reference, folder):
    known = reference()
    first = correction(known, checkpoint=folder)
    rounded = {**known, "t2": known["t2"] * (1 + 1e-15)}
    assert correction(rounded, checkpoint=folder).resumed == first.tasks


def test_a_folder_that_cannot_be_written_is_told_before_the_work(reference, world, tmp_path):
    file = str(world.broadcast(str(tmp_path / "file")))
    if world.rank == 0:
        with open(file, "w") as text:
            text.write("in the way")
    world.sync()
    with pytest.raises(OSError, match="file"):
        correction(reference(), checkpoint=file)


def test_a_disk_that_fails_later_costs_the_checkpoint_only(
    reference, world, folder, monkeypatch, recwarn
):
    known = reference()
    save = atoll.checkpoint.save
    calls = []

    def fail(*arguments, **options):
        calls.append(arguments)
        if len(calls) > 1:
            raise OSError(os.strerror(28))
        save(*arguments, **options)

    monkeypatch.setattr(triples_record.atoll.checkpoint, "save", fail)
    found = correction(known, checkpoint=folder, interval=0)
    assert found.energy == pytest.approx(float(known["(T)"]), abs=1e-9)
    told = [str(warning.message) for warning in recwarn if "(T) goes on" in str(warning.message)]
    assert bool(told) == (world.rank == 0)
    assert all("No space left" in text for text in told)


def test_progress_rises_to_one(reference, world):
    shares = []
    correction(reference(), tile=2, progress=shares.append)
    if world.rank == 0:
        assert shares == sorted(shares)
        assert shares[-1] == 1
    else:
        assert shares == []


def test_wrong_arguments_are_named(reference, world):
    known = reference()
    for name, shape in (
        ("t2", r"\(5, 5, 8, 8\)"),
        ("ovov", r"\(5, 8, 5, 8\)"),
        ("ovvv", r"\(5, 8, 8, 8\)"),
        ("ovoo", r"\(5, 8, 5, 5\)"),
    ):
        cropped = {**known, name: np.ascontiguousarray(known[name][1:])}
        with pytest.raises(ValueError, match=rf"{name} has shape \(4, .*expected {shape}"):
            correction(cropped)
    with pytest.raises(ValueError, match=r"virtual_energies has shape \(7,\), expected \(8,\)"):
        correction({**known, "virtual_energies": known["virtual_energies"][1:]})
    with pytest.raises(ValueError, match="t1 has shape"):
        correction({**known, "t1": known["t1"].ravel()})
    with pytest.raises(TypeError, match="t2 is of float32"):
        correction({**known, "t2": known["t2"].astype(np.float32)})
    with pytest.raises(ValueError, match=r"memory is 1000, expected \d+ bytes at least"):
        correction(known, memory=1000)
    for option, value in (("memory", 0), ("tile", 0), ("interval", -1)):
        with pytest.raises(ValueError, match=f"{option} is {value}, expected"):
            correction(known, **{option: value})
    one_rank = world.rank == world.size - 1
    with pytest.raises(ValueError, match="memory is 0"):
        correction(known, memory=0 if one_rank else MEMORY)


def test_little_memory_means_narrow_tiles(reference):
    known = reference()
    wide, narrow = correction(known, memory=MEMORY), correction(known, memory=200_000)
    assert narrow.tile < wide.tile
    assert narrow.energy == pytest.approx(wide.energy, abs=1e-12)


def test_parts_of_another_size_are_refused_by_the_kernel():
    kernel = _core.TriplesKernel(np.array([-1.0, -2.0]), 3)
    tile = (np.zeros((1, 2, 2, 5)), np.zeros((1, 2)), np.ones(1))
    patches = [np.zeros((1, 1, 2, 7))] * 6
    assert kernel.energies(tile, tile, tile, tuple(patches), False, False) == (0, 0)
    wrong = (tile[0], np.zeros((2, 2)), np.ones(2))
    with pytest.raises(ValueError, match="a tile has 20 elements, expected 40"):
        kernel.energies(tile, wrong, tile, tuple(patches), False, False)
    patches[3] = np.zeros((1, 1, 2, 6))
    with pytest.raises(ValueError, match="a patch of pairs has 12 elements, expected 14"):
        kernel.energies(tile, tile, tile, tuple(patches), False, False)

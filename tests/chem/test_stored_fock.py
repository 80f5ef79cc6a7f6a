"""Stored integrals: whatever is kept where, and lost, the matrices are those of direct builds."""

import contextlib
import errno
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from atoll.chem import scf
from atoll.chem.fock import Density, DirectFock, StoredFock, record_store, stored
from atoll.chem.fock.record_store import Entry
from atoll.chem.fock.storage_plan import (
    bytes_of_panels,
    least_cost_to_store,
    too_slow_to_read,
)
from atoll.chem.integrals import node_memory
from atoll.chem.integrals.blocked_basis import BlockedBasis
from atoll.chem.integrals.one_electron import schwarz_bounds
from pyscf import scf as pyscf_scf

PEROXIDE = "O 0 0.7 0; O 0 -0.7 0.1; H 0.8 0.9 0.4; H -0.8 -0.9 0.4"
WAYS = {
    "disk": {"mode": "disk", "memory": 0},
    "memory": {"mode": "disk", "disk": 0},
    "memory, then disk": {"mode": "disk", "memory": 100_000},
    "small quota": {"mode": "disk", "memory": 0, "disk": 150_000},
    "costly ones": {"mode": "auto", "memory": 60_000, "disk": 60_000},
    "auto": {"mode": "auto"},
    "nothing": {"mode": "auto", "memory": 0, "disk": 0},
}


@pytest.fixture
def basis(world, molecule):
    return BlockedBasis(molecule(PEROXIDE, "6-31g*").mole, world)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """As many records and reads as a large molecule has."""
    monkeypatch.setattr(record_store, "CHUNK", 50_000)
    monkeypatch.setattr(stored, "RECORD", 5_000)


def distributed(basis, matrix):
    array = basis.matrix("density")
    if basis.group.rank == 0:
        array[...] = matrix
    basis.group.sync()
    return Density(array)


class Compared:
    """A stored build beside a direct one of the same densities."""

    def __init__(self, basis, builder):
        self.basis, self.builder, self.direct = basis, builder, DirectFock(basis)

    def build(self, *matrices, coulomb=True, exchange=True):
        densities = [distributed(self.basis, matrix) for matrix in matrices]
        results = []
        for builder in (self.builder, self.direct):
            J = self.basis.matrix("J") if coulomb else None
            K = [self.basis.matrix("K") for _ in densities] if exchange else []
            statistics = builder.build(densities, J, K)
            results.append(([] if J is None else [J[...]]) + [k[...] for k in K])
            if builder is self.builder:
                result = statistics
        size = max(1.0, max(np.abs(matrix).max() for matrix in matrices))
        np.testing.assert_allclose(*results, rtol=0, atol=1e-11 * size)
        self.basis.group.sync()
        return result


@pytest.mark.parametrize("way", WAYS)
def test_builds_are_those_of_direct_ones(basis, symmetric_matrix, tmp_path, way):
    builder = StoredFock(basis, scratch=tmp_path, **WAYS[way])
    compared = Compared(basis, builder)
    density = symmetric_matrix(basis.functions)
    first = compared.build(density)
    assert first.details["quartets read back"] == 0
    second = compared.build(density)
    third = compared.build(1e-4 * symmetric_matrix(basis.functions, 2))
    compared.build(density, symmetric_matrix(basis.functions, 3))
    compared.build(density, exchange=False)
    compared.build(density, coulomb=False)
    read_back = [built.details["quartets read back"] for built in (second, third)]
    if way == "auto":  # as they are, which is faster than to look which ones matter
        assert read_back[0] == read_back[1] > 0
    elif way != "nothing":
        assert 0 < read_back[1] < read_back[0]
    if way in ("disk", "memory", "memory, then disk", "auto"):
        assert (second.tasks, second.quartets) == (0, 0)
    else:
        assert 0 < second.quartets <= first.quartets
    in_memory, on_disk = (second.details[f"bytes {where}"] for where in ("in memory", "on disk"))
    quota = WAYS[way].get("disk", 1 << 40)
    assert in_memory <= WAYS[way].get("memory", stored.MEMORY) * basis.group.size
    assert on_disk <= quota * basis.group.size
    assert (on_disk > 0) == (way not in ("memory", "nothing", "auto"))
    builder.close()


def test_integrals_too_small_for_the_first_density_are_computed_for_larger_ones(
    world, molecule, symmetric_matrix
):
    mole = molecule("Ne 0 0 0; Ne 0 0 2.5; Ne 0 0 5.5; Ne 0 0 9", "6-31g").mole
    basis = BlockedBasis(mole, world)
    builder = StoredFock(basis, mode="disk")
    compared = Compared(basis, builder)
    density = symmetric_matrix(basis.functions)
    for factor in (1e-3, 0.0, 0.1):
        statistics = compared.build(factor * density)
    assert statistics.quartets == 0
    assert compared.build(1e4 * density).quartets > 0
    builder.close()


def test_what_is_stored_does_not_depend_on_the_density(basis, symmetric_matrix):
    def bytes_kept(density):
        builder = StoredFock(basis, mode="disk", disk=0)
        details = Compared(basis, builder).build(density).details
        builder.close()
        return details["bytes in memory"]

    density = symmetric_matrix(basis.functions)
    tiny = np.zeros_like(density)
    tiny[0, 0] = np.abs(density).max()
    assert bytes_kept(density) == bytes_kept(tiny)


def test_integrals_take_fewer_bytes_than_numbers(basis, symmetric_matrix):
    builder = StoredFock(basis, mode="disk", disk=0)
    statistics = Compared(basis, builder).build(symmetric_matrix(basis.functions))
    n = basis.functions * (basis.functions + 1) // 2
    assert statistics.details["bytes in memory"] < 0.8 * 8 * n * (n + 1) // 2
    builder.close()


@pytest.mark.parametrize("name", ["peroxide", "far apart"])
def test_integrals_are_kept_as_they_are_where_there_is_room(
    world, molecule, symmetric_matrix, name
):
    geometry = {"peroxide": PEROXIDE, "far apart": "; ".join(f"Ne 0 0 {3 * n}" for n in range(6))}
    basis = BlockedBasis(molecule(geometry[name], "6-31g").mole, world)
    bounds = schwarz_bounds(basis.mole, basis.blocks, 1e-13, world)
    density = symmetric_matrix(basis.functions)
    tolerance = 1e-13 / 2.0 ** np.ceil(np.log2(max(8.0 * np.abs(density).max(), 8.0)))
    expected = bytes_of_panels(basis.mole, basis.blocks, bounds, tolerance)
    kept = {}
    for way, room in {"panels": 1.2 * expected, "packed": 0.8 * expected}.items():
        builder = StoredFock(basis, memory=int(room / world.size) + 20_000, disk=0)
        compared = Compared(basis, builder)
        compared.build(density)
        compared.build(density)
        kept[way] = compared.build(1e-3 * density).details["bytes in memory"]
        builder.close()
    assert kept["packed"] < 0.8 * expected
    # At most: of tasks with equal pairs half is counted that is not there; and headers.
    assert 0.7 * expected < kept["panels"] < 1.1 * expected + 20_000


@contextlib.contextmanager
def warning_somewhere(group, text):
    """Expect a warning on some rank: one that has had no task has nothing to warn of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    mine = [str(warning.message) for warning in caught]
    assert all(text in message for message in mine), mine
    assert group.reduce(len(mine), "sum") > 0


def corrupt(store):
    """Change a byte in the middle of every other record on the file."""
    for entry in store.entries[::2]:
        place = entry.offset + entry.nbytes // 2
        byte = store._file.read(1, place)
        store._file.write(byte ^ 1, place)


def cut(store):
    store._file.resize(store._file.length // 2)


@pytest.mark.parametrize("damage", [corrupt, cut])
def test_records_that_are_lost_are_computed(basis, symmetric_matrix, damage):
    builder = StoredFock(basis, mode="disk", memory=0)
    compared = Compared(basis, builder)
    density = symmetric_matrix(basis.functions)
    compared.build(density)
    damage(builder._store)
    with warning_somewhere(basis.group, "could not be read back"):
        second = compared.build(density)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        third = compared.build(density)
        compared.build(density)
    assert second.quartets > 0
    assert third.quartets >= second.quartets
    assert third.details["quartets read back"] > 0
    builder.close()


class FullDisk:
    """A file that takes so many bytes and no more."""

    def __init__(self, file, room, at_wait):
        self._file, self._room, self._at_wait = file, room, at_wait

    def __getattr__(self, name):
        return getattr(self._file, name)

    def write_async(self, data, offset):
        if offset + data.nbytes <= self._room:
            return self._file.write_async(data, offset)
        if self._at_wait:
            return self
        raise OSError(errno.ENOSPC, "No space left on device")

    def wait(self):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("memory", [0, 50_000])
@pytest.mark.parametrize("at_wait", [False, True])
@pytest.mark.parametrize("room", [0, 80_000])
def test_a_full_disk_is_a_warning_and_no_error(basis, symmetric_matrix, room, at_wait, memory):
    builder = StoredFock(basis, mode="disk", memory=memory)
    builder._store._file = FullDisk(builder._store._file, room, at_wait)
    compared = Compared(basis, builder)
    density = symmetric_matrix(basis.functions)
    with warning_somewhere(basis.group, "No space left"):
        compared.build(density)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        second = compared.build(density)
    assert second.quartets > 0
    assert (second.details["quartets read back"] > 0) == (room > 0 or memory > 0)
    builder.close()


class SlowFile:
    """A file whose reads are done when they have been asked for a hundred times, or waited for."""

    def __init__(self, file):
        self._file = file

    def __getattr__(self, name):
        return getattr(self._file, name)

    def read_async(self, out, offset):
        return SlowRequest(self._file.read_async(out, offset))


class SlowRequest:
    def __init__(self, request):
        self._request, self._asked = request, 0

    def test(self):
        self._asked += 1
        return self._asked > 100

    def wait(self):
        time.sleep(0.0 if self._asked > 100 else 0.02)
        return self._request.wait()


def test_slow_reads_are_partly_given_up_by_auto_alone(basis, symmetric_matrix):
    density = symmetric_matrix(basis.functions)
    read_back = {}
    for mode in ("auto", "disk"):
        builder = StoredFock(basis, mode=mode, memory=0)
        compared = Compared(basis, builder)
        compared.build(density)
        builder._store._file = SlowFile(builder._store._file)
        counts = [compared.build(density).details["quartets read back"] for _ in range(4)]
        assert counts == sorted(counts, reverse=True)
        read_back[mode] = counts
        builder.close()
    assert read_back["auto"][-1] < 0.7 * read_back["auto"][0]
    assert read_back["disk"][-1] == read_back["disk"][0]


def test_a_closed_one_computes_everything(basis, symmetric_matrix):
    builder = StoredFock(basis, mode="disk", memory=50_000)
    compared = Compared(basis, builder)
    first = compared.build(symmetric_matrix(basis.functions))
    builder.close()
    again = compared.build(symmetric_matrix(basis.functions))
    assert again.details["quartets read back"] == 0
    assert again.quartets > 0.9 * first.quartets
    builder.close()


def test_the_range_of_the_interaction_is_stored_too(basis, symmetric_matrix):
    builder = StoredFock(basis, mode="disk", omega=0.3)
    compared = Compared(basis, builder)
    compared.direct = DirectFock(basis, omega=0.3)
    for _ in range(2):
        compared.build(symmetric_matrix(basis.functions))
    builder.close()


def test_the_costliest_integrals_are_stored_first(world, molecule):
    mole = molecule("C 0 0 0; O 0 0 1.1", "cc-pvdz").mole
    bounds = schwarz_bounds(mole, BlockedBasis(mole, world).blocks, 1e-13, world)
    costs = {}
    for part in (0.0, 0.1, 0.5, 0.9, 1.1):
        _, total = least_cost_to_store(mole, bounds, 1e-14, 0.0)
        costs[part], _ = least_cost_to_store(mole, bounds, 1e-14, part * total)
    n = mole.nao * (mole.nao + 1) // 2
    assert 0.8 < total / (4.5 * n * (n + 1) / 2) < 1.3
    assert costs[0.0] >= costs[0.1] >= costs[0.5] >= costs[0.9] > costs[1.1] == 0.0
    assert costs[0.1] > costs[0.9]


def test_what_is_computed_soonest_is_not_read_from_a_slow_file():
    entries = [
        Entry(task, 0, 1, 1000, 1.0, seconds, offset)
        for task, seconds, offset in [(0, 8.0, 0), (1, 1.0, 1000), (2, 2.0, 2000), (3, 0.0, -1)]
    ]

    def tasks_given_up(idle, bandwidth=1000.0):
        return [entry.task for entry in too_slow_to_read(entries, idle, bandwidth)]

    assert tasks_given_up(1.9) == []
    assert tasks_given_up(2.1) == [1]  # a second to compute, one not to read
    assert tasks_given_up(5.1) == [1, 2]
    assert tasks_given_up(100.0) == [1, 2, 0]  # what is in memory is not read


def test_bad_arguments_raise_on_all_ranks(world, molecule, tmp_path):
    basis = BlockedBasis(molecule("He 0 0 0; He 0 0 2", "sto-3g").mole, world)
    nowhere = tmp_path / "nowhere"
    for text, arguments in {
        "mode is 'tape'": {"mode": "tape"},
        "memory is -1": {"memory": -1},
        "disk is -5": {"disk": -5},
        "screening is 0": {"screening": 0.0},
        "scratch is .*nowhere": {"scratch": nowhere, "disk": 1000},
        "scratch is .*nowhere'": {"scratch": nowhere},
    }.items():
        with pytest.raises(ValueError, match=text):
            StoredFock(basis, **arguments)
    if world.size > 1:  # where one rank alone has no such folder
        mine = nowhere if world.rank == 0 else tmp_path
        with pytest.raises(ValueError, match="scratch is"):
            StoredFock(basis, scratch=mine)


def stored_bytes(mole, world, **settings):
    """Where a mean field keeps its integrals, and its energy."""
    mean_field = scf.RHF(mole, world).run(conv_tol=1e-11, **settings)
    details = mean_field.solution.effective.statistics.details
    kept = [details.get(f"bytes {where}", 0.0) for where in ("in memory", "on disk")]
    return *kept, mean_field.e_tot


@pytest.mark.parametrize(
    ("settings", "in_memory", "on_disk"),
    [
        ({}, True, False),
        ({"integral_storage": "direct"}, False, False),
        ({"memory": 0}, False, False),
        ({"memory": 0, "disk_quota": 1 << 20}, False, True),
        ({"memory": 40_000, "scratch": True}, True, True),
        ({"memory": 0, "integral_storage": "disk"}, False, True),
    ],
)
def test_memory_is_used_by_default_and_disks_when_asked_for(
    world, molecule, tmp_path, settings, in_memory, on_disk
):
    mole = molecule(PEROXIDE, "6-31g").mole
    if "scratch" in settings:
        settings = settings | {"scratch": str(tmp_path)}
    *kept, energy = stored_bytes(mole, world, **settings)
    assert (kept[0] > 0, kept[1] > 0) == (in_memory, on_disk)
    reference = pyscf_scf.RHF(mole).run(conv_tol=1e-11).e_tot
    assert energy == pytest.approx(reference, abs=1e-9)


def test_pyscfs_own_limit_of_memory_is_kept(world, molecule):
    mole = molecule(PEROXIDE, "6-31g").mole.copy()
    mole.max_memory = 0.05
    kept, *_ = stored_bytes(mole, world)
    assert 0 < kept <= 50_000 * world.size


def test_a_rank_takes_its_share_of_what_the_node_has_left(world, molecule, monkeypatch):
    mole = molecule(PEROXIDE, "6-31g").mole
    left = 2 * 30_000 * -(-world.size // world.nodes)
    monkeypatch.setattr(node_memory, "memory_left", lambda: left)
    kept, *_ = stored_bytes(mole, world)
    assert 0 < kept <= 30_000 * world.size


def test_all_ranks_have_no_more_room_than_the_least_of_them_has(world, molecule, monkeypatch):
    room = SimpleNamespace(memory=100 * (world.rank + 1), capacity=200 * (world.rank + 1))
    seen = []
    monkeypatch.setattr(stored, "least_cost_to_store", lambda *a: seen.append(a[-1]) or (1.0, 1e9))
    basis = SimpleNamespace(mole=None)
    built = SimpleNamespace(
        basis=basis, _integrals=SimpleNamespace(bounds=None), _store=room, group=world, _tolerance=0
    )
    assert StoredFock._what_to_store(built) == (1.0, False)
    assert seen == [200 * world.size]

"""Records of integrals, by the kernel alone: packed and replayed, and refused when damaged."""

import atoll
import numpy as np
import pytest
from atoll._core import Quartets
from atoll.chem.integrals import pyscf_wheel

pytestmark = pytest.mark.skipif(atoll.size() > 1, reason="one process says all")

# One block: a task over it meets all kinds of coinciding shells.
TASK = (0, 0, 0, 0)


class OneTask:
    """The kernel of a molecule in one block, and what it adds for a density."""

    def __init__(self, mole, tolerance, density):
        starts = np.array([0, mole.nbas], dtype=np.int32)
        bounds = pyscf_wheel.make_bounds_kernel(mole, starts, tolerance).schwarz_bounds(0, 0)
        self.kernel, self.optimizer = pyscf_wheel.make_fock_kernel(mole, starts, 1e-13)
        self.kernel.set_bounds(bounds, tolerance)
        self.density = self.kernel.density_tile(0, 0, density[None])
        self.rows = self.kernel.rows(0, 0)

    def contributions(self, call):
        """J and K of what call(tiles) adds, without their transposes; and what it returns."""
        J, K = (self.kernel.fock_tile(0, 0, 1) for _ in "JK")
        answer = call((self.density,) * 2 + (J,) * 2, (self.density,) * 4 + (K,) * 4)
        return np.array([self.kernel.unpack(J)[0], self.kernel.unpack(K)[0]]), answer

    def computed(self, which=Quartets.all):
        call = self.kernel.contract
        return self.contributions(lambda *tiles: call(TASK, *tiles, 0, self.rows, which))[0]

    def store(self, tolerance, least_cost=0.0, panels=False):
        self.kernel.set_storage(tolerance, least_cost, panels)

    def recorded(self, limit=1 << 30, begin=0):
        call = self.kernel.record
        return self.contributions(lambda *tiles: call(TASK, *tiles, begin, limit))

    def replayed(self, record, begin, end, verify=True):
        call = self.kernel.replay
        return self.contributions(lambda *tiles: call(TASK, *tiles, begin, end, record, verify))


@pytest.fixture
def mole(molecule):
    return molecule("O 0 0 0; H 0 0.3 1; H 0.2 1 0", "cc-pvdz").mole


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-7, 1e-10, 1e-13, 1e-16, 1e-30])
def test_replays_are_off_by_rounding_to_the_tolerance(mole, symmetric_matrix, tolerance):
    task = OneTask(mole, tolerance, symmetric_matrix(mole.nao))
    task.store(tolerance / 16, 0.0)
    expected = task.computed()
    during, (record, end, _, largest) = task.recorded()
    assert end == task.rows
    assert largest > 0.1
    np.testing.assert_array_equal(during, expected)
    again, _ = task.replayed(record, 0, end)
    n = mole.nao * (mole.nao + 1) // 2
    assert 0 < record.nbytes < 10 * n * (n + 1) // 2
    # Errors of half the tolerance at most, at random, of some hundred integrals an element.
    np.testing.assert_allclose(again, expected, rtol=1e-13, atol=1e-12 + 40 * tolerance)


@pytest.mark.parametrize("tolerance", [1e-4, 1e-7, 1e-10, 1e-13])
def test_panels_replay_integrals_as_they_are(mole, symmetric_matrix, tolerance):
    task = OneTask(mole, tolerance, symmetric_matrix(mole.nao))
    task.store(tolerance / 16, panels=True)
    expected = task.computed()
    during, (record, end, quartets, largest) = task.recorded()
    assert end == task.rows
    assert quartets > 0
    assert largest > 0.1
    # They meet all integrals of a record, computed ones those that screening leaves.
    np.testing.assert_allclose(during, expected, rtol=1e-13, atol=1e-12 + 40 * tolerance)
    again, digested = task.replayed(record, 0, end)
    np.testing.assert_allclose(again, during, rtol=1e-13, atol=1e-12)
    assert digested >= quartets


def test_panels_may_lie_at_any_double_in_memory(mole, symmetric_matrix):
    task = OneTask(mole, 1e-13, symmetric_matrix(mole.nao))
    task.store(1e-14, panels=True)
    during, (record, end, *_) = task.recorded()
    # Vectors of eight doubles are read.
    room = np.zeros(record.nbytes + 128, record.dtype)
    for places in range(8):
        elsewhere = room[8 * places :][: record.nbytes]
        elsewhere[...] = record
        again, _ = task.replayed(elsewhere, 0, end)
        np.testing.assert_allclose(again, during, rtol=1e-13, atol=1e-12)


def test_panels_do_not_hang_on_what_lies_behind_them(molecule, symmetric_matrix):
    mole = molecule("O 0 0 0; H 0 0.3 1; H 0.2 1 0", "6-31g").mole
    assert mole.nao % 8 > 0
    task = OneTask(mole, 1e-13, symmetric_matrix(mole.nao))
    task.store(1e-14, panels=True)
    for size in range(1, 50):
        for freed in [np.full(size * 100, np.nan) for _ in range(4)]:
            del freed
        during, _ = task.recorded(size * 800)
        assert np.all(np.isfinite(during))
    np.testing.assert_allclose(task.recorded()[0], task.computed(), rtol=1e-13, atol=1e-11)


def test_panels_of_some_densities_and_of_one_kind_of_matrix(mole, symmetric_matrix):
    """Against packed records, whose digestion sees one quartet at a time."""
    task = OneTask(mole, 1e-13, symmetric_matrix(mole.nao))
    two = np.stack([symmetric_matrix(mole.nao, seed) for seed in (2, 3)])
    density = task.kernel.density_tile(0, 0, two)
    added = {}
    for panels in (False, True):
        task.store(1e-14, panels=panels)
        record, end, *_ = task.recorded()[1]
        K = task.kernel.fock_tile(0, 0, 2)
        exchange = (density,) * 4 + (K,) * 4
        task.kernel.replay(TASK, None, exchange, 0, end, record, True)
        J = task.kernel.fock_tile(0, 0, 1)
        coulomb = (task.density,) * 2 + (J,) * 2
        task.kernel.replay(TASK, coulomb, None, 0, end, record, True)
        task.kernel.replay(TASK, coulomb, exchange, 0, end, record, True)
        added[panels] = np.concatenate([task.kernel.unpack(J), task.kernel.unpack(K)])
    np.testing.assert_allclose(added[True], added[False], rtol=1e-13, atol=1e-10)
    assert np.abs(added[True]).max() > 1


def test_panels_of_costly_integrals_alone_are_refused(mole, symmetric_matrix):
    task = OneTask(mole, 1e-13, symmetric_matrix(mole.nao))
    with pytest.raises(ValueError, match="least_cost must be 0"):
        task.store(1e-14, 1.0, panels=True)


def test_numbers_that_need_many_bytes_are_kept_whole(mole, symmetric_matrix):
    task = OneTask(mole, 1e-30, symmetric_matrix(mole.nao))
    task.store(1e-31, 0.0)
    expected, (record, end, _, _) = task.recorded()
    np.testing.assert_array_equal(task.replayed(record, 0, end)[0], expected)


@pytest.mark.parametrize("panels", [False, True])
def test_records_of_some_rows_add_up_to_the_task(mole, symmetric_matrix, panels):
    task = OneTask(mole, 1e-13, symmetric_matrix(mole.nao))
    task.store(1e-14, panels=panels)
    total, begin, records = 0.0, 0, 0
    while begin < task.rows:
        _, (record, end, _, _) = task.recorded(20_000, begin)
        assert end > begin
        total = total + task.replayed(record, begin, end)[0]
        begin, records = end, records + 1
    assert records > 3
    np.testing.assert_allclose(total, task.computed(), rtol=0, atol=1e-11)


def test_what_is_cheap_is_not_recorded_and_both_parts_make_the_whole(mole, symmetric_matrix):
    task = OneTask(mole, 1e-13, symmetric_matrix(mole.nao))
    sizes = []
    for cost in (0.0, 1.0, 10.0, 1e9):
        task.store(1e-14, cost)
        _, (record, end, _, _) = task.recorded()
        sizes.append(record.nbytes)
        recorded, others = task.computed(Quartets.recorded), task.computed(Quartets.others)
        np.testing.assert_allclose(recorded + others, task.computed(), rtol=0, atol=1e-11)
        np.testing.assert_allclose(task.replayed(record, 0, end)[0], recorded, rtol=0, atol=1e-11)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 100
    assert np.all(task.computed(Quartets.recorded) == 0.0)


@pytest.mark.parametrize("panels", [False, True])
def test_damaged_and_foreign_records_add_nothing(mole, symmetric_matrix, panels):
    task = OneTask(mole, 1e-13, symmetric_matrix(mole.nao))
    task.store(1e-14, panels=panels)
    _, (record, end, _, _) = task.recorded()
    for place in (0, 9, 17, 39, 40, len(record) // 2, len(record) - 1):
        damaged = record.copy()
        damaged[place] ^= 4
        added, answer = task.replayed(damaged, 0, end)
        assert answer is None
        assert np.all(added == 0.0)
    for foreign in (record[:-8], record[:16], np.zeros(0, np.uint8), np.zeros_like(record)):
        assert task.replayed(np.ascontiguousarray(foreign), 0, end)[1] is None
    assert task.replayed(record, 0, end - 1)[1] is None
    assert task.replayed(record, 0, end)[1] > 0


def test_a_record_under_other_rules_is_refused(mole, symmetric_matrix):
    task = OneTask(mole, 1e-13, symmetric_matrix(mole.nao))
    task.store(1e-4)
    _, (record, end, _, _) = task.recorded()
    for rules in ((1e-14, 0.0), (1e-4, 1.0), (1e-4, 0.0, True)):
        task.store(*rules)
        assert task.replayed(record, 0, end)[1] is None
    task.store(1e-4, 0.0)
    assert task.replayed(record, 0, end)[1] > 0

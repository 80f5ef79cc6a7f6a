"""Programs with and without races, after the kinds of RMARaceBench; tests/runs/test_races.py.

Each case is what three ranks do to an array of 12 times 6 numbers, between two syncs. Rank 0 prints
a line a case: its name, and where the detector found a race, "race", else "clean". How the ranks
happen to come after each other makes no difference: what is judged is what orders them.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import atoll
import numpy as np
from atoll import _core

RACE, CLEAN = {}, {}


def race(case):
    RACE[case.__name__] = case
    return case


def clean(case):
    CLEAN[case.__name__] = case
    return case


# Two remote accesses.


@race
def put_and_put(a, r, x):
    a[3, 3] = r


@race
def put_and_get(a, r, x):
    if r == 0:
        a[5, 5] = 1.0
    if r == 1:
        x.value = a[5, 5]


@race
def get_and_put_by_owner(a, r, x):
    if r == 1:
        x.value = a[0, 0]
    if r == 0:
        a[0, 0] = 2.0


@race
def put_and_accumulate(a, r, x):
    if r == 0:
        a[7, 1] = 1.0
    if r == 2:
        a.at[7, 1] += 1.0


@race
def accumulate_and_get(a, r, x):
    if r == 0:
        a.at[11, 5] += 1.0
    if r == 2:
        x.value = a[11, 5]


@clean
def accumulate_and_accumulate(a, r, x):
    a.at[2:9, 1:4] += 1.0


@clean
def get_and_get(a, r, x):
    x.value = a[:, :]


@clean
def put_to_own_rows(a, r, x):
    a[4 * r : 4 * r + 4] = r


@clean
def put_and_get_by_one_rank(a, r, x):
    if r == 1:
        a[2:4, 0:3] = 1.0
        x.value = a[3, :]
        a.at[3, :] += 1.0
        a[3, 0] = 7.0


@clean
def two_arrays(a, r, x):
    if r == 0:
        a[0:4] = 1.0
    if r == 1:
        x.value = x.b[0:4]


@race
def the_second_array(a, r, x):
    if r == 0:
        a[0, 0] = 1.0
        x.b[1, 1] = 1.0
    if r == 1:
        x.value = x.b[1, 1]


# Patches that overlap in part, and such that do not.


@race
def rows_that_overlap_by_one(a, r, x):
    a[4 * r : min(4 * r + 5, 12)] = r


@race
def a_row_and_a_column(a, r, x):
    if r == 0:
        a[6, :] = 1.0
    if r == 1:
        x.value = a[:, 2]


@clean
def rows_that_touch(a, r, x):
    if r == 0:
        a[0:6, :] = 1.0
    if r == 1:
        x.value = a[6:12, :]


@clean
def corners_that_touch(a, r, x):
    if r == 0:
        a[0:6, 0:3] = 1.0
    if r == 1:
        a[6:12, 3:6] = 1.0
    if r == 2:
        x.value = a[0:6, 3:6]


@race
def the_corner_of_two_patches(a, r, x):
    if r == 0:
        a[0:7, 0:4] = 1.0
    if r == 1:
        a[6:12, 3:6] = 1.0


@race
def one_element_in_the_whole(a, r, x):
    if r == 2:
        a[9, 4] = 1.0
    if r == 0:
        x.value = a[...]


@clean
def even_and_odd_rows(a, r, x):
    if r == 0:
        a[0::2] = 1.0
    if r == 1:
        x.value = a[1::2]


@race
def steps_of_two_and_three(a, r, x):
    if r == 0:
        a[0::2, 1] = 1.0
    if r == 1:
        x.value = a[0::3, 1]


@clean
def steps_of_four_and_six_beside_each_other(a, r, x):
    if r == 0:
        a[0::4, 1] = 1.0
    if r == 1:
        x.value = a[1::6, 1]


@clean
def columns_in_turn(a, r, x):
    for j in range(r, 6, 3):
        for i in range(12):
            a[i, j] = r


@race
def columns_in_turn_one_wrong(a, r, x):
    for j in range(r, 6, 3):
        for i in range(12):
            a[i, j] = r
    if r == 1:
        x.value = a[8, 3]


@clean
def elements_in_turn(a, r, x):
    for n in range(r, 72, 3):
        a[n // 6, n % 6] = n


@race
def row_by_row_and_a_column(a, r, x):
    if r == 0:
        for i in range(12):
            a[i, 1:5] = i
    if r == 1:
        for i in range(3, 9):
            x.value = a[i, 4]


@race
def backwards_and_forwards(a, r, x):
    if r == 0:
        for i in reversed(range(7)):
            a[i, :] = i
    if r == 1:
        for i in range(6, 12):
            a[i, :] = i


# Scattered elements.


@race
def scatter_and_get(a, r, x):
    if r == 0:
        a[np.array([3, 8, 1]), np.array([0, 2, 5])] = 1.0
    if r == 1:
        x.value = a[8, :]


@clean
def scatter_and_get_beside(a, r, x):
    if r == 0:
        a[np.array([3, 8, 1]), np.array([0, 2, 5])] = 1.0
    if r == 1:
        x.value = a[8, 3:]


@race
def scatter_and_scatter(a, r, x):
    a[np.array([r, 10]), np.array([r, 3])] = 1.0


@race
def gather_and_put(a, r, x):
    if r == 0:
        x.value = a[np.array([9, 2]), np.array([1, 1])]
    if r == 2:
        a[2, 1] = 4.0


# Order: syncs, barriers, fences, groups.


@clean
def put_sync_get(a, r, x):
    if r == 0:
        a[5, 5] = 1.0
    atoll.sync()
    if r == 1:
        x.value = a[5, 5]
    atoll.sync()
    if r == 2:
        a[5, 5] = 2.0


@race
def get_behind_the_wrong_sync(a, r, x):
    atoll.sync()
    if r == 0:
        a[5, 5] = 1.0
    if r == 1:
        x.value = a[5, 5]
    atoll.sync()


@race
def put_barrier_get(a, r, x):
    if r == 0:
        a[5, 5] = 1.0
    atoll.barrier()
    if r == 1:
        x.value = a[5, 5]


@clean
def put_fence_barrier_get(a, r, x):
    if r == 0:
        a[5, 5] = 1.0
        atoll.fence()
    atoll.barrier()
    if r == 1:
        x.value = a[5, 5]


@race
def put_barrier_fence_get(a, r, x):
    if r == 0:
        a[5, 5] = 1.0
    atoll.barrier()
    if r == 0:
        atoll.fence()
    if r == 1:
        x.value = a[5, 5]


@clean
def get_barrier_put(a, r, x):
    if r == 0:
        x.value = a[5, 5]
    atoll.barrier()
    if r == 1:
        a[5, 5] = 1.0


@clean
def a_fence_to_the_owner(a, r, x):
    if r == 0:
        a[5, 5] = 1.0
        atoll.world().fence(a.owner(5, 5))
    atoll.barrier()
    if r == 2:
        x.value = a[5, 5]


@race
def a_fence_to_another(a, r, x):
    if r == 0:
        a[5, 5] = 1.0
        atoll.world().fence((a.owner(5, 5) + 1) % 3)
    atoll.barrier()
    if r == 2:
        x.value = a[5, 5]


@race
def the_second_put_is_not_fenced(a, r, x):
    if r == 0:
        a[5, 4] = 1.0
        atoll.fence()
        a[5, 5] = 1.0
    atoll.barrier()
    if r == 1:
        x.value = a[5, 4:6]


@clean
def a_sync_of_two(a, r, x):
    if r == 0:
        a[8, 0] = 1.0
    if x.pair:
        x.pair.sync()
    if r == 1:
        x.value = a[8, 0]


@race
def a_sync_of_two_seen_by_the_third(a, r, x):
    if r == 0:
        a[8, 0] = 1.0
    if x.pair:
        x.pair.sync()
    if r == 2:
        x.value = a[8, 0]


@clean
def two_syncs_in_a_chain(a, r, x):
    if r == 0:
        a[8, 0] = 1.0
    if x.pair:
        x.pair.sync()
    if x.other_pair:
        x.other_pair.sync()
    if r == 2:
        x.value = a[8, 0]


@race
def two_syncs_in_the_wrong_chain(a, r, x):
    if r == 0:
        a[8, 0] = 1.0
    if x.other_pair:
        x.other_pair.sync()
    if x.pair:
        x.pair.sync()
    if r == 2:
        x.value = a[8, 0]


@clean
def an_array_of_two(a, r, x):
    if not x.pair:
        return
    c = atoll.zeros(8, group=x.pair)
    if r == 0:
        c[6] = 1.0
    x.pair.sync()
    if r == 1:
        x.value = c[6]
    c.close()


@race
def an_array_of_two_without_sync(a, r, x):
    if not x.pair:
        return
    c = atoll.zeros(8, group=x.pair)
    if r == 0:
        c[6] = 1.0
    if r == 1:
        x.value = c[6]
    c.close()


@clean
def put_reduce_get(a, r, x):
    if r == 0:
        a[5, 5] = 1.0
    atoll.world().reduce(1)
    if r == 1:
        x.value = a[5, 5]


@clean
def algebra_between(a, r, x):
    if r == 0:
        a[5, 5] = 1.0
    a.fill(3.0)
    if r == 0:
        x.b[...] = a
    if r == 1:
        x.value = a[5, 5]
    a.scale(2.0)
    if r == 2:
        a[5, 5] = 1.0


@race
def put_behind_algebra(a, r, x):
    a.fill(3.0)
    if r == 1:
        x.value = a[5, 5]
    if r == 2:
        a[5, 5] = 1.0


# Mutexes.


def _locked(x, number=0):
    x.mutexes.lock(number, 0)


def _unlocked(x, number=0):
    x.mutexes.unlock(number, 0)


@clean
def get_and_put_under_a_mutex(a, r, x):
    _locked(x)
    a[1, 1] = a[1, 1] + 1.0
    _unlocked(x)


@race
def a_mutex_forgotten_by_one(a, r, x):
    if r == 0:
        a[1, 1] = 5.0
    else:
        _locked(x)
        a[1, 1] = 1.0
        _unlocked(x)


@race
def two_different_mutexes(a, r, x):
    _locked(x, r % 2)
    a[1, 1] = r
    _unlocked(x, r % 2)


@race
def a_put_behind_unlock(a, r, x):
    if r == 1:
        _locked(x)
        _unlocked(x)
        a[1, 1] = r
    atoll.barrier()
    if r == 2:
        _locked(x)
        x.value = a[1, 1]
        _unlocked(x)


@clean
def different_mutexes_different_elements(a, r, x):
    _locked(x, r % 2)
    a[1, r % 2] = a[1, r % 2] + 1.0
    _unlocked(x, r % 2)


# Counters and other atomic operations.


@clean
def fetch_add_by_all(a, r, x):
    x.n.fetch_add(2, 1)
    x.n.at[2] += 1


@race
def fetch_add_and_put(a, r, x):
    if r == 0:
        x.n[2] = 5
    else:
        x.n.fetch_add(2, 1)


@race
def fetch_add_and_get(a, r, x):
    if r == 0:
        x.value = x.n[2]
    else:
        x.n.fetch_add(2, 1)


@race
def swap_and_put(a, r, x):
    if r == 0:
        x.n.swap(3, 5)
    if r == 2:
        x.n[3] = 7


@clean
def tasks_of_a_counter(a, r, x):
    for row in x.counter.below(12):
        a[row] = row


@race
def tasks_of_a_counter_that_overlap(a, r, x):
    row = x.counter.next()
    a[row : row + 2] = row


@clean
def a_flag_by_fetch_add(a, r, x):
    if r == 0:
        a[5, 5] = 1.0
        atoll.fence()
        x.n.fetch_add(0, 1)
    if r == 2:
        while x.n.fetch_add(0, 0) == 0:
            pass
        x.value = a[5, 5]


@race
def a_flag_without_fence(a, r, x):
    if r == 0:
        a[5, 5] = 1.0
        x.n.fetch_add(0, 1)
    if r == 2:
        while x.n.fetch_add(0, 0) == 0:
            pass
        x.value = a[5, 5]


@race
def a_flag_looked_at_too_late(a, r, x):
    if r == 0:
        a[5, 5] = 1.0
        atoll.fence()
        x.n.fetch_add(0, 1)
    if r == 2:
        x.value = a[5, 5]
        while x.n.fetch_add(0, 0) == 0:
            pass


@race
def a_flag_by_put(a, r, x):
    if r == 0:
        a[5, 5] = 1.0
        atoll.fence()
        x.n[0] = 1
    if r == 2:
        while x.n[0] == 0:
            pass


@clean
def a_lock_by_swap(a, r, x):
    while x.n.swap(1, 1) == 1:
        pass
    a[0, 0] = a[0, 0] + 1.0
    atoll.fence()
    x.n.swap(1, 0)


# Nonblocking operations and their buffers.


@race
def put_async_and_get(a, r, x):
    if r == 0:
        a.put_async(np.s_[5, :], np.ones(6)).wait()
    if r == 1:
        x.value = a[5, 0]


@race
def get_async_and_put(a, r, x):
    if r == 0:
        x.value = a.get_async(np.s_[5, :]).wait()
    if r == 1:
        a[5, 0] = 1.0


@race
def get_async_waited_for_behind_a_barrier(a, r, x):
    request = a.get_async(np.s_[9, :]) if r == 0 else None
    atoll.barrier()
    if r == 1:
        a[9, 0] = 1.0
    if request:
        request.wait()


@clean
def get_async_waited_for_before_a_barrier(a, r, x):
    request = a.get_async(np.s_[9, :]) if r == 0 else None
    if request:
        request.wait()
    atoll.barrier()
    if r == 1:
        a[9, 0] = 1.0


@clean
def put_async_sync_get(a, r, x):
    request = a.put_async(np.s_[5, :], np.ones(6)) if r == 0 else None
    atoll.sync()
    if r == 1:
        x.value = a[5, 0]
    if request:
        request.wait()


@race
def accumulate_async_and_get(a, r, x):
    if r == 0:
        a.accumulate_async(np.s_[5, :], np.ones(6)).wait()
    if r == 1:
        x.value = a[5, 0]


@race
def a_buffer_changed_before_wait(a, r, x):
    if r == 0:
        buffer = np.ones(6)
        request = a.put_async(np.s_[5, :], buffer)
        buffer[2] = 7.0
        request.wait()


@clean
def a_buffer_changed_behind_wait(a, r, x):
    if r == 0:
        buffer = np.ones(6)
        request = a.put_async(np.s_[5, :], buffer)
        request.wait()
        buffer[2] = 7.0


@race
def put_from_what_a_get_fills(a, r, x):
    if r == 0:
        buffer = np.ones(6)
        request = a.get_async(np.s_[5, :], buffer)
        a[6, :] = buffer
        request.wait()


@race
def two_gets_into_one_buffer(a, r, x):
    if r == 0:
        buffer = np.ones(6)
        requests = [a.get_async(np.s_[5, :], buffer), a.get_async(np.s_[6, :], buffer)]
        atoll.wait_all(requests)


@clean
def two_gets_one_after_the_other(a, r, x):
    if r == 0:
        buffer = np.ones(6)
        a.get_async(np.s_[5, :], buffer).wait()
        a.get_async(np.s_[6, :], buffer).wait()


@clean
def two_puts_from_one_buffer(a, r, x):
    if r == 0:
        buffer = np.ones(6)
        atoll.wait_all([a.put_async(np.s_[i, :], buffer) for i in range(4)])


# Local access.


@race
def a_store_and_a_get(a, r, x):
    if r == 1:
        a.local()[1, 2] = 3.0
    if r == 0:
        x.value = a[5, :]


@race
def a_store_and_a_put(a, r, x):
    if r == 1:
        a.local()[1, 2] = 3.0
    if r == 2:
        a[5, 2] = 1.0


@race
def a_load_and_a_put(a, r, x):
    if r == 1:
        x.value = float(a.local()[1, 2])
    if r == 2:
        a[5, 2] = 1.0


@race
def a_sum_and_an_accumulate(a, r, x):
    if r == 1:
        x.value = a.local().sum()
    if r == 0:
        a.at[4, 0] += 1.0


@clean
def a_load_and_a_get(a, r, x):
    x.value = a.local().sum() + a[5, 2]


@clean
def a_load_beside_a_put(a, r, x):
    if r == 1:
        x.value = float(a.local()[1, 2]) + a.local()[2:, 3:].sum()
    if r == 2:
        a[5, 3] = 1.0


@clean
def stores_to_own_blocks(a, r, x):
    a.local()[...] = r
    a.local()[1:3] += 1.0
    np.multiply(a.local(), 2.0, out=a.local())


@race
def an_update_in_place_and_a_get(a, r, x):
    if r == 1:
        mine = a.local()
        mine += 1.0
    if r == 0:
        x.value = a[4:8, 0]


@race
def a_ufunc_with_out_and_a_get(a, r, x):
    if r == 1:
        np.sqrt(np.ones((4, 6)), out=a.local())
    if r == 0:
        x.value = a[6, 1]


@race
def a_mask_and_a_put(a, r, x):
    if r == 1:
        a.local()[a.local() == 0.0] = 1.0
    if r == 0:
        a[6, 1] = 2.0


@race
def a_fill_through_a_slice_and_a_get(a, r, x):
    if r == 1:
        part = a.local()[1:3]
        part[:, 2].fill(4.0)
    if r == 0:
        x.value = a[5, 2]


@clean
def a_fill_through_a_slice_beside_a_get(a, r, x):
    if r == 1:
        part = a.local()[1:3]
        part[:, 2].fill(4.0)
    if r == 0:
        x.value = a[5, 3:] + a[5, 0]


@race
def a_store_that_nobody_tells_of(a, r, x):
    if r == 1:
        np.asarray(a.local())[2, 2] = 9.0
    if r == 0:
        x.value = a[6, 2]


@clean
def a_store_that_nobody_tells_of_beside_a_get(a, r, x):
    if r == 1:
        np.asarray(a.local())[2, 2] = 9.0
    if r == 0:
        x.value = a[6, 3]


@clean
def a_view_held_while_others_put(a, r, x):
    mine = a.local()
    atoll.sync()
    a[4 * ((r + 1) % 3)] = r
    atoll.sync()
    x.value = mine.sum()


@clean
def a_store_sync_get(a, r, x):
    a.local()[...] = r
    atoll.sync()
    x.value = a[(4 * r + 5) % 12, 1]
    atoll.sync()
    a.local()[...] = 0


@race
def a_store_barrier_get(a, r, x):
    if r == 1:
        a.local()[0, 0] = 1.0
    atoll.barrier()
    if r == 0:
        x.value = a[4, 0]


@race
def a_store_and_a_mutex(a, r, x):
    """By rule 6 only meetings order direct access."""
    if r == 1:
        _locked(x)
        a.local()[0, 0] = 1.0
        _unlocked(x)
    if r == 0:
        _locked(x)
        x.value = a[4, 0]
        _unlocked(x)


@race
def a_store_in_the_block_of_a_neighbour(a, r, x):
    if r == 0:
        a.block(1)[0, 0] = 1.0
    if r == 1:
        x.value = float(a.local()[0, 0])


# Halos and periodic access.


@clean
def a_halo_updated(a, r, x):
    x.halo.local()[...] = r
    x.halo.update_halo()
    x.value = atoll.Array.local_with_halo(x.halo).sum()


@race
def a_halo_under_way(a, r, x):
    request = x.halo.update_halo_begin()
    x.halo.local()[...] = r
    request.wait()


@clean
def a_halo_under_way_and_the_middle(a, r, x):
    request = x.halo.update_halo_begin()
    x.halo.local()[1:3] = r
    request.wait()


@race
def a_periodic_put(a, r, x):
    if r == 0:
        a.periodic[11:13, 0] = 1.0
    if r == 1:
        x.value = a[0, 0]


@clean
def a_periodic_put_beside(a, r, x):
    if r == 0:
        a.periodic[11:13, 0] = 1.0
    if r == 1:
        x.value = a[1:11, 0]


# Mirrored arrays: each node has a copy.


@clean
def copies_of_two_nodes_and_a_merge(a, r, x):
    if r in (0, 2):
        x.mirrored[r] = 1.0
    x.mirrored.merge()
    x.value = x.mirrored[...]


@race
def two_ranks_of_one_copy(a, r, x):
    if r == 0:
        x.mirrored[4] = 1.0
    if r == 1:
        x.value = x.mirrored[4]


@race
def put_behind_a_merge(a, r, x):
    x.mirrored.merge()
    if r == 0:
        x.mirrored[4] = 1.0
    if r == 1:
        x.value = x.mirrored[4]


@clean
def accumulates_to_one_copy(a, r, x):
    x.mirrored.at[4] += 1.0


# Lives of arrays.


@clean
def another_array_in_the_same_memory(a, r, x):
    c = atoll.zeros((6, 6))
    if r == 0:
        c[0, 0] = 1.0
    c.close()
    c = atoll.zeros((6, 6))
    if r == 1:
        x.value = c[0, 0]
    c.close()


@race
def put_before_closing(a, r, x):
    c = atoll.zeros((6, 6))
    if r == 0:
        c[0, 0] = 1.0
    if r == 1:
        x.value = c[0, 0]
    c.close()


def main():
    everyone = atoll.world()
    r = everyone.rank
    pair = everyone.create([0, 1])
    other_pair = everyone.create([1, 2])
    mutexes = _core.Mutexes(everyone, 2)
    for name, case in {**RACE, **CLEAN}.items():
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        x = SimpleNamespace(
            b=atoll.zeros((12, 6), name="b"),
            n=atoll.zeros(4, dtype=np.int64, name="n"),
            halo=atoll.zeros((12, 6), name="halo", distribution=atoll.blocked((0, 6), halo=(1, 0))),
            mirrored=atoll.zeros(12, name="mirrored", mirrored=True),
            counter=atoll.Counter(),
            mutexes=mutexes,
            pair=pair,
            other_pair=other_pair,
        )
        a = atoll.zeros((12, 6), name=name, distribution=atoll.blocked((0, 6)))
        before = len(atoll.races())
        case(a, r, x)
        atoll.sync()
        found = atoll.races()[before:]
        if r == 0:
            print(name, "race" if found else "clean", flush=True)
        if tuple(everyone.reduce(np.array([len(found), -len(found)]), "max")) != (
            len(found),
            -len(found),
        ):
            print(name, "differs", flush=True)
        for array in (a, x.b, x.n, x.halo, x.mirrored):
            array.close()


if __name__ == "__main__":
    main()

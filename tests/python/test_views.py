"""Views of local blocks: the array's own memory, safe however long they are kept."""

import gc

import atoll
import numpy as np
import pytest


def test_local_is_my_block(dtype, values):
    source = values((9, 8), dtype)
    a = atoll.from_numpy(source)
    mine = a.local()
    assert mine.dtype == dtype
    parts = a.patches()
    if parts:
        np.testing.assert_array_equal(mine, source[parts[0]])
    else:
        assert mine.size == 0


def test_stores_through_views_are_seen_by_all_after_a_sync(cut, dtype):
    shape = (8, 7)
    a = atoll.zeros(shape, dtype, distribution=cut(shape))
    for _, block in a.blocks():
        block[...] = atoll.rank() + 1
    atoll.sync()
    whole = a[...]
    for rank in range(atoll.size()):
        for part in a.patches(rank):
            assert (whole[part] == rank + 1).all()


def test_blocks_of_neighbours_on_my_node(cut):
    a = atoll.from_numpy(np.arange(56.0).reshape(8, 7), distribution=cut((8, 7)))
    group = a.group
    for rank in range(atoll.size()):
        if group.same_node(rank):
            for part, block in a.blocks(rank):
                np.testing.assert_array_equal(block, a[part])
        else:
            with pytest.raises(ValueError, match="node"):
                a.blocks(rank)


def test_block_of_a_rank_and_bad_ranks():
    a = atoll.ones((8, 8))
    assert a.block(atoll.rank()).sum() == a.local().sum()
    for rank in (-1, atoll.size()):
        with pytest.raises(IndexError):
            a.block(rank)
        with pytest.raises(IndexError):
            a.patches(rank)


def test_cyclic_arrays_have_blocks_but_no_single_one():
    a = atoll.zeros((8, 8), distribution=atoll.block_cyclic((2, 2)))
    with pytest.raises(ValueError, match="blocks"):
        a.local()


def test_dlpack_shares_the_memory():
    a = atoll.zeros((6, 6))
    mine = np.from_dlpack(a.local())
    mine[...] = 3
    atoll.sync()
    if mine.size:
        assert a[a.patches()[0]].sum() == 3 * mine.size


def test_a_view_outlives_the_array_and_arrays_made_after_it():
    a = atoll.zeros((64, 64), name="viewed")
    a.local()[...] = atoll.rank() + 1
    view = a.local()
    part = view[1:, ::2]
    a.destroy()
    later = [atoll.full((64, 64), -1.0) for _ in range(4)]  # would reuse freed memory
    assert (view == atoll.rank() + 1).all()
    del view
    gc.collect()
    later.append(atoll.full((64, 64), -2.0))
    assert (part == atoll.rank() + 1).all()
    part[...] = 0
    assert all((x[...] < 0).all() for x in later)


def test_a_view_on_one_rank_only_keeps_the_memory():
    a = atoll.ones(1000)
    view = a.local() if atoll.rank() == 0 else None
    a.destroy()
    atoll.full(1000, 5.0)
    if view is not None:
        assert (view == 1).all()


def test_memory_is_given_back_when_views_are_gone():
    for _ in range(50):  # 50 x 32 MB would not fit otherwise on a small machine
        a = atoll.empty(4_000_000)
        view = a.local()
        a.destroy()
        del view


def test_owner_locate_and_patches_agree(cut):
    shape = (9, 7)
    a = atoll.zeros(shape, distribution=cut(shape))
    owners = np.full(shape, -1)
    for rank in range(atoll.size()):
        for part in a.patches(rank):
            assert (owners[part] == -1).all()
            owners[part] = rank
    assert (owners >= 0).all()
    assert all(a.owner(i, j) == owners[i, j] for i in range(9) for j in range(7))
    assert a.owner(-1, -1) == owners[-1, -1]
    found = np.full(shape, -1)
    for rank, part in a.locate(np.s_[2:8, 1:]):
        found[part] = rank
    np.testing.assert_array_equal(found[2:8, 1:], owners[2:8, 1:])
    assert (found[:2] == -1).all()


def test_locating_what_is_no_patch_raises():
    a = atoll.zeros((4, 4))
    with pytest.raises(IndexError):
        a.owner(4, 0)
    with pytest.raises(IndexError):
        a.owner(1)
    with pytest.raises(IndexError):
        a.locate(np.s_[::2])


@pytest.mark.parametrize("key", [np.s_[:, 1:3], np.s_[1:], np.s_[::2, ::3], np.s_[2]])
def test_the_place_of_an_extremum_is_that_in_the_part(key):
    n = np.arange(20.0).reshape(4, 5) % 7
    a = atoll.from_numpy(n)
    part = n[key] if not isinstance(key, int) else n[key : key + 1]
    assert atoll.argmax(a.at[key]) == np.argmax(part)
    assert np.argmin(a.at[key]) == np.argmin(part)


def test_numpys_functions_know_parts_of_arrays():
    a = atoll.from_numpy(np.arange(8.0).reshape(2, 4))
    assert (np.flatnonzero(a.at[:1]) == [1, 2, 3]).all()
    assert np.shape(a.at[:, 1:]) == (2, 3)
    assert (np.cumsum(a.at[1:], axis=1)[...] == np.cumsum(a[1:], axis=1)).all()
    with pytest.raises(TypeError, match="does not take Atoll arrays"):
        np.polyfit(a.at[0], a.at[1], 1)
    with pytest.raises(TypeError, match="does not turn into a NumPy array by itself"):
        np.array(a.at[0])
    with pytest.raises(TypeError, match="has no truth value"):
        bool(a.at[0, 0])

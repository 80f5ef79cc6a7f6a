"""Atomic addition through `at`: exact totals however many ranks add, at the same time."""

import atoll
import numpy as np
import pytest


def test_all_ranks_add_to_the_same_elements_and_nothing_is_lost(dtype, cut):
    a = atoll.zeros((9, 10), dtype, distribution=cut((9, 10)))
    rounds = 50
    for _ in range(rounds):
        a.at[2:8, 1:9] += 1
        a.at[0, 0] += 2
    atoll.sync()
    expected = np.zeros((9, 10), int)
    expected[2:8, 1:9] = rounds * atoll.size()
    expected[0, 0] = 2 * rounds * atoll.size()
    np.testing.assert_array_equal(a[...], expected.astype(dtype))  # bytes wrap


def test_sections_values_and_factors_as_in_numpy(dtype, cut, values):
    expected = values((6, 7), dtype)
    a = atoll.from_numpy(expected, distribution=cut((6, 7)))
    block = values((3, 7), dtype, seed=1)
    alpha = {"c": 2 - 3j, "u": 253}.get(dtype.kind, -3)
    if atoll.rank() == 0:
        a.at[::2, ::-1] += block
        a.at[1:4].add(np.asfortranarray(block), alpha=alpha)
        a.at[:, 2] -= 4
        a.at[5].add(1, alpha=dtype.type(2))
    expected[::2, ::-1] += block
    expected[1:4] += (alpha * block).astype(dtype)
    expected[:, 2] -= dtype.type(4)
    expected[5] += dtype.type(2)
    atoll.sync()
    np.testing.assert_array_equal(a[...], expected)


def test_plus_equals_adds_once_and_does_not_store():
    a = atoll.ones(3)
    section = a.at[:]
    section += 1
    atoll.sync()
    assert a[:].tolist() == [1 + atoll.size()] * 3


def test_storing_through_at_is_refused():
    a = atoll.zeros(3)
    b = atoll.zeros(3)
    with pytest.raises(TypeError, match="store with"):
        a.at[:] = 1
    with pytest.raises(TypeError, match="store with"):
        a.at[:] = b.at[:]


def test_what_cannot_be_added_raises(dtype):
    a = atoll.zeros((4, 4), dtype)
    with pytest.raises(ValueError, match="broadcast"):
        a.at[:2] += np.zeros(3, dtype)
    with pytest.raises(IndexError):
        a.at[4] += 1
    with pytest.raises(TypeError):
        a.at[0] += "text"
    if dtype.kind != "c":
        with pytest.raises(TypeError):
            a.at[0] += 1j
        with pytest.raises(TypeError):
            a.at[0].add(1, alpha=1j)
    with pytest.raises(TypeError):
        a.at[0].add(1, alpha=[1, 2])


def test_plain_plus_equals_on_a_section_is_a_get_and_a_put():
    a = atoll.zeros(4)
    if atoll.rank() == 0:
        a[1:3] += 5
    atoll.sync()
    assert a[:].tolist() == [0, 5, 5, 0]


@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_fetch_add_hands_out_every_value_once(kind):
    a = atoll.zeros((2, 3), kind)
    mine = [a.fetch_add((1, -1)) for _ in range(100)]
    assert mine == sorted(mine)
    flags = np.zeros(100 * atoll.size(), int)
    flags[mine] += 1
    assert (atoll.world().reduce(flags) == 1).all()
    assert a[1, 2] == 100 * atoll.size()


def test_swap_gives_the_old_value():
    a = atoll.full(3, 7)
    if atoll.rank() == atoll.size() - 1:
        assert a.swap(0, 9) == 7
        assert a.swap(0, 11) == 9
    atoll.sync()
    assert a[0] == 11


def test_atomics_want_integers_and_one_position():
    with pytest.raises(TypeError):
        atoll.zeros(3).fetch_add(0)
    a = atoll.zeros((3, 3), int)
    with pytest.raises(IndexError):
        a.fetch_add(0)
    with pytest.raises(IndexError):
        a.fetch_add((0, 3))
    with pytest.raises(IndexError):
        a.swap((0, slice(1)), 1)

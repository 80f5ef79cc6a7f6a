"""Sorting, searching, taking and distinct elements, compared with NumPy."""

import atoll
import numpy as np
import pytest


def check(result, expected):
    assert isinstance(result, atoll.Array)
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result[...], expected)


@pytest.fixture(params=[(101,), (13, 6), (2, 50), (3, 4, 5), (0,), (4, 0), (1,)], ids=str)
def pair(request, cut, values):
    x = values(request.param, "float64") % 17  # with equals
    yield atoll.from_numpy(x, distribution=cut(x.shape)), x
    atoll.sync()


def test_sorting_is_numpys_and_stable(pair):
    a, x = pair
    for axis in (None, *range(-x.ndim, x.ndim)):
        check(atoll.sort(a, axis), np.sort(x, axis))
        check(np.argsort(a, axis, kind="stable"), np.argsort(x, axis, kind="stable"))
    places = np.flip(x.shape[-1] - 1 - np.argsort(np.flip(x, -1), -1, kind="stable"), -1)
    check(atoll.argsort(a, descending=True), places)
    check(atoll.sort(a, descending=True), np.flip(np.sort(x), -1))
    a.sort(0)
    x.sort(0)
    check(a, x)
    with pytest.raises(np.exceptions.AxisError, match="axis 5"):
        atoll.sort(a, 5)
    with pytest.raises(ValueError, match="kind is 'fast'"):
        atoll.sort(a, kind="fast")


@pytest.mark.parametrize("x", [np.zeros(200), np.arange(300.0)[::-1], np.tile([1, np.nan, -2], 40)])
def test_lines_that_are_equal_descending_or_hold_nan(x):
    a = atoll.from_numpy(x)
    check(atoll.sort(a), np.sort(x))
    check(atoll.argsort(a), np.argsort(x, kind="stable"))
    check(atoll.unique(a), np.unique(x))
    atoll.sync()


def test_all_types_are_sorted(dtype, values):
    x = values((40,), dtype)
    a = atoll.from_numpy(x)
    if dtype.kind == "c":
        with pytest.raises(TypeError, match="no order"):
            atoll.sort(a)
        return
    check(atoll.sort(a), np.sort(x))
    check(np.partition(a, 3), np.sort(x))
    check(a.take(atoll.argpartition(a, 3)), np.sort(x))
    atoll.sync()


def test_places_in_a_sorted_vector(cut):
    x = np.sort(np.random.default_rng(0).integers(0, 20, 50).astype(float))
    y = np.array([[-1.0, 3, 3.5], [20, 7, 19]])
    a, b = atoll.from_numpy(x, distribution=cut(x.shape)), atoll.from_numpy(y)
    for side in ("left", "right"):
        expected = np.searchsorted(x, y, side)
        np.testing.assert_array_equal(atoll.searchsorted(a, y, side=side), expected)
        check(np.searchsorted(a, b, side), expected)
        assert a.searchsorted(3.0, side) == np.searchsorted(x, 3.0, side)
    with_nan = np.array([1.0, 2.0, np.nan, np.nan])
    for side in ("left", "right"):
        wanted = np.array([0.0, 2.0, np.nan])
        own = atoll.searchsorted(atoll.from_numpy(with_nan), atoll.from_numpy(wanted), side)
        check(own, np.searchsorted(with_nan, wanted, side))
    assert atoll.searchsorted(atoll.zeros(0), 1.0) == 0
    with pytest.raises(ValueError, match="side is 'x'"):
        atoll.searchsorted(a, y, "x")
    atoll.sync()


def test_elements_that_are_not_zero(pair):
    a, x = pair
    b, y = atoll.round(a / 10), np.round(x / 10)
    for own, expected in zip(np.nonzero(b), np.nonzero(y), strict=True):
        check(own, expected)
    check(atoll.flatnonzero(b), np.flatnonzero(y))
    check(np.argwhere(b), np.argwhere(y))


def test_elements_and_lines_are_taken(pair):
    a, x = pair
    for axis in range(x.ndim):
        n = x.shape[axis]
        for indices in ([0, -1, 0] if n else [], np.arange(n).reshape(1, -1)):
            given = np.asarray(indices, int)
            check(atoll.take(a, indices, axis=axis), np.take(x, given, axis))
            check(np.take(a, atoll.from_numpy(given), axis), np.take(x, given, axis))
        order = np.argsort(x, axis, kind="stable")
        check(atoll.take_along_axis(a, atoll.argsort(a, axis), axis), np.sort(x, axis))
        check(np.take_along_axis(a, order, axis), np.sort(x, axis))
        with pytest.raises(IndexError, match="out of bounds"):
            atoll.take(a, [n], axis=axis) if x.size else atoll.take(atoll.ones(2), [2])
    if x.size:
        check(a.take([0, -1]), x.take([0, -1]))
        if x.ndim > 1:
            check(a.take(0, 0), x.take(0, 0))
    with pytest.raises(TypeError, match="indices is"):
        atoll.take(a, [0.5], axis=0)


def test_distinct_elements(pair):
    a, x = pair
    own = atoll.unique(a, True, True, True)
    for result, expected in zip(own, np.unique(x, True, True, True), strict=True):
        check(result, expected.reshape(result.shape))
    found = atoll.unique_all(a)
    check(found.values, np.unique(x))
    check(atoll.unique_counts(a).counts, np.unique(x, return_counts=True)[1])
    inverse = atoll.unique_inverse(a)
    check(inverse.values.take(inverse.inverse_indices) if x.size else a, x)
    check(np.unique(a), np.unique(x))


def test_no_rank_gets_much_more_than_its_share():
    n = 3000
    for x in (np.zeros(n), np.arange(n) // 100, np.random.default_rng(1).random(n)):
        parts = []
        a = atoll.from_numpy(np.asarray(x, float))
        atoll.api.sample_sort.sort_line(
            a,
            n,
            lambda part, a=a: a[part],
            lambda part, *_, parts=parts: parts.append(part.stop - part.start),
            places=False,
        )
        assert max(parts) <= 2 * n / atoll.size() + 1
        atoll.sync()


@pytest.mark.parametrize("shape", [(1, 5), (1, 5, 5), (7,), (2, 1, 3)])
def test_copies_that_nodes_cut_otherwise_give_the_same(shape, values):
    """A node cuts its copy over its own ranks, of which nodes have more or fewer."""
    x = values(shape, "int64") % 3
    a = atoll.from_numpy(x, mirrored=True)
    for found, place in zip(atoll.nonzero(a), np.nonzero(x), strict=True):
        np.testing.assert_array_equal(found[...], place)
    np.testing.assert_array_equal(a.reshape(shape[::-1])[...], x.reshape(shape[::-1]))
    np.testing.assert_array_equal(atoll.squeeze(a)[...], x.squeeze())
    np.testing.assert_array_equal(atoll.expand_dims(a, 1)[...], x[:, None])
    np.testing.assert_array_equal(atoll.sort(a, axis=None)[...], np.sort(x, axis=None))
    np.testing.assert_array_equal(atoll.unique(a)[...], np.unique(x))
    atoll.sync()

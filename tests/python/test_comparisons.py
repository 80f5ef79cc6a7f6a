"""Comparisons, truth values and masks: arrays of bool, as NumPy's."""

import operator

import atoll
import numpy as np
import pytest

X = np.array([[1.0, 5.0, np.nan], [-2.0, 5.0, 7.0], [0.0, np.inf, 3.0], [4.0, 4.0, -0.0]])
Y = np.array([[1.0, 4.0, np.nan], [-2.0, 6.0, 7.0], [0.0, np.inf, 2.0], [4.0, 5.0, 0.0]])
LAYOUTS = [atoll.blocked(), atoll.blocked((0, 3)), atoll.tiled((2, 2))]


def same(mine, theirs):
    assert isinstance(mine, atoll.Array)
    assert mine.dtype == theirs.dtype
    np.testing.assert_array_equal(mine[...], theirs)
    atoll.sync()


@pytest.mark.parametrize("layout", LAYOUTS, ids=["blocked", "rows", "tiled"])
def test_arrays_compare_with_arrays_numbers_and_views(layout):
    a, b = atoll.from_numpy(X, distribution=layout), atoll.from_numpy(Y)
    for f in (*(operator.eq, operator.ne, operator.lt, operator.le), operator.gt, operator.ge):
        same(f(a, b), f(X, Y))
        same(f(a, 4), f(X, 4))
        same(f(4, a), f(4, X))
        same(f(a, Y), f(X, Y))
        same(f(a.at[1:3], b.at[:2]), f(X[1:3], Y[:2]))
        same(f(a, Y[0]), f(X, Y[0]))
    for f in (np.isnan, np.isfinite, np.isinf, np.signbit, np.logical_not):
        same(f(a), f(X))
    for f in (np.logical_and, np.logical_or, np.logical_xor):
        same(f(a, b), f(X, Y))
    same(np.isclose(a, b, equal_nan=True), np.isclose(X, Y, equal_nan=True))
    same(atoll.isclose(a, 4.0), np.isclose(X, 4.0))


def test_truth_values_are_computed_with():
    p, q = X > 3, Y > 4
    a, b = atoll.from_numpy(p), atoll.from_numpy(q, distribution=atoll.tiled((1, 2)))
    for f in (*(operator.and_, operator.or_, operator.xor, operator.add), operator.mul):
        same(f(a, b), f(p, q))
    same(~a, ~p)
    same(a & True, p & True)
    same(a.at[:2] | b.at[2:], p[:2] | q[2:])
    same(a.astype(int) - b, p.astype(int) - q)
    same(a * 2.5, p * 2.5)
    with pytest.raises(TypeError):
        a - b  # as NumPy, which names `^`
    a ^= b
    same(a, p ^ q)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_truths_are_reduced_along_axes(axis):
    p = X > 3
    a = atoll.from_numpy(p)
    for name in ("any", "all", "sum", "mean", "max", "argmax", "prod"):
        if name == "argmax" and isinstance(axis, tuple):
            continue
        mine, theirs = getattr(a, name)(axis=axis), getattr(p, name)(axis=axis)
        mine = mine[...] if isinstance(mine, atoll.Array) else mine
        assert np.asarray(mine).dtype == np.asarray(theirs).dtype or name == "argmax"
        np.testing.assert_allclose(mine, theirs)
    counted = atoll.count_nonzero(a, axis=axis)
    np.testing.assert_array_equal(
        counted[...] if isinstance(counted, atoll.Array) else counted, np.count_nonzero(p, axis)
    )
    atoll.sync()


@pytest.mark.parametrize("layout", LAYOUTS, ids=["blocked", "rows", "tiled"])
def test_masks_choose_what_is_read_and_stored(layout):
    a, x = atoll.from_numpy(X, distribution=layout), X.copy()
    np.testing.assert_array_equal(a[a > 3], x[x > 3])
    np.testing.assert_array_equal(a[(a > 3)[...]], x[x > 3])
    rows = x[:, 0] > 0
    np.testing.assert_array_equal(a[atoll.from_numpy(rows)], x[rows])
    np.testing.assert_array_equal(a[rows, 1:], x[rows, 1:])
    same(atoll.where(a > 3, a, -1), np.where(x > 3, x, -1))
    same(np.where(a > 3, 1, a), np.where(x > 3, 1, x))
    for mine, theirs in zip(atoll.nonzero(a > 3), np.nonzero(x > 3), strict=True):
        same(mine, theirs)
    same(atoll.argwhere(a > 3), np.argwhere(x > 3))
    large, count = a > 3, int((x > 3).sum())
    atoll.sync()
    if atoll.rank() == 0:
        a[large] = 0
        a[np.isnan(x)] = [9.0]
        a[rows, 2] = 8
        a.at[x == -2].add(1)
    atoll.sync()
    x[X > 3] = 0
    x[np.isnan(X)] = 9
    x[rows, 2] = 8
    x[X == -2] += 1
    np.testing.assert_array_equal(a[...], x)
    atoll.sync()
    if atoll.rank() == 0:
        a[large] = np.arange(count)
    atoll.sync()
    x[X > 3] = np.arange(count)
    np.testing.assert_array_equal(a[...], x)
    with pytest.raises(IndexError):
        a[np.ones((2, 3), bool)]


def test_equality_goes_into_tests_of_programs():
    a = atoll.from_numpy(X)
    assert bool((a == a.copy()).any())
    assert 7.0 in a
    assert 8.0 not in a
    assert atoll.array_equal(a > 3, X > 3)
    assert not atoll.array_equal(a, a)  # NaN
    assert atoll.array_equal(a, a, equal_nan=True)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(a == 1)

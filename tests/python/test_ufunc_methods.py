"""`reduce`, `accumulate` and `at` of NumPy's ufuncs, and parts of arrays as `out`."""

import atoll
import numpy as np
import pytest

X = np.array([[6, 4, 9, 1], [3, 7, 2, 5], [8, 0, 11, 10]])


@pytest.mark.parametrize(
    "ufunc",
    [np.add, np.multiply, np.maximum, np.fmin, np.bitwise_and, np.bitwise_xor, np.gcd, np.hypot],
)
def test_reduce_is_numpys_along_axes_and_of_all(ufunc):
    a = atoll.from_numpy(X)
    for axis in (0, 1, -1, None) if ufunc is np.hypot else (0, 1, (0, 1), None):
        if ufunc is np.hypot and axis is None:
            continue
        expected = ufunc.reduce(X, axis=axis)
        made = ufunc.reduce(a, axis=axis)
        np.testing.assert_allclose(made[...] if isinstance(made, atoll.Array) else made, expected)
        assert made.dtype == expected.dtype
    kept = ufunc.reduce(a, axis=0, keepdims=True)
    np.testing.assert_allclose(kept[...], ufunc.reduce(X, axis=0, keepdims=True))


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.minimum, np.bitwise_or])
def test_accumulate_is_numpys_along_axes(ufunc):
    a = atoll.from_numpy(X)
    for axis in (0, 1):
        made = ufunc.accumulate(a, axis=axis)
        expected = ufunc.accumulate(X, axis=axis)
        np.testing.assert_array_equal(made[...], expected)
        assert made.dtype == expected.dtype


@pytest.mark.parametrize("cut", [atoll.blocked(), atoll.tiled((2, 2))])
def test_at_changes_the_elements_as_often_as_they_are_named(cut):
    a, x = atoll.from_numpy(X, distribution=cut), X.copy()
    rows, columns = np.array([0, 2, 2, -1]), np.array([1, 3, 3, 0])
    for ufunc, values in (
        (np.multiply, [2, 3, 5, 7]),
        (np.maximum, 6),
        (np.add, [1, 1, 1, 1]),
        (np.subtract, 2),
    ):
        ufunc.at(a, (rows, columns), values)
        ufunc.at(x, (rows, columns), values)
        np.testing.assert_array_equal(a[...], x)
    np.negative.at(a, (rows, columns))
    np.negative.at(x, (rows, columns))
    np.testing.assert_array_equal(a[...], x)
    with pytest.raises(IndexError, match="index 4"):
        np.multiply.at(a, ([0], [4]), 2)
    with pytest.raises(TypeError, match=r"multiply\.at"):
        np.multiply.at(a, 0, 2)


def test_methods_that_depend_on_the_order_are_refused():
    a = atoll.from_numpy(X)
    for call in (lambda: np.subtract.reduce(a), lambda: np.add.reduceat(a, [0, 1])):
        with pytest.raises(TypeError, match="does not take Atoll arrays"):
            call()


def test_a_part_of_an_array_takes_the_result():
    a, x = atoll.from_numpy(X.astype(float)), X.astype(float)
    part = a.at[1:, ::2]
    assert np.add(a.at[:2, ::2], 1, out=part) is part
    x[1:, ::2] = x[:2, ::2].copy() + 1
    np.testing.assert_array_equal(a[...], x)
    where = np.array([True, False, True, False])
    np.sqrt(a.at[0], out=a.at[0], where=where)
    np.sqrt(x[0], out=x[0], where=where)
    np.testing.assert_array_equal(a[...], x)
    whole, fraction = atoll.zeros((3, 4)), atoll.zeros((6, 4))
    np.modf(a, out=(fraction.at[3:], whole))
    np.testing.assert_array_equal(fraction[3:], np.modf(x)[0])
    with pytest.raises(ValueError, match="out has shape"):
        np.add(a, 1, out=a.at[:2])

"""Reshaping, permuting, joining, repeating, diagonals, assignment of arrays: NumPy's, always."""

import itertools

import atoll
import numpy as np
import pytest


def check(result, expected):
    assert isinstance(result, atoll.Array)
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result[...], expected)


@pytest.fixture(params=[(7, 6), (3, 4, 5), (13,), (0, 3), (1, 1)], ids=str)
def pair(request, cut, values):
    x = values(request.param, "int64")
    yield atoll.from_numpy(x, distribution=cut(x.shape)), x
    atoll.sync()


SHAPES = {
    42: [(6, 7), (-1,), (2, 3, 7), (42, 1), (1, 42), (21, 2)],
    60: [(6, 10), (60,), (5, -1, 3), (2, 30), (2, 2, 15)],
    13: [(13, 1), (1, -1)],
    0: [(0,), (3, 0), (5, 0, 2)],
    1: [(1,), (1, 1, 1)],
}


def test_reshape_and_ravel(pair):
    a, x = pair
    for shape in SHAPES[x.size]:
        check(a.reshape(shape), x.reshape(shape))
    check(np.ravel(a), x.ravel())
    check(a.reshape(*x.shape[::-1]), x.reshape(x.shape[::-1]))
    for wrong in ((5, x.size + 1), (-2,), (-1, -1, 2)):
        with pytest.raises(ValueError, match="shape is"):
            a.reshape(wrong)


def test_permutations_of_axes(pair):
    a, x = pair
    for axes in itertools.permutations(range(x.ndim)):
        check(a.transpose(axes), x.transpose(axes))
    check(a.transpose(), x.T)
    check(np.swapaxes(a, 0, -1), x.swapaxes(0, -1))
    check(np.moveaxis(a, 0, -1), np.moveaxis(x, 0, -1))
    check(atoll.moveaxis(a, list(range(x.ndim)), list(range(x.ndim))[::-1]), x.T)
    with pytest.raises(ValueError, match="axes is"):
        a.transpose([0] * (x.ndim + 1))


def test_order_of_elements(pair):
    a, x = pair
    for axis in (None, 0, -1, tuple(range(x.ndim))):
        check(atoll.flip(a, axis), np.flip(x, axis))
    for shift, axis in ((2, None), (-3, 0), (100, -1), ((1, -2), (0, 0)), (5, (0, -1))):
        check(np.roll(a, shift, axis), np.roll(x, shift, axis))
    with pytest.raises(TypeError, match=r"shift is 1\.5"):
        atoll.roll(a, 1.5)


def test_axes_of_one_element(pair):
    a, x = pair
    for axis in (0, -1, 1, (0, 2)):
        wide = np.expand_dims(x, axis)
        check(atoll.expand_dims(a, axis=axis), wide)
        back = np.expand_dims(a, axis)
        if x.size != 1:
            check(back.squeeze(), wide.squeeze())
        check(atoll.squeeze(back, axis), wide.squeeze(axis))
    check(np.broadcast_to(a, (2, *x.shape)), np.broadcast_to(x, (2, *x.shape)))
    with pytest.raises(ValueError, match="axis is 0"):
        atoll.squeeze(atoll.ones((2, 3)), 0)
    with pytest.raises(ValueError, match="does not broadcast"):
        atoll.broadcast_to(atoll.ones(3), (2,))


def test_joins(pair):
    a, x = pair
    b, y = (a + 1).astype("float64"), (x + 1).astype("float64")
    for axis in (None, *range(-x.ndim, x.ndim)):
        check(np.concatenate([a, b, y], axis), np.concatenate([x, y, y], axis))
    for axis in range(-x.ndim - 1, x.ndim + 1):
        check(atoll.stack([a, a.at[...]], axis=axis), np.stack([x, x], axis))
    check(np.vstack([a, a]), np.vstack([x, x]))
    check(np.hstack([a, b]), np.hstack([x, y]))
    check(np.append(a, [1, 2]), np.append(x, [1, 2]))
    with pytest.raises(ValueError, match="arrays have shapes"):
        atoll.concat([a, atoll.ones((2,) * (x.ndim + 1))])
    with pytest.raises(TypeError, match="arrays is"):
        atoll.concat([x, x])


def test_repetitions(pair):
    a, x = pair
    for times in (2, (2, 3), (1, 2, 2, 1), 0):
        check(np.tile(a, times), np.tile(x, times))
    for axis in (None, *range(x.ndim)):
        check(np.repeat(a, 3, axis), np.repeat(x, 3, axis))
        n = x.size if axis is None else x.shape[axis]
        check(a.repeat(np.arange(n) % 3, axis), x.repeat(np.arange(n) % 3, axis))
    with pytest.raises(ValueError, match="repeats is"):
        atoll.repeat(a, -1)


def test_padding(pair):
    a, x = pair
    for mode in ("constant", "edge", "wrap", "symmetric", "reflect"):
        for width in (1, (2, 1), [(d, 2) for d in range(x.ndim)]):
            if x.size or mode == "constant":
                check(np.pad(a, width, mode), np.pad(x, width, mode))
    check(atoll.pad(a, 2, constant_values=7), np.pad(x, 2, constant_values=7))
    with pytest.raises(ValueError, match="mode is 'mean'"):
        atoll.pad(a, 1, mode="mean")


def test_parts_and_differences(pair):
    a, x = pair
    for axis in range(x.ndim):
        for cuts in (3, [1, 3], [2, -1]):
            given = atoll.array_split(a, cuts, axis)
            for part, expected in zip(given, np.array_split(x, cuts, axis), strict=True):
                check(part, expected)
        for n in (0, 1, 2):
            check(np.diff(a, n, axis), np.diff(x, n, axis))
    with pytest.raises(ValueError, match="does not divide"):
        atoll.split(atoll.ones(5), 2)


def test_parts_without_an_axis_and_arrays_broadcast_together(cut, values):
    x = values((3, 4, 5), "float64")
    a = atoll.from_numpy(x, distribution=cut(x.shape))
    for axis in (0, -1):
        for own, expected in zip(atoll.unstack(a, axis=axis), np.moveaxis(x, axis, 0), strict=True):
            check(own, expected)
    check(a.mT, np.swapaxes(x, -1, -2))
    y = values((4, 1), "int64")
    for own, expected in zip(
        atoll.broadcast_arrays(a, atoll.from_numpy(y)), np.broadcast_arrays(x, y), strict=True
    ):
        check(own, expected)
    atoll.sync()


def test_diagonals(cut, values):
    x = values((7, 6), "float64")
    a = atoll.from_numpy(x, distribution=cut(x.shape))
    for k in (-6, -2, 0, 3, 9):
        check(a.diagonal(k), x.diagonal(k))
        assert a.trace(k) == x.trace(k)
    for k in (-2, 0, 1):
        check(np.diag(atoll.from_numpy(x[0]), k), np.diag(x[0], k))
    y = values((3, 4, 5), "int64")
    b = atoll.from_numpy(y)
    for one, other in ((0, 1), (2, 0), (-1, 1)):
        check(b.diagonal(1, one, other), y.diagonal(1, one, other))
        check(np.trace(b, 0, one, other), y.trace(0, one, other))
    with pytest.raises(ValueError, match="axis1 is 1 and axis2 is 1"):
        b.diagonal(0, 1, 1)
    atoll.sync()


KEYS = [np.s_[0:2], np.s_[..., 1], np.s_[3], np.s_[::-2, 1:4], np.s_[[4, 0, 2]], np.s_[5:5], ...]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_an_array_is_stored_to_a_part_of_another(key, cut, values):
    x, y = values((7, 6), "float64"), values((7, 6), "int32", seed=1)
    a = atoll.from_numpy(x, distribution=cut(x.shape))
    given = atoll.from_numpy(np.ascontiguousarray(y[key]))
    one = atoll.full((1, 1), 3.0)
    atoll.sync()
    if atoll.rank() == 0:  # not collective
        a[key] = given
    atoll.sync()
    x[key] = y[key]
    np.testing.assert_array_equal(a[...], x)
    atoll.sync()
    if atoll.rank() == atoll.size() - 1:
        a[key] = one.at[0]
        a[2:4] = a.at[3:5]
    atoll.sync()
    x[key] = 3.0
    x[2:4] = x[3:5].copy()
    np.testing.assert_array_equal(a[...], x)
    atoll.sync()


def test_what_cannot_be_stored_is_told():
    a = atoll.zeros((4, 3), int)
    with pytest.raises(ValueError, match=r"value has shape \(4,\)"):
        a[0:2] = atoll.ones(4, int)
    with pytest.raises(TypeError, match="value is of complex128"):
        a[0:2] = atoll.ones(3, complex)
    with pytest.raises(IndexError):
        a[7] = atoll.ones(3, int)


def test_an_array_is_a_key():
    a, i = atoll.arange(10.0), atoll.from_numpy([7, 2])
    assert a[i].tolist() == [7.0, 2.0]
    atoll.sync()
    if atoll.rank() == 0:
        a[i] = [1.0, 0.0]
    atoll.sync()
    assert a[[2, 7]].tolist() == [0.0, 1.0]
    atoll.sync()


def test_what_index_arrays_select_takes_an_array():
    x = np.zeros((4, 3))
    a, b = atoll.from_numpy(x), atoll.arange(6.0).reshape(2, 3)
    y = b[...]
    if atoll.rank() == 0:
        a[[3, 1]] = b
        a[np.array([True, False, False, False]), :] = b.at[1]
    x[[3, 1]] = y
    x[0] = y[1]
    atoll.sync()
    np.testing.assert_array_equal(a[...], x)
    with pytest.raises(TypeError, match="value is of complex128"):
        atoll.zeros(3, int)[[0, 1]] = atoll.ones(2, complex)
    atoll.sync()

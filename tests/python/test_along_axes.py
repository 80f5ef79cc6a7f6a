"""Reductions and accumulations along axes, compared with NumPy."""

import functools
import itertools
import warnings

import atoll
import numpy as np
import pytest

SHAPES = [(7, 6), (3, 4, 5), (5,), (0, 3)]
NAMES = ["sum", "prod", "max", "min", "mean", "std", "any", "argmax"]


def expect(result, expected):
    """An array where NumPy gives one, else a number, of the same type."""
    if np.ndim(expected):
        assert isinstance(result, atoll.Array)
        assert result.shape == expected.shape
        result = result[...]
    else:
        assert not isinstance(result, atoll.Array)
    assert np.result_type(result).kind == np.result_type(expected).kind
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def outcome(call):
    """What a call gives, or the class of what it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call(), None
        except (TypeError, ValueError) as error:
            return None, type(error)


def same(call, expected_call):
    """Compare with NumPy."""
    (expected, error), (result, own) = outcome(expected_call), outcome(call)
    assert own is error
    if error is None:
        expect(result, expected)


AXES = {1: [None, 0], 2: [None, 0, -1, (0, 1)], 3: [1, -1, (0, 2), (2, 1)]}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reductions_are_numpys_along_any_axes(shape, cut, values):
    x = values(shape, "float64") % 7
    a = atoll.from_numpy(x, distribution=cut(shape))
    for keepdims, (name, axis) in enumerate(itertools.product(NAMES, AXES[len(shape)])):
        options = {"axis": axis, "keepdims": bool(keepdims % 2)}
        if name == "argmax" and (not isinstance(axis, int) or 0 in shape):
            continue
        if 0 in shape and axis is None and name == "max":
            continue  # said by the core in its own way
        same(
            lambda name=name, o=options: getattr(a, name)(**o),
            lambda name=name, o=options: getattr(x, name)(**o),
        )


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "max", "argmin", "cumsum"])
def test_all_types_reduce_along_axes(name, dtype, values):
    x = values((5, 4), dtype) % 5 if dtype.kind != "c" else values((5, 4), dtype) / 1000
    a = atoll.from_numpy(x)
    for axis in (0, 1):
        if dtype.kind == "c" and name in ("max", "argmin"):
            with pytest.raises(TypeError, match="order"):
                getattr(a, name)(axis)
            continue
        expected = getattr(x, name)(axis=axis)
        result = getattr(a, name)(axis=axis)
        assert result.dtype == expected.dtype
        np.testing.assert_allclose(result[...], expected, rtol=2e-5)
        atoll.sync()


def test_nan_and_equal_elements_are_found_as_in_numpy(cut):
    x = np.zeros((6, 5))
    x[2:4, 1] = 3.0
    x[1, 2] = x[4, 2] = np.nan
    a = atoll.from_numpy(x, distribution=cut(x.shape))
    for axis in (0, 1):
        expect(a.argmax(axis), x.argmax(axis))
        expect(a.max(axis), x.max(axis))
        expect(atoll.count_nonzero(a, axis), np.count_nonzero(x, axis))
    assert atoll.count_nonzero(a) == np.count_nonzero(x)
    assert bool(a.any()) is True
    assert bool(a.all()) is False
    atoll.sync()


def test_a_variance_far_from_zero_loses_nothing(cut):
    x = 1e9 + np.arange(24.0).reshape(6, 4)
    a = atoll.from_numpy(x, distribution=cut(x.shape))
    expect(a.var(0, ddof=1), x.var(0, ddof=1))
    expect(atoll.std(a, axis=1, correction=1), x.std(1, ddof=1))
    expect(a.std(), x.std())
    atoll.sync()


def test_dtype_and_out(cut, values):
    x = values((6, 5), "int32")
    a = atoll.from_numpy(x, distribution=cut(x.shape))
    expect(a.sum(0, dtype="float32"), x.sum(0, dtype="float32"))
    assert a.sum(dtype="float64").dtype == np.float64
    out = atoll.empty(5, "float64", distribution=cut((5,)))
    assert a.mean(0, out=out) is out
    np.testing.assert_allclose(out[...], x.mean(0))
    whole = atoll.empty((1, 1), "int64")
    assert a.sum(out=whole, keepdims=True) is whole
    assert whole[0, 0] == x.sum()
    atoll.sync()
    for wrong, kind in ((atoll.empty(6), ValueError), (np.empty(5), TypeError)):
        with pytest.raises(kind, match="out"):
            a.sum(0, out=wrong)
    with pytest.raises(TypeError, match="out is of int32"):
        a.mean(0, out=atoll.empty(5, "int32"))


def test_sums_of_whole_rows_stay_where_the_rows_are():
    a = atoll.ones((13, 4), distribution=atoll.blocked((0, 4)))
    mine = [key[:1] for key in a.patches()]
    assert a.sum(axis=1).patches() == mine
    assert [key[:1] for key in a.max(axis=1, keepdims=True).patches()] == mine


@pytest.mark.parametrize("shape", [(5,), (7, 6), (3, 4, 5), (0, 3), (3, 0)], ids=str)
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_sums_and_products_so_far(name, shape, cut, values):
    x = values(shape, "float64") % 5 - 2
    a = atoll.from_numpy(x, distribution=cut(shape))
    for axis in (None, *range(-len(shape), len(shape))):
        expect(getattr(a, name)(axis), getattr(x, name)(axis))
        atoll.sync()
    out = atoll.empty(shape, "float64")
    assert getattr(atoll, name)(a, 0, out=out) is out
    np.testing.assert_array_equal(out[...], getattr(x, name)(0))
    atoll.sync()


def test_sums_with_a_zero_before_all(cut):
    x = np.arange(12).reshape(4, 3)
    a = atoll.from_numpy(x, distribution=cut(x.shape))
    for axis in (0, 1):
        start = np.insert(np.cumsum(x, axis), 0, 0, axis)
        expect(atoll.cumulative_sum(a, axis=axis, include_initial=True), start)
        product = np.insert(np.cumprod(x, axis), 0, 1, axis)
        expect(atoll.cumulative_prod(a, axis=axis, include_initial=True), product)
        atoll.sync()
    with pytest.raises(ValueError, match="axis is None"):
        atoll.cumulative_sum(a)


def test_views_reduce_along_axes(values):
    x = values((8, 6), "float64")
    a = atoll.from_numpy(x)
    expect(a.at[1:6, ::2].sum(axis=0), x[1:6, ::2].sum(axis=0))
    expect(a.at[2:].T.mean(1), x[2:].T.mean(1))
    expect(a.at[2:].std(), x[2:].std())
    atoll.sync()


def test_mirrored_arrays_reduce_alike_on_all_nodes(values):
    x = values((7, 4), "float64")
    m = atoll.from_numpy(x, mirrored=True)
    for axis in (0, 1):
        result = m.sum(axis)
        assert result.mirrored
        expect(result, x.sum(axis))
        expect(m.cumsum(axis), x.cumsum(axis))
    expect(m.prod(), x.prod())
    atoll.sync()


def test_what_is_no_axis_is_told():
    a = atoll.ones((3, 4))
    for call in (a.sum, a.argmax, a.std, a.cumsum, functools.partial(atoll.count_nonzero, a)):
        with pytest.raises(np.exceptions.AxisError, match="axis 2 is out of bounds"):
            call(axis=2)
        with pytest.raises(TypeError, match=r"axis is 1\.5"):
            call(axis=1.5)
    with pytest.raises(ValueError, match="twice"):
        a.sum(axis=(0, -2))
    with pytest.raises(TypeError, match="keepdims is 2"):
        a.sum(0, keepdims=2)
    with pytest.raises(TypeError, match=r"dtype is U5"):
        a.sum(0, dtype="U5")


def test_ranks_that_give_other_axes_are_told():
    if atoll.size() < 2:
        pytest.skip("needs two ranks")
    a = atoll.ones((3, 4))
    odd = atoll.rank() == atoll.size() - 1
    with pytest.raises(RuntimeError, match="sum"):
        a.sum(axis=1 if odd else 0)
    with pytest.raises((ValueError, RuntimeError)):
        a.sum(axis=5 if odd else 0)
    assert float(a.sum(0)[0]) == 3.0
    atoll.sync()

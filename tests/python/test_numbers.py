"""Numbers as NumPy has them: what is taken for one, counting, means, division, empty sections."""

import warnings
from fractions import Fraction

import atoll
import numpy as np
import pytest


@pytest.mark.parametrize(
    "value", [10**20, -(10**30), np.True_, np.float32(1.5), True, Fraction(1, 4)]
)
def test_fill_and_scale_take_the_numbers_that_assignment_takes(value):
    a, b = atoll.ones(3), atoll.ones(3)
    a.fill(value)
    b.scale(value)
    expected = np.full(3, float(value))
    assert (a[...] == expected).all()
    assert (b[...] == expected).all()
    counts = atoll.ones(2, dtype=int)
    counts.fill(np.True_)
    assert (counts[...] == 1).all()


@pytest.mark.parametrize("value", [2**40, 10**20, -(10**20)])
def test_integers_out_of_range_are_refused_alike(value):
    a = atoll.zeros(3, "int32")
    for call in (lambda: a.fill(value), lambda: a.scale(value), lambda: a.__setitem__(0, value)):
        with pytest.raises(OverflowError, match=str(value)):
            call()


def test_a_number_beyond_all_floats_is_named():
    with pytest.raises(OverflowError, match="out of bounds for float64"):
        atoll.zeros(3).fill(10**400)


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
def test_the_mean_of_integers_does_not_wrap(dtype):
    x = np.full(8, np.iinfo(dtype).max, dtype)
    x[0] = 3
    mean = atoll.from_numpy(x).mean()
    assert mean == np.mean(x)
    assert mean.dtype == np.mean(x).dtype
    assert atoll.from_numpy(x).at[1:].mean() == np.mean(x[1:])


def test_the_mean_of_nothing_is_nan_with_a_warning_at_the_line_that_asked():
    with pytest.warns(RuntimeWarning, match="mean of no elements") as told:
        assert np.isnan(atoll.zeros((0, 3)).mean())
    assert told[0].filename == __file__


@pytest.mark.parametrize(
    "bounds",
    [
        (2**53, 2**53 + 5),
        (2**62, 2**62 + 7, 3),
        (-(2**62), -(2**62) - 9, -2),
        (np.int64(2**60 + 1), np.int64(2**60 + 4)),
        (5, 5),
        (0, 10, 3),
        (1.0, 2.0, 0.1),
    ],
)
def test_arange_counts_as_numpy_also_beyond_2_to_the_53(bounds):
    np.testing.assert_array_equal(atoll.arange(*bounds)[...], np.arange(*bounds))
    assert atoll.arange(*bounds).dtype == np.arange(*bounds).dtype


@pytest.mark.parametrize(
    "bounds", [(0, 3 * 2**60 + 1, 2**60), (0, -3 * 2**60 - 1, -(2**60)), (2**62 + 1, 2**62 + 3)]
)
def test_arange_counts_integers_exactly_where_floats_round(bounds):
    assert atoll.arange(*bounds)[...].tolist() == list(range(*bounds))


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
@pytest.mark.parametrize(
    "ufunc", [np.floor_divide, np.remainder, np.divmod], ids=lambda f: f.__name__
)
def test_integers_divided_by_zero_give_what_numpy_gives_and_its_warning(dtype, ufunc):
    low = np.iinfo(dtype).min
    x = np.array([7, 0, low, 5, 9, low], dtype)
    y = np.array([0, 0, 0, 2, 4, 3], dtype)
    with warnings.catch_warnings(record=True) as theirs:
        warnings.simplefilter("always")
        expected = ufunc(x, y)
    with warnings.catch_warnings(record=True) as ours:
        warnings.simplefilter("always")
        result = ufunc(atoll.from_numpy(x), atoll.from_numpy(y))
    for mine, truth in zip(
        result if isinstance(result, tuple) else (result,),
        expected if isinstance(expected, tuple) else (expected,),
        strict=True,
    ):
        np.testing.assert_array_equal(mine[...], truth)
    assert [str(w.message) for w in ours] == [str(w.message) for w in theirs]


def test_algebra_divides_integers_by_zero_with_numpys_words():
    a, zero = atoll.full(3, 7), atoll.zeros(3, dtype=int)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        atoll.algebra.divide(a, zero, a)
    assert (a[...] == 0).all()


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "complex128"])
def test_nothing_is_stored_in_an_empty_section(dtype):
    a = atoll.ones((3, 4), dtype=dtype)
    a[:, 2:2] = []
    a[1:1] = np.zeros((0, 4), dtype)
    a[[]] = np.empty((0, 4), dtype)
    a[np.zeros((3, 4), bool)] = []
    a.at[2:2] += np.empty((0, 4), dtype)
    atoll.sync()
    assert (a[...] == 1).all()
    vector = atoll.ones(3, dtype=dtype)
    vector[[]] = []
    vector[3:] = []
    atoll.sync()
    assert (vector[...] == 1).all()


def test_dot_of_matrices_is_their_product_as_in_numpy(values):
    x, y = values((4, 3), "float64", 1), values((3, 5), "float64", 2)
    a, b = atoll.from_numpy(x), atoll.from_numpy(y)
    np.testing.assert_array_equal(a.dot(b)[...], x.dot(y))
    v = atoll.from_numpy(x[:, 0].copy())
    assert v.dot(v) == x[:, 0].dot(x[:, 0])
    np.testing.assert_array_equal(b.dot(atoll.arange(5.0))[...], y.dot(np.arange(5.0)))
    np.testing.assert_array_equal(a.at[1:, :].dot(b.at[:, :2])[...], x[1:].dot(y[:, :2]))
    assert atoll.algebra.sum_of_products(a, a) == (x * x).sum()
    with pytest.raises(ValueError, match="sum_of_products"):
        atoll.ones((2, 2, 2)).dot(atoll.ones((2, 2, 2)))


def test_get_reads_into_memory_that_is_there(values, dtype):
    x = values((6, 7), dtype)
    a = atoll.from_numpy(x)
    buffer = np.zeros((8, 9), dtype)
    out = buffer[1:4, 2:9:2]
    assert a.get(np.s_[2:5, 1:5], out=out) is out
    expected = np.zeros((8, 9), dtype)
    expected[1:4, 2:9:2] = x[2:5, 1:5]
    np.testing.assert_array_equal(buffer, expected)
    np.testing.assert_array_equal(a.get(), x)
    np.testing.assert_array_equal(a.get(np.s_[::-1, 3]), x[::-1, 3])
    later = np.empty((7, 6), dtype).T
    assert a.get_async(np.s_[::-1], out=later).wait() is later
    np.testing.assert_array_equal(later, x[::-1])
    picked = np.empty((2, 7), dtype)
    assert a.get_async([4, 1], out=picked).wait() is picked
    np.testing.assert_array_equal(picked, x[[4, 1]])
    with pytest.raises(ValueError, match="out has shape"):
        a.get(0, out=np.empty(6, dtype))
    with pytest.raises(ValueError, match="out has shape"):
        a.get_async(0, out=np.empty(6, dtype))
    with pytest.raises(TypeError, match="out must be"):
        a.get(0, out=[0] * 7)
    fixed = np.empty(7, dtype)
    fixed.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        a.get(0, out=fixed)

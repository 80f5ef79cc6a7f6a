"""Histograms, quantiles, convolutions, covariances, compared with NumPy; arrays as numbers."""

import copy
import pickle
import warnings

import atoll
import numpy as np
import pytest


def close(result, expected):
    if np.ndim(expected):
        assert isinstance(result, atoll.Array)
        assert result.shape == expected.shape
        result = result[...]
    assert np.asarray(result).dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)


def test_histograms_and_counts(cut, values):
    x = values((13, 5), "float64")
    a = atoll.from_numpy(x, distribution=cut(x.shape))
    for options in ({}, {"bins": 7, "range": (-500, 500)}, {"bins": [-1000, 0, 10, 900]}):
        for density in (False, True):
            expected_pair = np.histogram(x, density=density, **options)
            own = np.histogram(a, density=density, **options)
            for result, expected in zip(own, expected_pair, strict=True):
                np.testing.assert_array_equal(result, expected)
    i = np.abs(values((50,), "int64")) % 20
    w = values((50,), "float64")
    b = atoll.from_numpy(i, distribution=cut(i.shape))
    close(np.bincount(b), np.bincount(i))
    close(atoll.bincount(b, w, 30), np.bincount(i, w, 30))
    close(atoll.bincount(b, atoll.from_numpy(w)), np.bincount(i, w))
    close(np.digitize(a, [-100, 0, 300]), np.digitize(x, [-100, 0, 300]))
    close(np.interp(a, [-900, 0, 900], [0, 1, 0.5]), np.interp(x, [-900, 0, 900], [0, 1, 0.5]))
    atoll.sync()
    with pytest.raises(ValueError, match="below zero"):
        atoll.bincount(atoll.full(3, -1))
    with pytest.raises(ValueError, match="bins is 0"):
        atoll.histogram(a, 0)


def test_quantiles(cut, values):
    x = values((7, 6), "float64")
    a = atoll.from_numpy(x, distribution=cut(x.shape))
    for axis in (None, 0, -1):
        close(np.median(a, axis), np.median(x, axis))
        for q in (0, 0.3, 1):
            close(np.quantile(a, q, axis), np.quantile(x, q, axis))
            close(np.percentile(a, 100 * q, axis), np.percentile(x, 100 * q, axis))
    with_nan = np.array([1.0, np.nan, 2.0])
    assert np.isnan(atoll.median(atoll.from_numpy(with_nan)))
    assert atoll.median(atoll.from_numpy([1.0, np.inf, 2.0])) == 2.0
    with pytest.raises(ValueError, match="q is 1.5"):  # noqa: RUF043
        atoll.quantile(a, 1.5)
    atoll.sync()


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions(mode, values, cut):
    x = values((31,), "float64")
    a = atoll.from_numpy(x, distribution=cut(x.shape))
    for kernel in ([2.0], [1, 2], [1.0, -1, 3], list(range(6)), [1j, 2, 1 + 1j]):
        close(np.convolve(a, kernel, mode), np.convolve(x, kernel, mode))
        close(np.correlate(a, kernel, mode), np.correlate(x, kernel, mode))
    close(atoll.convolve(a, a, mode), np.convolve(x, x, mode))
    atoll.sync()
    with pytest.raises(ValueError, match="mode is 'x'"):
        atoll.convolve(a, [1], "x")


def test_slopes_and_areas(values, cut):
    x = values((7, 6), "float64")
    a = atoll.from_numpy(x, distribution=cut(x.shape))
    for axis in (0, 1):
        close(np.gradient(a, 0.5, axis=axis), np.gradient(x, 0.5, axis=axis))
        close(np.trapezoid(a, dx=2.0, axis=axis), np.trapezoid(x, dx=2.0, axis=axis))
        at = np.arange(x.shape[axis]) ** 2
        close(np.trapezoid(a, at, axis=axis), np.trapezoid(x, at, axis=axis))
        for obj in (2, -1, slice(1, 3)):
            close(np.delete(a, obj, axis), np.delete(x, obj, axis))
    for own, expected in zip(np.gradient(a), np.gradient(x), strict=True):
        close(own, expected)
    close(np.delete(a, 3), np.delete(x, 3))
    atoll.sync()
    with pytest.raises(IndexError, match="obj is 9"):
        atoll.delete(a, 9, 0)


@pytest.mark.parametrize("dtype", ["float64", "complex128", "int64"])
def test_covariances(dtype, values):
    x = values((4, 9), dtype)
    a = atoll.from_numpy(x)
    for options in ({}, {"rowvar": False}, {"bias": True}, {"ddof": 2}):
        close(np.cov(a, **options), np.cov(x, **options))
    close(atoll.cov(a.at[0].copy().ravel()), np.cov(x[0])[()])
    if dtype != "complex128":
        close(np.corrcoef(a), np.corrcoef(x))
    atoll.sync()


def test_an_array_of_one_element_is_a_number():
    one, two = atoll.full((1, 1), 2.5), atoll.arange(4).reshape(2, 2)
    assert (float(one), int(one), complex(one), one.item()) == (2.5, 2, 2.5, 2.5)
    assert (two.item(3), two.item(1, 0), two.item((0, 1))) == (3, 2, 1)
    assert two.item(-1) == 3
    assert two.tolist() == [[0, 1], [2, 3]]
    with pytest.raises(IndexError, match="position is 4"):
        two.item(4)
    with pytest.raises(TypeError, match="one element"):
        float(two)
    with pytest.raises(ValueError, match="one element"):
        two.item()


def test_arrays_are_copied_searched_and_know_their_namespace():
    a = atoll.arange(4)
    assert 3 in a
    assert 7 not in a
    for b in (copy.copy(a), copy.deepcopy(a), np.copy(a)):
        assert b is not a
        assert atoll.array_equal(a, b)
    assert a.__array_namespace__() is atoll
    assert a.to_device(a.device) is a
    assert atoll.astype(a, "int64", copy=False) is a
    assert atoll.result_type(a, 1.0) == np.float64
    with pytest.raises(TypeError, match=r"checkpoint\.save"):
        pickle.dumps(a)
    with pytest.raises(AttributeError, match=r"a\.local\(\)\.strides"):
        a.strides  # noqa: B018
    assert not hasattr(a, "nothing_of_the_kind")
    atoll.sync()


def test_covariances_of_one_variable_and_of_single_precision_are_numpys():
    x = np.array([[1.0, 2.5, 4.0]], "float32")
    a = atoll.from_numpy(x)
    for m, own in ((a, x), (a.T, x.T), (atoll.from_numpy(x[0]), x[0])):
        for rowvar in (True, False):
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result, expected = atoll.cov(m, rowvar=rowvar), np.cov(own, rowvar=rowvar)
            assert result.dtype == expected.dtype == np.float64
            assert result.shape == expected.shape
            np.testing.assert_allclose(result[...], expected)
    counts, edges = atoll.histogram(a, 2)
    assert edges.dtype == np.histogram(x, 2)[1].dtype
    assert counts.sum() == 3
    atoll.sync()


def test_the_median_of_infinities_is_one():
    a = atoll.from_numpy([np.inf, 1.0, np.inf, np.inf])
    assert atoll.median(a) == np.inf
    assert np.isnan(atoll.median(atoll.from_numpy([-np.inf, np.inf])))
    assert atoll.quantile(a, 0.9) == np.inf


def test_what_a_user_hands_over_is_heeded_or_refused_by_name():
    a = atoll.arange(4.0)
    with pytest.raises(TypeError, match="constant_values is"):
        atoll.pad(a, 1, constant_values=(1, 2))
    with pytest.raises(TypeError, match="dtype is int64"):
        atoll.concat([a, a], dtype="int64")
    with pytest.raises(TypeError, match=r"ddof is 0\.5"):
        atoll.cov(a, ddof=0.5)
    with pytest.raises(IndexError, match="index 4"):
        atoll.take(a, 4)
    assert atoll.take(a, -1) == 3
    x = np.array([[1.0, 0.0], [0.0, 0.0]])
    found = atoll.linalg.lstsq(atoll.from_numpy(x), [2.0, 1.0], rcond=-1).x
    np.testing.assert_allclose(found[...], np.linalg.lstsq(x, [2.0, 1.0], rcond=-1)[0])
    atoll.sync()

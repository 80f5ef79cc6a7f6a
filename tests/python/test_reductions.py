"""Reductions over whole arrays, compared with NumPy."""

import atoll
import numpy as np
import pytest


@pytest.fixture
def both(values, dtype, cut):
    x = values((7, 6), dtype, seed=4)
    return atoll.from_numpy(x, distribution=cut((7, 6))), x


def test_sum_mean_and_norms(both):
    a, x = both
    assert a.sum() == x.sum()
    assert a.sum().dtype == x.sum().dtype
    assert np.sum(a) == x.sum()
    assert a.mean().dtype == x.mean().dtype
    np.testing.assert_allclose(a.mean(), x.mean(), rtol=1e-6)
    np.testing.assert_allclose(a.norm(), np.linalg.norm(x.ravel()), rtol=1e-6)
    np.testing.assert_allclose(a.norm("one"), np.abs(x).sum(dtype="float64"), rtol=1e-6)
    np.testing.assert_allclose(a.norm("infinity"), np.abs(x).max(), rtol=1e-6)


def test_extrema_and_their_places(both, dtype):
    a, x = both
    if dtype.kind == "c":
        for f in (a.min, a.max, a.argmin, a.argmax):
            with pytest.raises(TypeError):
                f()
        return
    assert a.min() == np.min(a) == x.min()
    assert a.max() == np.max(a) == x.max()
    assert a.min().dtype == dtype
    assert (a.argmin(), a.argmax()) == (x.argmin(), x.argmax())


def test_the_first_of_equal_extrema_is_found(cut):
    x = np.zeros((5, 4))
    x[3, 1] = x[3, 2] = x[4, 0] = 1
    a = atoll.from_numpy(x, distribution=cut((5, 4)))
    assert a.argmax() == x.argmax()
    assert a.argmin() == 0


def test_nan_is_the_extremum_as_in_numpy():
    x = np.arange(6.0)
    x[4] = np.nan
    a = atoll.from_numpy(x)
    assert np.isnan(a.min())
    assert np.isnan(a.max())
    assert a.argmax() == 4


def test_sum_of_products(both, values, dtype):
    a, x = both
    y = values((7, 6), dtype, seed=9)
    wide = x.astype("int64") if dtype == "uint8" else x  # as Atoll adds up
    np.testing.assert_allclose(
        atoll.algebra.sum_of_products(a, atoll.from_numpy(y)), np.sum(wide * y), rtol=1e-5
    )
    with pytest.raises(ValueError):
        atoll.algebra.sum_of_products(a, atoll.zeros((6, 7), dtype))
    with pytest.raises(TypeError):
        atoll.algebra.sum_of_products(
            a, a.astype("complex64" if dtype != np.complex64 else "complex128")
        )


def test_sums_of_int32_do_not_overflow():
    assert atoll.full(10, 2**31 - 1, "int32").sum() == 10 * (2**31 - 1)


def test_a_norm_of_another_kind_is_refused():
    with pytest.raises(ValueError):
        atoll.ones(2).norm("three")

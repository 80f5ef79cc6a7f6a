"""What is computed of float16 is computed in float32 and rounded once, as NumPy does."""

import atoll
import numpy as np
import pytest


@pytest.mark.parametrize("value", [1, 60000])
@pytest.mark.parametrize("shape", [(5000, 2), (70000, 2), (2, 3000)])
def test_means_neither_overflow_nor_lose_counts(shape, value):
    n = np.full(shape, value, np.float16)
    a = atoll.from_numpy(n)
    for axis in None, 0, 1:
        ours = a.mean(axis=axis)
        made = np.asarray(ours if axis is None else ours[...])
        assert made.dtype == np.float16
        # Sums of large numbers in float32 depend on how they are cut, by one rounding at most.
        assert (made == 1).all() if value == 1 else np.allclose(made, value, rtol=2e-3, atol=0)


def test_variances_are_numpys():
    n = (np.arange(70000) % 2).astype(np.float16)
    a = atoll.from_numpy(n)
    assert a.var() == n.var()
    assert a.std() == n.std()


def test_products_are_numpys():
    n = (np.arange(12).reshape(3, 4) / 8).astype(np.float16)
    a = atoll.from_numpy(n)
    made = a @ a.T
    assert made.dtype == np.float16
    assert np.allclose(made[...], n @ n.T, rtol=1e-3)
    assert np.allclose((a @ np.ones(4, np.float16))[...], n.sum(axis=1), rtol=1e-3)


def test_means_in_integers_are_refused():
    with pytest.raises(TypeError, match="expected floating point"):
        atoll.arange(4).mean(dtype="int64")

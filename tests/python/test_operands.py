"""Views as operands, `a.at[key]`: what they give equals NumPy's, what they cannot be is refused."""

import atoll
import numpy as np
import pytest
from atoll import algebra

SHAPES = [(13,), (7, 9), (4, 5, 6)]


def pair(shape, dtype, values):
    """Arrays of this shape and the reverse one, cut in two ways, and what they hold."""
    x, y = values(shape, dtype), values(shape[::-1], dtype, seed=1)
    grid = atoll.block_cyclic((2,) * len(shape))
    return atoll.from_numpy(x), atoll.from_numpy(y, distribution=grid), x, y


@pytest.mark.parametrize("shape", SHAPES)
def test_transposed_views_are_numpys(shape, dtype, values):
    a, b, x, y = pair(shape, dtype, values)
    assert b.at[...].T.shape == shape
    out = atoll.zeros(shape, dtype)
    out.add_scaled(2, a, 3, b.at[...].T)
    np.testing.assert_array_equal(out[...], (2 * x + 3 * y.T).astype(dtype))
    atoll.sync()
    algebra.multiply(b.at[...].T, b.at[...].T, out)
    np.testing.assert_array_equal(out[...], y.T * y.T)
    atoll.sync()
    key = (slice(1, None, 2),) * len(shape)
    out.at[key].copy_from(b.at[key[::-1]].T)
    expected = y.T * y.T
    expected[key] = y.T[key]
    np.testing.assert_array_equal(out[...], expected)
    wide = np.int64 if dtype.kind in "iu" else dtype
    assert b.at[...].T.sum() == b.sum()
    assert np.isclose(
        atoll.algebra.sum_of_products(a, b.at[...].T), (x.astype(wide) * y.T.astype(wide)).sum()
    )
    assert np.isclose(a.at[key].mean(), x[key].astype(wide).mean())
    if dtype.kind != "c":
        assert (b.at[...].T.min(), b.at[...].T.max()) == (y.min(), y.max())
    atoll.sync()


@pytest.mark.parametrize("shape", SHAPES)
def test_views_take_operators_and_ufuncs(shape, dtype, values):
    a, b, x, y = pair(shape, dtype, values)
    key = (slice(1, None, 2),) * len(shape)
    other = (slice(0, -1, 2),) * len(shape)
    n = tuple(min(i, j) for i, j in zip(x[key].shape, x[other].shape, strict=True))
    assert x[key].shape == n
    for result, expected in (
        (a.at[key] + a.at[key], x[key] + x[key]),
        (2 * a.at[key] - 1, 2 * x[key] - 1),
        (a - b.at[...].T, x - y.T),
        (x - b.at[...].T, x - y.T),
        (-a.at[key], -x[key]),
        (np.multiply(a.at[...], b.at[...].T), x * y.T),
        (a.at[key].copy(), x[key]),
    ):
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result[...], expected)
    out = atoll.zeros(shape, dtype)
    assert np.add(a.at[...], 1, out=out) is out
    np.testing.assert_array_equal(out[...], x + 1)
    atoll.sync()


def test_an_integer_in_a_key_stands_for_a_range_of_one():
    a = atoll.from_numpy(np.arange(12.0).reshape(3, 4))
    row = a.at[1]
    assert (row.shape, row.ndim, row.size, row.dtype) == ((1, 4), 2, 4, np.float64)
    assert float(a.at[-1, 2].sum()) == 10.0
    assert "View [1] of <atoll.Array" in repr(row)
    assert atoll.matmul(row, row.T)[...].tolist() == [[126.0]]


def test_a_view_is_read_when_it_is_used_and_refers_to_its_array():
    a = atoll.zeros((4, 4))
    part = a.at[1:3]
    a.fill(2.0)
    assert float(part.sum()) == 16.0
    part.fill(3.0)
    assert float(a.sum()) == 40.0
    a.destroy()
    for call in (part.sum, lambda: part.T.fill(1.0), lambda: part.shape, lambda: part.add(1.0)):
        with pytest.raises(RuntimeError, match="destroyed"):
            call()


def test_a_result_may_be_a_view_and_is_given_back():
    a, out = atoll.ones((3, 3)), atoll.zeros((5, 5))
    part = out.at[1:4, 2:]
    assert atoll.matmul(a, a, part) is part
    assert float(out.sum()) == 27.0


def test_what_a_view_cannot_be_is_refused():
    a, c = atoll.ones((4, 6)), atoll.ones((4, 4), complex)
    with pytest.raises(NotImplementedError, match=r"add.*conjugated"):
        c.add_scaled(1, c, 1, c.at[...].conj())
    with pytest.raises(NotImplementedError, match=r"sum.*conjugated"):
        c.at[...].T.conj().sum()
    assert float(a.at[...].conj().sum()) == 24.0  # of real numbers the same
    with pytest.raises(ValueError, match=r"without \.T"):
        a.at[...].T.fill(1.0)
    with pytest.raises(ValueError, match=r"without \.T"):
        a.at[...].T.add(1.0)
    with pytest.raises(ValueError, match="overlap"):
        c.add_scaled(1, c, 1, c.at[...].T)
    with pytest.raises(IndexError, match="above zero"):
        a.at[::-1].sum()
    with pytest.raises(IndexError, match="above zero"):
        a.at[[0, 1]].fill(1.0)
    with pytest.raises(IndexError, match="out of bounds"):
        a.at[4].sum()
    with pytest.raises(TypeError, match="periodic"):
        a.periodic.at[0:2].sum()
    with pytest.raises(TypeError):
        algebra.multiply(a, np.ones((4, 6)), a)
    with pytest.raises(IndexError, match="above zero"):
        a.at[::-1] + 1
    with pytest.raises(TypeError, match="and -="):
        a.at[:2] *= 2


def test_one_rank_with_another_view_raises_everywhere():
    if atoll.size() < 2:
        pytest.skip("needs two ranks")
    a = atoll.ones((4, 4))
    mine = a.at[...].T if atoll.rank() == 0 else a.at[...]
    with pytest.raises(RuntimeError, match="sum"):
        mine.sum()
    with pytest.raises(RuntimeError, match="matmul"):
        atoll.matmul(mine, a, atoll.zeros((4, 4)))
    assert float(a.at[...].sum()) == float(a.sum()) == 16.0


@pytest.mark.parametrize("n", [7, 400])
def test_an_array_takes_what_views_of_itself_held_before(n):
    """Ranks write their blocks while others read the transpose of them."""
    x = np.arange(float(n * n)).reshape(n, n)
    a = atoll.from_numpy(x)
    a += a.at[...].T
    np.testing.assert_array_equal(a[...], x + x.T)
    np.subtract(a.at[...].T, a, out=a)
    np.testing.assert_array_equal(a[...], np.zeros((n, n)))
    atoll.sync()

"""Element-wise functions of `atoll`, `where=`, `out=`, clip and round, compared with NumPy."""

import warnings

import atoll
import numpy as np
import pytest
from atoll.api import elementwise


def check(result, expected):
    assert isinstance(result, atoll.Array)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result[...], expected)


def test_every_name_is_numpys_function(values):
    x = np.abs(values((5, 4), "float64")) / 2000 + 0.1
    i = np.abs(values((5, 4), "int64")) % 5 + 1
    a, b = atoll.from_numpy(x), atoll.from_numpy(i)
    for name, function in elementwise.FUNCTIONS.items():
        ufunc = getattr(np, elementwise._NUMPY_NAMES.get(name, name))
        whole = name.startswith("bitwise")
        args, given = ((i, i), (b, b)) if whole else ((x, x + 1), (a, a + 1))
        with np.errstate(all="ignore"):
            expected = ufunc(*args[: ufunc.nin])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(function(*given[: ufunc.nin]), expected)
        assert name in atoll.__all__
        assert function.__name__ == name
        assert name in dir(atoll)
    atoll.sync()


def test_where_and_out_of_ufuncs(cut, values):
    x, mask = values((7, 5), "float64"), values((7, 5), "int64", seed=3) > 0
    a = atoll.from_numpy(x, distribution=cut(x.shape))
    out = atoll.zeros(x.shape)
    assert np.add(a, 1, where=mask, out=out) is out
    check(out, np.where(mask, x + 1, 0))
    assert atoll.multiply(a, a, out, where=mask[:1]) is out
    check(out, np.where(mask[:1], x * x, np.where(mask, x + 1, 0)))
    assert atoll.sqrt(atoll.abs(a), out=out) is out
    check(out, np.sqrt(np.abs(x)))
    atoll.sync()
    for wrong in (x, "x", 1):
        with pytest.raises(TypeError, match="where is"):
            np.add(a, 1, where=wrong, out=out)
    with pytest.raises(TypeError, match=r"x is 2\.0, expected an Atoll array"):
        atoll.sqrt(2.0)


def test_where_chooses(cut, values):
    x, y = values((7, 5), "float64"), values((5,), "int32", seed=2)
    mask = values((7, 1), "int64", seed=3) > 0
    a, b = atoll.from_numpy(x, distribution=cut(x.shape)), atoll.from_numpy(y)
    check(atoll.where(mask, a, b), np.where(mask, x, y))
    check(np.where(mask, a, 0), np.where(mask, x, 0))
    check(atoll.where(a, 1, b), np.where(x, 1, y))
    check(atoll.where(b, [1.0], 2), np.where(y, [1.0], 2))
    atoll.sync()
    with pytest.raises(ValueError, match="broadcast"):
        atoll.where(np.ones(3), a, b)
    with pytest.raises(TypeError, match="x1 is 'x'"):
        atoll.where(a, "x", 1)


def test_clip_round_and_parts(dtype, values):
    x = values((6, 5), dtype)
    a = atoll.from_numpy(x)
    with np.errstate(all="ignore"):
        check(atoll.round(a, -2), np.round(x, -2))
    check(a.conj(), x.conj())
    check(a.real, x.real.copy())
    check(atoll.imag(a), np.imag(x))
    if dtype.kind == "c":
        return
    small = x % 7
    b = atoll.from_numpy(small)
    for low, high in ((1, 3), (None, 3), (2, None), (small[0], 5)):
        check(np.clip(b, low, high), np.clip(small, low, high))
    out = atoll.zeros(x.shape, dtype)
    assert b.clip(1, 3, out=out) is out
    check(out, small.clip(1, 3))
    with pytest.raises(TypeError, match=r"decimals is 1\.5"):
        a.round(1.5)
    atoll.sync()


def test_operators_on_bits_and_divmod(values):
    x, y = values((5, 4), "int64"), np.abs(values((5, 4), "int64", seed=1)) % 7 + 1
    a, b = atoll.from_numpy(x), atoll.from_numpy(y)
    for result, expected in (
        (a & b, x & y),
        (3 | a, 3 | x),
        (a ^ y, x ^ y),
        (a << 2, x << 2),
        (a >> b, x >> y),
        (~a, ~x),
        *zip(divmod(a, b), divmod(x, y), strict=True),
        *zip(divmod(9, b), divmod(9, y), strict=True),
    ):
        check(result, expected)
    a &= 7
    check(a, x & 7)
    with pytest.raises(TypeError):
        atoll.ones(3) & 1


def test_methods_of_ufuncs(values, cut):
    x, y = values((5, 4), "float64"), values((3,), "float64", seed=1)
    a, b = atoll.from_numpy(x, distribution=cut(x.shape)), atoll.from_numpy(y)
    check(np.add.reduce(a), np.add.reduce(x))
    check(np.maximum.reduce(a, axis=1, keepdims=True), x.max(1, keepdims=True))
    check(np.multiply.accumulate(a, axis=1), np.multiply.accumulate(x, axis=1))
    check(np.subtract.outer(a, b), np.subtract.outer(x, y))
    check(np.add.outer(b, y), np.add.outer(y, y))
    np.add.at(b, [0, 2, 0], 1.5)
    np.add.at(y, [0, 2, 0], 1.5)
    check(b, y)
    np.subtract.at(a, ([1, 1], [0, 2]), [1.0, 2.0])
    np.subtract.at(x, ([1, 1], [0, 2]), [1.0, 2.0])
    np.add.at(a, slice(0, 2), 1.0)
    x[:2] += 1
    check(a, x)
    with pytest.raises(TypeError, match="reduceat"):
        np.add.reduceat(a, [0, 2])
    atoll.sync()


def test_arrays_that_are_equal_or_close(cut, values):
    x = values((7, 5), "float64")
    a, b = atoll.from_numpy(x, distribution=cut(x.shape)), atoll.from_numpy(x)
    assert np.array_equal(a, b)
    assert np.allclose(a, b + 1e-9)
    b[6, 4] = np.nan
    atoll.sync()
    assert not atoll.array_equal(a, b)
    assert not atoll.allclose(a, b)
    assert atoll.allclose(b, b.copy(), equal_nan=True)
    assert not atoll.array_equal(a, x[:, :4])
    atoll.sync()


@pytest.mark.parametrize("dtype", ["float64", "uint8"])
def test_ufunc_at_adds_and_subtracts_once_for_all_ranks(dtype):
    x = np.arange(10, 16).astype(dtype).reshape(2, 3)
    for ufunc in (np.add, np.subtract):
        for key in (
            ([0, 0], [1, 1]),
            x % 2 == 0,
            0,
            [1, 1],
            (slice(None), 1),
            np.array([True, False]),
        ):
            a, expected = atoll.from_numpy(x), x.copy()
            ufunc.at(a, key, 1)
            ufunc.at(expected, key, 1)
            np.testing.assert_array_equal(a[...], expected)
            atoll.sync()
    with pytest.raises(TypeError, match=r"add\.at"):
        np.add.at(x, atoll.arange(2), 1)


def test_a_number_that_the_chosen_elements_cannot_hold_is_refused():
    bytes_ = atoll.zeros(2, "uint8")
    mask = np.array([True, False])
    for number in (300, -1):
        with pytest.raises(OverflowError, match=f"x2 is {number}"):
            atoll.where(mask, bytes_, number)
    np.testing.assert_array_equal(atoll.where(mask, bytes_, 255)[...], [0, 255])

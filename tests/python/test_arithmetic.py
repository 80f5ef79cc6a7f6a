"""Operators and ufuncs on whole arrays, compared with NumPy."""

import operator
import tracemalloc
import warnings

import atoll
import numpy as np
import pytest

TYPES = [dtype.name for dtype in atoll.dtypes]
BINARY = ["add", "sub", "mul", "truediv", "pow", "floordiv", "mod"]


def check(result, expected):
    assert isinstance(result, atoll.Array)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result[...], expected)


@pytest.fixture
def pair(values, dtype):
    x = values((6, 5), dtype, seed=1)
    y = np.abs(values((6, 5), dtype, seed=2)) % 4 + 1
    return x, y.astype(dtype)


@pytest.mark.parametrize("name", BINARY)
def test_operators_between_arrays_cut_alike_and_differently(name, pair, cut, dtype):
    if dtype.kind == "c" and name in ("floordiv", "mod"):
        pytest.skip("not defined for complex numbers")
    x, y = pair
    f = getattr(operator, name)
    with np.errstate(all="ignore"):
        expected = f(x, y)
        a = atoll.from_numpy(x, distribution=cut(x.shape))
        check(f(a, atoll.from_numpy(y, distribution=cut(y.shape))), expected)
        check(f(a, atoll.from_numpy(y)), expected)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("scalar", [3, 2.0, np.float32(1.5), np.int64(2)], ids=repr)
def test_operators_with_numbers_promote_as_in_numpy(name, scalar, pair, dtype):
    if dtype.kind == "c" and name in ("floordiv", "mod"):
        pytest.skip("not defined for complex numbers")
    _, y = pair
    a = atoll.from_numpy(y)
    f = getattr(operator, name)
    with np.errstate(all="ignore"):
        check(f(a, scalar), f(y, scalar))
        check(f(scalar, a), f(scalar, y))


@pytest.mark.parametrize("name", ["neg", "pos", "abs"])
def test_unary_operators(name, pair):
    x, _ = pair
    f = getattr(operator, name)
    expected = f(x)
    if expected.dtype.name in TYPES:
        check(f(atoll.from_numpy(x)), expected)


@pytest.mark.parametrize("name", ["iadd", "isub", "imul", "ipow", "imod", "ifloordiv"])
def test_operators_in_place(name, cut, values):
    x = np.abs(values((4, 7), "int64")) + 1
    expected = x.copy()
    f = getattr(operator, name)
    a = atoll.from_numpy(x, distribution=cut(x.shape))
    assert f(a, 2) is a
    f(expected, 2)
    check(a, expected)
    f(a, atoll.from_numpy(x))
    f(expected, x)
    check(a, expected)


def test_true_division_in_place():
    a = atoll.full(5, 3.0)
    a /= 2
    check(a, np.full(5, 1.5))
    b = atoll.full(5, 3)
    with pytest.raises(TypeError, match="cast"):
        b /= 2


@pytest.mark.parametrize("shape", [(5,), (1, 5), (6, 1), (1, 1), (1,)])
def test_smaller_arrays_are_broadcast(shape, values, cut):
    x, y = values((6, 5), "float64", seed=1), values(shape, "float64", seed=2)
    a = atoll.from_numpy(x, distribution=cut((6, 5)))
    check(a * atoll.from_numpy(y), x * y)
    check(atoll.from_numpy(y) - a, y - x)
    check(a * y, x * y)  # a NumPy array, the same everywhere
    check(y - a, y - x)


def test_broadcasting_to_a_shape_that_no_operand_has(values):
    x, y = values((6, 1), "float64", seed=1), values((1, 5), "float64", seed=2)
    check(atoll.from_numpy(x) + atoll.from_numpy(y), x + y)


def test_lists_are_taken_as_numpy_takes_them():
    check(atoll.ones(3) * [1, 2, 3], np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("ufunc", [np.sqrt, np.exp, np.sin, np.conjugate, np.square, np.rint])
def test_ufuncs_of_one_argument(ufunc, pair, dtype):
    _, y = pair
    if ufunc(y).dtype.name in TYPES:
        check(ufunc(atoll.from_numpy(y)), ufunc(y))
    else:  # of bytes float16
        with pytest.raises(TypeError, match="cannot hold float16"):
            ufunc(atoll.from_numpy(y))


@pytest.mark.parametrize("ufunc", [np.maximum, np.hypot, np.arctan2, np.fmin])
def test_ufuncs_of_two_arguments(ufunc, values):
    x, y = values((5, 5), "float64", seed=1), values((5, 5), "float64", seed=2)
    check(ufunc(atoll.from_numpy(x), atoll.from_numpy(y)), ufunc(x, y))
    check(ufunc(2.0, atoll.from_numpy(y)), ufunc(2.0, y))


def test_out_receives_the_result(cut, values):
    x = values((5, 6), "float64")
    a = atoll.from_numpy(x)
    out = atoll.empty((5, 6), distribution=cut((5, 6)))
    assert np.add(a, 1, out=out) is out
    check(out, x + 1)
    assert np.multiply(a, out, out=out) is out
    check(out, x * (x + 1))
    single = atoll.empty((5, 6), "float32")
    np.add(a, 1, out=single)
    check(single, (x + 1).astype("float32"))


def test_ufuncs_with_two_results(values):
    x = values((4, 5), "float64") / 7
    whole, part = np.modf(atoll.from_numpy(x))
    for result, expected in zip((whole, part), np.modf(x), strict=True):
        check(result, expected)


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.minimum, np.maximum, np.floor_divide])
def test_ufuncs_of_the_core_are_numpys(ufunc, pair, cut, dtype):
    if dtype.kind == "c" and ufunc is np.floor_divide:
        pytest.skip("not defined for complex numbers")
    x, y = pair
    a, b = atoll.from_numpy(x), atoll.from_numpy(y, distribution=cut(y.shape))
    check(ufunc(a, b), ufunc(x, y))
    assert ufunc(a, b, out=b) is b
    check(b, ufunc(x, y))
    m = atoll.from_numpy(x, mirrored=True)
    with np.errstate(divide="ignore"):
        check(ufunc(m, m), ufunc(x, x))


@pytest.mark.parametrize("kind", ["int32", "int64", "uint8"])
def test_integers_divided_by_zero_give_zero_and_a_warning(kind, cut, values):
    x, y = values((6, 5), kind, seed=1), values((6, 5), kind, seed=2)
    y[::2] = 0
    a, b = atoll.from_numpy(x), atoll.from_numpy(y, distribution=cut((6, 5)))
    with np.errstate(divide="ignore"):
        expected = x // y
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in floor_divide"):
        check(a // b, expected)
    out = atoll.empty((6, 5), kind)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        atoll.algebra.divide(a, b, out)
    truncated = np.trunc(x / np.where(y == 0, 1, y)).astype(kind)
    check(out, np.where(y == 0, 0, truncated).astype(kind))


def test_a_division_by_zero_anywhere_is_told_on_all_ranks_as_errstate_says():
    a = atoll.full(20, 7)
    b = a.copy()
    if atoll.rank() == 0:
        b[19] = 0
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="in divide"):
        atoll.algebra.divide(a, b, a)
    check(a, np.array([1] * 19 + [0]))
    with np.errstate(divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        atoll.algebra.divide(a, b, a)


def test_limits_of_numbers_are_told_as_numpy_tells_them():
    def warned(ufunc, x, y, what):
        a, b = atoll.full(20, x), atoll.full(20, y)
        with pytest.warns(RuntimeWarning, match=f"{what} encountered in {ufunc.__name__}"):
            ufunc(np.float64(x), np.float64(y))
        with pytest.warns(RuntimeWarning, match=f"{what} encountered in {ufunc.__name__}"):
            ufunc(a, b)

    warned(np.divide, 1.0, 0.0, "divide by zero")
    warned(np.divide, 0.0, 0.0, "invalid value")
    warned(np.add, 1.7e308, 1.7e308, "overflow")
    warned(np.subtract, np.inf, np.inf, "invalid value")
    warned(np.multiply, 1e200, 1e200, "overflow")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.maximum(atoll.full(20, np.nan), atoll.ones(20))
        np.multiply(atoll.full(20, 1e-200), atoll.full(20, 1e-200))  # underflow, not told


@pytest.mark.parametrize("ufunc", [np.multiply, np.power])  # the core's, and NumPy's own
def test_a_limit_that_one_rank_meets_is_raised_on_all(ufunc):
    a = atoll.full(20, 2.0)
    if atoll.rank() == 0:
        a[19] = 1e300
    atoll.sync()
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match=ufunc.__name__):
        ufunc(a, a)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((RuntimeWarning, RuntimeError)):
            ufunc(a, a)
    check(a, np.array([2.0] * 19 + [1e300]))


def test_what_lies_elsewhere_is_read_in_batches():
    n = (1 << 20) * atoll.size()  # 8 MiB a rank
    a, b = atoll.arange(float(n)), atoll.full(n, 2.0, distribution=atoll.block_cyclic((4096,)))
    tracemalloc.start()
    c = np.hypot(a, b)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 << 20
    assert c[n - 1] == np.hypot(n - 1.0, 2.0)


def test_what_arrays_cannot_do_raises():
    a = atoll.ones((3, 4))
    with pytest.raises(TypeError, match="cannot hold"):
        np.add(a, 1, dtype=np.longdouble)
    with pytest.raises(ValueError, match="broadcast"):
        a + atoll.ones((4, 3))
    with pytest.raises(ValueError, match="out has shape"):
        np.add(a, 1, out=atoll.ones((3, 3)))
    with pytest.raises(TypeError, match="out must be"):
        np.add(a, 1, out=np.ones((3, 4)))
    with pytest.raises(TypeError, match="where is"):
        np.add(a, 1, where=np.ones((3, 4)))
    with pytest.raises(TypeError, match=r"arctan2\.reduce does not take"):
        np.arctan2.reduce(a)
    with pytest.raises(TypeError):
        a + None
    with pytest.raises(TypeError):
        a + "text"
    with pytest.raises(TypeError, match=r"a\[\.\.\.\]"):
        np.asarray(a)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(a)


def test_fill_scale_and_add_scaled(dtype, cut, values):
    x, y = values((6, 4), dtype, seed=1), values((6, 4), dtype, seed=2)
    layout = cut((6, 4))
    a, b = atoll.from_numpy(x, distribution=layout), atoll.from_numpy(y)
    a.scale(3)
    check(a, 3 * x)
    minus = 255 if dtype == "uint8" else -1  # the same, modulo 256
    b.add_scaled(2, a, minus, b)
    check(b, (2 * (3 * x) - y).astype(dtype))
    a.fill(5)
    check(a, np.full((6, 4), 5, dtype))
    a.at[2:4, 1].fill(1)
    expected = np.full((6, 4), 5, dtype)
    expected[2:4, 1] = 1
    check(a, expected)


def test_numbers_that_an_array_cannot_hold_are_refused():
    a = atoll.zeros(3, "int32")
    with pytest.raises(TypeError):
        a.scale(1.5)
    with pytest.raises(OverflowError):
        a.fill(2**40)
    with pytest.raises(TypeError):
        atoll.zeros(3).fill(1j)
    with pytest.raises(OverflowError):
        a[0] = 2**40


def test_transposed_arrays(cut, values):
    x = values((4, 7), "complex128")
    check(atoll.from_numpy(x, distribution=cut((4, 7))).T, x.T)
    y = values((2, 3, 4), "int32")
    check(atoll.from_numpy(y).T, y.T)


def test_copy_from_whole_arrays_patches_and_transposed(cut, values):
    x = values((5, 6), "float64")
    a = atoll.from_numpy(x)
    b = atoll.zeros((5, 6), distribution=cut((5, 6)))
    b.copy_from(a)
    check(b, x)
    c = atoll.zeros((8, 8))
    c.at[1:4, 2:4].copy_from(a.at[2:5, 4:6])
    expected = np.zeros((8, 8))
    expected[1:4, 2:4] = x[2:5, 4:6]
    check(c, expected)
    c.at[:3, :2].copy_from(a.at[:2, :3].T)
    expected[:3, :2] = x[:2, :3].T
    check(c, expected)
    with pytest.raises(ValueError):
        c.copy_from(a)
    c.at[1::3, ::4].copy_from(a.at[::2, 4:])
    expected[1::3, ::4] = x[::2, 4:]
    check(c, expected)
    with pytest.raises(IndexError):
        c.at[::-1].copy_from(a)

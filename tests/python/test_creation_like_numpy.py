"""Arrays made like others, of lists, of grids, compared with NumPy."""

import atoll
import numpy as np
import pytest


def check(result, expected):
    assert isinstance(result, atoll.Array)
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result[...], expected)


@pytest.mark.parametrize("num", [0, 1, 2, 5, 50])
def test_linspace_is_numpys_to_the_last_bit(num):
    for start, stop in ((0, 1), (-3.5, 7.1), (2, 2), (0, 1 + 2j), (5, -1)):
        for endpoint in (True, False):
            expected = np.linspace(start, stop, num, endpoint=endpoint)
            check(atoll.linspace(start, stop, num, endpoint=endpoint), expected)
    check(atoll.linspace(0, 10, num, dtype="int32"), np.linspace(0, 10, num, dtype="int32"))


def test_bad_linspaces_are_told():
    with pytest.raises(ValueError, match="num is -1"):
        atoll.linspace(0, 1, -1)
    with pytest.raises(TypeError, match="start is 'a'"):
        atoll.linspace("a", 1)


def test_likes_have_shape_type_and_cut(cut, dtype):
    x = np.ones((7, 5), dtype)
    a = atoll.from_numpy(x, distribution=cut(x.shape))
    for name in ("zeros_like", "ones_like"):
        check(getattr(atoll, name)(a), getattr(np, name)(x))
    check(np.full_like(a, 3), np.full_like(x, 3))
    assert atoll.empty_like(a).distribution == a.distribution
    check(np.zeros_like(a, dtype="int64", shape=(3, 0)), np.zeros((3, 0), "int64"))
    check(atoll.ones_like(a.at[:2]), x[:2])
    with pytest.raises(TypeError, match="fill_value"):
        atoll.full_like(a, "x")


def test_arrays_of_lists_numbers_and_arrays():
    check(atoll.array([1, 2]), np.array([1, 2]))
    check(atoll.asarray([[1, 2], [3, 4]], dtype="float32"), np.float32([[1, 2], [3, 4]]))
    a = atoll.arange(5)
    assert atoll.asarray(a) is a
    copied = atoll.array(a)
    assert copied is not a
    check(copied, np.arange(5))
    check(atoll.asarray(a, float), np.arange(5.0))
    check(atoll.asarray(a.at[1::2]), np.array([1, 3]))
    for wrong in ({"copy": False, "dtype": float}, {"copy": 3}):
        with pytest.raises((ValueError, TypeError), match="copy is"):
            atoll.asarray(a, **wrong)
    with pytest.raises(TypeError, match="obj is 'abc'"):
        atoll.asarray("abc")


@pytest.mark.parametrize("indexing", ["xy", "ij"])
def test_meshgrid_is_numpys(indexing):
    vectors = [np.arange(4), np.arange(3.0), np.arange(2)]
    for n in (1, 2, 3):
        given = [atoll.from_numpy(v) for v in vectors[:n]]
        expected = np.meshgrid(*vectors[:n], indexing=indexing)
        for result, x in zip(atoll.meshgrid(*given, indexing=indexing), expected, strict=True):
            check(result, x)
    with pytest.raises(ValueError, match="indexing is 'x'"):
        atoll.meshgrid(atoll.arange(2), indexing="x")
    with pytest.raises(ValueError, match=r"arrays\[0\] has shape"):
        atoll.meshgrid(atoll.ones((2, 2)))


@pytest.mark.parametrize("shape", [(7, 5), (2, 6), (2, 3, 4)], ids=str)
def test_triangles_are_numpys(shape, cut, values):
    x = values(shape, "float64")
    a = atoll.from_numpy(x, distribution=cut(shape))
    for k in (-3, 0, 2):
        check(atoll.tril(a, k), np.tril(x, k))
        check(np.triu(a, k), np.triu(x, k))
    atoll.sync()
    with pytest.raises(ValueError, match="m has shape"):
        atoll.tril(atoll.ones(3))


def test_constants_and_types_by_name():
    assert (atoll.pi, atoll.e, atoll.inf, atoll.newaxis) == (np.pi, np.e, np.inf, None)
    assert np.isnan(atoll.nan)
    for dtype in atoll.dtypes:
        check(atoll.ones(2, getattr(atoll, dtype.name)), np.ones(2, dtype))
    check(atoll.identity(3, int), np.identity(3, int))

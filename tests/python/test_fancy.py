"""Index arrays and masks, compared with NumPy."""

import atoll
import numpy as np
import pytest
from atoll.array.fancy import positions

KEYS = [
    [1, 3, -1, 1],
    np.array([[0, 5], [2, 2]]),
    ([0, 1, 5], [2, 0, -1]),
    (slice(None), [3, 0, 0]),
    ([5, 1, 1], slice(None)),
    (slice(4, None, -2), [1, 2]),
    (slice(1, 4), slice(None), [0, 2]),
    ([0, 2], slice(None), [1, 1]),
    ([0, 2], 1, slice(None)),
    (1, [0, 2]),
    (None, [0, 2], ...),
    (..., [1, 0]),
    ([4, 4, 0], ...),
    (np.array([1, 2], np.uint8), ...),
    (np.array(2), slice(None)),
    (np.array([], int), slice(None)),
    np.ix_([0, 2], [1, 3]),
    (np.array([[0], [1]]), np.array([[1, 2]]), 0),
    True,
    (False, ...),
    np.array([True, False, False, True, True, False]),
    (slice(None), np.array([True, False, True, False])),
]


@pytest.fixture(scope="module")
def source():
    return np.arange(6 * 4 * 20.0).reshape(6, 4, 20)


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_get_gives_what_numpy_gives(key, source, cut):
    a = atoll.from_numpy(source, distribution=cut(source.shape))
    expected = source[key]
    result = a[key]
    assert np.shape(result) == np.shape(expected)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_put_stores_what_numpy_stores(key, source, cut, values):
    expected = source.copy()
    a = atoll.from_numpy(source, distribution=cut(source.shape))
    shape = np.shape(expected[key])
    data = values(shape, "float64", seed=5)
    expected[key] = data
    if atoll.rank() == atoll.size() - 1:
        a[key] = data
    atoll.sync()
    np.testing.assert_array_equal(a[...], expected)
    atoll.sync()
    if atoll.rank() == 0:
        a[key] = -1  # broadcast
    expected[key] = -1
    atoll.sync()
    np.testing.assert_array_equal(a[...], expected)


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_addition_by_all_ranks_adds_up_repeated_elements_too(key, source, cut):
    expected = source.copy()
    a = atoll.from_numpy(source, distribution=cut(source.shape))
    a.at[key] += 2
    a.at[key].add(1, alpha=3)
    np.add.at(expected, key, 5.0 * atoll.size())
    atoll.sync()
    np.testing.assert_array_equal(a[...], expected)


def test_mask_of_the_whole_shape(values):
    source = values((7, 9), "int64")
    a = atoll.from_numpy(source)
    mask = source > 0
    np.testing.assert_array_equal(a[mask], source[mask])
    atoll.sync()
    if atoll.rank() == 0:
        a[mask] = 0
    atoll.sync()
    np.testing.assert_array_equal(a[...], np.where(mask, 0, source))


def test_fancy_keys_of_every_dtype(dtype, values):
    source = values((8, 5), dtype)
    a = atoll.from_numpy(source)
    rows, columns = np.array([7, 0, 3, 3]), np.array([4, 0, 1, 1])
    np.testing.assert_array_equal(a[rows, columns], source[rows, columns])
    atoll.sync()
    a.at[rows, columns].add(np.arange(4), alpha=2)
    np.add.at(source, (rows, columns), (2 * atoll.size() * np.arange(4)).astype(dtype))
    atoll.sync()
    np.testing.assert_array_equal(a[...], source)


@pytest.mark.parametrize(
    ("key", "error"),
    [
        ([0, 6], IndexError),
        ((0, [4]), IndexError),
        ([-7], IndexError),
        ([0.5], IndexError),
        (np.zeros(5, bool), IndexError),
        (([0, 1], [0, 1, 2]), IndexError),
        ("name", IndexError),
        (1.5, IndexError),
        (([0], [0], [0], [0]), IndexError),
    ],
    ids=repr,
)
def test_bad_keys_raise_as_in_numpy(key, error, source):
    a = atoll.from_numpy(source)
    with pytest.raises(error):
        source[key]
    with pytest.raises(error):
        a[key]
    with pytest.raises(error):
        a[key] = 0
    with pytest.raises(error):
        a.at[key] += 1


def test_values_that_do_not_fit_raise(source):
    a = atoll.from_numpy(source)
    with pytest.raises(ValueError, match="broadcast"):
        a[[0, 1], [0, 1]] = np.zeros((3, 20))
    with pytest.raises(TypeError, match="cannot cast"):
        a[[0, 1], [0, 1]] = 1j * np.zeros(20)


def test_an_index_array_costs_what_it_holds_however_long_the_axis():
    where, shape = positions((2**40, 2**41), ([[0, -1]], np.array([[5], [2**40]], dtype=np.uint64)))
    assert shape == (2, 2)
    last = 2**40 - 1
    assert where.tolist() == [[0, 5], [last, 5], [0, 2**40], [last, 2**40]]
    with pytest.raises(IndexError, match=f"index {2**41} is out of bounds for axis 1 with size"):
        positions((2**40, 2**41), (0, [1, 2**41]))

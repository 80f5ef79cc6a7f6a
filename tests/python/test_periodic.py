"""Periodic access gives and stores what NumPy does with indices taken modulo the extents."""

import itertools

import atoll
import numpy as np
import pytest

DTYPES = ["complex128", "int32", "float64", "int64", "float32", "complex64", "uint8"]
KEYS = [
    np.s_[-3:4, 2:9],
    np.s_[-17:13, -1],
    np.s_[5, -20:20:7],
    np.s_[::2, -2:0],
    np.s_[3:-9:-1, ::-2],
    np.s_[2:2, -5:5],
    np.s_[..., 30:36],
    np.s_[None, 6:9, :],
    np.s_[-100],
]


def spelled_out(key, shape):
    """Give the positions that a key means in each dimension, as they stand."""
    entries = [k for k in (key if isinstance(key, tuple) else (key,)) if k is not None]
    if Ellipsis in entries:
        at = entries.index(Ellipsis)
        entries[at : at + 1] = [np.s_[:]] * (len(shape) - len(entries) + 1)
    entries += [np.s_[:]] * (len(shape) - len(entries))
    result = []
    for k, n in zip(entries, shape, strict=True):
        if isinstance(k, slice):
            step = 1 if k.step is None else k.step
            start = (0 if step > 0 else n - 1) if k.start is None else k.start
            stop = (n if step > 0 else -1) if k.stop is None else k.stop
            result.append(np.arange(start, stop, step))
        else:
            result.append(np.array([k]))
    return result


def positions(key, shape):
    """Give the positions modulo the extents, as NumPy takes them."""
    return np.ix_(*(p % n for p, n in zip(spelled_out(key, shape), shape, strict=True)))


def result_shape(key, source):
    """Give the shape of what the key selects, integers dropped and None added."""
    entries = key if isinstance(key, tuple) else (key,)
    lengths = iter(np.broadcast_shapes(*(p.shape for p in positions(key, source.shape))))
    shape = []
    for k in entries:
        if k is None:
            shape.append(1)
        elif k is Ellipsis:
            taken = sum(e is not None and e is not Ellipsis for e in entries)
            shape += [next(lengths) for _ in range(source.ndim - taken)]
        elif isinstance(k, slice):
            shape.append(next(lengths))
        else:
            next(lengths)
    return (*shape, *lengths)


def test_reading(cut, values):
    for number, key in enumerate(KEYS):
        dtype = np.dtype(DTYPES[number % len(DTYPES)])
        source = values((7, 5), dtype)
        a = atoll.from_numpy(source, distribution=cut((7, 5)))
        expected = source[positions(key, source.shape)].reshape(result_shape(key, source))
        got = a.periodic[key]
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, expected, strict=True)
        assert a.periodic[-1, 5] == source[6, 0]
        assert type(a.periodic[-1, 5]) is type(source[6, 0])


def test_reading_matches_numpy_pad_and_roll():
    source = np.arange(35).reshape(5, 7)
    a = atoll.from_numpy(source)
    np.testing.assert_array_equal(a.periodic[-3:8, -9:16], np.pad(source, ((3, 3), (9, 9)), "wrap"))
    np.testing.assert_array_equal(a.periodic[2:7, -3:4], np.roll(source, (-2, 3), (0, 1)))


def test_storing_leaves_the_value_of_the_highest_position(cut, values):
    for number, key in enumerate(KEYS):
        dtype = DTYPES[number % len(DTYPES)]
        expected = values((7, 5), dtype)
        a = atoll.from_numpy(expected, distribution=cut((7, 5)))
        where = positions(key, expected.shape)
        stored = values(result_shape(key, expected), dtype, seed=number)
        if atoll.rank() == number % atoll.size():
            a.periodic[key] = stored
        shape = np.broadcast_shapes(*(p.shape for p in where))
        ascending = (np.argsort(p) for p in spelled_out(key, expected.shape))
        for at in itertools.product(*ascending):
            place = tuple(np.broadcast_to(p, shape)[at] for p in where)
            expected[place] = stored.reshape(shape)[at]
        atoll.sync()
        np.testing.assert_array_equal(a[...], expected)
        atoll.sync()


def test_adding_counts_every_turn_and_every_rank(cut, values):
    for key in KEYS:
        expected = values((7, 5), float)
        a = atoll.from_numpy(expected, distribution=cut((7, 5)))
        added = values(result_shape(key, expected), float, seed=3)
        where = positions(key, expected.shape)
        shape = np.broadcast_shapes(*(p.shape for p in where))
        a.periodic.at[key] += added
        a.periodic.at[key].add(added, alpha=2)
        np.add.at(expected, where, 3 * atoll.size() * added.reshape(shape))
        atoll.sync()
        np.testing.assert_array_equal(a[...], expected)
        atoll.sync()


def test_values_are_broadcast_and_converted():
    a = atoll.zeros((4, 4))
    if atoll.rank() == 0:
        a.periodic[-1:2] = [1, 2, 3, 4]
        a.periodic[:, 4:6] = np.int32(7)
    atoll.sync()
    np.testing.assert_array_equal(a[...], [[7, 7, 3, 4], [7, 7, 3, 4], [7, 7, 0, 0], [7, 7, 3, 4]])


def test_bad_keys_and_values_raise():
    a = atoll.zeros((4, 4))
    with pytest.raises(IndexError, match="integers, slices"):
        a.periodic[[1, 2]]
    with pytest.raises(IndexError, match="too many"):
        a.periodic[1, 2, 3]
    with pytest.raises(IndexError, match="beyond"):
        a.periodic[2**61 + 1]
    with pytest.raises(ValueError, match="2\\^63"):
        a.periodic[0 : 2**40, 0 : 2**40]
    with pytest.raises(ValueError, match="broadcast"):
        a.periodic[-2:2] = np.zeros(3)
    with pytest.raises(TypeError):
        a.periodic[-2:2] = 1j
    with pytest.raises(TypeError, match="at"):
        a.periodic.at[0] = 1
    with pytest.raises(IndexError):
        atoll.zeros((0, 4)).periodic[0, 0]

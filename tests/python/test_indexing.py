"""Reading and writing by NumPy's basic keys, compared with NumPy."""

import itertools

import atoll
import numpy as np
import pytest

SHAPES = {1: (11,), 2: (5, 6), 3: (4, 3, 5), 4: (3, 4, 2, 3), 5: (2, 3, 2, 2, 3)}
SHAPES |= {6: (2, 3, 2, 2, 1, 2), 7: (2, 1, 2, 3, 2, 1, 2), 8: (2, 2, 1, 2, 2, 1, 2, 3)}


def random_slice(rng, extent):
    def bound():
        return None if rng.random() < 0.3 else int(rng.integers(-extent - 2, extent + 3))

    step = int(rng.choice([-3, -2, -1, 1, 1, 1, 2, 3]))
    return slice(bound(), bound(), None if step == 1 else step)


def random_key(rng, shape):
    """Integers, slices, at most one ellipsis, some newaxes."""
    key = []
    ellipsis = rng.random() < 0.4
    left = int(rng.integers(0, len(shape) + 1)) if ellipsis else len(shape)
    skipped = len(shape) - left if ellipsis else 0
    where = int(rng.integers(0, left + 1))
    for d in range(left):
        if ellipsis and d == where:
            key.append(...)
        extent = shape[d if not ellipsis or d < where else d + skipped]
        integer = rng.random() < 0.3
        key.append(int(rng.integers(-extent, extent)) if integer else random_slice(rng, extent))
        if rng.random() < 0.1:
            key.append(None)
    if ellipsis and where == left:
        key.append(...)
    return tuple(key)


@pytest.mark.parametrize("dimensions", range(1, 9))
def test_get_gives_what_numpy_gives(dimensions, dtype, cut, values):
    shape = SHAPES[dimensions]
    source = values(shape, dtype)
    a = atoll.from_numpy(source, distribution=cut(shape))
    rng = np.random.default_rng(dimensions + 100 * atoll.rank())
    for _ in range(30):
        key = random_key(rng, shape)
        expected = source[key]
        result = a[key]
        assert type(result) is type(expected), key
        assert result.dtype == dtype
        assert result.shape == expected.shape, key
        np.testing.assert_array_equal(result, expected, err_msg=str(key))


@pytest.mark.parametrize("dimensions", range(1, 9))
def test_put_stores_what_numpy_stores(dimensions, dtype, cut, values):
    """Rank after rank writes; everybody follows on a NumPy array of its own."""
    shape = SHAPES[dimensions]
    expected = values(shape, dtype)
    a = atoll.from_numpy(expected, distribution=cut(shape))
    rng = np.random.default_rng(dimensions)
    for turn in range(4):
        for _ in range(8):
            key = random_key(rng, shape)
            target = expected[key]
            data = values(target.shape, dtype, seed=int(rng.integers(1000)))
            if rng.random() < 0.3 and target.ndim > 0:  # broadcast along some dimension
                axis = int(rng.integers(target.ndim))
                if target.shape[axis] > 0:
                    data = data.take([0], axis=axis)
            if atoll.rank() == turn % atoll.size():
                a[key] = data
            expected[key] = data
        atoll.sync()
        np.testing.assert_array_equal(a[...], expected)
        atoll.sync()


def layouts_in_memory(block):
    """The same values in memory of many shapes."""
    yield "C", np.ascontiguousarray(block)
    yield "F", np.asfortranarray(block)
    yield "reversed", np.ascontiguousarray(block[::-1, ::-1])[::-1, ::-1]
    spread = np.zeros((block.shape[0] * 2, block.shape[1] * 3), block.dtype)
    spread[::2, ::3] = block
    yield "spread", spread[::2, ::3]
    yield "big-endian", block.astype(block.dtype.newbyteorder(">"))
    raw = np.zeros(block.nbytes + 1, np.uint8)[1:]
    unaligned = raw.view(block.dtype).reshape(block.shape)
    unaligned[...] = block
    yield "unaligned", unaligned
    read_only = block.copy()
    read_only.flags.writeable = False
    yield "read-only", read_only


def test_put_takes_any_memory_layout(dtype, values):
    block = values((4, 5), dtype)
    for name, data in layouts_in_memory(block):
        a = atoll.zeros((6, 7), dtype)
        if atoll.rank() == 0:
            a[1:5, 2:7] = data
        atoll.sync()
        np.testing.assert_array_equal(a[1:5, 2:7], block, err_msg=name)
        a.destroy()


FROM = ["bool", "int8", "uint16", "int32", "int64", "uint64", "float16", "float32", "float64"]


@pytest.mark.parametrize("given", [*FROM, "complex64", "complex128"])
def test_put_converts_as_numpy_and_adding_by_same_kind(given, dtype):
    data = np.array([0, 1, 1, 0]).astype(given)
    a = atoll.zeros(4, dtype)
    if data.dtype.kind == "c" and np.dtype(dtype).kind != "c":  # of which NumPy only warns
        with pytest.raises(TypeError, match="cannot cast"):
            a[:] = data
        return
    if atoll.rank() == 0:
        a[:] = data
    atoll.sync()
    np.testing.assert_array_equal(a[:], [0, 1, 1, 0])
    # Integers become any integers, bytes too.
    same_kind = np.can_cast(data.dtype, "int64" if dtype == "uint8" else dtype, "same_kind")
    if not same_kind and data.dtype.kind != "u":
        with pytest.raises(TypeError, match="same_kind"):
            a.at[:] += data


def test_put_of_python_numbers_and_lists(dtype):
    a = atoll.zeros((2, 3), dtype)
    if atoll.rank() == 0:
        a[0] = 7
        a[1, 1] = True
        a[1, 2:] = [5]
    atoll.sync()
    np.testing.assert_array_equal(a[...], np.array([[7, 7, 7], [0, 1, 5]], dtype))


def test_values_with_leading_ones_fit_as_in_numpy():
    a = atoll.zeros((3, 4))
    if atoll.rank() == 0:
        a[1] = np.arange(4.0).reshape(1, 1, 4)
    atoll.sync()
    np.testing.assert_array_equal(a[1], np.arange(4))


def test_numpy_integers_are_indices():
    a = atoll.arange(10)
    assert a[np.int64(3)] == 3
    assert a[np.uint8(9)] == 9
    np.testing.assert_array_equal(a[np.int32(2) : np.int64(5)], [2, 3, 4])


def test_get_into_fills_any_memory_layout(dtype, values):
    source = values((6, 7), dtype)
    a = atoll.from_numpy(source)
    for order, step in itertools.product("CF", (1, 2, -1)):
        out = np.zeros((3 * abs(step), 4), dtype, order=order)[::step]
        a.get_into(np.s_[2:5, 1:5], out)
        np.testing.assert_array_equal(out, source[2:5, 1:5])
        a.get_into(np.s_[4:1:-1, 1:5], out)
        np.testing.assert_array_equal(out, source[4:1:-1, 1:5])


def test_get_into_checks_its_target():
    a = atoll.zeros((4, 4))
    with pytest.raises(ValueError, match="out has shape"):
        a.get_into(np.s_[:2], np.zeros((4, 2)))
    with pytest.raises(TypeError, match="float64"):
        a.get_into(np.s_[:2], np.zeros((2, 4), "float32"))
    fixed = np.zeros((4, 4))
    fixed.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        a.get_into(..., fixed)


def test_iteration_goes_over_the_first_dimension(values):
    source = values((4, 3), "int64")
    a = atoll.from_numpy(source)
    np.testing.assert_array_equal(list(a), source)


def test_large_sections_cross_many_blocks(values):
    source = values((300, 401), "float64")
    a = atoll.from_numpy(source, distribution=atoll.tiled((32, 48)))
    np.testing.assert_array_equal(a[5:299, 7:400], source[5:299, 7:400])
    np.testing.assert_array_equal(a[::7, ::-11], source[::7, ::-11])

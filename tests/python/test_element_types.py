"""All element types: making, indexing, storing, adding, counting, files; as NumPy has them."""

import warnings

import atoll
import numpy as np
import pytest

TYPES = [dtype.name for dtype in atoll.dtypes]
INTEGERS = [name for name in TYPES if np.dtype(name).kind in "iu"]


def some(dtype, shape=(4, 6), seed=0):
    """Give numbers over all that a type holds, the same on all ranks."""
    draw = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return draw.integers(0, 2, shape).astype(bool)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return draw.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
    numbers = draw.integers(-40, 40, shape) / 8
    return (numbers + 1j * numbers[::-1] if kind.kind == "c" else numbers).astype(kind)


def test_the_standards_types_are_held_and_told_by_name():
    assert set(TYPES) == {
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    }
    told = atoll.__array_namespace_info__()
    assert told.capabilities()["boolean indexing"] is True
    assert set(told.dtypes()) == set(TYPES)
    assert set(told.dtypes(kind="unsigned integer")) == {"uint8", "uint16", "uint32", "uint64"}
    assert told.dtypes(kind="bool") == {"bool": np.dtype(bool)}
    assert all(np.dtype(getattr(atoll, name)) == np.dtype(name) for name in TYPES)
    for refused in ("M8[s]", "U5", ">f8", object):
        with pytest.raises(TypeError, match="cannot hold"):
            atoll.zeros(2, refused)


@pytest.mark.parametrize("dtype", TYPES)
def test_arrays_are_made_read_and_stored_to_as_numpys(dtype):
    x = some(dtype)
    a = atoll.from_numpy(x)
    assert a.dtype == x.dtype
    np.testing.assert_array_equal(a[...], x)
    assert a[1, 2] == x[1, 2]
    assert a[1, 2].dtype == x.dtype
    np.testing.assert_array_equal(a[::-1, [0, 5, 0]], x[::-1, [0, 5, 0]])
    for made, like in (
        (atoll.zeros((2, 3), dtype), np.zeros((2, 3), dtype)),
        (atoll.ones((2, 3), dtype), np.ones((2, 3), dtype)),
        (atoll.full(3, x[0, 0]), np.full(3, x[0, 0])),
        (atoll.full(3, 1, dtype), np.full(3, 1, dtype)),
        (atoll.eye(3, dtype=dtype), np.eye(3, dtype=dtype)),
        (a.copy(), x),
        (a.T, x.T),
        (atoll.zeros_like(a), np.zeros_like(x)),
        (atoll.concat([a, a]), np.concatenate([x, x])),
        (a.reshape(3, 8), x.reshape(3, 8)),
    ):
        np.testing.assert_array_equal(made[...], like)
        assert made.dtype == like.dtype
    local = a.local()
    assert local.dtype == x.dtype
    atoll.sync()
    if atoll.rank() == 0:
        a[1] = x[0]
        a[2, ::2] = 1
        a[3, [1, 4]] = x[0, :2]
    atoll.sync()
    x[1] = x[0]
    x[2, ::2] = 1
    x[3, [1, 4]] = x[0, :2]
    np.testing.assert_array_equal(a[...], x)
    out = np.empty_like(x)
    a.get_async(..., out).wait()
    np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize("dtype", TYPES)
def test_each_type_converts_to_each_as_numpy_converts(dtype):
    x = np.abs(some(dtype)) if np.dtype(dtype).kind in "fc" else some(dtype)
    a = atoll.from_numpy(x)
    for other in TYPES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_array_equal(a.astype(other)[...], x.astype(other), err_msg=other)
            target, expected = atoll.zeros(x.shape, other), np.zeros(x.shape, other)
            expected[...] = x
            if atoll.rank() == 0:
                target[...] = x
            atoll.sync()
            np.testing.assert_array_equal(target[...], expected, err_msg=other)
            if np.can_cast(dtype, other, "same_kind"):
                target.copy_from(a)
                np.testing.assert_array_equal(target[...], x.astype(other), err_msg=other)


@pytest.mark.parametrize("dtype", TYPES)
def test_additions_by_all_ranks_add_up_and_wrap(dtype):
    x, base = some(dtype), some(dtype, seed=1)
    a = atoll.from_numpy(base)
    a.at[...] += x
    a.at[1].add(x[0], alpha=1)
    a.at[2, [0, 0, 3]].add(x[0, :3])
    atoll.sync()
    with np.errstate(over="ignore"):
        for _ in range(atoll.size()):
            base += x
            base[1] += x[0]
            np.add.at(base[2], [0, 0, 3], x[0, :3])
    np.testing.assert_allclose(a[...], base, rtol=1e-2 if dtype == "float16" else 1e-6)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_counters_of_all_sizes_count_and_neighbours_stay(dtype):
    a = atoll.zeros(8, dtype)
    highest = int(np.iinfo(dtype).max)
    for _ in range(10):
        a.fetch_add(5, 1)
    atoll.sync()
    expected = np.zeros(8, dtype)
    expected[5] = 10 * atoll.size()
    np.testing.assert_array_equal(a[...], expected)
    atoll.sync()
    if atoll.rank() == 0:
        assert a.swap(3, highest) == 0
        assert a.fetch_add(3, 0) == highest
        with pytest.raises(OverflowError):
            a.fetch_add(3, highest + 1)
    atoll.sync()
    with pytest.raises(TypeError, match="bool"):
        atoll.zeros(3, bool).fetch_add(0, 1)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: [x], lambda x: (x,)])
def test_numbers_out_of_range_are_refused_also_in_lists(dtype, wrap):
    limits = np.iinfo(dtype)
    a = atoll.zeros(4, dtype)
    for value in (int(limits.max) + 1, int(limits.min) - 1):
        for call in (
            lambda value=value: a.__setitem__(slice(0, 1), wrap(value)),
            lambda value=value: a.at[0:1].add(wrap(value)),
            lambda value=value: atoll.asarray(wrap(value), dtype),
        ):
            with pytest.raises(OverflowError):
                call()
    a[1] = int(limits.max)
    assert int(a[1]) == limits.max


def test_floats_go_into_integers_as_numpys_do():
    for dtype in [*INTEGERS, "bool"]:
        a, x = atoll.zeros(6, dtype), np.zeros(6, dtype)
        for target in (a, x):
            target[0] = 1.9
            target[1:3] = [2.5, 3.5]
            target[3:5] = np.array([4.5, 5.5])
            target[[5]] = 6.5
        np.testing.assert_array_equal(a[...], x)
        np.testing.assert_array_equal(atoll.full(2, 1.5, dtype)[...], np.full(2, 1.5, dtype))
        for wrong in (np.nan, np.inf):
            if dtype != "bool":
                with pytest.raises((ValueError, OverflowError)):
                    a[0] = wrong
        with pytest.raises(TypeError):
            a.at[0].add(1.5)  # as numpy.add.at
        atoll.sync()


@pytest.mark.parametrize("dtype", TYPES)
def test_reductions_give_numpys_numbers_and_types(dtype):
    x = some(dtype)
    a = atoll.from_numpy(x)
    for name in ("sum", "prod", "min", "max", "mean", "any", "all", "argmin", "std", "cumsum"):
        if np.dtype(dtype).kind == "c" and name in ("min", "max", "argmin"):
            continue
        for axis in (None, 0, 1):
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                mine, theirs = getattr(a, name)(axis=axis), getattr(x, name)(axis=axis)
            mine = np.asarray(mine[...] if isinstance(mine, atoll.Array) else mine)
            assert mine.dtype == theirs.dtype, (name, axis)
            tolerance = 2e-2 if dtype == "float16" else 2e-5 if mine.dtype.itemsize == 4 else 1e-6
            np.testing.assert_allclose(mine, theirs, rtol=tolerance, err_msg=f"{name} {axis}")
    counts = np.count_nonzero(x, axis=0)
    np.testing.assert_array_equal(atoll.count_nonzero(a, axis=0)[...], counts)
    row = x[0]
    with np.errstate(all="ignore"):
        v = atoll.from_numpy(row)
        dot, expected = v.dot(v), np.dot(row, row)
    assert np.asarray(dot).dtype == expected.dtype
    np.testing.assert_allclose(dot, expected, rtol=2e-3 if dtype == "float16" else 1e-6)
    if dtype != "bool":
        length = atoll.linalg.norm(v)
        with np.errstate(all="ignore"):
            assert length.dtype == np.linalg.norm(row).dtype


@pytest.mark.parametrize("dtype", TYPES)
def test_sorting_and_searching_have_all_types(dtype):
    x = some(dtype, (24,))
    if np.dtype(dtype).kind == "c":
        return
    a = atoll.from_numpy(x)
    np.testing.assert_array_equal(atoll.sort(a)[...], np.sort(x))
    np.testing.assert_array_equal(atoll.argsort(a)[...], np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(np.asarray(atoll.unique(a)[...]), np.unique(x))
    np.testing.assert_array_equal(atoll.nonzero(a)[0][...], np.nonzero(x)[0])
    np.testing.assert_array_equal(atoll.where(a > x[3], a, x[5])[...], np.where(x > x[3], x, x[5]))


@pytest.mark.parametrize("dtype", TYPES)
def test_copies_of_nodes_halos_files_and_checkpoints_have_all_types(dtype, folder):
    x = some(dtype)
    mirrored = atoll.from_numpy(x, mirrored=True)
    np.testing.assert_array_equal(mirrored[...], x)
    mirrored.merge()
    with np.errstate(over="ignore"):
        expected = x.copy()
        for _ in range(1, atoll.nodes()):
            expected += x
    np.testing.assert_allclose(mirrored[...], expected, rtol=1e-2)
    line = some(dtype, (12,))
    with_halo = atoll.from_numpy(line, distribution=atoll.blocked(3, halo=1))
    with_halo.update_halo(periodic=True)
    (mine,) = with_halo.patches()[0] if with_halo.patches() else (None,)
    if mine is not None:
        around = np.take(line, np.arange(mine.start - 1, mine.stop + 1), mode="wrap")
        np.testing.assert_array_equal(with_halo.local_with_halo(), around)
    atoll.sync()
    path = folder / "array.zarr"
    back = atoll.zeros(x.shape, dtype)
    with atoll.disk.create(path, x.shape, dtype, tile=(3, 4)) as kept:
        kept.write(atoll.from_numpy(x))
        kept.read(back)
    np.testing.assert_array_equal(back[...], x)
    if atoll.rank() == 0:
        h5py, zarr = pytest.importorskip("h5py"), pytest.importorskip("zarr")
        with h5py.File(path / "c" / "0" / "0", "r") as file:
            assert file["array"].dtype == x.dtype
            np.testing.assert_array_equal(file["array"][...], x)
        read = zarr.open_array(path, mode="r")
        assert read.dtype == x.dtype
        np.testing.assert_array_equal(read[...], x)
    atoll.sync()
    atoll.checkpoint.save(folder / "state", {"a": back})
    again = atoll.checkpoint.load(folder / "state")["a"]
    np.testing.assert_array_equal(again[...], x)
    assert again.dtype == x.dtype


def test_linear_algebra_refuses_types_without_it_by_name():
    for dtype in ("bool", "float16"):
        with pytest.raises(TypeError, match=dtype):
            atoll.linalg.eigh(atoll.ones((3, 3), dtype))

"""Element-wise operations and reductions on patches, prefix sums, steps and bins against NumPy."""

import atoll
import numpy as np
import pytest
from atoll import algebra

TYPES = ["int32", "int64", "float32", "float64", "complex64", "complex128", "uint8"]
P, Q, R = np.s_[1:9:2, 2:5], np.s_[3:7, ::3], np.s_[:4, 1:4]  # each of shape (4, 3)


def some(shape, dtype, seed=1):
    random = np.random.default_rng(seed)
    values = random.integers(1, 10, shape) * random.choice([-1, 1], shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.integers(-9, 10, shape)
    return values.astype(dtype)


def three(dtype):
    """Arrays of three shapes, cut in three ways, and what they hold."""
    values = [some(shape, dtype, i) for i, shape in enumerate([(11, 6), (8, 9), (5, 5)])]
    layouts = [atoll.blocked(), atoll.block_cyclic((2, 3)), atoll.tiled((3, 2))]
    arrays = [
        atoll.from_numpy(v, distribution=layout) for v, layout in zip(values, layouts, strict=True)
    ]
    return arrays, values


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["multiply", "divide", "minimum", "maximum"])
def test_binary_operations_change_the_patch_only(name, dtype):
    if np.dtype(dtype).kind == "c" and name in ("minimum", "maximum"):
        pytest.skip("complex numbers have no order")
    (x, y, z), (a, b, c) = three(dtype)
    getattr(algebra, name)(x.at[P], y.at[Q], z.at[R])
    if name == "divide" and np.dtype(dtype).kind in "iu":
        c[R] = np.trunc(a[P] / b[Q])
    else:
        c[R] = getattr(np, name)(a[P], b[Q])
    np.testing.assert_allclose(z[...], c, rtol=1e-6)
    assert np.array_equal(x[...], a)
    atoll.sync()


@pytest.mark.parametrize("dtype", TYPES)
def test_the_others(dtype):
    (x, y, z), (a, b, c) = three(dtype)
    algebra.absolute(x.at[P], z.at[R])
    c[R] = np.abs(a[P])
    np.testing.assert_allclose(z[...], c, rtol=1e-6)
    atoll.sync()
    if np.dtype(dtype).kind not in "iu":
        algebra.reciprocal(y.at[Q], z.at[R])
        c[R] = 1 / b[Q]
        np.testing.assert_allclose(z[...], c, rtol=1e-6)
        atoll.sync()
    factor = 253 if dtype == "uint8" else -3  # the same, modulo 256
    z.at[R].add_scaled(2, x.at[P], factor, y.at[Q])
    z.at[::2].scale(3)
    z.at[:, 0].add_constant(1)
    c[R] = 2 * a[P] + np.asarray(factor, dtype) * b[Q]
    c[::2] *= 3
    c[:, 0] += 1
    np.testing.assert_allclose(z[...], c, rtol=1e-6)
    atoll.sync()


@pytest.mark.parametrize("dtype", TYPES)
def test_reductions_of_patches(dtype):
    (x, y, _), (a, b, _) = three(dtype)
    if dtype == "uint8":  # sums, also of products, are of 64 bits
        a, b = a.astype(int), b.astype(int)
    assert x.at[P].sum() == a[P].sum()
    assert atoll.algebra.sum_of_products(x.at[P], y.at[Q]) == (a[P] * b[Q]).sum()
    assert (
        atoll.algebra.sum_of_products(x.at[P], y.at[5:8, 1:9:2].T) == (a[P] * b[5:8, 1:9:2].T).sum()
    )
    assert np.isclose(x.at[P].norm(), np.linalg.norm(a[P]), rtol=1e-6)
    if np.dtype(dtype).kind != "c":
        assert (x.at[P].min(), x.at[P].max()) == (a[P].min(), a[P].max())


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("length", [0, 1, 3, 100])
def test_cumsum_is_numpys(dtype, length):
    a = some(length, dtype)
    x = atoll.from_numpy(a, distribution=atoll.block_cyclic((3,)))
    for sums in (x.cumsum(), atoll.cumsum(x), np.cumsum(x), x.cumsum(axis=0)):
        assert sums.dtype == np.cumsum(a).dtype
        assert np.array_equal(sums[...], np.cumsum(a))
    assert np.array_equal(x[...], a)


def test_median_clips():
    a = some(50, "float64") * 5
    x = atoll.from_numpy(a)
    algebra.median(atoll.full(50, -20.0), atoll.full(50, 10.0), x, x)
    assert np.array_equal(x[...], np.clip(a, -20, 10))


def test_steps_to_bounds():
    x, v = np.array([1.0, 2.0, 4.0]), np.array([-1.0, 1.0, -8.0])
    a, b = atoll.from_numpy(x), atoll.from_numpy(v)
    assert algebra.step_max(a, b) == 0.5
    assert algebra.step_max(a.at[:2], b.at[:2]) == 1
    found = algebra.step_bound_info(a, b, atoll.zeros(3), atoll.full(3, 2.0))
    assert found == (0.0, 0.5, 1.0)
    assert found.wolfe_min == 0.5


def test_bins_hold_what_every_rank_brings():
    rank, size = atoll.rank(), atoll.size()
    contents = atoll.zeros(3 * size, dtype="int32", distribution=atoll.block_cyclic((2,)))
    counts, offsets = atoll.zeros(size + 1, dtype=int), atoll.zeros(size + 1, dtype=int)
    total = algebra.bin_index(contents, counts, offsets, [9, 5, rank], [rank, rank, size])
    assert total == 3 * size
    algebra.bin_sort(contents, counts, offsets)
    assert contents[...].tolist() == [5, 9] * size + list(range(size))
    assert counts[...].tolist() == [2] * size + [size]
    assert offsets[...].tolist() == list(range(0, 2 * size + 1, 2))


def test_errors_name_what_does_not_fit():
    x = atoll.zeros((4, 6))
    with pytest.raises(ValueError, match=r"\(2, 6\).*\(3, 6\)"):
        algebra.multiply(x.at[:2], x.at[:3], x.at[:3])
    with pytest.raises(ValueError, match="overlap"):
        algebra.absolute(x.at[:2], x.at[1:3])
    with pytest.raises(IndexError, match="above zero"):
        x.at[::-1].scale(2)
    with pytest.raises(ValueError, match="one list of integers"):
        algebra.bin_index(*(atoll.zeros(4, dtype=int) for _ in range(3)), [[1]], [1])
    with pytest.raises(ValueError, match="negative"):
        algebra.step_max(atoll.full(3, -1.0), atoll.zeros(3))


def test_a_list_that_is_wrong_on_one_rank_is_refused_by_all():
    arrays = [atoll.zeros(4, dtype=int) for _ in range(3)]
    mine = [1.5] if atoll.rank() == atoll.size() - 1 else [1]
    with pytest.raises(TypeError, match="float64"):
        algebra.bin_index(*arrays, mine, [1])
    atoll.sync()

"""Matrices against NumPy: norms, traces, diagonals, rows and columns."""

import atoll
import numpy as np
import pytest
from atoll import linalg

TYPES = ["int32", "float32", "float64", "complex128", "uint8"]


def some(shape, dtype, seed=1):
    random = np.random.default_rng(seed)
    values = random.integers(-9, 10, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.integers(-9, 10, shape)
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(7, 7), (3, 20), (31, 5), (1, 1)])
def test_norms_and_traces_are_numpys(dtype, shape):
    a = some(shape, dtype)
    x = atoll.from_numpy(a, distribution=atoll.block_cyclic((2, 3)))
    for order in (None, "fro", 1, np.inf):
        assert np.isclose(linalg.norm(x, order), np.linalg.norm(a, order), rtol=1e-6)
    assert linalg.trace(x) == np.trace(a)
    assert linalg.diagonal(x)[...].tolist() == np.diagonal(a).tolist()
    assert np.array_equal(linalg.matrix_transpose(x)[...], a.T)
    v = atoll.from_numpy(a[0])
    for order in (None, 1, 2, np.inf):
        assert np.isclose(linalg.norm(v, order), np.linalg.norm(a[0], order), rtol=1e-6)
    atoll.sync()


@pytest.mark.parametrize("dtype", TYPES)
def test_rows_columns_and_diagonals_are_changed_in_place(dtype):
    a, v, w = some((6, 9), dtype), some(6, dtype, 2), some(9, dtype, 3)
    x = atoll.from_numpy(a)
    linalg.scale_rows(x, atoll.from_numpy(v))
    linalg.scale_columns(x, atoll.from_numpy(w))
    linalg.add_diagonal(x, atoll.from_numpy(v))
    linalg.add_diagonal(x, 2)
    expected = a * v[:, None] * w
    expected[np.arange(6), np.arange(6)] += v + 2
    assert np.array_equal(x[...], expected)
    atoll.sync()
    linalg.set_diagonal(x, atoll.from_numpy(v))
    assert np.array_equal(linalg.diagonal(x)[...], v)
    linalg.set_diagonal(x, 0)
    assert linalg.trace(x) == 0


def test_symmetrize_takes_the_mean_with_the_transpose():
    a = some((8, 8), "float64")
    x = atoll.from_numpy(a)
    linalg.symmetrize(x)
    assert np.array_equal(x[...], (a + a.T) / 2)


def test_mirrored_matrices_do_it_on_every_node():
    a, v = some((6, 6), "float64"), some(6, "float64", 2)
    x = atoll.from_numpy(a).mirror()
    linalg.scale_rows(x, atoll.from_numpy(v).mirror())
    assert np.array_equal(x[...], a * v[:, None])
    assert linalg.norm(x, 1) == np.linalg.norm(a * v[:, None], 1)
    x.merge()


def test_errors_name_what_does_not_fit():
    x, cube = atoll.zeros((4, 6)), atoll.zeros((2, 2, 2))
    with pytest.raises(ValueError, match="vector of 4"):
        linalg.scale_rows(x, atoll.zeros(6))
    with pytest.raises(ValueError, match="square"):
        linalg.symmetrize(x)
    with pytest.raises(TypeError, match="int64"):
        linalg.symmetrize(atoll.zeros((2, 2), dtype="int64"))
    with pytest.raises(TypeError, match="float32"):
        linalg.scale_rows(x, atoll.zeros(4, dtype="float32"))
    for call in (linalg.trace, linalg.diagonal, linalg.matrix_transpose):
        with pytest.raises(ValueError, match="two"):
            call(cube)
    with pytest.raises(ValueError, match="ord=3"):
        linalg.norm(x, 3)
    with pytest.raises(ValueError, match="ord=1"):
        linalg.norm(cube, 1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_matrices_and_vectors_are_multiplied_as_by_numpy(dtype):
    a, v, w = some((6, 9), dtype), some(9, dtype, 2), some(6, dtype, 3)
    x = atoll.from_numpy(a, distribution=atoll.tiled((2, 4)))
    for product in (x @ atoll.from_numpy(v), np.matmul(x, atoll.from_numpy(v))):
        assert product.shape == (6,)
        assert product[...].tolist() == (a @ v).tolist()
    assert (atoll.from_numpy(w) @ x)[...].tolist() == (w @ a).tolist()
    assert atoll.from_numpy(v) @ atoll.from_numpy(v) == v @ v
    with pytest.raises(ValueError, match="expected a vector of 9"):
        x @ atoll.from_numpy(w)
    with pytest.raises(ValueError, match="stacks differ"):
        atoll.zeros((2, 2, 2)) @ atoll.zeros((3, 2, 2))

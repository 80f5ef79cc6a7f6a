"""Linear algebra of the array API's extension and products, compared with NumPy."""

import atoll
import numpy as np
import pytest

FLOATS = ["float32", "float64", "complex64", "complex128"]


def matrix(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def close(result, expected, dtype="float64"):
    digits = 2e-3 if dtype in ("float32", "complex64") else 1e-9
    if np.ndim(expected):
        assert isinstance(result, atoll.Array)
        assert result.shape == expected.shape
        result = result[...]
    assert np.asarray(result).dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(result, expected, rtol=digits, atol=digits)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n", [0, 1, 2, 7, 70])
def test_determinants(n, dtype):
    x = matrix((n, n), dtype) / max(1, n) ** 0.5
    a = atoll.from_numpy(x)
    sign, logarithm = np.linalg.slogdet(x)
    own = atoll.linalg.slogdet(a)
    close(own.sign, sign, dtype)
    close(own.logabsdet, logarithm, dtype)
    close(atoll.linalg.det(a), np.linalg.det(x), dtype)


def test_determinants_of_singular_matrices_integers_and_stacks(cut):
    assert atoll.linalg.det(atoll.ones((5, 5), distribution=cut((5, 5)))) == 0
    assert atoll.linalg.slogdet(atoll.zeros((3, 3))) == (0, -np.inf)
    x = np.array([[0, 2, 1], [1, 0, 0], [0, 0, 3]])
    close(np.linalg.det(atoll.from_numpy(x)), np.linalg.det(x))
    y = matrix((4, 3, 3), "float64")
    close(atoll.linalg.det(atoll.from_numpy(y)), np.linalg.det(y))
    with pytest.raises(ValueError, match=r"x has shape \(2, 3\)"):
        atoll.linalg.det(atoll.ones((2, 3)))
    atoll.sync()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(9, 3), (3, 9), (130, 70), (70, 130), (1, 1), (5, 0)], ids=str)
def test_qr(shape, dtype):
    x = matrix(shape, dtype)
    a = atoll.from_numpy(x)
    q, r = atoll.linalg.qr(a)
    expected, triangle = np.linalg.qr(x)
    assert (q.shape, r.shape) == (expected.shape, triangle.shape)
    assert q.dtype == r.dtype == dtype
    q, r = q[...], r[...]
    digits = 1e-4 if dtype in ("float32", "complex64") else 1e-11
    np.testing.assert_allclose(q @ r, x, atol=digits)
    np.testing.assert_allclose(q.conj().T @ q, np.eye(q.shape[1]), atol=digits)
    np.testing.assert_array_equal(np.tril(r, -1), 0)
    np.testing.assert_allclose(np.abs(r), np.abs(triangle), atol=digits * 100)
    np.testing.assert_allclose(np.abs(np.linalg.qr(a, "r")[...]), np.abs(r), atol=digits)
    with pytest.raises(ValueError, match="mode is 'complete'"):
        atoll.linalg.qr(a, "complete")
    atoll.sync()


def test_qr_of_columns_that_depend_on_each_other():
    x = np.outer(np.arange(1.0, 91.0), np.ones(80))
    q, r = atoll.linalg.qr(atoll.from_numpy(x))
    q, r = q[...], r[...]
    np.testing.assert_allclose(q @ r, x, atol=1e-9)
    np.testing.assert_allclose(q.T @ q, np.eye(80), atol=1e-9)
    atoll.sync()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(9, 4), (4, 9), (5, 5)], ids=str)
def test_least_squares_and_pseudo_inverse(shape, dtype):
    x, b = matrix(shape, dtype), matrix((shape[0], 3), dtype, seed=1)
    a = atoll.from_numpy(x)
    for right in (b, b[:, 0].copy()):
        expected = np.linalg.lstsq(x, right, rcond=None)
        for given in (right, atoll.from_numpy(right)):
            own = atoll.linalg.lstsq(a, given)
            close(own.x, expected[0], dtype)
            close(own.residuals, expected[1], dtype)
            assert own.rank == expected[2]
            np.testing.assert_allclose(own.s, expected[3], rtol=1e-4)
    close(np.linalg.pinv(a), np.linalg.pinv(x), dtype)
    with pytest.raises(ValueError, match="b has shape"):
        atoll.linalg.lstsq(a, np.ones(shape[0] + 1))
    atoll.sync()


def test_rank():
    x = np.outer(np.arange(1.0, 8.0), np.ones(4))
    x[3, 3] += 1
    a = atoll.from_numpy(x)
    assert atoll.linalg.matrix_rank(a) == np.linalg.matrix_rank(x) == 2
    assert np.linalg.matrix_rank(a, tol=1e9) == 0
    close(np.linalg.pinv(a), np.linalg.pinv(x))


@pytest.mark.parametrize("dtype", ["float64", "complex128", "int64"])
def test_norms(dtype, cut):
    x = matrix((6, 5), "float64") * 9 if dtype != "complex128" else matrix((6, 5), dtype)
    x = x.astype(dtype)
    a = atoll.from_numpy(x, distribution=cut(x.shape))
    for order in (None, "fro", 1, -1, np.inf, -np.inf, 2, -2, "nuc"):
        if dtype == "int64" and order in (1, np.inf, "fro", None):
            continue
        expected = np.linalg.norm(x, order)
        np.testing.assert_allclose(np.linalg.norm(a, order), expected, rtol=1e-9)
    for order in (None, 0, 1, 2, 3.5, np.inf, -np.inf):
        for axis in (0, -1):
            for keep in (False, True):
                expected = np.linalg.norm(x, order, axis, keep)
                close(atoll.linalg.norm(a, order, axis, keep), expected)
    for order in (None, "fro", 1, -np.inf):
        for axis in ((0, 1), (1, 0)):
            expected = np.linalg.norm(x, order, axis)
            np.testing.assert_allclose(atoll.linalg.norm(a, order, axis), expected)
    np.testing.assert_allclose(
        atoll.linalg.vector_norm(a, ord=1), np.linalg.norm(x.ravel(), 1), rtol=1e-9
    )
    close(atoll.linalg.vector_norm(a, axis=0, ord=3), np.linalg.norm(x, 3, 0))
    np.testing.assert_allclose(atoll.linalg.matrix_norm(a, ord=2), np.linalg.norm(x, 2))
    with pytest.raises(ValueError, match="ord='x'"):
        atoll.linalg.norm(a, "x")
    atoll.sync()


@pytest.mark.parametrize("dtype", ["float64", "complex128", "int64"])
def test_products(dtype):
    x, y = (matrix(s, "float64", i) * 9 for i, s in enumerate(((4, 3), (3, 5))))
    x, y = x.astype(dtype), y.astype(dtype)
    v = y[:, 0].copy()
    a, b, w, square = map(atoll.from_numpy, (x, y, v, y[:, :3].copy()))
    for result, expected in (
        (a @ b, x @ y),
        (a @ y, x @ y),
        (x @ b, x @ y),
        (a @ v, x @ v),
        (v @ b, v @ y),
        (w @ v, v @ v),
        (a.at[...] @ w, x @ v),
        (b.at[...].T @ w, y.T @ v),
        (atoll.matmul(b.at[...].T, w), y.T @ v),
        (a.at[1:3] @ b, x[1:3] @ y),
        (np.dot(a, b), x @ y),
        (atoll.outer(a, v), np.outer(x, v)),
        (np.inner(b.T, a), np.inner(y.T, x)),
        (np.vdot(a, x), np.vdot(x, x)),
        (np.tensordot(a, b, 1), np.tensordot(x, y, 1)),
        (np.tensordot(a, b, ([1], [0])), np.tensordot(x, y, ([1], [0]))),
        (np.tensordot(a, a), np.tensordot(x, x)),
        (atoll.tensordot(v, b, axes=0), np.tensordot(v, y, 0)),
        (np.kron(a, v), np.kron(x, v)),
        (np.einsum("ij,jk->ki", a, b), np.einsum("ij,jk->ki", x, y)),
        (atoll.einsum("ij,j", x, w), x @ v),
        (np.cross(a, x[::-1].copy()), np.cross(x, x[::-1])),
        (atoll.vecdot(a, v), (x.conj() * v).sum(-1)),
        (
            np.linalg.matrix_power(square, 5),
            np.linalg.matrix_power(y[:, :3], 5),
        ),
        (atoll.linalg.matrix_power(b.at[:, :3], 0), np.linalg.matrix_power(y[:, :3], 0)),
    ):
        close(result, expected)
    atoll.sync()


def test_products_of_stacks_of_matrices():
    x, y = matrix((2, 1, 4, 3), "float64"), matrix((5, 3, 2), "float64", 1)
    a, b = atoll.from_numpy(x), atoll.from_numpy(y)
    close(a @ b, x @ y)
    close(np.matmul(b, y.transpose(0, 2, 1).copy()), y @ y.transpose(0, 2, 1))
    close(b @ y[0, 0].copy(), y @ y[0, 0])
    with pytest.raises(ValueError):
        b @ atoll.ones((4, 2, 2))
    with pytest.raises(TypeError, match="a is 'x'"):
        atoll.matmul("x", a)
    atoll.sync()


def test_solvers_take_numpy_right_hand_sides():
    x, b = matrix((5, 5), "float64"), matrix((5, 2), "float64", 1)
    a = atoll.from_numpy(x)
    close(atoll.linalg.solve(a, b), np.linalg.solve(x, b))
    close(np.linalg.solve(a, b[:, 0].copy()), np.linalg.solve(x, b[:, 0]))
    close(np.linalg.inv(a), np.linalg.inv(x))
    atoll.sync()

"""Systems, eigenvalues and singular values against NumPy and SciPy."""

import atoll
import numpy as np
import pytest
import scipy.linalg
from atoll import linalg

TYPES = ["float32", "float64", "complex64", "complex128"]
SIZES = [1, 7, 60]


def some(shape, dtype, seed=1):
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return values.astype(dtype)


def definite(n, dtype):
    a = some((n, n), dtype, 3)
    return a @ a.conj().T + n * np.eye(n, dtype=dtype)


def close(a, b, dtype, size):
    assert a.dtype == b.dtype
    np.testing.assert_allclose(a, b, rtol=0, atol=100 * size * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_eigenvalues_are_numpys_and_vectors_solve_the_equation(dtype, n):
    a = some((n, n), dtype)
    a = a + a.conj().T
    x = atoll.from_numpy(np.tril(a), distribution=atoll.tiled((3, 5)))
    w, v = linalg.eigh(x)
    close(w, np.linalg.eigvalsh(a), dtype, n)
    v = v[...]
    close(a @ v, v * w, dtype, n * n)
    close(v.conj().T @ v, np.eye(n, dtype=dtype), dtype, n)
    close(linalg.eigvalsh(atoll.from_numpy(np.triu(a)), "U"), np.linalg.eigvalsh(a), dtype, n)


@pytest.mark.parametrize("dtype", TYPES)
def test_generalised_eigenvalues_are_scipys(dtype):
    a, b = some((20, 20), dtype), definite(20, dtype)
    a = a + a.conj().T
    w, v = linalg.eigh(atoll.from_numpy(a), b=atoll.from_numpy(b))
    close(w, scipy.linalg.eigvalsh(a, b).astype(w.dtype), dtype, 20)
    v = v[...]
    close(v.conj().T @ b @ v, np.eye(20, dtype=dtype), dtype, 100)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_systems_are_solved_as_by_numpy(dtype, n):
    a, b = definite(n, dtype), some((n, 3), dtype)
    x = atoll.from_numpy(a)
    for sides in (b, b[:, 0].copy()):
        expected = np.linalg.solve(a, sides)
        close(linalg.solve(x, atoll.from_numpy(sides))[...], expected, dtype, n)
        for upper in (False, True):
            factor = linalg.cholesky(x, upper=upper)
            by_factor = linalg.cho_solve((factor, not upper), atoll.from_numpy(sides))
            close(by_factor[...], expected, dtype, n)
    close(linalg.cholesky(x)[...], np.linalg.cholesky(a), dtype, n * n)
    for kind in ("general", "pos"):
        close(linalg.inv(x, assume_a=kind)[...], np.linalg.inv(a), dtype, n)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(1, 1), (30, 12), (12, 30)])
def test_singular_values_are_numpys_and_vectors_give_the_matrix_back(dtype, shape):
    a = some(shape, dtype)
    x = atoll.from_numpy(a)
    u, s, vh = linalg.svd(x, full_matrices=False)
    close(s, np.linalg.svd(a, compute_uv=False), dtype, 30)
    close(linalg.svdvals(x), s, dtype, 30)
    close((u[...] * s) @ vh[...], a, dtype, 30)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(7, 7), (30, 12), (12, 30), (3, 0), (0, 0)])
def test_full_matrices_are_numpys_default_and_unitary(dtype, shape):
    a = some(shape, dtype)
    u, s, vh = linalg.svd(atoll.from_numpy(a))
    expected = np.linalg.svd(a)
    assert (u.shape, s.shape, vh.shape) == tuple(x.shape for x in expected)
    for basis in (u[...], vh[...]):
        close(basis @ basis.conj().T, np.eye(len(basis), dtype=dtype), dtype, 30)
    k = min(shape)
    close((u[:, :k] * s) @ vh[:k, :], a, dtype, 30)


def test_a_matrix_larger_than_a_few_blocks_is_solved_by_all_ranks():
    a = definite(300, "float64")
    w, v = linalg.eigh(atoll.from_numpy(a))
    v = v[...]
    np.testing.assert_allclose(w, np.linalg.eigvalsh(a), rtol=1e-12)
    np.testing.assert_allclose(a @ v, v * w, atol=1e-9)


def test_matrices_without_such_a_result_raise_numpys_error():
    ones = atoll.ones((4, 4))
    for refused in (
        lambda: linalg.cholesky(ones),
        lambda: linalg.inv(ones),
        lambda: linalg.solve(ones, atoll.ones(4)),
        lambda: linalg.eigh(ones, b=ones),
    ):
        with pytest.raises(np.linalg.LinAlgError, match=r"not positive definite|singular"):
            refused()


def test_bad_arguments_are_named():
    wide = atoll.ones((2, 3))
    with pytest.raises(ValueError, match="square"):
        linalg.eigh(wide)
    with pytest.raises(ValueError, match="UPLO is 'X'"):
        linalg.eigh(atoll.ones((2, 2)), "X")
    with pytest.raises(ValueError, match="assume_a is 'sym'"):
        linalg.inv(atoll.ones((2, 2)), assume_a="sym")
    with pytest.raises(TypeError, match="int64"):
        linalg.inv(atoll.ones((2, 2), dtype="int64"))


def test_the_library_in_use_is_told():
    assert "solvers: ScaLAPACK (" in atoll.describe() or "LAPACK on one rank (" in atoll.describe()


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_positive_definite_solvers_give_no_nan_in_silence(dtype):
    bad = np.eye(5, dtype=dtype)
    bad[3, 1] = bad[1, 3] = np.nan
    b = atoll.ones(5, dtype=dtype)
    for call in (
        lambda: atoll.linalg.inv(atoll.from_numpy(bad), assume_a="pos"),
        lambda: atoll.linalg.cholesky(atoll.from_numpy(bad)),
        lambda: atoll.linalg.cho_solve((atoll.from_numpy(bad), True), b),
        lambda: atoll.linalg.cho_solve((atoll.zeros((5, 5), dtype=dtype), True), b),
        lambda: atoll.linalg.inv(atoll.zeros((5, 5), dtype=dtype), assume_a="pos"),
    ):
        with pytest.raises(np.linalg.LinAlgError):
            call()
    broken = atoll.eye(5, dtype=dtype)
    broken[2, 2] = 0
    atoll.sync()
    with pytest.raises(np.linalg.LinAlgError, match="row 3"):
        atoll.linalg.cho_solve((broken, True), b)
    other_half = np.eye(5, dtype=dtype)
    other_half[0, 4] = np.nan  # which is not read
    x = atoll.linalg.cho_solve((atoll.from_numpy(other_half), True), b)
    assert (x[...] == 1).all()


def test_eigh_takes_scipys_second_matrix_in_its_place():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((6, 6))
    h, s = x + x.T, x @ x.T + 6 * np.eye(6)
    expected = scipy.linalg.eigh(h, s)[0]
    a, b = atoll.from_numpy(h), atoll.from_numpy(s)
    for w in (
        atoll.linalg.eigh(a, b).eigenvalues,
        atoll.linalg.eigh(a, b=b).eigenvalues,
        atoll.linalg.eigvalsh(a, b),
    ):
        np.testing.assert_allclose(w, expected, rtol=1e-10, atol=1e-12)
    upper = atoll.from_numpy(np.triu(h))
    np.testing.assert_allclose(atoll.linalg.eigvalsh(upper, "U"), np.linalg.eigvalsh(h), rtol=1e-10)
    with pytest.raises(TypeError, match="b is 3"):
        atoll.linalg.eigh(a, 3)

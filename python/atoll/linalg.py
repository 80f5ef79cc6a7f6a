"""Linear algebra of distributed matrices.

`norm`, `trace`, `diagonal`, `matrix_transpose` and the solvers are NumPy's, `cho_solve` and
`svdvals` SciPy's; the others change a matrix in place, as programs for Global Arrays do. Every
function is collective. A matrix has two dimensions and any distribution; a vector that goes with it
has its type. Solvers of large matrices run on ScaLAPACK, where there is one (see `atoll info`).

>>> import atoll
>>> a = atoll.full((2, 3), 2.0)
>>> atoll.linalg.scale_columns(a, atoll.from_numpy([1.0, 10.0, 100.0]))
>>> a[...]
array([[  2.,  20., 200.],
       [  2.,  20., 200.]])
>>> float(atoll.linalg.norm(a, 1))
400.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from atoll import _core
from atoll._agreement import collective, collective_over_copies
from atoll.algebra.matmul import matmul
from atoll.algebra.reductions import as_total
from atoll.api.elimination import SlogdetResult, det, slogdet
from atoll.api.least_squares import LstsqResult, lstsq, matrix_rank, pinv
from atoll.api.norms import matrix_norm, norm, vector_norm
from atoll.api.numpy_functions import DISTRIBUTED
from atoll.api.orthogonal import QRResult, qr
from atoll.api.products import cross, matrix_power, outer, tensordot, vecdot
from atoll.array.copies import like, store, transposed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll._array import Array

__all__ = [
    "EighResult",
    "LstsqResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "add_diagonal",
    "cho_solve",
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "norm",
    "outer",
    "pinv",
    "qr",
    "scale_columns",
    "scale_rows",
    "set_diagonal",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "symmetrize",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


class EighResult(NamedTuple):
    """Eigenvalues, ascending, on every rank; eigenvectors in the columns of a matrix."""

    eigenvalues: NDArray[Any]
    eigenvectors: Array


class SVDResult(NamedTuple):
    """Left singular vectors, singular values, and right singular vectors, conjugated, in rows."""

    U: Array
    S: NDArray[Any]
    Vh: Array


@collective_over_copies
def eigh(a: Array, b: Array | str | None = None, UPLO: str = "L") -> EighResult:
    """Give eigenvalues and orthonormal eigenvectors of a Hermitian or symmetric matrix.

    Args:
        a: Square matrix of float32, float64, complex64 or complex128; only one half is read.
        b: Positive definite matrix: the eigenproblem is `a @ v = w * (b @ v)`, and eigenvectors are
            orthonormal in `b` (as in `scipy.linalg.eigh`). A string in its place is `UPLO` (as in
            `numpy.linalg.eigh`).
        UPLO: Which half: "L" or "U".

    Raises:
        numpy.linalg.LinAlgError: No convergence, or `b` is not positive definite.
        ValueError: Shapes or ranks that do not fit.
        TypeError: Integers, or types that differ.

    >>> import atoll
    >>> w, v = atoll.linalg.eigh(atoll.from_numpy([[2.0, 1.0], [1.0, 2.0]]))
    >>> [round(float(x), 12) for x in w]
    [1.0, 3.0]
    >>> v.shape
    (2, 2)

    """
    second, upper = _second_matrix(b, UPLO)
    vectors = like(a, a.shape, a.dtype)
    values = _core.eigh(a, second, vectors, upper)
    return EighResult(_real_numbers(values, a), vectors)


@collective_over_copies
def eigvalsh(a: Array, b: Array | str | None = None, UPLO: str = "L") -> NDArray[Any]:
    """Give the eigenvalues of `eigh` only, which takes less time."""
    second, upper = _second_matrix(b, UPLO)
    return _real_numbers(_core.eigh(a, second, None, upper), a)


@collective_over_copies
def cholesky(a: Array, /, *, upper: bool = False) -> Array:
    """Give the Cholesky factor of a positive definite matrix: lower (`l @ l.conj().T`) or upper.

    Only that half of `a` is read; the other half of the result is zero.

    Raises:
        numpy.linalg.LinAlgError: Not positive definite.

    >>> import atoll
    >>> atoll.linalg.cholesky(atoll.from_numpy([[4.0, 2.0], [2.0, 5.0]]))[...]
    array([[2., 0.],
           [1., 2.]])

    """
    factor = like(a, a.shape, a.dtype)
    _core.cholesky(a, factor, upper)
    return factor


@collective_over_copies
def cho_solve(c_and_lower: tuple[Array, bool], b: Array) -> Array:
    """Give the solution of `a @ x = b` from a Cholesky factor and whether it is lower.

    As in `scipy.linalg.cho_solve`; `b` is a vector, or a matrix of one right-hand side a column.
    """
    factor, lower = c_and_lower
    x = like(b, b.shape, b.dtype)
    _core.cholesky_solve(factor, b, x, not lower)
    return x


@collective_over_copies
def solve(a: Array, b: Any) -> Array:
    """Give the solution of `a @ x = b`, by LU factorisation.

    Args:
        a: Square matrix.
        b: Vector, or matrix of one right-hand side a column; a NumPy array is spread.

    Raises:
        numpy.linalg.LinAlgError: The matrix is singular.

    >>> import atoll
    >>> x = atoll.linalg.solve(2 * atoll.eye(3), atoll.ones(3))
    >>> x[...]
    array([0.5, 0.5, 0.5])

    """
    if isinstance(b, (np.ndarray, list)):
        values = np.asarray(b, a.dtype)
        b = like(a, values.shape, a.dtype)
        store(b, lambda key: values[key])
    x = like(b, b.shape, b.dtype)
    _core.solve(a, b, x)
    return cast("Array", x)


@collective_over_copies
def inv(a: Array, *, assume_a: str = "general") -> Array:
    """Give the inverse of a square matrix.

    Args:
        a: The matrix.
        assume_a: "general", or "pos" for a positive definite one, of which only the lower half is
            read; that takes less time.

    Raises:
        numpy.linalg.LinAlgError: Singular, or not positive definite.

    """
    if assume_a not in ("general", "pos"):
        raise ValueError(f"assume_a is {assume_a!r}, expected 'general' or 'pos'")
    result = like(a, a.shape, a.dtype)
    (_core.cholesky_inverse if assume_a == "pos" else _core.inverse)(a, result)
    return result


@collective_over_copies
def svd(a: Array, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Give the singular value decomposition `a = U @ diag(S) @ Vh`.

    Args:
        a: Matrix of m rows and n columns.
        full_matrices: U is m x m and Vh is n x n: the vectors beyond the first min(m, n) complete
            orthonormal bases. False for the first ones only: a long matrix wants far less memory.
        compute_uv: False for the singular values only.

    Returns:
        An `SVDResult`, or the singular values, descending, on every rank.

    Raises:
        numpy.linalg.LinAlgError: No convergence.

    """
    if not compute_uv:
        return svdvals(a)
    if a.ndim != 2:
        raise ValueError(f"a matrix has two dimensions; this array has shape {a.shape}")
    m, n = a.shape
    u = like(a, (m, m if full_matrices else min(m, n)), a.dtype)
    vh = like(a, (n if full_matrices else min(m, n), n), a.dtype)
    return SVDResult(u, _real_numbers(_core.svd(a, u, vh), a), vh)


@collective_over_copies
def svdvals(x: Array, /) -> NDArray[Any]:
    """Give the singular values, descending, on every rank."""
    return _real_numbers(_core.svd(x, None, None), x)


def _second_matrix(b: Array | str | None, half: str) -> tuple[Array | None, bool]:
    """Sort out SciPy's and NumPy's second arguments; whether the upper half is read."""
    return (None, _is_upper(b)) if isinstance(b, str) else (b, _is_upper(half))


def _is_upper(half: str) -> bool:
    if not isinstance(half, str) or half.upper() not in ("L", "U"):
        raise ValueError(f"UPLO is {half!r}, expected 'L' or 'U'")
    return half.upper() == "U"


def _real_numbers(values: list[float], a: Array) -> NDArray[Any]:
    return np.asarray(values, a.dtype.type(0).real.dtype)


@collective
def trace(x: Array) -> Any:
    """Give the sum of the diagonal, with the type of `x`; of integers an int64.

    >>> import atoll
    >>> float(atoll.linalg.trace(atoll.eye(3)))
    3.0
    """
    return as_total(x, _core.trace(x))


@collective_over_copies
def diagonal(x: Array) -> Array:
    """Give a new vector with the diagonal of a matrix.

    >>> import atoll
    >>> atoll.linalg.diagonal(atoll.ones((2, 3)))[...]
    array([1., 1.])
    """
    _require_matrix(x)
    v = like(x, (min(x.shape),), x.dtype)
    _core.get_diagonal(x, v)
    return v


@collective_over_copies
def matrix_transpose(x: Array) -> Array:
    """Give a new matrix, the transpose (without conjugation)."""
    _require_matrix(x)
    return transposed(x)


@collective
def symmetrize(a: Array) -> None:
    """Replace a square matrix by half the sum of it and its transpose.

    Raises:
        ValueError: Not a square matrix.
        TypeError: Integers.

    """
    _core.symmetrize(a)


@collective
def scale_rows(a: Array, v: Array) -> None:
    """Multiply row `i` of a matrix by `v[i]`."""
    _core.scale_rows(a, v)


@collective
def scale_columns(a: Array, v: Array) -> None:
    """Multiply column `j` of a matrix by `v[j]`."""
    _core.scale_columns(a, v)


@collective
def set_diagonal(a: Array, v: Array | complex) -> None:
    """Set the diagonal to a vector, as long as the shorter side, or to one number."""
    if isinstance(v, _core.ArrayBase):
        _core.set_diagonal(a, v)
    else:
        _core.fill_diagonal(a, v)


@collective
def add_diagonal(a: Array, v: Array | complex) -> None:
    """Add a vector, as long as the shorter side, or one number to the diagonal.

    >>> import atoll
    >>> a = atoll.zeros((2, 2))
    >>> atoll.linalg.add_diagonal(a, 3.0)
    >>> a[...]
    array([[3., 0.],
           [0., 3.]])
    """
    if isinstance(v, _core.ArrayBase):
        _core.add_diagonal(a, v)
    else:
        _core.shift_diagonal(a, v)


def _require_matrix(x: Array) -> None:
    if x.ndim != 2:
        raise ValueError(f"a matrix has two dimensions; this array has shape {x.shape}")


DISTRIBUTED.update(
    {
        np.linalg.cholesky: cholesky,
        np.linalg.eigh: eigh,
        np.linalg.eigvalsh: eigvalsh,
        np.linalg.inv: inv,
        np.linalg.solve: solve,
        np.linalg.svd: svd,
    }
)

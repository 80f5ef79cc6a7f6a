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
>>> atoll.linalg.norm(a, 1)
400.0
"""

from atoll.linalg.matrices import (
    add_diagonal,
    diagonal,
    matrix_transpose,
    norm,
    scale_columns,
    scale_rows,
    set_diagonal,
    symmetrize,
    trace,
)
from atoll.linalg.solvers import (
    EighResult,
    SVDResult,
    cho_solve,
    cholesky,
    eigh,
    eigvalsh,
    inv,
    solve,
    svd,
    svdvals,
)

__all__ = [
    "EighResult",
    "SVDResult",
    "add_diagonal",
    "cho_solve",
    "cholesky",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "matrix_transpose",
    "norm",
    "scale_columns",
    "scale_rows",
    "set_diagonal",
    "solve",
    "svd",
    "svdvals",
    "symmetrize",
    "trace",
]

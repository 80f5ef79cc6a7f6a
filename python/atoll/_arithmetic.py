"""Arithmetic: operators, ufuncs and reductions on whole arrays; all collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from atoll import _core, _ufunc
from atoll._halo import Halo
from atoll._matmul import product

if TYPE_CHECKING:
    from typing_extensions import Self

A = TypeVar("A", bound="Arithmetic")


class Arithmetic(Halo):
    """Operators and reductions; see `atoll.Array`."""

    def _new(self, shape: tuple[int, ...], dtype: Any, layout: _core.Layout | None) -> Self:
        """Make an array on the same group, contents undefined. Collective."""
        raise NotImplementedError

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        unknown = set(options) - {"out", "casting", "dtype"}
        if unknown:
            raise TypeError(f"{ufunc.__name__} of Atoll arrays takes no {sorted(unknown)}")
        if ufunc is np.matmul and method == "__call__" and not set(options):
            return product(inputs[0], inputs[1], Arithmetic)
        taken = all(_ufunc.acceptable(x, Arithmetic) for x in inputs)
        if method != "__call__" or ufunc.signature is not None or not taken:
            return NotImplemented
        return _ufunc.apply(ufunc, inputs, Arithmetic, **options)

    def __add__(self, other: Any) -> Self:
        return self._operate(np.add, self, other)

    def __radd__(self, other: Any) -> Self:
        return self._operate(np.add, other, self)

    def __iadd__(self, other: Any) -> Self:
        return self._operate(np.add, self, other, self)

    def __sub__(self, other: Any) -> Self:
        return self._operate(np.subtract, self, other)

    def __rsub__(self, other: Any) -> Self:
        return self._operate(np.subtract, other, self)

    def __isub__(self, other: Any) -> Self:
        return self._operate(np.subtract, self, other, self)

    def __mul__(self, other: Any) -> Self:
        return self._operate(np.multiply, self, other)

    def __rmul__(self, other: Any) -> Self:
        return self._operate(np.multiply, other, self)

    def __imul__(self, other: Any) -> Self:
        return self._operate(np.multiply, self, other, self)

    def __truediv__(self, other: Any) -> Self:
        return self._operate(np.true_divide, self, other)

    def __rtruediv__(self, other: Any) -> Self:
        return self._operate(np.true_divide, other, self)

    def __itruediv__(self, other: Any) -> Self:
        return self._operate(np.true_divide, self, other, self)

    def __floordiv__(self, other: Any) -> Self:
        return self._operate(np.floor_divide, self, other)

    def __rfloordiv__(self, other: Any) -> Self:
        return self._operate(np.floor_divide, other, self)

    def __ifloordiv__(self, other: Any) -> Self:
        return self._operate(np.floor_divide, self, other, self)

    def __mod__(self, other: Any) -> Self:
        return self._operate(np.remainder, self, other)

    def __rmod__(self, other: Any) -> Self:
        return self._operate(np.remainder, other, self)

    def __imod__(self, other: Any) -> Self:
        return self._operate(np.remainder, self, other, self)

    def __pow__(self, other: Any) -> Self:
        return self._operate(np.power, self, other)

    def __rpow__(self, other: Any) -> Self:
        return self._operate(np.power, other, self)

    def __ipow__(self, other: Any) -> Self:
        return self._operate(np.power, self, other, self)

    def __matmul__(self, other: Any) -> Self:
        return cast("Self", product(self, other, Arithmetic))

    def __neg__(self) -> Self:
        return self._operate(np.negative, self)

    def __pos__(self) -> Self:
        return self._operate(np.positive, self)

    def __abs__(self) -> Self:
        return self._operate(np.absolute, self)

    def _operate(self, ufunc: np.ufunc, first: Any, *others: Any) -> Self:
        """Apply an operator; a last operand beyond the ufunc's own is where the result goes."""
        operands = (first, *others)
        if not all(_ufunc.acceptable(x, Arithmetic) for x in operands):
            return cast("Self", NotImplemented)
        out = operands[ufunc.nin :] or None
        result: Self = _ufunc.apply(ufunc, operands[: ufunc.nin], Arithmetic, out)
        return result

    def sum(
        self, axis: None = None, dtype: None = None, out: None = None, *, patch: Any = None
    ) -> Any:
        """Add up all elements, or those of `patch`. Collective.

        Integers give an int64 (modulo 2^64); other types their own, added up in double precision.

        >>> import numpy as np
        >>> import atoll
        >>> int(atoll.arange(5).sum()), int(atoll.arange(5).sum(patch=np.s_[::2]))
        (10, 6)
        """
        _whole_only(axis, dtype, out)
        total = _core.sum(self, patch)
        return np.int64(total) if self.dtype.kind in "iu" else self.dtype.type(total)

    def cumsum(self, axis: int | None = None, dtype: None = None, out: None = None) -> Self:
        """Give a new vector with the sums of a vector's elements so far. Collective.

        Integers give an int64, as in NumPy; float32 and complex64 are added up in double.

        >>> import atoll
        >>> atoll.arange(5).cumsum()[...]
        array([ 0,  1,  3,  6, 10])
        """
        if self.ndim != 1 or axis not in (None, 0, -1) or dtype is not None or out is not None:
            raise ValueError(
                f"cumsum is of vectors, without dtype and out; this array has shape {self.shape}"
                + (f", axis is {axis}" if axis is not None else "")
            )
        kind = np.dtype(np.int64) if self.dtype.kind in "iu" else self.dtype
        sums = self._new(self.shape, kind, self.layout)
        if kind == self.dtype:
            _core.scan_add(self, sums)
        else:
            _core.copy(self, sums)
            _core.scan_add(sums, sums)
        return sums

    def mean(self, axis: None = None, dtype: None = None, out: None = None) -> Any:
        """Give the mean of all elements; of integers as float64. Collective."""
        _whole_only(axis, dtype, out)
        kind = np.float64 if self.dtype.kind in "iu" else self.dtype.type
        with np.errstate(invalid="ignore"):
            return kind(np.divide(_core.sum(self), self.size))

    def min(self, axis: None = None, out: None = None, *, patch: Any = None) -> Any:
        """Give the smallest element, of all or of `patch`. Collective. NaN counts as smaller.

        >>> import atoll
        >>> int(atoll.arange(5).min())
        0
        """
        _whole_only(axis, None, out)
        return self.dtype.type(_core.minimum_element(self, patch)[0])

    def max(self, axis: None = None, out: None = None, *, patch: Any = None) -> Any:
        """Give the largest element, of all or of `patch`. Collective. NaN counts as larger."""
        _whole_only(axis, None, out)
        return self.dtype.type(_core.maximum_element(self, patch)[0])

    def argmin(self, axis: None = None, out: None = None) -> int:
        """Give the place of the smallest element, counted in row-major order. Collective.

        `numpy.unravel_index(a.argmin(), a.shape)` is its position. The first where several are
        equal.

        >>> import numpy as np
        >>> import atoll
        >>> a = atoll.from_numpy(np.array([[3, 1], [2, 1]]))
        >>> a.argmin(), a.argmax()
        (1, 0)
        """
        _whole_only(axis, None, out)
        return int(np.ravel_multi_index(_core.minimum_element(self)[1], self.shape))

    def argmax(self, axis: None = None, out: None = None) -> int:
        """Give the place of the largest element, as `argmin` does. Collective."""
        _whole_only(axis, None, out)
        return int(np.ravel_multi_index(_core.maximum_element(self)[1], self.shape))

    def dot(
        self, other: Self, *, patch: Any = None, other_patch: Any = None, transpose: bool = False
    ) -> Any:
        """Give the sum of `a_i * b_i` over all elements (no conjugation). Collective.

        Both have the same shape and type; any distributions.

        Args:
            other: The other array.
            patch: Slices, with any steps above zero: the part of this array that takes part.
            other_patch: The same for the other.
            transpose: Take the other with its dimensions in reverse order.

        >>> import atoll
        >>> a = atoll.full((2, 2), 3.0)
        >>> float(a.dot(a))
        36.0

        """
        total = _core.dot(self, other, patch, other_patch, transpose)
        return np.int64(total) if self.dtype.kind in "iu" else self.dtype.type(total)

    def norm(self, kind: str = "two", patch: Any = None) -> float:
        """Give a norm of all elements, or those of `patch`, seen as one vector. Collective.

        Args:
            kind: "two" (root of the sum of squares), "one" (sum of magnitudes) or "infinity"
                (largest magnitude).
            patch: Slices, with any steps above zero.

        """
        return _core.norm(self, kind, patch)

    def fill(self, value: Any, patch: Any = None) -> None:
        """Set all elements, or those of `patch` (slices of step one), to `value`. Collective.

        >>> import numpy as np
        >>> import atoll
        >>> a = atoll.empty((2, 3))
        >>> a.fill(1.0)
        >>> a.fill(7.0, patch=np.s_[1, :2])
        >>> a[1]
        array([7., 7., 1.])
        """
        _core.fill(self, value, patch)

    def scale(self, factor: Any, patch: Any = None) -> None:
        """Multiply all elements, or those of `patch`, by a number, in place. Collective."""
        _core.scale(self, factor, patch)

    def add_constant(self, value: Any, patch: Any = None) -> None:
        """Add a number to all elements, or to those of `patch`, in place. Collective.

        >>> import numpy as np
        >>> import atoll
        >>> a = atoll.zeros(5)
        >>> a.add_constant(2.0, patch=np.s_[1::2])
        >>> a[...]
        array([0., 2., 0., 2., 0.])
        """
        _core.add_constant(self, value, patch)

    def add_scaled(
        self,
        alpha: Any,
        a: Self,
        beta: Any,
        b: Self,
        *,
        a_patch: Any = None,
        b_patch: Any = None,
        patch: Any = None,
    ) -> None:
        """Set this array, or `patch` of it, to `alpha * a + beta * b`. Collective.

        May be one of the two itself; then the patches are the same or have nothing in common.
        """
        _core.add(alpha, a, beta, b, self, a_patch, b_patch, patch)


def cumsum(a: A) -> A:
    """Give a new vector with the sums of a vector's elements so far, as `Array.cumsum`."""
    return a.cumsum()


def _whole_only(axis: Any, dtype: Any, out: Any) -> None:
    if axis is not None or dtype is not None or out is not None:
        raise TypeError("reductions of Atoll arrays are over all elements, without dtype and out")

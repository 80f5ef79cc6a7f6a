"""View: part of an array as an operand, or to add to: what `a.at[key]` gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import collective_over_copies
from atoll.algebra import elementwise, products, ufuncs
from atoll.algebra import reductions as sums
from atoll.api import reductions, statistics
from atoll.api.arguments import copy_of_view
from atoll.api.numpy_functions import array_function
from atoll.array import copies, elements, mirrors

if TYPE_CHECKING:
    from typing_extensions import Self


class View(_core.ViewBase):
    """Part of an array, which it refers to: to add to, or as an operand of a collective call.

    `a.at[key] += value` and `a.at[key].add(value)` add atomically, by any rank at any time.
    What takes an array for an operand takes a view, too: its own methods, which are those of
    arrays, `atoll.algebra`, `atoll.matmul`. As an operand a key is of integers, which stand for
    ranges of one, and of slices with steps above zero (of one in products and merges). `T` and
    `conj()` say how the elements enter: nothing is moved. Transposed views serve everywhere,
    conjugated ones in products of matrices.

    >>> import atoll
    >>> a, b = atoll.arange(6.0), atoll.zeros((2, 3))
    >>> (a.at[3:] - a.at[:3])[...]  # operators and ufuncs give new arrays
    array([3., 3., 3.])
    >>> a.at[3:].scale(10.0)
    >>> float(a.at[::2].sum()), float(a.at[:3].dot(a.at[3:]))
    (42.0, 140.0)
    >>> b.at[1].fill(2.0)
    >>> atoll.matmul(b.at[:, 1:].T, b.at[:, :1])[...]
    array([[4.],
           [4.]])
    """

    __slots__ = ()

    if TYPE_CHECKING:  # in C++: src/python/view_bindings.cpp

        def __iadd__(self, value: Any) -> Self: ...

    def __isub__(self, value: Any) -> Self:
        # Without a sign, minus one is the highest number, modulo 2^n.
        dtype = self.base.dtype
        self.add_in_place(value, int(np.iinfo(dtype).max) if dtype.kind == "u" else -1)
        return self

    @property
    def T(self) -> View:  # noqa: N802
        """The same with its dimensions in reverse order."""
        return View(self.base, self.key, self.form ^ 1)

    def conj(self) -> View:
        """Give the same with its elements conjugated, for products of matrices."""
        return View(self.base, self.key, self.form ^ 2)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    copy_from = copies.copy_from

    merge = mirrors.merge
    merge_begin = mirrors.merge_begin
    merge_into = mirrors.merge_into

    sum = reductions.sum
    prod = reductions.prod
    min = reductions.min
    max = reductions.max
    all = reductions.all
    any = reductions.any
    mean = statistics.mean
    var = statistics.var
    std = statistics.std
    dot = products.dot
    norm = sums.norm

    fill = elementwise.fill
    scale = elementwise.scale
    add_constant = elementwise.add_constant
    add_scaled = elementwise.add_scaled

    __array_ufunc__ = ufuncs.array_ufunc
    __eq__ = ufuncs.comparison(np.equal)
    __ne__ = ufuncs.comparison(np.not_equal)
    __lt__ = ufuncs.comparison(np.less)
    __le__ = ufuncs.comparison(np.less_equal)
    __gt__ = ufuncs.comparison(np.greater)
    __ge__ = ufuncs.comparison(np.greater_equal)
    __hash__ = _core.ViewBase.__hash__
    __array__ = elements.not_by_itself

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return array_function(self.base, function, types, args, options)

    def __bool__(self) -> bool:
        raise TypeError("part of an array has no truth value: a[key] reads it, any() and all() ask")

    __matmul__ = products.multiplied
    __rmatmul__ = products.reflected
    __neg__ = ufuncs.unary(np.negative)
    __pos__ = ufuncs.unary(np.positive)
    __abs__ = ufuncs.unary(np.absolute)
    __add__, __radd__ = ufuncs.new_by_operators(np.add)
    __sub__, __rsub__ = ufuncs.new_by_operators(np.subtract)
    __mul__, __rmul__ = ufuncs.new_by_operators(np.multiply)
    __truediv__, __rtruediv__ = ufuncs.new_by_operators(np.true_divide)
    __floordiv__, __rfloordiv__ = ufuncs.new_by_operators(np.floor_divide)
    __mod__, __rmod__ = ufuncs.new_by_operators(np.remainder)
    __pow__, __rpow__, _ = ufuncs.powers()
    __and__, __rand__ = ufuncs.new_by_operators(np.bitwise_and)
    __or__, __ror__ = ufuncs.new_by_operators(np.bitwise_or)
    __xor__, __rxor__ = ufuncs.new_by_operators(np.bitwise_xor)
    __lshift__, __rlshift__ = ufuncs.new_by_operators(np.left_shift)
    __rshift__, __rrshift__ = ufuncs.new_by_operators(np.right_shift)
    __invert__ = ufuncs.unary(np.invert)

    @collective_over_copies
    def copy(self) -> Any:
        """Give a new array with the elements of the part. Collective.

        >>> import atoll
        >>> atoll.arange(6).at[1::2].copy()[...]
        array([1, 3, 5])
        """
        return copy_of_view(self)

    def __repr__(self) -> str:
        form = (".T" if self.form & 1 else "") + (".conj()" if self.form & 2 else "")
        return f"<atoll.View [{self.key!r}]{form} of {self.base!r}>"


class At:
    """Gives views: `a.at[key]`."""

    __slots__ = ("_base",)

    def __init__(self, base: Any) -> None:
        self._base = base

    def __getitem__(self, key: Any) -> View:
        return View(self._base, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        # Python ends `a.at[key] += x` by storing what `+=` gave: the view, already added to.
        if not (isinstance(value, View) and value.take_added(self._base)):
            raise TypeError("at[...] is for += and -=; store with a[...] = value")

"""Array: what users hold. Its methods are functions of the rooms `array` and `algebra`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import collective
from atoll._closing import leave
from atoll._view import At
from atoll.algebra import elementwise, products, ufuncs
from atoll.algebra import reductions as sums
from atoll.api import (
    cumulative,
    diagonals,
    numpy_functions,
    permuting,
    reductions,
    repeating,
    reshaping,
    searching,
    sorting,
    statistics,
    ufunc_methods,
)
from atoll.api import elementwise as elementwise_functions
from atoll.api.assignment import assign, put
from atoll.array import copies, elements, exchange, fancy, mirrors, picture
from atoll.array import halo as halos
from atoll.array.layouts import extents

if TYPE_CHECKING:
    from typing_extensions import Self

    from atoll.array.layouts import Extents


class Array(_core.ArrayBase):
    """A dense N-dimensional array spread over the memories of a group's ranks.

    Any rank reads, writes and adds to any section of it at any time, and its owner does nothing.
    Indexing moves data between the array and NumPy arrays and is never collective: it takes
    NumPy's keys (integers, slices with any step, `...`, `None`, index arrays and masks).
    Writes are complete at their owners after `atoll.fence()` (mine) or `atoll.sync()` (all).
    Operators, ufuncs, reductions and all that is named collective are called by every rank of the
    group in the same order.

    Usually made by `atoll.zeros` and its relatives.

    >>> import atoll
    >>> a = atoll.zeros((4, 6))
    >>> if atoll.rank() == 0:
    ...     a[1:3, ::2] = [[1, 2, 3], [4, 5, 6]]
    >>> atoll.sync()
    >>> a[2, ::-1]
    array([0., 6., 0., 5., 0., 4.])
    >>> a[[1, 2], [0, 4]]
    array([1., 6.])
    >>> float((2 * a + 1).sum())
    66.0

    `==`, `<` and their like compare element by element and give arrays of bool:
    `atoll.array_equal(a, b)` and `atoll.allclose(a, b)` tell whether arrays are equal.

    Args:
        shape: Extents, eight at most; of `()` one element, without a dimension.
        dtype: One of `atoll.dtypes`; float64 when left out.
        group: The ranks that share it; the default group when left out.
        distribution: How to cut it: `atoll.blocked`, `irregular`, `block_cyclic`, `tiled`.
        name: Shown in messages.
        zero: False leaves the contents undefined at first.
        mirrored: Every node has a copy of its own, which its ranks share; see `mirror`.
        device: Where the elements are: None or "cpu".

    Raises:
        ValueError: a bad shape or distribution. On all ranks, like those below.
        TypeError: a dtype that arrays cannot hold.
        MemoryError: too large for the nodes.
        RuntimeError: the ranks asked for different arrays.

    """

    @collective
    def __init__(
        self,
        shape: Extents,
        dtype: Any = None,
        *,
        group: _core.Group | None = None,
        distribution: _core.Layout | None = None,
        name: str = "",
        zero: bool = True,
        mirrored: bool = False,
        device: str | None = None,
    ) -> None:
        if device not in (None, "cpu"):
            raise ValueError(f"device is {device!r}, expected 'cpu'")
        super().__init__(
            _core.default_group() if group is None else group,
            extents(shape),
            dtype,
            _core.Layout.blocked(()) if distribution is None else distribution,
            name,
            zero,
            mirrored,
        )

    if TYPE_CHECKING:  # in C++: src/python/array_access.cpp

        def __getitem__(self, key: Any) -> Any: ...

        def __setitem__(self, key: Any, value: Any) -> None: ...

    _assign = assign  # what storing an Atoll array calls
    _fancy_get, _fancy_put, _fancy_add = fancy.get, put, fancy.add  # what indexing calls

    @property
    def at(self) -> At:
        """Part of the array: to add to, or as an operand of what is collective; see `atoll.View`.

        `a.at[key] += value` and `a.at[key].add(value, alpha=...)` add atomically, with any key that
        indexing takes, and are not collective. (`a[key] += value` reads, adds and writes: additions
        by several ranks get lost.)

        >>> import numpy as np
        >>> import atoll
        >>> a = atoll.zeros((2, 3), dtype=int)
        >>> a.at[:, 1] += 1
        >>> a.at[0, [0, 0, 2]].add(1, alpha=2)
        >>> atoll.sync()
        >>> bool((a[...] == np.array([[4, 1, 2], [0, 1, 0]]) * atoll.size()).all())
        True
        """
        return At(self)

    gather = elements.gather
    owner = elements.owner
    __len__ = elements.length
    __iter__ = elements.rows
    __bool__ = elements.truth
    __array__ = elements.not_by_itself
    __reduce_ex__ = elements.not_pickled
    _repr_html_ = picture.as_html
    __float__ = elements.as_float
    __int__ = elements.as_int
    __complex__ = elements.as_complex
    __dlpack__ = exchange.dlpack
    __dlpack_device__ = exchange.dlpack_device
    item = elements.item
    tolist = elements.to_list
    to_device = elements.to_device

    if not TYPE_CHECKING:  # else every name would be right
        __getattr__ = elements.missing

    @property
    def device(self) -> str:
        """Where the elements are: "cpu"."""
        return "cpu"

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """Give the module with the array API's functions: `atoll`."""
        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
            raise ValueError(f"api_version is {api_version!r}, expected '2024.12' or before")
        return sys.modules["atoll"]  # which imports this module

    def __contains__(self, value: Any) -> bool:
        """Tell whether an element equals a number. Collective."""
        return elementwise_functions.contains(self, value)

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, _: Any) -> Self:
        return self.copy()

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """Bytes of the whole array, on all ranks together."""
        return self.size * self.itemsize

    @property
    def halo(self) -> tuple[int, ...]:
        """Width of the halo on either side, per dimension; zeros when there is none."""
        return self.distribution.halo[: self.ndim]

    update_halo = halos.update_halo
    update_halo_begin = halos.update_halo_begin
    local_with_halo = halos.local_with_halo

    @property
    def periodic(self) -> halos.Periodic:
        """The array repeated without end in all dimensions, for reading, storing and adding.

        Integers and the bounds of slices are positions as they stand: -1 is the element before the
        first (which is the last), and slices may begin below 0 and end beyond the extent. Where a
        section covers an element more than once, a store leaves the value of its highest position
        and an addition (`a.periodic.at[...] += x`) adds all. Not collective.

        >>> import atoll
        >>> a = atoll.arange(5)
        >>> a.periodic[-2:7]
        array([3, 4, 0, 1, 2, 3, 4, 0, 1])
        >>> atoll.sync()  # everybody has read
        >>> if atoll.rank() == 0:
        ...     a.periodic[4:6] = [50, 60]
        >>> atoll.sync()
        >>> a[...]
        array([60,  1,  2,  3, 50])
        """
        return halos.Periodic(self)

    duplicate = copies.duplicate
    copy = copies.copy
    copy_from = copies.copy_from
    astype = copies.astype

    @property
    def T(self) -> Self:  # noqa: N802
        """A new array with the dimensions in reverse order. Collective, unlike NumPy's.

        >>> import numpy as np
        >>> import atoll
        >>> a = atoll.from_numpy(np.array([[1, 2, 3], [4, 5, 6]]))
        >>> a.T[...]
        array([[1, 4],
               [2, 5],
               [3, 6]])
        """
        return copies.transposed(self)

    @property
    def real(self) -> Any:
        """A new array of the real parts. Collective, and apart from the array, unlike NumPy's."""
        return elementwise_functions.real(self)

    @property
    def imag(self) -> Any:
        """A new array of the imaginary parts. Collective, as `real`."""
        return elementwise_functions.imag(self)

    @property
    def mT(self) -> Any:  # noqa: N802
        """A new array with the last two axes exchanged. Collective, as `T`."""
        return permuting.matrix_transpose(self)

    mirror = mirrors.mirror
    merge = mirrors.merge
    merge_begin = mirrors.merge_begin
    merge_into = mirrors.merge_into
    publish = mirrors.publish
    declare_equal = mirrors.declare_equal

    sum = reductions.sum
    prod = reductions.prod
    min = reductions.min
    max = reductions.max
    argmin = reductions.argmin
    argmax = reductions.argmax
    all = reductions.all
    any = reductions.any
    mean = statistics.mean
    var = statistics.var
    std = statistics.std
    cumsum = cumulative.cumsum
    cumprod = cumulative.cumprod
    dot = products.dot
    norm = sums.norm
    clip = elementwise_functions.clip
    round = elementwise_functions.round
    conj = elementwise_functions.conj
    conjugate = elementwise_functions.conj

    reshape = reshaping.reshape_method
    ravel = reshaping.ravel
    flatten = reshaping.ravel
    squeeze = reshaping.squeeze
    transpose = permuting.transpose_method
    swapaxes = permuting.swapaxes
    repeat = repeating.repeat
    sort = sorting.sort_in_place
    argsort = sorting.argsort
    searchsorted = searching.searchsorted
    nonzero = searching.nonzero
    take = searching.take
    diagonal = diagonals.diagonal
    trace = diagonals.trace

    fill = elementwise.fill
    scale = elementwise.scale
    add_constant = elementwise.add_constant
    add_scaled = elementwise.add_scaled

    __array_ufunc__ = ufuncs.array_ufunc
    __array_function__ = numpy_functions.array_function
    __eq__ = ufuncs.comparison(np.equal)
    __ne__ = ufuncs.comparison(np.not_equal)
    __lt__ = ufuncs.comparison(np.less)
    __le__ = ufuncs.comparison(np.less_equal)
    __gt__ = ufuncs.comparison(np.greater)
    __ge__ = ufuncs.comparison(np.greater_equal)
    __hash__ = _core.ArrayBase.__hash__  # an array is itself
    __matmul__ = products.product
    __rmatmul__ = products.reflected
    __neg__ = ufuncs.unary(np.negative)
    __pos__ = ufuncs.unary(np.positive)
    __abs__ = ufuncs.unary(np.absolute)
    __add__, __radd__, __iadd__ = ufuncs.operators(np.add)
    __sub__, __rsub__, __isub__ = ufuncs.operators(np.subtract)
    __mul__, __rmul__, __imul__ = ufuncs.operators(np.multiply)
    __truediv__, __rtruediv__, __itruediv__ = ufuncs.operators(np.true_divide)
    __floordiv__, __rfloordiv__, __ifloordiv__ = ufuncs.operators(np.floor_divide)
    __mod__, __rmod__, __imod__ = ufuncs.operators(np.remainder)
    __pow__, __rpow__, __ipow__ = ufuncs.powers()
    __and__, __rand__, __iand__ = ufuncs.operators(np.bitwise_and)
    __or__, __ror__, __ior__ = ufuncs.operators(np.bitwise_or)
    __xor__, __rxor__, __ixor__ = ufuncs.operators(np.bitwise_xor)
    __lshift__, __rlshift__, __ilshift__ = ufuncs.operators(np.left_shift)
    __rshift__, __rrshift__, __irshift__ = ufuncs.operators(np.right_shift)
    __invert__ = ufuncs.unary(np.invert)
    __divmod__, __rdivmod__ = ufuncs.new_by_operators(np.divmod)

    @collective
    def show(self, edge_items: int = 3) -> None:
        """Print the array on rank 0 of its group, long dimensions shortened. Collective."""
        text = _core.to_text(self, edge_items)
        if self.group.rank == 0:
            print(text, end="" if text.endswith("\n") else "\n", flush=True)

    close = _core.ArrayBase.destroy
    __exit__ = leave

    def __enter__(self) -> Self:
        return self

    def __repr__(self) -> str:
        """Describe the array by what this rank knows; never communicates."""
        if not self.alive:
            return "<atoll.Array: destroyed>"
        mine = self.patches()
        part = "nothing"
        if mine:
            part = "[" + ", ".join(f"{s.start}:{s.stop}" for s in mine[0]) + "]"
            part += f" and {len(mine) - 1} more" if len(mine) > 1 else ""
        name = f" {self.name!r}" if self.name else ""
        group = self.group
        kind = "mirrored, " if self.mirrored else ""
        return (
            f"<atoll.Array{name} {self.shape} {self.dtype}, {kind}{self.distribution}; "
            f"rank {group.rank} of {group.size} owns {part}>"
        )


ufuncs.METHODS.update(ufunc_methods.METHODS)

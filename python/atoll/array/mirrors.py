"""Mirrored arrays: a copy on every node, merged and published when the program says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from atoll import _core
from atoll._agreement import collective_merge, collective_over_copies
from atoll.array.copies import wrap
from atoll.array.lazy import LazyMirror

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Combination = str | Callable[[NDArray[Any], NDArray[Any]], Any]

A = TypeVar("A", bound=_core.ArrayBase)


@overload
def mirror(a: A, name: str = "", *, lazy: Literal[False] = False) -> A: ...


@overload
def mirror(a: _core.ArrayBase, *, lazy: Literal[True], budget: int | None = None) -> LazyMirror: ...


@collective_over_copies
def mirror(
    a: A, name: str = "", *, lazy: bool = False, budget: int | None = None
) -> A | LazyMirror:
    """Make a copy of this array on every node, shared by the node's ranks. Collective.

    A mirrored array is a cache that the program manages: all reading and writing is done on my
    node's copy and never touches the network. What is collective is so over the node's ranks
    only (`group`), and `local`, `locate` and the like answer for my node. Making one, `merge`,
    `publish` and copies from and to other arrays are collective over the ranks of all copies
    (`whole_group`).

    Args:
        a: The array.
        name: Shown in messages; this array's when left out.
        lazy: Make a `LazyMirror` instead: a read cache that fetches what is read.
        budget: Of a lazy mirror: bytes of the array that each node may hold.

    >>> import atoll
    >>> a = atoll.ones((3, 3))
    >>> m = a.mirror()
    >>> m[1, 2]
    np.float64(1.0)
    >>> m.mirrored, m.group.nodes
    (True, 1)

    """
    if lazy:
        if name:
            raise TypeError("a lazy mirror has the array's name: leave name out")
        return LazyMirror(a, budget)
    if budget is not None:
        raise TypeError("budget is for lazy mirrors: pass lazy=True")
    return wrap(type(a), _core.mirror(a, name))


@collective_merge
def merge(a: _core.ArrayBase | _core.ViewBase, op: Combination = "sum") -> None:
    """Combine the copies of all nodes; each is the result afterwards. Collective.

    Only what was written since it was last zeroed travels between nodes. Of a view
    (`a.at[2:5].merge()`) only that part is merged.

    Args:
        a: The array.
        op: "sum", "max", "min", "product", or a function `f(x, y)` of two NumPy vectors that
            gives the elements combined; it is called for copy after copy in the order of the
            nodes, on any rank, for any part.

    >>> import atoll
    >>> m = atoll.zeros(4, mirrored=True)
    >>> m.at[:] += 1.0              # by every rank, on its own node
    >>> m.merge()
    >>> bool((m[...] == atoll.size()).all())
    True

    """
    _core.merge(a, op)


@collective_merge
def merge_begin(a: _core.ArrayBase | _core.ViewBase, op: Combination = "sum") -> _core.PendingMerge:
    """Begin a merge; `wait` of what is returned ends it. Collective, both.

    The array is not to be used in between.
    """
    return _core.merge_begin(a, op)


@collective_merge
def publish(a: _core.ArrayBase) -> None:
    """Copy what each node has written since the last merge or publish to the rest.

    Collective.

    Raises:
        ValueError: two nodes have written the same tile (about 8 KiB); on all ranks, and
            nothing is changed.

    >>> import atoll
    >>> m = atoll.zeros(4, mirrored=True)
    >>> if atoll.rank() == 0:
    ...     m[1] = 5.0
    >>> m.publish()
    >>> m[...]
    array([0., 5., 0., 0.])

    """
    _core.publish(a)


@collective_merge
def merge_into(
    a: _core.ArrayBase | _core.ViewBase,
    target: _core.ArrayBase | _core.ViewBase,
    op: Combination = "sum",
) -> None:
    """Set a distributed array to the copies combined, which stay as they are. Collective.

    Args:
        a: The array, or a view of it: slices of step one.
        target: An array of the same dtype on the ranks of all copies, or a view of one.
        op: As in `merge`.

    """
    _core.merge_into(a, target, op)


@collective_over_copies
def declare_equal(a: _core.ArrayBase) -> None:
    """Say that all copies are equal, since the program wrote the same on all. Collective.

    Then `publish` has nothing to do.
    """
    _core.declare_equal(a)

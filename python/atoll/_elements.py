"""Elements: reading, writing and adding to sections of an array; one-sided, never collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from atoll import _core, _fancy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class Accumulates(Protocol):
    """What `at` adds to."""

    @property
    def dtype(self) -> np.dtype[Any]: ...

    def accumulate(self, key: Any, value: Any, alpha: Any = None) -> None: ...


class Section:
    """Part of an array to add to: what `a.at[key]` gives."""

    __slots__ = ("_added", "_array", "_key")

    def __init__(self, array: Accumulates, key: Any) -> None:
        self._array = array
        self._key = key
        self._added = False

    def add(self, value: Any, alpha: Any = None) -> None:
        """Add `alpha * value` (broadcast) to the section, atomically per element.

        Not collective. Index arrays may name an element twice; then it is added to twice.
        """
        self._array.accumulate(self._key, value, alpha)

    def __iadd__(self, value: Any) -> Section:
        self._array.accumulate(self._key, value)
        self._added = True
        return self

    def __isub__(self, value: Any) -> Section:
        # Without a sign, minus one is the highest number, modulo 2^n.
        dtype = self._array.dtype
        minus_one = int(np.iinfo(dtype).max) if dtype.kind == "u" else -1
        self._array.accumulate(self._key, value, minus_one)
        self._added = True
        return self


class At:
    """Atomic addition: `a.at[key] += value`."""

    __slots__ = ("_array",)

    def __init__(self, array: Accumulates) -> None:
        self._array = array

    def __getitem__(self, key: Any) -> Section:
        return Section(self._array, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        # Python ends `a.at[key] += x` by storing what `+=` gave: the section, already added to.
        if isinstance(value, Section) and value._added and value._array is self._array:
            value._added = False
            return
        raise TypeError("at[...] is for += and -=; store with a[...] = value")


class Elements(_core.ArrayBase):
    """Element access; see `atoll.Array`."""

    if TYPE_CHECKING:  # in C++: src/python/array_access.cpp

        def __getitem__(self, key: Any) -> Any: ...

        def __setitem__(self, key: Any, value: Any) -> None: ...

    @property
    def at(self) -> At:
        """Atomic addition: `a.at[key] += value`, or `a.at[key].add(value, alpha=...)`.

        (`a[key] += value` reads, adds and writes: additions by several ranks get lost.) Any key
        that indexing takes. Not collective.

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

    def gather(self) -> NDArray[Any]:
        """Read the whole array: the same as `a[...]`. Not collective.

        >>> import atoll
        >>> atoll.arange(4).gather()
        array([0, 1, 2, 3])
        """
        whole: NDArray[Any] = self[...]
        return whole

    def owner(self, *position: int) -> int:
        """Give the rank (of the array's group) that owns an element. Not collective.

        >>> import atoll
        >>> atoll.zeros((4, 4)).owner(0, 0)
        0
        """
        return self.owner_of(position)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self.shape[0]))

    def __bool__(self) -> bool:
        if self.size == 1:
            return bool(self[(0,) * self.ndim])
        raise ValueError("the truth value of an array with more than one element is ambiguous")

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        raise TypeError(
            "an Atoll array does not turn into a NumPy array by itself, since it may be far larger "
            "than memory; read what you need: a[...] for all of it, a[2:5], or a.local()"
        )

    def _fancy_get(self, key: Any) -> Any:
        return _fancy.get(self, key)

    def _fancy_put(self, key: Any, value: Any) -> None:
        _fancy.put(self, key, value)

    def _fancy_add(self, key: Any, value: Any, alpha: Any) -> None:
        _fancy.add(self, key, value, alpha)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """Bytes of the whole array, on all ranks together."""
        return self.size * self.itemsize

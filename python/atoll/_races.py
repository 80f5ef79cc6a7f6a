"""Races: accesses of two ranks to the same elements that nothing orders; ATOLL_CHECK=race.

NumPy's views of an array's memory are read and written without a call of Atoll's. With the
detector they are arrays of a class of their own, which tells what each operation touches; what
leaves it (`np.asarray`, buffers, pointers) is seen only by what it changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from atoll import _core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Access(NamedTuple):
    """One side of a race."""

    operation: str
    """What it is: "put", "get", "accumulate", "read by pointer"."""
    rank: int
    """Of the world."""
    place: str
    """The line of the program, "job.py:12"."""


class Race(NamedTuple):
    """Two accesses of different ranks to the same elements that nothing orders."""

    array: str
    """The array's name and shape, in words."""
    patch: tuple[slice, ...]
    """Elements that both touch."""
    first: Access
    second: Access
    in_buffer: bool
    """The caller's buffer of a nonblocking operation is used before its `wait`, by the second."""
    text: str
    """All of it, in a line for people."""


def races() -> list[Race]:
    """Give the races found since the start, alike on all ranks at their last sync. Not collective.

    One for each two lines of the program. Empty without ATOLL_CHECK=race.

    >>> import atoll
    >>> atoll.races()
    []
    """
    return [
        Race(array, patch, Access(*first), Access(*second), in_buffer, text)
        for array, patch, first, second, in_buffer, text in _core.races()
    ]


def followed(view: np.ndarray[Any, Any], memory: _core.DirectMemory) -> np.ndarray[Any, Any]:
    """Give a view that tells the detector of what is done by it."""
    result = view.view(DirectView)
    result._memory = memory
    return result


def _plain(value: Any) -> Any:
    """Give what holds no DirectView any more."""
    if isinstance(value, DirectView):
        return value.view(np.ndarray)
    if isinstance(value, (tuple, list)):
        return type(value)(map(_plain, value))
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _views(value: Any) -> Iterable[DirectView]:
    if isinstance(value, DirectView):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _views(item)
    elif isinstance(value, dict):
        yield from _views(list(value.values()))


_FIRST_IS_WRITTEN = {np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis}


class DirectView(np.ndarray[Any, Any]):
    """A view of an array's memory, for the race detector."""

    _memory: _core.DirectMemory | None = None

    def __array_finalize__(self, other: Any) -> None:
        self._memory = getattr(other, "_memory", None)

    def _note(self, wrote: bool) -> None:
        if self._memory is not None:
            self._memory.note(self.ctypes.data, list(self.shape), list(self.strides), wrote)

    def _shows(self, value: Any) -> bool:
        """Tell whether a value is an array that lies in this memory."""
        return (
            isinstance(value, np.ndarray)
            and value.size > 0
            and self._memory is not None
            and self._memory.shows(value.ctypes.data)
        )

    def _follow(self, value: Any) -> Any:
        return followed(value, self._memory) if self._memory is not None else value

    def _touch(self, key: Any, wrote: bool) -> None:
        """Tell of the elements at a key."""
        plain = self.view(np.ndarray)
        whole = key if isinstance(key, tuple) else (key,)
        if not any(item is Ellipsis for item in whole):
            whole = (*whole, Ellipsis)
        part = plain[whole]  # an array, also of one element
        if self._shows(part):
            self._follow(part)._note(wrote)
            return
        # By index arrays or a mask: the elements one by one.
        numbers = np.arange(plain.size).reshape(plain.shape)[key].ravel()
        for number in numbers:
            at = tuple(slice(i, i + 1) for i in np.unravel_index(number, plain.shape))
            self._follow(plain[at])._note(wrote)

    def __getitem__(self, key: Any) -> Any:
        result = self.view(np.ndarray)[_plain(key)]
        if self._shows(result):
            return self._follow(result)
        self._touch(_plain(key), wrote=False)
        return result

    def __setitem__(self, key: Any, value: Any) -> None:
        for source in _views(value):
            source._note(wrote=False)
        self.view(np.ndarray)[_plain(key)] = _plain(value)
        self._touch(_plain(key), wrote=True)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        given = kwargs.get("out", ())
        outputs = given if isinstance(given, tuple) else (given,)
        for view in _views(inputs):
            view._note(wrote=False)
        result = getattr(ufunc, method)(*_plain(inputs), **_plain(kwargs))
        if method == "at":
            outputs = (inputs[0],)
        for view in _views(outputs):
            view._note(wrote=True)
        if method == "at" or not outputs:
            return result
        return outputs[0] if len(outputs) == 1 else outputs

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in _FIRST_IS_WRITTEN:
            views, written = list(_views(args[1:])), list(_views(args[:1]))
        else:
            views, written = list(_views(args)), list(_views(kwargs.get("out")))
        result = func(*_plain(args), **_plain(kwargs))
        for view in written:
            view._note(wrote=True)
        if isinstance(result, np.ndarray):
            for view in (*views, *written):
                if view._shows(result):  # a view of it: nothing is read yet
                    return view._follow(result)
        for view in views:
            view._note(wrote=False)
        return result

    def __repr__(self) -> str:
        self._note(wrote=False)
        return repr(self.view(np.ndarray))

    def __str__(self) -> str:
        self._note(wrote=False)
        return str(self.view(np.ndarray))


def _telling(name: str, wrote: bool) -> Callable[..., Any]:
    plain = getattr(np.ndarray, name)

    def call(self: DirectView, *args: Any, **kwargs: Any) -> Any:
        self._note(wrote)
        return plain(self.view(np.ndarray), *_plain(args), **_plain(kwargs))

    call.__name__ = name
    return call


for _name in (
    *("copy", "tolist", "astype", "item", "tobytes", "flatten", "take", "argmax", "argmin"),
    *(
        "argsort",
        "dot",
        "nonzero",
        "searchsorted",
        "repeat",
        "choose",
        "compress",
        "tofile",
        "dump",
    ),
    *("cumsum", "cumprod", "trace", "__float__", "__int__", "__complex__", "__bool__", "__index__"),
    *("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__contains__", "__array__"),
):
    setattr(DirectView, _name, _telling(_name, wrote=False))
for _name in ("fill", "sort", "put", "partition"):
    setattr(DirectView, _name, _telling(_name, wrote=True))

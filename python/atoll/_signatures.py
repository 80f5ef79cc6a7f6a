"""Clear messages for arguments of wrong types, in the place of a dump of a binding's signature."""

from __future__ import annotations

import functools
import inspect
import re
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

_DUMP = "incompatible function arguments"


def plain(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function of the extension name the argument that it does not take."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except (AttributeError, TypeError) as error:
            clearer = clear(error, function, args, kwargs)
            if clearer is error:
                raise
        raise clearer

    return call


def clear(
    error: Exception, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Exception:
    """Give the error itself, or one that names argument, value and what was expected.

    The latter for a dump, and for an argument that lacks what is asked of it.
    """
    dump = str(error)
    if isinstance(error, AttributeError):
        if not any(error.obj is value for value in _all(args, kwargs)):
            return error
    elif not isinstance(error, TypeError) or _DUMP not in dump:
        return error
    clearer = TypeError(_message(function, dump, args, kwargs))
    clearer.__suppress_context__ = True
    return clearer.with_traceback(error.__traceback__)


def _all(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Give the arguments, and what tuples among them hold."""
    given = [*args, *kwargs.values()]
    return given + [item for value in given if isinstance(value, tuple) for item in value]


def _message(
    function: Callable[..., Any], dump: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str:
    name = getattr(function, "__name__", "call")
    try:
        given = dict(inspect.signature(function).bind(*args, **kwargs).arguments)
        hints = {k: str(v) for k, v in function.__annotations__.items()}
    except TypeError as wrong:
        if inspect.isfunction(function):
            return f"{name}: {wrong}"
        given, hints = _of_dump(dump, args, kwargs)
    except (AttributeError, ValueError):
        given, hints = _of_dump(dump, args, kwargs)
    told = {k: v for k, v in given.items() if k in hints}
    wrong_ones = [k for k, v in told.items() if not _may_be(v, hints[k])]
    parts = [
        f"{k} is {_show(told[k])}, expected {_words(hints[k])}" for k in wrong_ones or list(told)
    ]
    if not parts:
        return f"{name} does not take these arguments: {', '.join(map(_show, args)) or 'none'}"
    return f"{name}: " + "; ".join(parts)


def _of_dump(
    dump: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Read names and types out of the first signature of a dump."""
    line = re.search(r"1\. \w+\((.*)\) ->", dump)
    names, hints = [], {}
    for parameter in re.split(r", (?=\w+(?::|,|$))", line[1]) if line else []:
        name, _, hint = parameter.partition(": ")
        names.append(name)
        if hint:
            hints[name] = hint.partition(" = ")[0]
    return dict(zip(names, args, strict=False)) | kwargs, hints


_SIMPLE: dict[str, tuple[type, ...]] = {
    "int": (int, np.integer),
    "float": (int, float, np.integer, np.floating),
    "str": (str,),
    "bool": (bool, np.bool_),
    "None": (type(None),),
    "ArrayLike": (object,),
    "Any": (object,),
}


def _may_be(value: object, hint: str) -> bool:
    """Tell whether a value may be of one of the types of a hint; when in doubt, it may."""
    for option in hint.split(" | "):
        word = option.split("[")[0].split(".")[-1]
        if word in _SIMPLE:
            if isinstance(value, _SIMPLE[word]):
                return True
        elif word in ("Operand", "Out"):
            if any(c.__name__ in ("ArrayBase", "ViewBase") for c in type(value).__mro__):
                return True
        elif any(c.__name__ == word for c in type(value).__mro__):
            return True
        elif word[:1].islower() or word in ("Sequence", "Iterable", "Mapping", "Callable"):
            return not isinstance(value, (int, float, type(None)))
    return False


def _words(hint: str) -> str:
    for name, word in (
        ("atoll._core.", ""),
        ("_core.", ""),
        ("collections.abc.", ""),
        ("Base", ""),
    ):
        hint = hint.replace(name, word)
    return hint.replace("Operand", "Array | View").replace("typing.", "")


def _show(value: object) -> str:
    text = repr(value)
    return f"{text if len(text) <= 80 else text[:77] + '...'} ({type(value).__name__})"

"""Clear messages for arguments of wrong types, in the place of a dump of a binding's signature."""

from __future__ import annotations

import collections.abc
import functools
import inspect
import os
import re
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import numpy as np

from atoll import _core

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

_DUMP = "incompatible function arguments"


_SHOWN = (
    *(bool, int, float, complex, str, bytes, np.generic, np.ndarray, list, tuple, slice),
    os.PathLike,
)


def shortly(value: object) -> str:
    """Show an argument in few words; of arrays only what they are."""
    if isinstance(value, _core.ArrayBase):
        return f"<{value.dtype} {value.shape}>" if value.alive else "<destroyed>"
    if isinstance(value, (list, tuple)) and len(value) > 100:
        return f"<{type(value).__name__} of {len(value)}>"
    if isinstance(value, np.ndarray) and value.size > 8:
        return f"<numpy {value.dtype} {value.shape}>"
    if value is None or isinstance(value, _SHOWN):
        text = repr(value)
        return text if len(text) <= 60 else text[:57] + "..."
    return f"<{type(value).__name__}>"


def plain(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function of the extension name the argument that it does not take."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            clearer = clear(error, function, args, kwargs)
            name_arguments(clearer, function, args, kwargs)
            if clearer is error:
                raise
        raise clearer

    return call


def refuse(
    name: str, takes: str, owner: object, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> NoReturn:
    """Raise the TypeError of a wrong number of arguments; called by the extension."""
    labels = [label.partition("=")[0] for label in takes.split(", ")]
    named = dict(zip(labels, args, strict=False)) | kwargs
    shown = [f"{k}={_show(v)}" for k, v in named.items()] + list(map(_show, args[len(labels) :]))
    given = ", ".join(shown)
    raise TypeError(f"{name} of {type(owner).__name__} takes ({takes}), given were ({given})")


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


_OF_ARGUMENTS = (TypeError, ValueError, IndexError, OverflowError)


def name_arguments(
    error: Exception, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Add to the text of an error the arguments of the call, unless it shows one by its name.

    What is told by another rank is about its arguments, and stays.
    """
    if type(error) not in _OF_ARGUMENTS or len(error.args) != 1 or "[on rank " in str(error):
        return
    # Of calls inside each other the outer one is what the program has made.
    text = getattr(error, "told", str(error))
    given = _arguments(function, args, kwargs)
    shown = {name: shortly(value) for name, value in given.items()}
    if any(re.search(rf"\b{k}\b", text) and v in text for k, v in shown.items()):
        return
    call = ", ".join(f"{name}={value}" for name, value in shown.items())
    if call:
        name = getattr(function, "__name__", "call")
        setattr(error, "told", text)  # noqa: B010
        error.args = (
            f"{text}; in {type(args[0]).__name__ if name == '__init__' else name}({call})",
        )


def names_in_extension(function: Any) -> list[str]:
    """Give the names of the parameters of a function of the extension."""
    signature = getattr(inspect.unwrap(function), "__nb_signature__", None)
    line = signature[0][0] if signature else ""
    return re.findall(r"(\w+)(?:: [^,()]*)?(?: = [^,()]*)?(?=[,)])", line)


def _arguments(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Give the arguments of a call by their names; none where they do not fit."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = names_in_extension(function)
    given = dict(zip(names, args, strict=False)) | kwargs
    for unnamed in ("self", "kwargs", "options"):
        given.pop(unnamed, None)
    return given


def _all(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Give the arguments, and what tuples among them hold."""
    given = [*args, *kwargs.values()]
    return given + [item for value in given if isinstance(value, tuple) for item in value]


def _message(
    function: Callable[..., Any], dump: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str:
    name = getattr(function, "__name__", "call")
    if name == "__init__" and args:
        name = type(args[0]).__name__
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
    accused = _accused(told, hints)
    parts = [f"{k} is {_show(told[k])}, expected {_words(hints[k])}" for k in accused]
    if not parts:
        return f"{name} does not take these arguments: {', '.join(map(_show, args)) or 'none'}"
    return f"{name}: " + "; ".join(parts)


def _accused(told: dict[str, Any], hints: dict[str, str]) -> list[str]:
    """Give the arguments that are wrong; where types do not say it, those that may be."""
    for suspicion in (
        lambda v, hint: not _may_be(v, hint),
        _is_far,
        lambda v, hint: v is None and "None" not in _options(hint),
        lambda v, hint: not _surely_is(v, hint),
    ):
        if found := [k for k, v in told.items() if suspicion(v, hints[k])]:
            return found
    return list(told)


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


_ABSTRACT: dict[str, Any] = {
    "NDArray": np.ndarray,
    "PathLike": os.PathLike,
    "Sequence": collections.abc.Sequence,
    "Iterable": collections.abc.Iterable,
    "Mapping": collections.abc.Mapping,
    "Callable": collections.abc.Callable,
}
_CERTAIN = {"int", "float", "str", "bool", "None"}
_OF_ITEMS = (collections.abc.Sequence, collections.abc.Iterable)
_MOST_ITEMS = 1000  # of a sequence are looked at

# What annotations of the package call a choice of types.
_ALIASES = {
    "Extents": "int | Iterable[int]",
    "Operand": "ArrayBase | ViewBase",
    "Out": "ArrayBase | ViewBase",
}


def _options(hint: str) -> list[str]:
    """Give what stands between the bars of a hint that are in no brackets."""
    parts, depth = [""], 0
    for letter in hint:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _is_class(word: str) -> bool:
    return isinstance(getattr(_core, word, getattr(_core, f"{word}Base", None)), type)


def _may_be(value: object, hint: str) -> bool:
    """Tell whether a value may be of one of the types of a hint; when in doubt, it may."""
    return any(_may_be_one(value, option) for option in _options(hint))


def _may_be_one(value: object, option: str) -> bool:
    name, _, items = option.partition("[")
    word = name.split(".")[-1]
    if word in _ALIASES and option != _ALIASES[word]:
        return _may_be(value, _ALIASES[word])
    if word in _SIMPLE:
        return isinstance(value, _SIMPLE[word])
    if word == "NDArray" and items.startswith("numpy.") and isinstance(value, np.ndarray):
        return bool(value.dtype.name == items[len("numpy.") : -1])
    if word in _ABSTRACT:
        kind = _ABSTRACT[word]
        return isinstance(value, kind) and (kind not in _OF_ITEMS or _hold(value, items[:-1]))
    if any(base.__name__ == word for base in type(value).__mro__):
        return True
    if word[:1].islower():
        return not isinstance(value, (int, float, type(None)))
    return not _is_class(word)


def _hold(value: Any, hint: str) -> bool:
    """Tell whether the items of a sequence may be of the types of a hint."""
    if not hint or not isinstance(value, (list, tuple)) or len(value) > _MOST_ITEMS:
        return True
    return all(_may_be(item, hint) for item in value)


def _surely_is(value: object, hint: str) -> bool:
    """Tell whether a value is of a type of a hint that says all about it."""
    words = {option.split(".")[-1] for option in _options(_ALIASES.get(hint, hint))}
    certain = [kind for word in words & _CERTAIN for kind in _SIMPLE[word]]
    return isinstance(value, tuple(certain)) or any(
        base.__name__ in words and base is not object for base in type(value).__mro__
    )


def _is_far(value: object, hint: str) -> bool:
    """Tell whether an integer, or one in a sequence, may be out of the range of the core's."""
    if isinstance(value, (list, tuple)):
        return "int" in hint and any(_is_far(item, "int") for item in value[:_MOST_ITEMS])
    if not isinstance(value, int) or "int" not in _options(hint):
        return False
    return value < 0 or value >= 1 << 31


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

"""The base of classes that stand for PySCF's: nothing that a user sets on them is ignored.

A name that is set is one of ours, or it is refused: a misspelt one, one of PySCF's that has no
counterpart here, and a method put in the place of one that would not be called.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_OURS = "atoll."
_MADE = "_settings_known"
_OF_CLASSES = {"_keys"}
"""PySCF's list of the attributes that a class of its users declares."""


class NotSupportedError(NotImplementedError, AttributeError):
    """What PySCF has and is not here. `hasattr` is False where it is raised."""


class _GuardedType(type):
    """Refuses what is set on our classes themselves, which objects would not heed."""

    _replaceable: frozenset[str]

    def __setattr__(cls, name: str, value: Any) -> None:
        ours = cls.__module__.startswith(_OURS) and not name.startswith("__")
        if ours and name not in cls._replaceable:
            raise NotSupportedError(
                f"{name} was set on the class {cls.__name__}: set it on objects, or in a class of "
                "your own"
            )
        super().__setattr__(name, value)


class Guarded(metaclass=_GuardedType):
    """Refuses names that mean nothing, once an object is made (`_guard`).

    What a class says of itself:

    * `_counterpart` gives PySCF's class, whose names are refused as not supported;
    * `_without_effect` has PySCF's names that change nothing here, with the values that they may
      have, the first one being that which is read;
    * `_replaceable` has the methods that are called by their names, so that others may take their
      places; Python's own, and those that only a user calls, stand in `_for_users`;
    * `_fixed` has attributes that are used up when the object is made;
    * `_converted` has what looks at a value before it is set.
    """

    _without_effect: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    _replaceable: ClassVar[frozenset[str]] = frozenset()
    _for_users: ClassVar[frozenset[str]] = frozenset({"kernel", "run", "scf"})
    _fixed: ClassVar[frozenset[str]] = frozenset()
    _converted: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}

    def _counterpart(self) -> Any:
        """Give PySCF's class of the same kind; None: it has none."""
        return None

    def _guard(self) -> None:
        """End the making of an object: take what the user's classes say, refuse what they replace.

        Called at the end of `__init__`. Raises NotSupportedError.
        """
        object.__setattr__(self, _MADE, True)
        for kind in reversed(_of_user(type(self))):
            for name, value in vars(kind).items():
                if name.startswith("__") or name in _OF_CLASSES:
                    continue
                if _is_method(value):
                    self._require_replaceable(name)
                elif name in vars(self) or name in self._without_effect:
                    setattr(self, name, value)
                elif self._is_of_pyscf(name) and not self._has(name):
                    raise self._not_supported(name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse names that mean nothing, and settings that would be ignored."""
        if _MADE in self.__dict__:
            self._require_meaning(name, value)
            convert = self._converted.get(name)
            value = value if convert is None else convert(value)
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        """Say of PySCF's names that are not here that they are not."""
        values = type(self)._without_effect.get(name)
        if values is not None:
            return values[0]
        if not name.startswith("_") and self._is_of_pyscf(name):
            raise self._not_supported(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _require_meaning(self, name: str, value: Any) -> None:
        if name in self._without_effect:
            if not _is_one_of(value, self._without_effect[name]):
                raise NotSupportedError(
                    f"{name} is {value!r}, which {self._label} does not support: expected "
                    f"{self._without_effect[name][0]!r}"
                )
            return
        if name in self._fixed and name in self.__dict__:
            raise NotSupportedError(
                f"{name} of {self._label} is given when it is made, and cannot be set later"
            )
        there = inspect.getattr_static(type(self), name, None)
        if isinstance(there, property):
            if there.fset is None:
                raise NotSupportedError(f"{name} of {self._label} is a result, not a setting")
        elif there is not None and _is_method(there):
            self._require_replaceable(name)
        elif not (self._has(name) or name in self.__dict__):
            if self._is_of_pyscf(name):
                raise self._not_supported(name)
            raise AttributeError(f"{self._label} has no setting {name!r}")

    def _require_replaceable(self, name: str) -> None:
        """Raise NotSupportedError for a method that is there, or PySCF has, and nobody calls."""
        if name in self._replaceable or name in self._for_users:
            return
        own = [kind for kind in type(self).__mro__ if kind.__module__.startswith(_OURS)]
        if any(name in vars(kind) for kind in own) or self._is_of_pyscf(name):
            raise NotSupportedError(
                f"{name} of {self._label} was replaced, which is not supported: it would not be "
                "called"
            )

    def _has(self, name: str) -> bool:
        """Tell whether a class says that objects have a name."""
        return hasattr(type(self), name) or any(
            name in getattr(kind, "_keys", ()) for kind in _of_user(type(self))
        )

    def _is_of_pyscf(self, name: str) -> bool:
        theirs = self._counterpart()
        if theirs is None:
            return False
        return hasattr(theirs, name) or name in names_of(theirs)

    def _not_supported(self, name: str) -> NotSupportedError:
        return NotSupportedError(f"{self._label}.{name} of PySCF is not supported")

    @property
    def _label(self) -> str:
        return type(self).__name__


def names_of(theirs: Any) -> set[str]:
    """Give the names of settings and results that a class of PySCF's declares."""
    return set().union(*(getattr(kind, "_keys", ()) for kind in theirs.__mro__))


def is_replaced(made: Any, name: str) -> bool:
    """Tell whether a method is not Atoll's own, in the object, its class, or one of ours."""
    if name in vars(made):
        return True
    method = inspect.getattr_static(type(made), name, None)
    return not getattr(method, "__module__", _OURS).startswith(_OURS)


def _of_user(kind: type) -> list[type]:
    """Give the classes that are not ours and are made of them, the last one first."""
    kinds = []
    for each in kind.__mro__:
        if each.__module__.startswith(_OURS):
            break
        kinds.append(each)
    return kinds


def _is_method(value: Any) -> bool:
    return callable(value) or isinstance(value, (property, staticmethod, classmethod))


def _is_one_of(value: Any, allowed: tuple[Any, ...]) -> bool:
    """Tell whether a value is among some; 0, False and 0.0 are the same."""
    if any(value is each for each in allowed):
        return True
    return isinstance(value, (int, float, str, tuple)) and value in allowed

"""What PySCF has by a name, and Atoll has not."""

from __future__ import annotations

from typing import Any, NoReturn

from atoll.chem.guarded import NotSupportedError


def refusal(name: str, instead: str = "") -> NotSupportedError:
    """Give the error that names it, and what there is instead."""
    return NotSupportedError(f"{name} of PySCF is not supported{instead and ': '}{instead}")


def absent_class(name: str, doc: str | None) -> type:
    """Give a class of PySCF's that refuses to be made; nothing is an instance of it."""

    def refused(kind: type, *args: Any, **kwargs: Any) -> NoReturn:
        del kind, args, kwargs
        raise refusal(name)

    return type(name.rpartition(".")[2], (), {"__new__": refused, "__doc__": doc})


def absent_function(name: str, doc: str | None) -> Any:
    """Give a function of PySCF's that refuses to be called."""

    def refused(*args: Any, **kwargs: Any) -> NoReturn:
        del args, kwargs
        raise refusal(name)

    refused.__name__, refused.__doc__ = name.rpartition(".")[2], doc
    return refused

"""PySCF's modules below `atoll.chem`: `scf.hf`, `cc.ccsd`, `dft.rks` and so on, by their paths.

What Atoll has by a name is Atoll's. Functions of PySCF's that work upon molecules and NumPy arrays
are PySCF's own, each process for itself; those that take a mean field, or another object of a
calculation, call its method of their name. Everything else is there to be imported, and refuses to
be called.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from atoll.chem.pyscf_calls import functions
from atoll.chem.pyscf_calls.absent import absent_class, absent_function, refusal

if TYPE_CHECKING:
    from collections.abc import Callable

_HERE = "atoll.chem."
_THERE = "pyscf."
_PACKAGES = ("scf", "dft", "cc", "mp", "df", "grad")

OURS: dict[str, tuple[str, str]] = {
    "scf.hf.RHF": ("scf", "RHF"),
    "scf.hf.SCF": ("self_consistency.mean_field", "MeanField"),
    "scf.hf_symm.RHF": ("scf", "RHF"),
    "scf.hf_symm.ROHF": ("scf", "ROHF"),
    "scf.rohf.ROHF": ("scf", "ROHF"),
    "scf.uhf.UHF": ("scf", "UHF"),
    "scf.uhf_symm.UHF": ("scf", "UHF"),
    "scf.RKS": ("dft", "RKS"),
    "scf.ROKS": ("dft", "ROKS"),
    "scf.UKS": ("dft", "UKS"),
    "scf.KS": ("dft", "KS"),
    "dft.rks.RKS": ("dft", "RKS"),
    "dft.rks_symm.RKS": ("dft", "RKS"),
    "dft.rks_symm.ROKS": ("dft", "ROKS"),
    "dft.roks.ROKS": ("dft", "ROKS"),
    "dft.uks.UKS": ("dft", "UKS"),
    "dft.uks_symm.UKS": ("dft", "UKS"),
    "dft.RHF": ("scf", "RHF"),
    "dft.UHF": ("scf", "UHF"),
    "dft.ROHF": ("scf", "ROHF"),
    "cc.ccsd.CC": ("cc", "RCCSD"),
    "cc.ccsd.CCSD": ("cc", "RCCSD"),
    "cc.ccsd.RCCSD": ("cc", "RCCSD"),
    "cc.rccsd.RCCSD": ("cc", "RCCSD"),
    "cc.rccsd.CCSD": ("cc", "RCCSD"),
    "cc.dfccsd.RCCSD": ("cc", "RCCSD"),
    "cc.uccsd.UCCSD": ("cc", "UCCSD"),
    "cc.uccsd.CCSD": ("cc", "UCCSD"),
    "mp.dfmp2.DFMP2": ("mp", "DFMP2"),
    "mp.dfmp2.DFRMP2": ("mp", "DFMP2"),
    "mp.dfmp2.MP2": ("mp", "DFMP2"),
    "mp.dfump2.DFUMP2": ("mp", "DFMP2"),
    "mp.dfump2.DFMP2": ("mp", "DFMP2"),
    "mp.dfump2.MP2": ("mp", "DFMP2"),
    "mp.dfmp2_native.DFRMP2": ("mp", "DFMP2"),
    "mp.dfmp2_native.DFMP2": ("mp", "DFMP2"),
    "mp.dfump2_native.DFUMP2": ("mp", "DFMP2"),
    "mp.dfump2_native.DFMP2": ("mp", "DFMP2"),
    "df.df.DF": ("df", "DF"),
    "grad.rhf.Gradients": ("grad", "Gradients"),
    "grad.uhf.Gradients": ("grad", "Gradients"),
    "grad.rks.Gradients": ("grad", "Gradients"),
    "grad.uks.Gradients": ("grad", "Gradients"),
}
"""Where what stands at a path of PySCF's is below `atoll.chem`."""
_TOOLS = (
    "scf.diis", "scf._vhf", "scf.chkfile", "dft.gen_grid", "dft.numint", "dft.libxc", "dft.xcfun",
    "dft.radi", "df.addons", "df.incore", "df.outcore", "df.autoaux",
)  # fmt: skip
"""Modules of PySCF's that are taken whole: they compute nothing that is Atoll's."""


def stand_in(package: str) -> Callable[[str], Any]:
    """Make the modules of a package of PySCF's importable, and give its `__getattr__`."""
    short = package.removeprefix(_HERE)
    theirs = importlib.import_module(_THERE + short)
    for found in pkgutil.iter_modules(theirs.__path__):
        if found.name != "test":
            _module(f"{short}.{found.name}")

    def get(name: str) -> Any:
        return _found(short, theirs, name)

    return get


class _Module(ModuleType):
    """A module of PySCF's as it is here, imported when something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        short = self.__name__.removeprefix(_HERE)
        value = _found(short, importlib.import_module(_THERE + short), name)
        if not isinstance(value, ModuleType):
            setattr(self, name, value)
        return value


def _module(short: str) -> Any:
    name = _HERE + short
    if short in _TOOLS:
        return importlib.import_module(_THERE + short)
    if name not in sys.modules:
        sys.modules[name] = _Module(name, f"What `{_THERE}{short}` is here.")
    return sys.modules[name]


def _found(short: str, theirs: ModuleType, name: str) -> Any:
    """Give what a module of PySCF's has by a name, or what stands for it."""
    path = f"{short}.{name}"
    if path in OURS:
        module, own = OURS[path]
        return getattr(importlib.import_module(_HERE + module), own)
    if path in functions.OURS:
        return functions.OURS[path]
    if not name.startswith("__") and not hasattr(theirs, name):
        _import_below(theirs, name)
    if name.startswith("__") or not hasattr(theirs, name):
        raise AttributeError(f"module {_HERE + short!r} has no attribute {name!r}")
    value = getattr(theirs, name)
    if isinstance(value, ModuleType):
        return _module_for(value)
    home = getattr(value, "__module__", None) or ""
    if _is_taken_whole(home) or not callable(value):
        return value
    where = home.removeprefix(_THERE)
    at_home = f"{where}.{getattr(value, '__name__', name)}"
    if where != short and at_home in OURS:
        module, own = OURS[at_home]
        return getattr(importlib.import_module(_HERE + module), own)
    if inspect.isclass(value) or name[:1].isupper():
        return absent_class(path, value.__doc__)
    return _function(path, name, value)


def _import_below(theirs: ModuleType, name: str) -> None:
    if hasattr(theirs, "__path__"):
        try:
            importlib.import_module(f"{theirs.__name__}.{name}")
        except ModuleNotFoundError:
            return


def _module_for(value: ModuleType) -> Any:
    """Give the module that stands for one of PySCF's; those of other packages are theirs."""
    short = value.__name__.removeprefix(_THERE)
    package = short.partition(".")[0]
    if not value.__name__.startswith(_THERE) or package not in _PACKAGES:
        return value
    if short == package:
        return importlib.import_module(_HERE + short)
    return _module(short)


def _is_taken_whole(home: str) -> bool:
    """Tell whether what comes from a module is not of a calculation."""
    short = home.removeprefix(_THERE)
    package = short.partition(".")[0]
    return not home.startswith(_THERE) or package not in _PACKAGES or short in _TOOLS


def _function(path: str, name: str, theirs: Any) -> Any:
    """Give a function that takes molecules and arrays as it is, one of an object as its method."""
    try:
        first = next(iter(inspect.signature(theirs).parameters.values()), None)
    except (TypeError, ValueError):  # not in Python
        return theirs
    if first is None or first.name not in functions.OBJECTS:
        return theirs
    if name in functions.NO_METHODS:
        return absent_function(path, theirs.__doc__)
    method = functions.METHODS.get(name, name)

    def call(calculation: Any, *args: Any, **kwargs: Any) -> Any:
        if type(calculation).__module__.startswith(_THERE):
            return theirs(calculation, *args, **kwargs)
        if not hasattr(calculation, method):
            raise refusal(path)
        return getattr(calculation, method)(*args, **kwargs)

    call.__name__, call.__doc__ = name, theirs.__doc__
    return call

"""Setting an object up by keywords, as all objects of PySCF are."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from atoll.chem.guarded import Guarded

if TYPE_CHECKING:
    from typing_extensions import Self


class Configured(Guarded):
    """`set`, `run`, `copy`, `apply`, `build` and `view` of an object with a `kernel`."""

    if TYPE_CHECKING:

        def kernel(self, *args: Any, **kwargs: Any) -> Any:
            """Compute."""

    def set(self, **settings: Any) -> Self:
        """Set attributes by keyword, and give this object."""
        for name, value in settings.items():
            setattr(self, name, value)
        return self

    def run(self, *args: Any, **settings: Any) -> Self:
        """Set attributes by keyword, compute, and give this object. Collective."""
        self.set(**settings)
        self.kernel(*args)
        return self

    def copy(self) -> Self:
        """Give another object with the same settings and results."""
        return copy.copy(self)

    def apply(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a function with this object, or the method of a name that is given."""
        if isinstance(function, str):
            return getattr(self, function)(*args, **kwargs)
        return function(self, *args, **kwargs)

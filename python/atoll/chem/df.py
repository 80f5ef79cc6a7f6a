"""Density fitting under PySCF's name: which fitting set, and where its integrals go."""

from __future__ import annotations

import copy
import importlib
from typing import TYPE_CHECKING, Any, ClassVar

from atoll.chem.fock.fitting import MEMORY, FittedIntegrals
from atoll.chem.guarded import Guarded, NotSupportedError
from atoll.chem.molecules.agreed import have_same_functions
from atoll.chem.pyscf_calls import modules
from atoll.chem.script_settings import Megabytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from atoll.chem.integrals.blocked_basis import BlockedBasis

__all__ = ["DF"]

__getattr__ = modules.stand_in(__name__)


class DF(Megabytes, Guarded):
    """Settings of density fitting.

    Attributes:
        mol: The molecule.
        auxbasis: Fitting set, as PySCF takes it; None: PySCF's choice for Hartree-Fock.
        memory: Bytes a rank for three-index integrals; those that do not fit go to disk.
        max_memory: The same in megabytes, as PySCF has it.
        scratch: Folder for them; None: the first one of `ATOLL_SCRATCH`.

    """

    _without_effect: ClassVar[dict[str, tuple[Any, ...]]] = {
        "auxmol": (None,), "output": (None,), "_cderi": (None,), "_cderi_to_save": (None,),
    }  # fmt: skip
    # Of output that there is none of, and of PySCF's buffers.
    verbose = 0
    stdout = None
    blockdim = 240

    def __init__(
        self, mol: Any, auxbasis: Any = None, memory: int = MEMORY, scratch: str | None = None
    ) -> None:
        self.mol = mol
        self._theirs: Any = None
        self._set = auxbasis
        self._is_default = False
        self.memory = memory
        self.scratch = scratch
        self._guard()

    @classmethod
    def by_default(cls, mol: Any, chosen: Any) -> Self:
        """Make it of the set that nobody has named, and another molecule may have another for."""
        made = cls(mol, chosen)
        made._is_default = True
        return made

    @property
    def auxbasis(self) -> Any:
        """The fitting set."""
        return self._set if self._theirs is None else self._theirs.auxbasis

    @auxbasis.setter
    def auxbasis(self, chosen: Any) -> None:
        self._is_default = False
        if self._theirs is None:
            self._set = chosen
        else:
            self._theirs.auxbasis = chosen

    def moved_to(self, mol: Any, before: Any, choose: Callable[[], Any]) -> Self:
        """Give these settings for a molecule that comes after another one.

        A set that nobody has named is chosen anew, by `choose`, where the functions are others.
        """
        moved = copy.copy(self)
        if self._is_default and not have_same_functions(before, mol):
            moved._set = choose()
        moved.mol = mol
        return moved

    def integrals(self, basis: BlockedBasis, omega: float = 0.0) -> FittedIntegrals:
        """Compute the integrals; with `omega` (1/bohr) those of the long range. Collective.

        Who asks closes them.
        """
        if self._theirs is not None:
            require_plain(self._theirs)
        return FittedIntegrals(
            basis, self.auxbasis, memory=self.memory, scratch=self.scratch, omega=omega
        )

    def _counterpart(self) -> Any:
        return importlib.import_module("pyscf.df.df").DF


def settings_of(with_df: Any) -> Any:
    """Give what says how a mean field's integrals are fitted; None: they are not.

    It is ours, or a view of PySCF's.

    Raises NotSupportedError where PySCF's has more than settings.
    """
    if with_df is None or isinstance(with_df, DF):
        return with_df
    require_plain(with_df)
    made = DF(with_df.mol)
    made._theirs = with_df
    return made


def require_plain(theirs: Any) -> None:
    """Raise NotSupportedError where integrals of PySCF's DF are not those of its fitting set."""
    kind = type(theirs)
    if (kind.__module__, kind.__name__) != ("pyscf.df.df", "DF"):
        raise NotSupportedError(
            f"with_df is {kind.__module__}.{kind.__name__}, expected DF of atoll.chem.df or of "
            "pyscf.df"
        )
    for name in vars(theirs):
        if callable(getattr(kind, name, None)):
            raise NotSupportedError(f"{name} of with_df was replaced, which is not supported")
    if theirs.mol.omega != 0.0:
        raise NotSupportedError("with_df is of a molecule with an attenuated Coulomb interaction")
    built = theirs.auxmol is not None
    if theirs._cderi is not None and not built:
        raise NotSupportedError("with_df._cderi, integrals of one's own, is not supported")
    if isinstance(theirs._cderi_to_save, str) and not built:
        raise NotSupportedError("with_df._cderi_to_save is not supported: no file is written")

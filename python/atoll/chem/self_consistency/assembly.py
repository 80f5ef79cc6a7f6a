"""Which builders make the matrices that a calculation asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atoll.chem.fock.direct import DirectFock
from atoll.chem.fock.fitted import FittedFock
from atoll.chem.fock.stored import StoredFock
from atoll.chem.integrals.node_memory import share_of_node
from atoll.chem.self_consistency.hamiltonian import ExchangePart, Parts

if TYPE_CHECKING:
    from typing import Literal

    from atoll.chem.df import DF
    from atoll.chem.fock.fitting import FittedIntegrals
    from atoll.chem.fock.two_electron import TwoElectron
    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.self_consistency.hamiltonian import XcBuilder


@dataclass(frozen=True)
class ExactExchange:
    """What of exact exchange a method has: `full` K and, with `omega`, `long` K of long range."""

    full: float = 1.0
    long: float = 0.0
    omega: float = 0.0


@dataclass(frozen=True)
class Fitting:
    """That integrals are fitted; of the Coulomb matrix only, or of exchange too."""

    settings: DF
    only_coulomb: bool = False


@dataclass(frozen=True)
class Storage:
    """That integrals are kept from one build to the next.

    Attributes:
        mode: "disk": all there is room for; "auto": what pays.
        memory, disk: Bytes of each rank; of the disk None: what there is.
        scratch: Folder of the files; None: the default of private files.

    """

    mode: Literal["disk", "auto"]
    memory: int
    disk: int | None
    scratch: str | None


def storage_of(
    mole: Any, mode: str, memory: int | None, disk: int | None, scratch: str | None
) -> Storage | None:
    """Give what a mean field's settings of the same meaning say; None: nothing is kept.

    Raises ValueError for another mode than "auto", "direct" and "disk".
    """
    if mode == "direct":
        return None
    if mode not in ("disk", "auto"):
        raise ValueError(f"integral_storage is {mode!r}, expected 'direct', 'disk' or 'auto'")
    if memory is None:
        memory = min(int(1e6 * max(0, mole.max_memory)), share_of_node())
    if mode == "disk":
        return Storage("disk", memory, disk, scratch)
    to_disk = disk is not None or scratch is not None
    return Storage("auto", memory, disk if to_disk else 0, scratch)


def assemble(
    basis: BlockedBasis,
    exchange: ExactExchange,
    xc: XcBuilder | None,
    screening: float,
    fitting: Fitting | None,
    storage: Storage | None = None,
) -> Parts:
    """Make the builders that a method asks for. Collective.

    Without `fitting` integrals are computed when they are needed, or kept as `storage` says; those
    of long range are always computed. With it exact exchange is fitted too, unless it is of the
    Coulomb matrix only.
    """
    if fitting is None:
        coulomb = _four_centre(basis, screening, storage)
        return Parts(coulomb, _exchange(coulomb, exchange, basis, screening), xc)
    whole = not fitting.only_coulomb
    integrals = fitting.settings.integrals(basis)
    fitted = FittedFock(integrals, exchange=whole and exchange.full != 0.0)
    if not whole:
        by = _four_centre(basis, screening, storage) if exchange.full != 0.0 else fitted
        return Parts(fitted, _exchange(by, exchange, basis, screening), xc, (integrals,))
    parts = []
    beneath: list[FittedIntegrals] = [integrals]
    if exchange.full != 0.0:
        parts.append(ExchangePart(fitted, exchange.full))
    if exchange.long != 0.0:
        of_long_range = fitting.settings.integrals(basis, exchange.omega)
        beneath.append(of_long_range)
        parts.append(ExchangePart(FittedFock(of_long_range), exchange.long))
    return Parts(fitted, tuple(parts), xc, tuple(beneath))


def _four_centre(basis: BlockedBasis, screening: float, storage: Storage | None) -> TwoElectron:
    if storage is None:
        return DirectFock(basis, screening)
    return StoredFock(basis, screening, storage.mode, storage.memory, storage.disk, storage.scratch)


def _exchange(
    by: TwoElectron, exchange: ExactExchange, basis: BlockedBasis, screening: float
) -> tuple[ExchangePart, ...]:
    parts = []
    if exchange.full != 0.0:
        parts.append(ExchangePart(by, exchange.full))
    if exchange.long != 0.0:
        long = DirectFock(basis, screening, omega=exchange.omega)
        parts.append(ExchangePart(long, exchange.long))
    return tuple(parts)

"""Which builders make the matrices that a calculation asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from atoll.chem.fock.direct import DirectFock
from atoll.chem.fock.fitted import FittedFock
from atoll.chem.self_consistency.hamiltonian import ExchangePart, Parts

if TYPE_CHECKING:
    from atoll.chem.df import DF
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


def assemble(
    basis: BlockedBasis,
    exchange: ExactExchange,
    xc: XcBuilder | None,
    screening: float,
    fitting: Fitting | None,
) -> Parts:
    """Make the builders that a method asks for. Collective.

    Without `fitting` all integrals are computed when they are needed, and so are those of long
    range. Exact exchange is fitted unless `fitting` is of the Coulomb matrix only.
    """
    if fitting is None:
        coulomb: TwoElectron = DirectFock(basis, screening)
        return Parts(coulomb, _exchange(coulomb, exchange, basis, screening), xc)
    whole = exchange.full != 0.0 and not fitting.only_coulomb
    if whole and exchange.long != 0.0:
        raise NotImplementedError(
            "fitted exchange of a range-separated functional is not supported: "
            "fit the Coulomb matrix only (only_dfj)"
        )
    integrals = fitting.settings.integrals(basis)
    fitted = FittedFock(integrals, exchange=whole)
    by: TwoElectron = fitted
    if not whole and exchange.full != 0.0:
        by = DirectFock(basis, screening)
    return Parts(fitted, _exchange(by, exchange, basis, screening), xc, (integrals,))


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

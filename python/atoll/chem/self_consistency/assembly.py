"""Which builders make the matrices that a calculation asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from atoll.chem.fock.direct import SCREENING, DirectFock
from atoll.chem.self_consistency.hamiltonian import ExchangePart, Parts

if TYPE_CHECKING:
    from atoll.chem.fock.two_electron import TwoElectron
    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.self_consistency.hamiltonian import XcBuilder


@dataclass(frozen=True)
class ExactExchange:
    """What of exact exchange a method has: `full` K and, with `omega`, `long` K of long range."""

    full: float = 1.0
    long: float = 0.0
    omega: float = 0.0


def assemble(
    coulomb: TwoElectron,
    exchange: ExactExchange,
    basis: BlockedBasis,
    xc: XcBuilder | None = None,
    screening: float = SCREENING,
    exchange_by: TwoElectron | None = None,
) -> Parts:
    """Give the parts of a Hamiltonian. Collective.

    `coulomb` builds the Coulomb matrix and, unless another is named, exchange too; long-range
    exchange is computed directly.
    """
    by = coulomb if exchange_by is None else exchange_by
    parts = []
    if exchange.full != 0.0:
        parts.append(ExchangePart(by, exchange.full))
    if exchange.long != 0.0:
        parts.append(ExchangePart(DirectFock(basis, screening, omega=exchange.omega), exchange.long))
    return Parts(coulomb, tuple(parts), xc)

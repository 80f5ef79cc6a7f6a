"""Exchange and correlation of density functionals, integrated on a grid by all ranks."""

from atoll.chem.exchange_correlation.dispersion import Dispersion, dispersion
from atoll.chem.exchange_correlation.functional import Functional
from atoll.chem.exchange_correlation.grid import MolecularGrid
from atoll.chem.exchange_correlation.matrix import ExchangeCorrelation, XcResult

__all__ = [
    "Dispersion",
    "ExchangeCorrelation",
    "Functional",
    "MolecularGrid",
    "XcResult",
    "dispersion",
]

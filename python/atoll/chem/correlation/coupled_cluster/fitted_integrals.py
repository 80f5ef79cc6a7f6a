"""Fitted integrals in place of those over basis functions: (mn|ls) is the sum of B[Q,mn] B[Q,ls].

B is distributed by Q. Half transformed it is B[Q, qp], distributed by q as the others are, and the
other half is a sum over Q, of which all ranks' panels are taken in turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.half_transform import room
from atoll.chem.correlation.coupled_cluster.shares import Shares, own, panels
from atoll.chem.correlation.three_index import FittingSet, PairTensor
from atoll.chem.integrals import fitting_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.fock_matrix import SpinSum, TwoElectronSum
    from atoll.chem.correlation.coupled_cluster.half_transform import HalfTransformed, Wanted

MOST_PRODUCTS = 1 << 21  # of a panel, in doubles: 16 MiB


class FittedIntegrals:
    """B[Q, mn] of a molecule, in memory. Collective.

    Args:
        mole: PySCF's `Mole`.
        fit: The mean field's `with_df`, which says by what is fitted.
        group: Who computes.
        memory: Bytes of a rank for the work.

    """

    def __init__(self, mole: Any, fit: Any, group: atoll.Group, memory: int) -> None:
        self.group = group
        self.functions = int(mole.nao_nr())
        chosen = fitting_sets.of_correlation(mole, None, fit)
        fitting = FittingSet(mole, fitting_sets.functions(mole, chosen), group)
        self._rows = fitting.functions
        unit = np.eye(self.functions)
        tensor = PairTensor(fitting, unit, unit, memory)
        fitting.close()
        assert tensor.whole is not None
        shares = self._shares = Shares(group, self._rows)
        self._tensor = shares.rows(self.functions**2, 1, "B[Q, mn]")
        mine = own(self._tensor, self.functions, self.functions)
        if len(mine) > 0:
            mine[...] = tensor.whole.array[shares.own]
        group.sync()
        tensor.close()

    @property
    def pairs(self) -> int:
        """Number of fitting functions."""
        return self._rows

    def half_transformed(
        self, wanted: Sequence[Wanted], also: TwoElectronSum | SpinSum | None = None
    ) -> list[HalfTransformed]:
        """Give B[Q, qp] for each of what is wanted. Collective; `also` is given all of B."""
        made = [room(self.group, self.pairs, each) for each in wanted]
        mine, rows = own(self._tensor, self.functions, self.functions), self._shares.own
        for each, half in zip(wanted, made, strict=True):
            if half.array.size > 0 and len(mine) > 0:
                half.array[rows, :] = each.of(mine)
        if also is not None:
            also.add_fitted(mine)
        self.group.sync()
        return made

    def prepared(self, strip: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give what `whole` takes: B[Q, qp] as it is."""
        return strip

    def whole(
        self,
        prepared: NDArray[np.float64],
        left: NDArray[np.float64],
        right: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Give (rs|qp), r x s x qp. Not collective."""
        n, columns = self.functions, prepared.shape[1]
        total = np.zeros((left.shape[1] * right.shape[1], columns))
        height = max(1, MOST_PRODUCTS // max(1, left.shape[1] * max(n, right.shape[1])))
        for rows, panel in panels(self._tensor):
            for begin in range(0, len(panel), height):
                part = panel[begin : begin + height].reshape(-1, n, n)
                pairs = np.matmul(np.matmul(left.T, part), right).reshape(len(part), -1)
                first = rows.start + begin
                total += pairs.T @ prepared[first : first + len(part)]
        return total.reshape(left.shape[1], right.shape[1], columns)

    def close(self) -> None:
        """Free B. Collective."""
        self._tensor.destroy()

"""Integrals over the orbitals that are correlated, and strings' tables made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from atoll import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from atoll.chem.correlation.multireference.space import StringBlock

    Rows = tuple[
        NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int8]
    ]
    Columns = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int8]]


_BYTES_OF_KEY = 300


@dataclass(frozen=True, eq=False)
class Integrals:
    """What the Hamiltonian consists of, in hartree; whole on every rank."""

    constant: float
    """Energy of the nuclei and of the frozen electrons."""
    one: NDArray[np.float64]
    """h_kl, orbitals x orbitals, with the field of the frozen electrons."""
    two: NDArray[np.float64]
    """(kl|ij), pairs kl x pairs ij with all pairs."""

    @property
    def orbitals(self) -> int:
        """How many are correlated."""
        return len(self.one)


@dataclass(frozen=True, eq=False)
class Singles:
    """<to| a+_k a_l |from> = sign between two blocks of strings of one spin."""

    to: NDArray[np.int32]
    source: NDArray[np.int32]
    pair: NDArray[np.int32]
    """k times orbitals plus l."""
    sign: NDArray[np.int8]
    rows: Rows
    """In groups of one pair, as the kernel wants them of alpha strings."""
    columns: Columns
    """In the order of `to`, as it wants them of beta strings."""

    @property
    def nbytes(self) -> int:
        """Memory in bytes."""
        entries = len(self.to) * (3 * 4 + 1)  # in the order of `to`; `columns` has the same arrays
        groups = sum(array.nbytes for array in self.rows)
        return entries + groups + self.columns[0].nbytes


@dataclass(frozen=True, eq=False)
class SameSpin:
    """<to|H|from> of electrons of one spin, a sparse matrix."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]

    @property
    def nbytes(self) -> int:
        """Memory in bytes."""
        return self.starts.nbytes + self.columns.nbytes + self.values.nbytes


class StringTables:
    """Tables between blocks of strings, made when they are asked for.

    The first ones are kept. That serves better than to keep the last ones: all are asked for in
    turn.

    Args:
        integrals: Of the Hamiltonian.
        limit: Bytes of tables that are kept, at most.

    """

    def __init__(self, integrals: Integrals, limit: int) -> None:
        self.integrals, self.limit = integrals, limit
        self._kept: dict[tuple[object, ...], Singles | SameSpin | None] = {}
        self._bytes = 0

    def singles(self, to: StringBlock, source: StringBlock) -> Singles | None:
        """Give the single excitations from `source` to `to`; None where there are none."""
        if abs(to.holes - source.holes) > 1 or abs(to.particles - source.particles) > 1:
            return None
        found = self._table("singles", to, source, self._make_singles)
        assert found is None or isinstance(found, Singles)
        return found

    def same_spin(self, to: StringBlock, source: StringBlock) -> SameSpin | None:
        """Give the Hamiltonian of one spin's electrons; None where all of it is zero."""
        found = self._table("same spin", to, source, self._make_same_spin)
        assert found is None or isinstance(found, SameSpin)
        return found

    def _table(
        self,
        kind: str,
        to: StringBlock,
        source: StringBlock,
        make: Callable[[StringBlock, StringBlock], Singles | SameSpin | None],
    ) -> Singles | SameSpin | None:
        key = (kind, to.key, source.key)
        if key in self._kept:
            return self._kept[key]
        table = make(to, source)
        size = _BYTES_OF_KEY + (0 if table is None else table.nbytes)
        if self._bytes + size <= self.limit:
            self._kept[key] = table
            self._bytes += size
        return table

    def _make_singles(self, to: StringBlock, source: StringBlock) -> Singles | None:
        number, of_source, pair, sign = _core.string_singles(
            to.strings, source.strings, self.integrals.orbitals
        )
        if len(number) == 0:
            return None
        order = np.argsort(pair, kind="stable")
        pairs, starts = np.unique(pair[order], return_index=True)
        group_starts = np.append(starts, len(pair)).astype(np.int64)
        rows = (group_starts, pairs, number[order], of_source[order], sign[order])
        column_starts = np.searchsorted(number, np.arange(len(to.strings) + 1)).astype(np.int64)
        columns = (column_starts, of_source, pair, sign)
        return Singles(number, of_source, pair, sign, rows, columns)

    def _make_same_spin(self, to: StringBlock, source: StringBlock) -> SameSpin | None:
        starts, columns, values = _core.same_spin_matrix(
            to.strings, source.strings, self.integrals.one, self.integrals.two
        )
        return None if len(values) == 0 else SameSpin(starts, columns, values)

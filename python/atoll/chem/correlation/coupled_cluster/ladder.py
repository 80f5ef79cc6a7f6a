"""The ladder: sum_cd (ac|bd) t_ij^cd, integrals of four virtual orbitals in memory or on disk.

For pairs ab and cd, (ac|bd) + (ad|bc) meets what is symmetric in the amplitudes, and the difference
what changes its sign. Each rank has the rows of the pairs that its virtual orbitals keep. On a disk
array they come in strips, a part of each rank's rows in each, the next one read meanwhile.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.half_transform import Wanted, runs
from atoll.chem.correlation.coupled_cluster.shares import Shares, own
from atoll.chem.integrals.scratch import ScratchArray

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.half_transform import (
        HalfTransformed,
        Repulsion,
    )
    from atoll.chem.correlation.coupled_cluster.pairs import VirtualPairs

TILE = 1 << 17  # of a file, in doubles: 1 MiB


def bytes_of_ladder(pairs: VirtualPairs, shares: Shares, signs: int) -> int:
    """Give the bytes of the integrals that the rank has that has most."""
    return 8 * signs * len(pairs.left) * _most_rows(pairs, shares, 1)


class Ladder:
    """(ac|bd) +- (ad|bc) by pairs ab and cd, once `fill` has computed them. Collective throughout.

    Args:
        atomic: Integrals over basis functions, or fitted ones.
        virtual: Coefficients of the virtual orbitals.
        pairs: Pairs of them.
        signs: 1, or 1 and -1; 0: without the exchanged ones, for any pairs ab.
        memory: Bytes a rank for the work, and for what is read of a disk.
        on_disk: Whether they lie there, else in memory.
        scratch: Folder of the disk array.
        others: Coefficients of the second electron's virtual orbitals b and d, if not the same.

    Attributes:
        on_disk: As given.
        strips: How many parts they are computed in, each with a pass over all integrals.
        seconds_waited: For the disk, of this rank.

    """

    def __init__(
        self,
        atomic: Repulsion,
        virtual: NDArray[np.float64],
        pairs: VirtualPairs,
        signs: list[int],
        memory: int,
        *,
        on_disk: bool,
        scratch: str | os.PathLike[str] | None,
        others: NDArray[np.float64] | None = None,
    ) -> None:
        self.on_disk = on_disk
        self.seconds_waited = 0.0
        self._atomic, self._virtual = atomic, virtual
        self._others = virtual if others is None else others
        self._pairs, self._signs, self._memory = pairs, signs, memory // 4
        self._group = atomic.group
        self._shares = Shares(self._group, pairs.count)
        self._disk: ScratchArray | None = None
        self._whole: list[atoll.Array] = []
        # What is half transformed, and two buffers of a strip, share the memory.
        of_one = 8 * atomic.pairs * pairs.count
        if on_disk:
            of_one += (
                3
                * 8
                * len(signs)
                * len(pairs.left)
                * _most_rows(pairs, self._shares, 1)
                // (max(1, self._shares.most))
            )
        most = self._shares.most
        self.strips = max(1, min(most, -(-most * of_one // max(1, memory * 3 // 4))))
        self._scratch = scratch

    def wanted(self, strip: int) -> Wanted:
        """Say what half transformed integrals a strip is made of."""
        chosen = [self._orbitals_of(strip, rank) for rank in range(self._group.size)]
        columns = np.concatenate([np.arange(some.start, some.stop) for some in chosen])
        return Wanted(self._virtual[:, columns], self._virtual)

    def fill(self, first: HalfTransformed | None = None) -> None:
        """Compute the integrals; `first`: what the first strip wants, which is freed.

        Raises OSError on all ranks: the disk is full, or failed.
        """
        if self.on_disk:
            self._make_on_disk(first)
        else:
            self._make_in_memory(first)

    def multiply(self, amplitudes: Sequence[atoll.Array], out: Sequence[atoll.Array]) -> None:
        """Set out[ab, ij] to the sum over pairs cd of integrals and amplitudes[cd, ij]."""
        if not self.on_disk:
            for integrals, factor, result in zip(self._whole, amplitudes, out, strict=True):
                atoll.matmul(integrals, factor, result)
            return
        products = [self._buffer(factor.shape[1], 1) for factor in amplitudes]
        for strip, buffer in enumerate(self._read()):
            rows = self._rows_of(strip)
            for number, (factor, product) in enumerate(zip(amplitudes, products, strict=True)):
                atoll.matmul(buffer.at[:, self._columns(number)], factor, product)
                columns = factor.shape[1]
                own(out[number], columns)[rows] = own(product, columns)[: rows.stop - rows.start]
        for product in products:
            product.destroy()

    def close(self) -> None:
        """Free them. Collective."""
        for array in self._whole:
            array.destroy()
        self._whole = []
        if self._disk is not None:
            self._disk.close()
            self._disk = None

    def _make_in_memory(self, first: HalfTransformed | None) -> None:
        count = len(self._pairs.left)
        self._whole = [
            self._shares.ragged(count, self._pairs.first, "(ac|bd) with (ad|bc)")
            for _ in self._signs
        ]
        targets = [own(array, count) for array in self._whole]
        for strip in range(self.strips):
            self._compute(strip, first, targets, self._rows_of(strip).start)
            first = None
        self._group.sync()

    def _make_on_disk(self, first: HalfTransformed | None) -> None:
        height, width = self._buffer_rows() * self._group.size, len(self._pairs.left)
        columns = width * len(self._signs)
        # No tile has rows of two ranks, if tiles of that size do.
        tile = (max(1, min(self._buffer_rows(), TILE // columns)), columns)
        self._disk = ScratchArray(
            self._group, (height * self.strips, columns), tile, self._scratch, "integrals (ac|bd)"
        )
        try:
            self._write(self._disk.array, first)
        except OSError as error:
            self._disk.discard()
            raise self._disk.explained(error) from None

    def _write(self, disk: atoll.disk.DiskArray, first: HalfTransformed | None) -> None:
        buffers = [self._buffer(len(self._pairs.left), len(self._signs)) for _ in range(2)]
        requests: list[Any] = []
        for strip in range(self.strips):
            buffer = buffers[strip % 2]
            if len(requests) == 2:
                self._wait(requests.pop(0))
            local = own(buffer, buffer.shape[1])
            targets = [local[:, self._columns(number)] for number in range(len(self._signs))]
            self._compute(strip, first, targets, 0)
            first = None
            self._group.sync()
            height = buffer.shape[0]
            requests.append(disk.write_async(buffer, np.s_[strip * height : (strip + 1) * height]))
        while requests:
            self._wait(requests.pop(0))
        for buffer in buffers:
            buffer.destroy()

    def _read(self) -> Iterator[atoll.Array]:
        """Give the strips; what is given is good until the next one is asked for."""
        assert self._disk is not None
        disk = self._disk.array
        buffers = [self._buffer(len(self._pairs.left), len(self._signs)) for _ in range(2)]
        height = buffers[0].shape[0]
        requests = [disk.read_async(buffers[0], np.s_[:height])]
        try:
            for strip in range(self.strips):
                self._wait(requests.pop(0))
                if strip + 1 < self.strips:
                    place = np.s_[(strip + 1) * height : (strip + 2) * height]
                    requests.append(disk.read_async(buffers[(strip + 1) % 2], place))
                yield buffers[strip % 2]
                self._group.sync()  # nobody uses it any more
        finally:
            while requests:
                requests.pop(0).wait()
        for buffer in buffers:
            buffer.destroy()

    def _compute(
        self,
        strip: int,
        half: HalfTransformed | None,
        targets: list[NDArray[np.float64]],
        first_row: int,
    ) -> None:
        """Compute the rows of a strip, those of this rank to `targets` from `first_row` on."""
        chosen = [self._orbitals_of(strip, rank) for rank in range(self._group.size)]
        if half is None:
            (half,) = self._atomic.half_transformed([self.wanted(strip)])
        virtual = self._virtual
        mine = chosen[self._group.rank]
        before = sum(some.stop - some.start for some in chosen[: self._group.rank])
        row = first_row
        for offset, a in enumerate(range(mine.start, mine.stop)):
            partners = self._pairs.right[self._pairs.of(slice(a, a + 1))]
            place = (before + offset) * virtual.shape[1]  # not quite as the orbitals are dealt
            prepared = self._atomic.prepared(half.array[:, place : place + virtual.shape[1]])
            of_one = 3 * 8 * self._pairs.count * self._others.shape[1]
            for some in runs(len(partners), of_one, self._memory):
                b = partners[some]
                left = self._others[:, b]
                integrals = self._atomic.whole(prepared, left, self._others)  # b x d x c
                rows = slice(row + some.start, row + some.stop)
                self._store(integrals, a, b, [target[rows] for target in targets])
            row += len(partners)
        self._group.sync()
        half.array.destroy()

    def _store(
        self,
        integrals: NDArray[np.float64],
        a: int,
        b: NDArray[np.int64],
        targets: list[NDArray[np.float64]],
    ) -> None:
        """Store (bd|ac), b x d x c, of one a; halved where a is b, which is met once."""
        v = self._pairs.count
        flat = integrals.reshape(len(b), -1)
        c, d = self._pairs.left, self._pairs.right
        if self._signs == [0]:
            targets[0][...] = np.take(flat, d * v + c, axis=1)
            return
        integrals[b == a] *= 0.5
        there = np.take(flat, d * v + c, axis=1)
        exchanged = np.take(flat, c * v + d, axis=1)
        for sign, target in zip(self._signs, targets, strict=True):
            np.add(there, sign * exchanged, out=target)

    def _orbitals_of(self, strip: int, rank: int) -> slice:
        return _part(self._shares.of(rank), strip, self.strips)

    def _rows_of(self, strip: int) -> slice:
        """Give the rows of a strip among those of this rank."""
        pairs = self._pairs.of(self._orbitals_of(strip, self._group.rank))
        first = self._pairs.of(self._shares.own).start
        return slice(pairs.start - first, pairs.stop - first)

    def _buffer_rows(self) -> int:
        return _most_rows(self._pairs, self._shares, self.strips)

    def _buffer(self, columns: int, times: int) -> atoll.Array:
        ranks = Shares(self._group, self._group.size)
        return ranks.rows(columns * times, self._buffer_rows(), "strip of (ac|bd)")

    def _columns(self, number: int) -> slice:
        count = len(self._pairs.left)
        return slice(number * count, (number + 1) * count)

    def _wait(self, request: Any) -> None:
        started = time.perf_counter()
        request.wait()
        self.seconds_waited += time.perf_counter() - started


def _part(orbitals: slice, part: int, parts: int) -> slice:
    count = orbitals.stop - orbitals.start
    return slice(
        orbitals.start + count * part // parts, orbitals.start + count * (part + 1) // parts
    )


def _most_rows(pairs: VirtualPairs, shares: Shares, strips: int) -> int:
    """Give the rows of the largest part of a rank, of so many parts."""
    most = 0
    for rank in range(shares.group.size):
        for strip in range(strips):
            rows = pairs.of(_part(shares.of(rank), strip, strips))
            most = max(most, rows.stop - rows.start)
    return most

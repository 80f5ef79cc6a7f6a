"""What a vector says: the density, the spin, the reference's part."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from atoll.chem.correlation.multireference.linear_algebra import products
from atoll.chem.correlation.multireference.product import Product

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.correlation.multireference.integrals import Singles, StringTables
    from atoll.chem.correlation.multireference.vectors import Store, Vector

    Block = NDArray[np.float64]

_CHUNK = 1 << 19  # doubles of a copy


class ReferencePart(NamedTuple):
    """Of a vector: what its determinants of the complete active space weigh, and their energy."""

    weight: float
    energy: float
    """Hartree, without the constant; that of the part by itself, normalised."""


def reference_parts(
    store: Store, tables: StringTables, vectors: list[Vector]
) -> list[ReferencePart]:
    """Look at the reference's part of each vector. Collective."""
    within = Product(store.space, tables, store.group, segments=store.space.references)
    parts = []
    for vector in vectors:
        image = store.new()
        within.add(vector, image)
        (found,) = products(store, [vector], [vector, image], lambda s: s.is_reference)
        image.destroy()
        weight, energy = (float(x) for x in found)
        parts.append(ReferencePart(weight, energy / weight if weight > 0.0 else np.nan))
    return parts


def spin_squares(store: Store, tables: StringTables, vectors: list[Vector]) -> list[float]:
    """Compute <S^2> of each vector, normalised. Collective."""
    n = tables.integrals.orbitals
    # S^2 = S_z (S_z + 1) + electrons of beta spin - sum over k, l of E_kl (alpha) E_lk (beta)
    exchange = np.zeros((n, n, n, n))
    k, l = np.indices((n, n))  # noqa: E741  # as in the formula
    exchange[k, l, l, k] = 1.0
    flips = Product(
        store.space,
        tables,
        store.group,
        opposite=exchange.reshape(n * n, n * n),
        same_spin=False,
    )
    alpha, beta = store.space.electrons
    projection = (alpha - beta) / 2
    found = []
    for vector in vectors:
        image = store.new()
        flips.add(vector, image)
        flipped = float(products(store, [vector], [image])[0, 0])
        image.destroy()
        found.append(projection * (projection + 1) + beta - flipped)
    return found


def density(store: Store, tables: StringTables, vector: Vector) -> NDArray[np.float64]:
    """Compute <a+_k a_l> of both spins together, of a vector that is normalised. Collective.

    Orbitals x orbitals, whole on every rank.
    """
    n = tables.integrals.orbitals
    total = np.zeros(n * n)
    for target in store.mine:
        left = vector.read(target).wait()
        for source in store.space.segments:
            if source.beta is target.beta:
                table = tables.singles(target.alpha, source.alpha)
                if table is not None:
                    _add_singles(total, table, left, vector.read(source).wait())
            if source.alpha is target.alpha:
                table = tables.singles(target.beta, source.beta)
                if table is not None:
                    _add_singles(total, table, left.T, vector.read(source).wait().T)
    summed = np.asarray(store.group.reduce(total)).reshape(n, n)
    symmetric: Block = (summed + summed.T) / 2
    return symmetric


def _add_singles(total: Block, table: Singles, left: Block, right: Block) -> None:
    step = max(1, _CHUNK // max(1, left.shape[1]))
    for begin in range(0, len(table.to), step):
        part = slice(begin, begin + step)
        found = np.einsum("ij,ij->i", left[table.to[part]], right[table.source[part]])
        found *= table.sign[part]
        total += np.bincount(table.pair[part], weights=found, minlength=len(total))

"""Tensor contractions.

The transformation of four-index integrals, by index letters as in `numpy.einsum`: operands are
distributed, the cheapest order is found, and each process multiplies what belongs to the blocks
that it owns.

Builds on: 06-multiply. Next: 17-hartree-fock.
"""

import atoll
import numpy as np
from atoll.tensor import einsum

n, m = 8, 3
p, q = np.ogrid[:n, :n]
symmetric = np.exp(-0.1 * (p - q) ** 2)
integrals = atoll.from_numpy(np.einsum("pq,rs->pqrs", symmetric, symmetric))
orbitals = atoll.from_numpy(np.linalg.qr(symmetric)[0][:, :m])
moved = einsum("pqrs,pi,qj,rk,sl->ijkl", integrals, *[orbitals] * 4)
energy = float(einsum("ijkl,ijkl->", moved, moved))
truth = np.einsum("pq,pi,qj->ij", symmetric, orbitals[...], orbitals[...])
if atoll.rank() == 0:
    print(moved.shape, "right:", np.isclose(energy, (truth**2).sum() ** 2))

"""A density functional on mirrored arrays.

What paper 000 is about: points of the grid are shared out, every point needs the whole density
matrix, and all add to one matrix of the functional. Both are mirrored, so that the loop stays in
the node's memory; one merge at the end adds over the nodes.

Builds on: 05-mirrored, 17-hartree-fock. Next: 19-ri-mp2.
"""

import atoll
import numpy as np
from pyscf import dft, gto, scf

molecule = gto.M(atom="He", basis="def2-svp", verbose=0)
grid = dft.gen_grid.Grids(molecule)
grid.level = 1
grid.build()
n = molecule.nao
density = atoll.from_numpy(scf.hf.init_guess_by_minao(molecule)).mirror()
matrix = atoll.zeros((n, n), mirrored=True)
sums = atoll.zeros(2, mirrored=True)  # electrons, energy
chunk = 200
for task in atoll.Counter().below(-(-len(grid.coords) // chunk)):
    points = slice(task * chunk, (task + 1) * chunk)
    values = molecule.eval_gto("GTOval", grid.coords[points])
    weights = grid.weights[points]
    rho = np.einsum("gp,pq,gq->g", values, density[...], values)
    energy, (potential, *_), *_ = dft.libxc.eval_xc("slater", rho, deriv=1)
    matrix.at[:, :] += np.einsum("g,gp,gq->pq", weights * potential, values, values)
    sums.at[:] += [weights @ rho, weights @ (rho * energy)]
matrix.merge()
sums.merge()
if atoll.rank() == 0:
    electrons, energy = sums[...]
    print(f"{electrons:.4f} electrons, exchange {energy:.4f} hartree")
    print(f"trace of the matrix {np.trace(matrix[...]):.4f}")

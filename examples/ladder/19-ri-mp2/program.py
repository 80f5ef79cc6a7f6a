"""RI-MP2 with its tensor on disk.

The fitted integrals (ia|P) are written once to a disk array; each task reads two orbitals' pages
and adds the energy of their pair. Memory holds two pages, however large the tensor.

Builds on: 08-disk, 03-counter. Next: 20-coupled-cluster.
"""

import tempfile

import atoll
import numpy as np
from pyscf import df, gto, scf

molecule = gto.M(atom="O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587", basis="def2-svp", verbose=0)
field = scf.RHF(molecule).run()
o = molecule.nelectron // 2
v = molecule.nao - o
occupied, virtual = field.mo_coeff[:, :o], field.mo_coeff[:, o:]
fitting = df.DF(molecule, auxbasis="def2-svp-ri")
tensor = np.concatenate(list(fitting.build().loop()))  # packed (P|pq), small here
whole = np.zeros((len(tensor), molecule.nao, molecule.nao))
lower = np.tril_indices(molecule.nao)
whole[:, lower[0], lower[1]] = whole[:, lower[1], lower[0]] = tensor

folder = tempfile.mkdtemp() if atoll.rank() == 0 else None
folder = atoll.world().mpi4py().bcast(folder)
pages = atoll.zeros((o, v, len(tensor)), distribution=atoll.blocked((0, v, len(tensor))))
for (orbitals, _, _), block in pages.blocks():
    block[...] = np.einsum("Ppq,pi,qa->iaP", whole, occupied[:, orbitals], virtual)
atoll.sync()
with atoll.disk.create(folder + "/pages", pages.shape, tile=(1, v, len(tensor))) as disk:
    disk.write(pages)

levels = field.mo_energy
gaps = levels[o:, None] + levels[None, o:]
sums = atoll.zeros(1)
with atoll.disk.open(folder + "/pages") as disk:
    for i in range(o):  # collective reads: all take the same page, and share out the partners
        page = disk.load((slice(i, i + 1),))
        first = page[0]
        for j in range(atoll.rank(), o, atoll.size()):
            integrals = first @ pages[j].T
            swapped = 2 * integrals - integrals.T
            sums.at[0] -= float((integrals * swapped / (gaps - levels[i] - levels[j])).sum())
        atoll.sync()
energy = float(sums[0])
if atoll.rank() == 0:
    print(f"correlation {energy:.6f} hartree")

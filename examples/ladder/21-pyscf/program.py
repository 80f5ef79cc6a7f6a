"""A script written for PySCF.

Change the import of the methods: `from pyscf import dft` becomes `from atoll.chem import dft`.
Molecules stay PySCF's. The same lines run on as many processes and nodes as there are, with the
same numbers.

Builds on: 20-coupled-cluster. Next: 22-profile.
"""

import atoll
from atoll.chem import dft
from pyscf import gto

molecule = gto.M(atom="N 0 0 0; N 0 0 1.1", basis="def2-svp", verbose=0)
field = dft.RKS(molecule)
field.xc = "pbe"
field.grids.level = 1
energy = field.kernel()
dipole = field.dip_moment(unit="AU", verbose=0)
if atoll.rank() == 0:
    print(f"energy {energy:.5f} hartree, dipole {abs(dipole).max():.3f}")

"""CCSD(T) that stops and goes on.

The chemistry package under PySCF's names: a mean field, coupled cluster, triples. The amplitudes
are saved after each iteration; a run that finds them begins with them.

Builds on: 10-checkpoint. Next: 21-pyscf.
"""

import atoll
from atoll.chem import cc, scf
from pyscf import gto

molecule = gto.M(atom="H 0 0 0; F 0 0 0.92", basis="6-31g", verbose=0)
field = scf.RHF(molecule).run()
correlated = cc.CCSD(field).run()
triples = correlated.ccsd_t()
if atoll.rank() == 0:
    print(f"HF {field.e_tot:.6f}, CCSD {correlated.e_corr:.6f}, (T) {triples:.6f} hartree")

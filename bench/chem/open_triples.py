"""The (T) correction of open shells beside PySCF's, each on one core, and beside DGEMM.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python bench/chem/open_triples.py [--basis NAME]

Triplet oxygen with frozen cores, and the amplitudes after one iteration: (T) costs the same with
any. Times are of the processor, so that what else runs does not count.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import atoll
import atoll.chem.integrals.pyscf_wheel  # PySCF's BLAS is told which CPU it is on
import numpy as np
from atoll.chem.correlation.coupled_cluster import open_triples
from pyscf import cc, gto, lib, scf

MEMORY = 1 << 30
SIDE = 1200  # of the matrices whose product is the peak


def main() -> None:
    parser = argparse.ArgumentParser(description="Time (T) of open shells beside PySCF's.")
    parser.add_argument("--basis", default="cc-pvtz", help="of the oxygen molecule (cc-pvtz)")
    options = parser.parse_args()
    molecule = gto.M(atom="O 0 0 0; O 0 0 1.2", basis=options.basis, spin=2, verbose=0)
    uccsd = cc.UCCSD(scf.UHF(molecule).run(conv_tol=1e-13), frozen=2).run(max_cycle=1)
    eris = uccsd.ao2mo()
    started = time.process_time()
    theirs = uccsd.ccsd_t(eris=eris)
    their_seconds = time.process_time() - started
    arguments = from_pyscf(uccsd, eris)
    peak = dgemm()
    started = time.process_time()
    found = open_triples.correction(atoll.world(), *arguments, memory=MEMORY)
    seconds = time.process_time() - started
    (o, v), (other_o, other_v) = (t1.shape for t1 in uccsd.t1)
    print(f"o {o} and {other_o}, v {v} and {other_v}, {found.flops:.3g} operations")
    print(f"  Atoll {seconds:.2f} s, PySCF {their_seconds:.2f} s: {their_seconds / seconds:.2f}x")
    print(f"  energies differ by {abs(found.energy - theirs):.0e} hartree")
    print(f"  DGEMM {peak / 1e9:.1f} GF/s; all of (T) {found.flops / seconds / peak:.2f} of it")
    kinds = ", ".join(f"{kind} {value:.2f}" for kind, value in found.seconds.items())
    print(f"  seconds on the clock: {kinds}")


def from_pyscf(uccsd: Any, eris: Any) -> tuple[Any, ...]:
    lengths = dict(zip("ovOV", (*uccsd.t1[0].shape, *uccsd.t1[1].shape), strict=True))
    integrals = []
    for name in open_triples.Integrals._fields:
        array = np.asarray(getattr(eris, name))
        o, x, y, z = (lengths[letter] for letter in name)
        if name[2:] in ("vv", "VV"):
            array = lib.unpack_tril(array.reshape(o * x, -1))
        integrals.append(atoll.from_numpy(array.reshape(o, x, y, z)))
    counts = lengths["o"], lengths["O"]
    occupied = tuple(e[:o] for e, o in zip(eris.mo_energy, counts, strict=True))
    virtual = tuple(e[o:] for e, o in zip(eris.mo_energy, counts, strict=True))
    singles, doubles = (tuple(map(atoll.from_numpy, each)) for each in (uccsd.t1, uccsd.t2))
    return singles, doubles, open_triples.Integrals(*integrals), occupied, virtual


def dgemm() -> float:
    """Give the operations a second of a large product of matrices, the best of some."""
    a = np.full((SIDE, SIDE), 0.5)
    seconds = []
    for _ in range(4):
        started = time.process_time()
        np.matmul(a, a)
        seconds.append(time.process_time() - started)
    return float(2 * SIDE**3 / min(seconds))


if __name__ == "__main__":
    main()

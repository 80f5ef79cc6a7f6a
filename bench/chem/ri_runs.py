"""What the RI benchmarks time: fitted Fock matrices and RI-MP2, by Atoll and by PySCF.

Started by ri_speed.py and ri_overlap.py, under mpiexec or alone; prints a line of JSON. `part` says
how much of the tensor is the memory of all ranks together; above 1 all fits. A rank with less than
all is confined by a cgroup to its share and what every run has beside the tensor: no other way to
hold it is left.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

BUILDS = 10  # of a calculation
BESIDE = 128 << 20
"""Bytes of a rank for what is not the tensor: metric and its factor, matrices, MPI, libraries."""


def fock_by_atoll(count: int, part: float) -> dict[str, Any]:
    """Make the tensor and ten J and K."""
    import atoll
    from atoll.chem.fock.fitted import FittedFock
    from atoll.chem.fock.fitting import MEMORY, FittedIntegrals
    from atoll.chem.fock.two_electron import Density
    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.integrals.pair_blocks import pair_blocks
    from atoll.chem.integrals.pyscf_wheel import scf_fitting_functions
    from waters import mean_field, waters

    mole, group = waters(count), atoll.world()
    basis = BlockedBasis(mole, group)
    mf = mean_field(mole)
    occupied = np.ascontiguousarray(mf.mo_coeff[:, mf.mo_occ > 0])
    density = Density(basis.matrix("D"), atoll.from_numpy(occupied))
    density.matrix.copy_from(atoll.from_numpy(occupied @ occupied.T))
    coulomb, exchange = basis.matrix("J"), basis.matrix("K")
    tensor = 8 * pair_blocks(mole).size * scf_fitting_functions(mole).nao_nr()
    memory = confined_to(int(tensor / group.size * part)) if part < 1 else MEMORY
    with tempfile.TemporaryDirectory() as folder:
        folder = str(group.broadcast(folder))
        clock = Clock(group)
        integrals = FittedIntegrals(basis, memory=memory, scratch=folder)
        made = clock.so_far()
        builder = FittedFock(integrals)
        for _ in range(BUILDS):
            builder.build([density], coulomb, [exchange])
        result = clock.result(integrals.seconds_waited) | {"made": made, "disk": integrals.on_disk}
        integrals.close()
        group.sync()
    check = float(atoll.algebra.sum_of_products(exchange, density.matrix))
    return result | {"functions": basis.functions, "tensor": tensor, "value": check}


def mp2_by_atoll(count: int, part: float) -> dict[str, Any]:
    """Run RI-MP2."""
    import atoll
    from atoll.chem import mp
    from atoll.chem.integrals.pyscf_wheel import fitting_functions
    from waters import mean_field, waters

    mole, group = waters(count), atoll.world()
    mf = mean_field(mole)
    occupied = int(np.count_nonzero(mf.mo_occ))
    functions = int(fitting_functions(mole).nao_nr())
    tensor = 8 * functions * occupied * (len(mf.mo_occ) - occupied)
    memory = confined_to(int(tensor / group.size * part)) if part < 1 else mp.MEMORY
    with tempfile.TemporaryDirectory() as folder:
        folder = str(group.broadcast(folder))
        clock = Clock(group)
        mp2 = mp.DFMP2(mf, memory=memory, scratch=folder).run()
        result = clock.result(mp2.seconds_waited)
        group.sync()
    return result | {
        "functions": len(mf.mo_occ),
        "tensor": tensor,
        "disk": mp2.on_disk,
        "value": mp2.e_corr,
    }


def fock_by_pyscf(count: int, _: float) -> dict[str, Any]:
    """Do the same with PySCF, with as many threads as the environment says."""
    import atoll.chem.integrals.pyscf_wheel  # noqa: F401  # its BLAS is told which CPU it is on
    from pyscf import df, lib
    from waters import mean_field, waters

    mole = waters(count)
    mf = mean_field(mole)
    occupied = mf.mo_occ > 0
    orbitals = mf.mo_coeff[:, occupied]
    density = lib.tag_array(
        orbitals @ orbitals.T, mo_coeff=orbitals, mo_occ=np.ones(np.count_nonzero(occupied))
    )
    clock = Clock(None)
    fit = df.DF(mole).build()
    made = clock.so_far()
    for _number in range(BUILDS):
        _, k = fit.get_jk(density, hermi=1)
    return clock.result(0.0) | {"made": made, "value": float(np.vdot(k, density))}


def mp2_by_pyscf(count: int, _: float) -> dict[str, Any]:
    """Do the same with PySCF, without keeping amplitudes."""
    import atoll.chem.integrals.pyscf_wheel  # noqa: F401  # its BLAS is told which CPU it is on
    from pyscf import scf
    from pyscf.mp import dfmp2
    from waters import mean_field, waters

    mole = waters(count)
    values = mean_field(mole)
    mf = scf.RHF(mole)
    for name in ("mo_coeff", "mo_energy", "mo_occ", "e_tot", "converged"):
        setattr(mf, name, getattr(values, name))
    clock = Clock(None)
    energy, _ = dfmp2.DFMP2(mf).kernel(with_t2=False)
    return clock.result(0.0) | {"value": float(energy)}


def confined_to(memory: int) -> int:
    """Let this rank take no more than so many bytes beside what every run has; give `memory`."""
    from confined import confine

    confine(memory + BESIDE)
    return memory


class Clock:
    """Seconds by the wall and of the processor: other work on the machine spoils the first only."""

    def __init__(self, group: Any) -> None:
        self._group = group
        if group is not None:
            group.sync()
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def so_far(self) -> float:
        """Give the seconds by the wall."""
        return time.perf_counter() - self._wall

    def result(self, waited: float) -> dict[str, float]:
        """Give all: of the slowest rank."""
        spent = [self.so_far(), time.process_time() - self._processor, waited]
        if self._group is not None:
            spent = [float(self._group.reduce(value, "max")) for value in spent]
        return dict(zip(("seconds", "processor", "waited"), spent, strict=True))


RUNS = {
    ("fock", "atoll"): fock_by_atoll,
    ("mp2", "atoll"): mp2_by_atoll,
    ("fock", "pyscf"): fock_by_pyscf,
    ("mp2", "pyscf"): mp2_by_pyscf,
}


def run(
    method: str, program: str, count: int, ranks: int, part: float = 2.0, threads: int = 1
) -> dict[str, Any]:
    """Start one of them; give what it measured."""
    import os

    launcher = [str(Path(sys.executable).with_name("mpiexec")), "-n", str(ranks)]
    command = [sys.executable, __file__, method, program, str(count), str(part)]
    environment = {**os.environ}
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        environment[name] = str(threads)
    from confined import end_confinement

    started = subprocess.run(
        command if program == "pyscf" else launcher + command,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    killed = end_confinement()
    if started.returncode != 0:
        raise SystemExit("killed for want of memory" if killed else started.stderr)
    measured: dict[str, Any] = json.loads(started.stdout.strip().splitlines()[-1])
    return measured


if __name__ == "__main__":
    chosen, by, molecules, share = sys.argv[1:]
    figures = RUNS[chosen, by](int(molecules), float(share))
    import atoll

    if by == "pyscf" or atoll.rank() == 0:
        print(json.dumps(figures))

"""Time of an exchange-correlation build on two ranks, beside PySCF's with two threads.

    python bench/chem/xc_build.py [--quick] [--functional NAME] [--molecule FILE] [--basis NAME]

Starts itself under mpiexec with two ranks. Both programs take the same density and grid, in turn,
in one run; PySCF is given orbitals, which it can make use of, and its BLAS is told which processor
it runs on. The limit: at least as fast, with what is kept from one iteration to the next, and
without.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIMIT = 1.0
EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time an XC build beside PySCF's.")
    parser.add_argument("--quick", action="store_true", help="a smaller molecule")
    parser.add_argument("--functional", default="b3lyp", metavar="NAME", help="(b3lyp)")
    parser.add_argument("--molecule", type=Path, metavar="FILE", help="XYZ file (naphthalene)")
    parser.add_argument("--basis", default="cc-pvdz", metavar="NAME", help="(cc-pvdz)")
    parser.add_argument("--repeats", type=int, default=4, metavar="N", help="of each build (4)")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    small = "benzene" if options.quick else "naphthalene"
    options.molecule = options.molecule or EXAMPLES / f"{small}.xyz"
    return options


def start_two_ranks() -> int:
    """Run this script again under mpiexec; returns the exit status."""
    beside_python = Path(sys.executable).with_name("mpiexec")
    mpiexec = str(beside_python) if beside_python.exists() else shutil.which("mpiexec")
    if mpiexec is None:
        raise SystemExit("bench/chem/xc_build.py: no mpiexec found")
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [mpiexec, "-n", "2", sys.executable, __file__, *sys.argv[1:], "--inside"]
    return subprocess.run(command, env={**os.environ, **one_thread}, check=False).returncode


def theirs(mole: Any, density: Any, functional: str) -> Callable[[], Any]:
    """Give PySCF's build, with two threads."""
    import numpy as np
    from pyscf import dft, lib

    grids = dft.gen_grid.Grids(mole).build(with_non0tab=True)
    occupations, orbitals = np.linalg.eigh(density)
    occupied = occupations > 1e-3
    tagged = lib.tag_array(density, mo_coeff=orbitals[:, occupied], mo_occ=occupations[occupied])
    numint = dft.numint.NumInt()

    def build() -> None:
        with lib.with_omp_threads(2):
            numint.nr_rks(mole, grids, functional, tagged)

    return build


def race(builds: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Time the builds in turn; the best of each, seconds. Collective: every rank calls each."""
    import atoll

    times: dict[str, list[float]] = {name: [] for name in builds}
    for _ in range(1 + repeats):
        for name, build in builds.items():
            atoll.barrier()
            started = time.perf_counter()
            build()
            atoll.barrier()
            times[name].append(time.perf_counter() - started)
    return {name: min(found[1:]) for name, found in times.items()}  # the first fills what is kept


def measure(options: argparse.Namespace) -> None:
    import atoll
    from atoll.chem.exchange_correlation import ExchangeCorrelation, Functional
    from atoll.chem.integrals import pyscf_wheel
    from atoll.chem.integrals.blocked_basis import BlockedBasis

    world = atoll.world()
    mole = pyscf_wheel.gto.M(atom=str(options.molecule), basis=options.basis, verbose=0)
    basis = BlockedBasis(mole, world)
    functional = Functional.from_name(options.functional)
    guess = pyscf_wheel.starting_density(mole)
    density, potential = basis.matrix("density"), basis.matrix("potential")
    for key, part in density.blocks():
        part[...] = guess[key]
    world.sync()
    keeping = ExchangeCorrelation(basis, functional, keep_bytes=4 << 30)
    forgetting = ExchangeCorrelation(basis, functional, keep_bytes=0)
    pyscf = theirs(mole, guess, options.functional) if world.rank == 0 else lambda: None
    best = race(
        {
            "PySCF, 2 threads": pyscf,
            "2 ranks, keeping functions": lambda: keeping.build([density], [potential]),
            "2 ranks, keeping nothing": lambda: forgetting.build([density], [potential]),
        },
        options.repeats,
    )
    if world.rank == 0:
        print(
            f"{options.molecule.stem}, {options.basis}, {options.functional}: {mole.nao} functions"
        )
        for name, seconds in best.items():
            faster = best["PySCF, 2 threads"] / seconds
            limit = "" if name.startswith("PySCF") else f"{faster:6.2f}x   limit >= {LIMIT}"
            print(f"  {name:28}{seconds:7.3f} s   {limit}")


def main() -> None:
    options = arguments()
    if not options.inside:
        raise SystemExit(start_two_ranks())
    import atoll

    if atoll.size() != 2:
        raise SystemExit("bench/chem/xc_build.py: mpiexec did not start two ranks of one run")
    measure(options)


if __name__ == "__main__":
    main()

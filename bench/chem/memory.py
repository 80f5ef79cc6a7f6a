"""Memory of a rank against functions and ranks, and a calculation that fits no rank alone.

    python bench/chem/memory.py [--atoms 1500] [--quick]

Helium atoms 6 angstrom apart in 6-31g (two functions each): nearly no integrals, so that the
matrices are what there is to hold. Every rank is a node of its own, nothing is shared. The peak is
that of the largest rank beyond a process that has computed one atom. Then the same with the address
space of each rank limited to halfway between what one rank takes and each of four: does one rank
fail, and four do it? Up to 1,200 functions not: libraries and threads take more addresses.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

RANKS = (1, 2, 4)


def atoms_of(count: int) -> str:
    side = round(count ** (1 / 3) + 0.499)
    places = [(x, y, z) for x in range(side) for y in range(side) for z in range(side)][:count]
    return "; ".join(f"He {6.0 * x} {6.0 * y} {6.0 * z}" for x, y, z in places)


def peak() -> int:
    """Largest resident size of this process so far, bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def address_space(name: str) -> int:
    """VmSize or VmPeak of this process, bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def inside(count: int, limit: int) -> None:
    import atoll
    from atoll.chem import scf
    from pyscf import gto

    world = atoll.world()
    scf.RHF(gto.M(atom="He 0 0 0", basis="6-31g", verbose=0)).run()
    mol = gto.M(atom=atoms_of(count), basis="6-31g", verbose=0)
    before = peak()
    addresses = address_space("VmSize")
    if limit:
        resource.setrlimit(resource.RLIMIT_AS, (addresses + limit, addresses + limit))
    field = scf.RHF(mol).run(init_guess="atom", conv_tol=1e-7)
    taken = int(world.reduce(peak() - before, "max"))
    grown = int(world.reduce(address_space("VmPeak") - addresses, "max"))
    if world.rank == 0:
        print(
            json.dumps(
                {
                    "bytes": taken,
                    "addresses": grown,
                    "energy": field.e_tot,
                    "converged": field.converged,
                }
            )
        )


def measure(count: int, ranks: int, limit: int = 0) -> dict[str, float] | None:
    beside = Path(sys.executable).with_name("mpiexec")
    mpiexec = str(beside) if beside.exists() else shutil.which("mpiexec")
    if mpiexec is None:
        raise SystemExit("no mpiexec found")
    command = [mpiexec, "-n", str(ranks), sys.executable, __file__, "--inside", str(count),
               str(limit)]  # fmt: skip
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                   "ATOLL_NODES": str(ranks)}  # fmt: skip
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        if limit:
            return None
        raise SystemExit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atoms", type=int, default=1500, help="helium atoms (1500)")
    parser.add_argument("--quick", action="store_true", help="300 atoms")
    parser.add_argument("--inside", nargs=2, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        inside(*options.inside)
        return
    count = 300 if options.quick else options.atoms
    print(
        f"{'functions':>9} {'matrix / MB':>12}"
        + "".join(f"{f'{n} ranks / MB':>14}" for n in RANKS)
        + f"{'1 to 4':>8}"
    )
    for atoms in (count // 2, count):
        found = [measure(atoms, ranks) for ranks in RANKS]
        sizes = [each["bytes"] / 1e6 for each in found if each]
        print(f"{2 * atoms:9d} {8e-6 * (2 * atoms) ** 2:12.1f}"
              + "".join(f"{size:14.0f}" for size in sizes) + f"{sizes[0] / sizes[-1]:8.2f}",
              flush=True)  # fmt: skip
    first, last = (each["addresses"] for each in (found[0], found[-1]) if each)
    limit = int(first + last) // 2
    print(
        f"addresses: 1 rank takes {first / 1e6:.0f} MB, each of 4 takes {last / 1e6:.0f} MB; "
        f"limited to {limit / 1e6:.0f} MB:"
    )
    for ranks in (1, 4):
        done = measure(count, ranks, limit)
        outcome = "fails, as it should" if done is None and ranks == 1 else "FAILS"
        print(
            f"  {ranks} rank{'s' if ranks > 1 else ''}: "
            + (f"{done['energy']:.9f} hartree" if done else outcome)
        )


if __name__ == "__main__":
    main()

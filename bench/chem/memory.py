"""Memory of a rank against functions and ranks, and a calculation that fits no rank alone.

    python bench/chem/memory.py [--atoms 1500] [--quick]

Helium atoms 6 angstrom apart in 6-31g (two functions each): nearly no integrals, so that the
matrices are what there is to hold. Every rank is a node of its own, nothing is shared. The peak is
that of the largest rank beyond a process that has computed one atom. Then the same with the memory
of each rank limited (by a cgroup of its own, which root makes) to halfway between what one rank
takes and each of four: does one rank fail, and four do it?
"""

from __future__ import annotations

import argparse
import json
import resource

from confined import confine, measured

RANKS = (1, 2, 4)


def atoms_of(count: int) -> str:
    side = round(count ** (1 / 3) + 0.499)
    places = [(x, y, z) for x in range(side) for y in range(side) for z in range(side)][:count]
    return "; ".join(f"He {6.0 * x} {6.0 * y} {6.0 * z}" for x, y, z in places)


def peak() -> int:
    """Largest resident size of this process so far, bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def inside(count: int, limit: int) -> None:
    import atoll
    from atoll.chem import scf
    from pyscf import gto

    world = atoll.world()
    scf.RHF(gto.M(atom="He 0 0 0", basis="6-31g", verbose=0)).run()
    mol = gto.M(atom=atoms_of(count), basis="6-31g", verbose=0)
    before = peak()
    if limit:
        confine(limit)
    field = scf.RHF(mol).run(init_guess="atom", conv_tol=1e-7)
    taken = int(world.reduce(peak() - before, "max"))
    if world.rank == 0:
        print(
            json.dumps(
                {
                    "bytes": taken,
                    "energy": field.e_tot,
                    "converged": field.converged,
                }
            )
        )


def measure(count: int, ranks: int, limit: int = 0) -> dict[str, float] | None:
    return measured(__file__, ranks, [str(count), str(limit)])


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
    limit = int(sizes[0] + sizes[-1]) * 500_000
    print(f"each rank limited to {limit / 1e6:.0f} MB beyond its libraries:")
    for ranks in (1, 4):
        done = measure(count, ranks, limit)
        outcome = "killed, as it should be" if ranks == 1 else "KILLED"
        print(
            f"  {ranks} rank{'s' if ranks > 1 else ''}: "
            + (f"{done['energy']:.9f} hartree" if done else outcome)
        )


if __name__ == "__main__":
    main()

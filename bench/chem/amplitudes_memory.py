"""A CCSD calculation whose amplitudes fit no rank alone: peaks of a rank, and with a limit on it.

    python bench/chem/amplitudes_memory.py [--waters 4] [--ladder direct] [--quick]

Water molecules in cc-pVDZ, inner shells frozen. The amplitudes that DIIS remembers are on disk, and
integrals of four virtual orbitals are not in memory: with `--ladder disk` they are on disk, else
computed anew in each iteration. What is left are amplitudes, integrals of the same size or with
three virtual orbitals, and batches of the work. Every rank is a node of its own, nothing is shared.
The peak is that of the largest rank beyond a process that has computed a smaller molecule. Then the
same with the memory of each rank limited (by a cgroup of its own, which root makes) to halfway
between what one rank takes and each of four: does one rank fail, and do four come to the energy?
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from ccsd import mean_field
from confined import confine, measured
from memory import peak

RANKS = (1, 2, 4)
MEMORY = 32 << 20  # bytes a rank that are asked for: less than what is there in any case
TOLERANCE = 1e-7  # hartree


def inside(count: int, limit: int, ladder: str, file: str) -> None:
    import atoll
    from atoll.chem import cc
    from pyscf import gto, scf

    world = atoll.world()
    small = scf.RHF(gto.M(atom="O 0 0 0; H 0 0 1; H 1 0 0", basis="6-31g", verbose=0)).run()
    cc.CCSD(small, memory=MEMORY, ladder=ladder).run()
    correlation = cc.CCSD(mean_field(count, file, "closed"), count, memory=MEMORY, ladder=ladder)
    before = peak()
    if limit:
        confine(limit)
    started = time.perf_counter()
    correlation.conv_tol, correlation.conv_tol_normt = TOLERANCE, 1e-4
    correlation.kernel()
    seconds = time.perf_counter() - started
    taken = int(world.reduce(peak() - before, "max"))
    assert correlation.t2 is not None
    assert correlation.storage is not None
    if world.rank == 0:
        found = {
            "bytes": taken,
            "doubles": correlation.t2.nbytes,
            "energy": correlation.e_corr,
            "seconds": seconds,
            "on_disk": correlation.storage.diis_on_disk,
        }
        print(json.dumps(found))


def measure(words: list[str], ranks: int, limit: int = 0) -> dict[str, float] | None:
    """Give what so many ranks found, None where one was killed for want of memory."""
    return measured(__file__, ranks, [words[0], str(limit), *words[1:]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--waters", type=int, default=4, help="molecules (4)")
    parser.add_argument("--ladder", choices=("direct", "disk"), default="direct")
    parser.add_argument("--quick", action="store_true", help="three molecules")
    parser.add_argument("--inside", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        count, limit, ladder, file = options.inside
        inside(int(count), int(limit), ladder, file)
        return
    count = 3 if options.quick else options.waters
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "orbitals.npz")
        mean_field(count, file, "closed")
        compare([str(count), options.ladder, file])


def compare(words: list[str]) -> None:
    """Print peaks of all numbers of ranks, and who does it with a limit."""
    print(f"CCSD of (H2O){words[0]} in cc-pVDZ, the ladder {words[1]}, DIIS on disk", flush=True)
    peaks, energy = [], 0.0
    for ranks in RANKS:
        found = measure(words, ranks)
        assert found is not None
        assert found["on_disk"]
        peaks.append(found["bytes"])
        energy = found["energy"]
        if ranks == 1:
            print(f"doubles: {found['doubles'] / 1e6:.1f} MB over all ranks")
        print(f"  {ranks} rank{'s' if ranks > 1 else ' '}: {peaks[-1] / 1e6:6.0f} MB at the peak, "
              f"{found['seconds']:.0f} s, {energy:.8f} hartree", flush=True)  # fmt: skip
    limit = int(peaks[0] + peaks[-1]) // 2
    print(f"each rank limited to {limit / 1e6:.0f} MB beyond its libraries:", flush=True)
    for ranks in (1, 4):
        done = measure(words, ranks, limit)
        if done is None:
            outcome = "killed, as it should be" if ranks == 1 else "KILLED"
        else:
            away = abs(done["energy"] - energy)
            outcome = f"{done['energy']:.8f} hartree, {away:.1e} away, {done['seconds']:.0f} s"
        print(f"  {ranks} rank{'s' if ranks > 1 else ' '}: {outcome}", flush=True)


if __name__ == "__main__":
    main()

"""Time of a Fock build: on one rank beside PySCF's on one core, and on two ranks.

    python bench/chem/fock.py [--quick] [--json FILE] [--molecule FILE --basis NAME]

Starts itself under mpiexec with two ranks. All builds take the same density with the same
screening threshold, in turn, in one run; what both programs prepare once (Schwarz bounds, the
optimizer) is not timed. "direct" computes all integrals, which neither program does by default at
this size; what both do is to keep them: "kept" is a later build of that kind. The limits: at most
1.1 of PySCF's time for direct builds and 1.0 for others, 1.85 times faster on two ranks.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from two_ranks import start

LIMIT_BESIDE_PYSCF, LIMIT_OF_KEPT, LIMIT_SPEED_UP = 1.1, 1.0, 1.85
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time a Fock build beside PySCF's.")
    parser.add_argument("--quick", action="store_true", help="a smaller molecule, fewer repeats")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    parser.add_argument("--molecule", type=Path, metavar="FILE", help="XYZ file (naphthalene)")
    parser.add_argument("--basis", default="cc-pvdz", metavar="NAME", help="(cc-pvdz)")
    parser.add_argument("--repeats", type=int, metavar="N", help="of each build (4)")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    small = "benzene" if options.quick else "naphthalene"
    options.molecule = options.molecule or EXAMPLES / f"{small}.xyz"
    options.repeats = options.repeats or (2 if options.quick else 4)
    return options


def race(builds: dict[str, Callable[[], Any]], repeats: int) -> dict[str, list[float]]:
    """Time the builds in turn; seconds. Collective: every rank calls each."""
    import atoll

    times: dict[str, list[float]] = {name: [] for name in builds}
    for _ in range(repeats):
        for name, build in builds.items():
            atoll.barrier()
            started = time.perf_counter()
            build()
            atoll.barrier()
            times[name].append(time.perf_counter() - started)
    return times


def builder_of(molecule: Any, group: Any, density: Any, kept: bool = False) -> Callable[[], Any]:
    """Make what builds Coulomb and exchange matrix of a density over a group. Collective."""
    from atoll.chem.fock import Density, DirectFock, StoredFock
    from atoll.chem.integrals.blocked_basis import BlockedBasis

    basis = BlockedBasis(molecule.mole, group)
    builder = StoredFock(basis, memory=4 << 30, disk=0) if kept else DirectFock(basis)
    matrix, coulomb, exchange = (basis.matrix(name) for name in ("density", "J", "K"))
    if group.rank == 0:
        matrix[...] = density
    group.sync()
    return lambda: builder.build([Density(matrix)], coulomb, [exchange])


def measure(options: argparse.Namespace) -> tuple[str, dict[str, list[float]]]:
    """Collective. The setting in words, and seconds by name of the build."""
    import atoll
    from atoll.chem.fock import SCREENING
    from atoll.chem.integrals import pyscf_wheel
    from atoll.chem.molecules import Molecule
    from pyscf import lib, scf

    lib.num_threads(1)
    world = atoll.world()
    alone = world.split(0 if world.rank == 0 else -1)
    molecule = Molecule.from_xyz(options.molecule.read_text(), options.basis)
    density = pyscf_wheel.starting_density(molecule.mole)

    builds: dict[str, Callable[[], Any]] = {
        "1 rank": lambda: None,
        "PySCF": lambda: None,
        "2 ranks": builder_of(molecule, world, density),
        "1 rank, kept": lambda: None,
        "PySCF, kept": lambda: None,
    }
    if alone is not None:
        builds["1 rank, kept"] = builder_of(molecule, alone, density, kept=True)
        integrals = molecule.mole.intor("int2e", aosym="s8")
        builds["PySCF, kept"] = lambda: scf.hf.dot_eri_dm(integrals, density, 1)
        builds["1 rank, kept"]()  # the first build computes them
        builds["1 rank"] = builder_of(molecule, alone, density)
        theirs = scf.RHF(molecule.mole)
        theirs.direct_scf_tol = SCREENING
        optimizer = theirs.init_direct_scf()
        builds["PySCF"] = lambda: scf.hf.get_jk(molecule.mole, density, 1, optimizer)
    times = race(builds, options.repeats)
    setting = (
        f"{options.molecule.stem}, {options.basis}, "
        f"{molecule.functions} functions; PySCF {pyscf_wheel.VERSION}"
    )
    return setting, times


def figures_of(times: dict[str, list[float]]) -> list[dict[str, Any]]:
    def best_and_median(name: str) -> dict[str, float]:
        return {"best": min(times[name]), "median": statistics.median(times[name])}

    one, two = best_and_median("1 rank"), best_and_median("2 ranks")
    pyscf = {"name": "PySCF direct build, 1 core", **best_and_median("PySCF")}
    of_kept = {"name": "PySCF, kept integrals, 1 core", **best_and_median("PySCF, kept")}
    ours_of_kept = best_and_median("1 rank, kept")
    return [
        {"name": "fock build, 1 rank", "unit": "s", **one, "peers": [pyscf]},
        {"name": "later fock build, 1 rank", "unit": "s", **ours_of_kept, "peers": [of_kept]},
        {
            "name": "fock build, 2 ranks",
            "unit": "times faster",
            "best": one["best"] / two["best"],
            "median": one["median"] / two["median"],
            "peers": [],
        },
    ]


def report(setting: str, times: dict[str, list[float]]) -> None:
    print(setting)
    for name, seconds in times.items():
        print(f"  {name:12} best {min(seconds):7.3f} s, median {statistics.median(seconds):7.3f} s")
    ratio = min(times["1 rank"]) / min(times["PySCF"])
    speed_up = min(times["1 rank"]) / min(times["2 ranks"])
    print(f"  1 rank / PySCF       {ratio:6.3f}   limit <= {LIMIT_BESIDE_PYSCF}")
    of_kept = min(times["1 rank, kept"]) / min(times["PySCF, kept"])
    print(f"  the same of kept     {of_kept:6.3f}   limit <= {LIMIT_OF_KEPT}")
    print(f"  1 rank / 2 ranks     {speed_up:6.3f}   limit >= {LIMIT_SPEED_UP}")


def main() -> None:
    options = arguments()
    if not options.inside:
        raise SystemExit(start(__file__))
    import atoll

    if atoll.size() != 2:
        raise SystemExit("bench/chem/fock.py: mpiexec did not start two ranks of one run")
    setting, times = measure(options)
    if atoll.rank() == 0:
        report(setting, times)
        if options.json is not None:
            data = {"setting": setting, "figures": figures_of(times)}
            options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

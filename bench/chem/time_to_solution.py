"""Time to solution beside PySCF on the same cores: HF, B3LYP, RI-HF, RI-MP2.

    python bench/chem/time_to_solution.py [--functions 200] [--two-cores] [--quick] [--json FILE]

Clusters of water in cc-pVDZ, 24 functions a molecule. Atoll runs on 1 rank and on 2, PySCF with 1
thread and 2, in processes of their own, in turn; the best of `--repeats` counts, without the time
to start. PySCF's BLAS is told of processors that it does not know. The bars: at least 1.0 times
PySCF's speed with two threads on two ranks (RI-MP2 1.2), and 1.85 times one rank's; with
`--two-cores` the runs on one are left out.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import programs

METHODS = ("hf", "b3lyp", "ri-hf", "ri-mp2")
BARS = {"hf": 1.0, "b3lyp": 1.0, "ri-hf": 1.0, "ri-mp2": 1.2}
SPEED_UP = 1.85
PER_WATER = 24


def cluster(count: int) -> str:
    """Give waters on a cubic lattice, 3 angstrom apart."""
    side = round(count ** (1 / 3) + 0.499)
    places = [(x, y, z) for x in range(side) for y in range(side) for z in range(side)][:count]
    atoms = []
    for x, y, z in places:
        ox, oy, oz = 3.0 * x, 3.0 * y, 3.0 * z
        turn = 1 if (x + y + z) % 2 == 0 else -1
        atoms += [
            f"O {ox} {oy} {oz}",
            f"H {ox + 0.757 * turn} {oy + 0.586} {oz}",
            f"H {ox - 0.757 * turn} {oy + 0.586} {oz}",
        ]
    return "; ".join(atoms)


def inside(program: str, method: str, waters: int, memory: int) -> None:
    """Compute in this process; rank 0 prints seconds and energy."""
    from pyscf import gto

    mol = gto.M(atom=cluster(waters), basis="cc-pvdz", verbose=0, max_memory=memory)
    if program == "atoll":
        import atoll
        from atoll.chem import dft, mp, scf

        rank = atoll.rank()
    else:
        from pyscf import dft, mp, scf

        rank = 0
    reference: Any = None
    if method == "ri-mp2":  # the mean field is not timed
        reference = scf.RHF(mol).density_fit().run(conv_tol=1e-8)
    started = time.perf_counter()
    if method == "hf":
        field = scf.RHF(mol)
        if program == "pyscf":
            field.max_memory = 0  # direct, as Atoll's
            field._eri = None
            field.direct_scf = True
    elif method == "b3lyp":
        field = dft.RKS(mol, "b3lyp")
        if program == "pyscf":
            field.max_memory = 0
    elif method == "ri-hf":
        field = scf.RHF(mol).density_fit()
    if reference is None:
        if program == "pyscf" and method in ("hf", "b3lyp"):
            mol.incore_anyway = False
        energy = field.run(conv_tol=1e-8).e_tot
    else:
        if program == "pyscf":  # without the amplitudes, which Atoll does not keep either
            energy, _ = mp.dfmp2.DFMP2(reference).kernel(with_t2=False)
        else:
            energy = mp.DFMP2(reference).run().e_corr
    if rank == 0:
        print(json.dumps({"seconds": time.perf_counter() - started, "energy": float(energy)}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--functions", type=int, default=240, help="about so many (240)")
    parser.add_argument("--quick", action="store_true", help="96 functions, once")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--two-cores", action="store_true", help="no runs on one core")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--inside", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        program, method, waters = options.inside
        inside(program, method, int(waters), 4000)
        return
    if options.quick:
        options.functions, options.repeats = 96, 1
    waters = max(1, options.functions // PER_WATER)
    print(f"(H2O){waters} in cc-pVDZ, {PER_WATER * waters} functions; seconds, best of "
          f"{options.repeats}")  # fmt: skip
    print(
        f"{'':8} {'Atoll 1':>9} {'Atoll 2':>9} {'PySCF 1':>9} {'PySCF 2':>9} "
        f"{'beside PySCF':>13} {'bar':>5} {'1 to 2 ranks':>13} {'bar':>5} {'energies':>9}"
    )
    results = []
    columns = [(program, cores) for program in ("atoll", "pyscf") for cores in (1, 2)]
    for method in options.methods:
        runs = [run for run in columns if run[1] == 2 or not options.two_cores]
        best: dict[tuple[str, int], float] = {}
        energies: dict[tuple[str, int], float] = {}
        for _ in range(options.repeats):
            for run in runs:
                found = programs.run(__file__, run[0], [method, str(waters)], run[1])
                best[run] = min(best.get(run, 1e300), found["seconds"])
                energies[run] = found["energy"]
        beside = best["pyscf", 2] / best["atoll", 2]
        speed_up = best.get(("atoll", 1), float("nan")) / best["atoll", 2]
        apart = max(energies.values()) - min(energies.values())
        print(
            f"{method:8} "
            + " ".join(f"{best.get(run, float('nan')):9.2f}" for run in columns)
            + f" {beside:13.2f} {BARS[method]:5.2f} {speed_up:13.2f} {SPEED_UP:5.2f} "
            f"{apart:9.1e}",
            flush=True,
        )
        results.append(
            {
                "method": method,
                "functions": PER_WATER * waters,
                "beside": beside,
                "speed_up": None if options.two_cores else speed_up,
                "seconds": {f"{program} {cores}": s for (program, cores), s in best.items()},
            }
        )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

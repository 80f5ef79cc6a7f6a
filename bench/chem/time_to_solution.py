"""Time to solution beside PySCF at its default and at its best: HF, B3LYP, RI-HF, RI-MP2.

    python bench/chem/time_to_solution.py [--functions 48 96 192 240] [--cores 1 2] [--quick]
        [--methods hf b3lyp ...] [--repeats 3] [--json FILE]

Clusters of water in cc-pVDZ, 24 functions a molecule. A run is a process of its own (Atoll's: a
rank on each core), and they take turns; the best of `--repeats` counts, without the time to start.
Both programs are to reach the same convergence, 1e-8 hartree, from the same guess; how many Fock
matrices each has built is printed, as are the settings:

- "PySCF": what its users get, with nothing set: 4000 MB, so that it keeps integrals up to 245
  functions, its own grids, blocks and criteria. RI-MP2 without amplitudes, which Atoll has not
  either.
- "at its best": memory for all integrals whatever their number; without a file of orbitals.

PySCF's BLAS is told of processors that it does not know, as Atoll tells it when it uses the same.
"CPU" are seconds of all ranks or threads, the figure to look at where other programs run beside.
The bars, of either: at least as fast as PySCF's better one on as many cores.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import programs

TIMES = ("seconds", "CPU")
METHODS = ("hf", "b3lyp", "ri-hf", "ri-mp2")
BARS = {"hf": 1.0, "b3lyp": 1.0, "ri-hf": 1.0, "ri-mp2": 1.2}
PROGRAMS = {"atoll": "Atoll", "pyscf": "PySCF", "pyscf-best": "at its best"}
PER_WATER = 24
CONVERGENCE = 1e-8
PLENTY = 64_000
"""MB: integrals of 900 functions."""


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


def field_of(home: Any, program: str, method: str, mol: Any) -> Any:
    """Make a mean field, by default but for what "pyscf-best" has of its own."""
    field = home.dft.RKS(mol, "b3lyp") if method == "b3lyp" else home.scf.RHF(mol)
    if method.startswith("ri-"):
        field = field.density_fit()
    if program == "pyscf-best":
        mol.incore_anyway = True
        field.max_memory = PLENTY
        field.chkfile = None
    return field


def settings_of(field: Any, is_atoll: bool) -> str:
    """Tell what matters to the time, and when the program says that it has converged."""
    if is_atoll:
        left = "4000 MB or its share of the node" if field.memory is None else f"{field.memory} B"
        kept = f"integrals {field.integral_storage}, memory of a rank {left}"
        gradient = 0.1 * field.conv_tol**0.5
        norm = "largest element"
    else:
        anyway = ", incore_anyway" if field.mol.incore_anyway else ""
        kept = f"max_memory {field.max_memory} MB{anyway}, direct_scf_tol {field.direct_scf_tol:g}"
        gradient, norm = field.conv_tol**0.5, "norm"
    grid = f", grid level {field.grids.level}" if hasattr(field, "grids") else ""
    return f"{kept}{grid}, conv_tol {field.conv_tol:g}, {norm} of the gradient {gradient:g}"


def counted(field: Any) -> list[int]:
    """Count the Fock matrices that PySCF builds."""
    builds = [0]
    build = field.get_veff

    def get_veff(*arguments: Any, **named: Any) -> Any:
        builds[0] += 1
        return build(*arguments, **named)

    field.get_veff = get_veff
    return builds


def inside(program: str, method: str, waters: int) -> None:
    """Compute in this process; rank 0 prints what was found."""
    programs.load_pyscf()
    from pyscf import gto

    mol = gto.M(atom=cluster(waters), basis="cc-pvdz", verbose=0)
    world = None
    if program == "atoll":
        import atoll
        from atoll.chem import dft, mp, scf

        world = atoll.world()
    else:
        from pyscf import dft, mp, scf
    home = SimpleNamespace(dft=dft, scf=scf)
    reference: Any = None
    if method == "ri-mp2":  # the mean field is not timed
        reference = field_of(home, program, method, mol).run(conv_tol=CONVERGENCE)
    started, processor = time.perf_counter(), time.process_time()
    builds, converged, settings = [0], True, "of the mean field before"
    if reference is None:
        field = field_of(home, program, method, mol)
        if not world:
            builds = counted(field)
        energy = field.run(conv_tol=CONVERGENCE).e_tot
        converged, settings = bool(field.converged), settings_of(field, world is not None)
        if world:
            builds = [len(field.solution.iterations)]
    elif world:
        energy = mp.DFMP2(reference).run().e_corr
    else:
        energy, _ = mp.dfmp2.DFMP2(reference).kernel(with_t2=False)
    seconds, cpu = time.perf_counter() - started, time.process_time() - processor
    if world:
        cpu = float(world.reduce(cpu))
    found = {"seconds": seconds, "CPU": cpu, "energy": float(energy), "builds": builds[0]}
    if world is None or world.rank == 0:
        print(json.dumps(found | {"converged": converged, "settings": settings}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--functions", type=int, nargs="+", default=[48, 96, 192, 240])
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--quick", action="store_true", help="48 functions, once")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--programs", nargs="+", default=list(PROGRAMS), choices=list(PROGRAMS))
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--inside", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        program, method, waters = options.inside
        inside(program, method, int(waters))
        return
    if options.quick:
        options.functions, options.repeats = [48], 1
    print(f"(H2O)n in cc-pVDZ; seconds, and CPU seconds, best of {options.repeats}; "
          "[Fock matrices built]")  # fmt: skip
    sizes = sorted({max(1, count // PER_WATER) for count in options.functions})
    results = []
    for method in options.methods:
        of_method = [
            measure(method, waters * PER_WATER, cores, options)
            for waters in sizes
            for cores in options.cores
        ]
        for program in options.programs:
            print(f"        {PROGRAMS[program]}: {of_method[-1][program]['settings']}", flush=True)
        results += of_method
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


def measure(method: str, functions: int, cores: int, options: Any) -> dict[str, Any]:
    """Run the programs in turn and print a line."""
    best: dict[str, dict[str, Any]] = {}
    for _ in range(options.repeats):
        for program in options.programs:
            words = [method, str(functions // PER_WATER)]
            found = programs.run(__file__, program, words, cores)
            kept = best.setdefault(program, found)
            best[program] = found | {name: min(kept[name], found[name]) for name in TIMES}
    columns = [
        f"{PROGRAMS[name]} {found['seconds']:.2f}, {found['CPU']:.2f} [{found['builds']}]"
        + ("" if found["converged"] else " NOT CONVERGED")
        for name, found in best.items()
    ]
    energies = [found["energy"] for found in best.values()]
    ratios = {}
    if "atoll" in best:
        theirs = [found for name, found in best.items() if name != "atoll"]
        for name in TIMES if theirs else ():
            ratios[name] = min(found[name] for found in theirs) / best["atoll"][name]
    beside = ", ".join(f"{ratio:.2f}" for ratio in ratios.values())
    print(
        f"{method:7}{functions:4} functions, {cores} cores: {'; '.join(columns)}; beside PySCF: "
        f"{beside} (bar {BARS[method]}); energies {max(energies) - min(energies):.0e} apart",
        flush=True,
    )
    return {"method": method, "functions": functions, "cores": cores, "beside": ratios} | best


if __name__ == "__main__":
    main()

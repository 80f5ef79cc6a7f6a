"""CCSD beside PySCF's on the same cores: seconds an iteration, of clusters of water in cc-pVDZ.

    python bench/chem/ccsd.py [--waters 3] [--open-shell] [--two-cores] [--ladder HOW]
        [--quick] [--json FILE]

Inner shells are frozen: (H2O)3 has 72 functions, 12 occupied and 57 virtual orbitals. Atoll runs on
1 rank and on 2, PySCF with 1 thread and 2, in processes of their own, in turn. Of each the best
iteration of `--repeats` runs counts, after the first one, and of all of a run the seconds before
the iterations. PySCF's BLAS is told of processors that it does not know. The bars: no slower than
PySCF with two threads on two ranks, and 1.85 times one rank's speed; with `--two-cores` the runs on
one are left out. `--open-shell` takes an electron away, and UCCSD. `--ladder direct` or `disk` has
Atoll's integrals of four virtual orbitals computed anew or on a disk. PySCF has its integrals in
memory, as after a mean field that was computed in the same process, and `incore_complete`.
Processor time, of all ranks or threads, tells the same where other programs run beside, but for
what is waited for.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import programs
from waters import waters

BESIDE, SPEED_UP = 1.0, 1.85
ITERATIONS = 14


def mean_field(count: int, file: str, shells: str) -> Any:
    """Give PySCF's Hartree-Fock; computed once, and kept in a file."""
    import numpy as np
    from pyscf import scf

    cluster = waters(count)
    if shells == "open":
        cluster.charge = cluster.spin = 1
        cluster.build()
    field = (scf.UHF if shells == "open" else scf.RHF)(cluster)
    if not Path(file).exists():
        field.run(conv_tol=1e-11)
        names = ("mo_coeff", "mo_energy", "mo_occ", "e_tot")
        np.savez(file, **{name: getattr(field, name) for name in names})
    with np.load(file) as kept:
        for name in kept.files:
            setattr(field, name, kept[name])
    field.e_tot, field.converged = float(field.e_tot), True
    return field


def run_atoll(count: int, file: str, shells: str, ladder: str) -> dict[str, Any] | None:
    """Compute on the ranks that are there; rank 0 gives the result."""
    import warnings

    import atoll
    from atoll.chem import cc

    field = mean_field(count, file, shells)
    correlation = cc.CCSD(field, frozen=count, ladder=ladder)
    correlation.max_cycle, correlation.conv_tol = ITERATIONS, 1e-14
    clock = [time.process_time()]
    correlation.observer = lambda _: clock.append(time.process_time())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # not to converge is intended
        correlation.kernel()
    seconds = [iteration.seconds for iteration in correlation.iterations[1:]]
    own = [later - earlier for earlier, later in pairwise(clock[1:])]
    processor = [float(atoll.world().reduce(each)) for each in own]
    if atoll.rank() != 0:
        return None
    return {
        "iteration": min(seconds),
        "processor": min(processor),
        "before": correlation.seconds["integrals"],
        "energy": correlation.e_corr,
    }


def run_pyscf(count: int, file: str, shells: str, _: str) -> dict[str, Any]:
    """Compute with as many threads as the environment says."""
    programs.load_pyscf()
    from pyscf import cc

    field = mean_field(count, file, shells)
    # A mean field that was just computed has these; without them CCSD keeps its own on a disk.
    field._eri = field.mol.intor("int2e", aosym="s8")
    correlation = cc.CCSD(field, frozen=count)
    correlation.incore_complete = True
    correlation.verbose, correlation.max_cycle, correlation.conv_tol = 0, ITERATIONS, 1e-14
    times, clock = [], []

    def mark(_: Any) -> None:
        times.append(time.perf_counter())
        clock.append(time.process_time())

    correlation.callback = mark
    started = time.perf_counter()
    integrals = correlation.ao2mo()
    before = time.perf_counter() - started
    correlation.kernel(eris=integrals)
    return {
        "iteration": min(later - earlier for earlier, later in pairwise(times)),
        "processor": min(later - earlier for earlier, later in pairwise(clock)),
        "before": before,
        "energy": float(correlation.e_corr),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--waters", type=int, default=3, help="molecules (3)")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--open-shell", action="store_true", help="UCCSD of a cation")
    parser.add_argument("--two-cores", action="store_true", help="no runs on one core")
    ladders = ("auto", "memory", "disk", "direct")
    parser.add_argument("--ladder", choices=ladders, default="auto", help="of Atoll (auto)")
    parser.add_argument("--quick", action="store_true", help="two molecules, once")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--inside", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        program, count, *words = options.inside
        result = (run_atoll if program == "atoll" else run_pyscf)(int(count), *words)
        if result is not None:
            print(json.dumps(result))
        return
    if options.quick:
        options.waters, options.repeats = 2, 1
    runs = [(program, cores) for program in ("atoll", "pyscf") for cores in (1, 2)]
    if options.two_cores:
        runs = [run for run in runs if run[1] == 2]
    best: dict[tuple[str, int], dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "orbitals.npz")
        shells = "open" if options.open_shell else "closed"
        mean_field(options.waters, file, shells)
        for _ in range(options.repeats):
            for program, cores in runs:
                words = [str(options.waters), file, shells, options.ladder]
                found = programs.run(__file__, program, words, cores)
                kept = best.setdefault((program, cores), found)
                best[program, cores] = {name: min(kept[name], found[name]) for name in found}
    report(options, runs, best)


def report(options: Any, runs: list[tuple[str, int]], best: dict[Any, dict[str, float]]) -> None:
    """Print the figures beside the bars."""
    charge = "+" if options.open_shell else ""
    print(
        f"CCSD of (H2O){options.waters}{charge} in cc-pVDZ, inner shells frozen, ladder "
        f"{options.ladder}; seconds, best of {options.repeats} runs"
    )
    print(f"{'':16}" + "".join(f"{program:>10} {cores}" for program, cores in runs))
    labels = {
        "iteration": "an iteration",
        "processor": "processor time",
        "before": "before them",
    }
    for name, label in labels.items():
        print(f"{label:16}" + "".join(f"{best[run][name]:12.3f}" for run in runs))
    beside = best["pyscf", 2]["iteration"] / best["atoll", 2]["iteration"]
    print(f"beside PySCF on two cores: {beside:.2f} times its speed, at least {BESIDE}")
    figures: dict[str, Any] = {"beside": beside}
    if not options.two_cores:
        figures["speed_up"] = best["atoll", 1]["iteration"] / best["atoll", 2]["iteration"]
        print(f"1 to 2 ranks: {figures['speed_up']:.2f} times, at least {SPEED_UP}")
    energies = [best[run]["energy"] for run in runs]
    print(f"energies are {max(energies) - min(energies):.1e} hartree apart")
    if options.json:
        figures["seconds"] = {f"{program} {cores}": best[program, cores] for program, cores in runs}
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()

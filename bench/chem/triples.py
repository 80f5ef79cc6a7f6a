"""The (T) correction on one and two ranks beside PySCF's with two threads.

    python bench/chem/triples.py [--waters N ...] [--repeats N] [--json FILE]

Three figures of each size, since none says all: the kernel's part of the peak, which is NumPy's
DGEMM on the same ranks in the same run, with 2 v^3 o^3 (v + o) operations and no more; E(N), the
time that one rank computes, over N times the time that N ranks take for all, of which the original
scheme's larger number of operations would make more; and the time beside PySCF's `ccsd_t`, whose
BLAS is told which CPU it is on. Runs take turns, and the best of each counts.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from triples_runs import run

LIMITS = {"kernel / DGEMM": 0.75, "E(1)": 0.95, "E(2)": 0.95, "PySCF / Atoll": 2.2}


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the (T) correction beside PySCF's.")
    parser.add_argument(
        "--waters", type=int, nargs="+", default=[3, 5], metavar="N", help="molecules (3 5)"
    )
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="runs of each (3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    options = parser.parse_args()
    figures = {}
    for count in options.waters:
        rounds = [
            {
                "atoll 1": run("atoll", count, ranks=1),
                "atoll 2": run("atoll", count, ranks=2),
                "pyscf 2": run("pyscf", count, threads=2),
            }
            for _ in range(options.repeats)
        ]
        figures[f"(H2O){count}"] = report(count, rounds)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


def report(count: int, rounds: list[dict[str, dict[str, Any]]]) -> dict[str, float]:
    best = {
        name: min((each[name] for each in rounds), key=lambda run: run["seconds"])
        for name in rounds[0]
    }
    one, two, theirs = best["atoll 1"], best["atoll 2"], best["pyscf 2"]
    computing = min(each["atoll 1"]["kernel seconds"] for each in rounds)
    difference = abs(two["value"] / theirs["value"] - 1)
    found = {
        "kernel / DGEMM": max(
            each[name]["fraction"] for each in rounds for name in ("atoll 1", "atoll 2")
        ),
        "E(1)": computing / one["seconds"],
        "E(2)": computing / (2 * two["seconds"]),
        "PySCF / Atoll": theirs["seconds"] / two["seconds"],
    }
    print(
        f"(H2O){count}: o {4 * count}, v {19 * count}, {one['flops']:.3g} operations, best of "
        f"{len(rounds)}; PySCF's energy differs by {difference:.0e} of itself"
    )
    for name, each in best.items():
        unit = "threads" if name.startswith("pyscf") else "ranks"
        print(f"  {name} {unit:8}{each['seconds']:8.2f} s, processor {each['processor']:.2f} s")
    share = max(one["fraction, processor"], two["fraction, processor"])
    print(f"  all / DGEMM, both of the processor: {share:.3f}")
    print(f"  DGEMM a rank: {one['peak'] / 1e9:.1f} and {two['peak'] / 1e9:.1f} GF/s")
    print("  seconds of both ranks: " + kinds(two))
    for name, value in found.items():
        print(f"  {name:14} {value:6.3f}   limit >= {LIMITS[name]}")
    return found


def kinds(measured: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in measured["by kind"].items())


if __name__ == "__main__":
    main()

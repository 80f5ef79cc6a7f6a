"""RI-HF and RI-MP2 on one and two ranks beside PySCF with one and two threads.

    python bench/chem/ri_speed.py [--waters N] [--repeats N] [--quick] [--json FILE]

Each is a run of its own, and they take turns. RI-HF is the three-index tensor and ten J and K, the
same as in PySCF; the BLAS of PySCF's wheel is told which CPU it is on. The limits: two ranks at
least as fast as PySCF with two threads (RI-MP2: 1.2 times), and 1.85 times as fast as one.
"Processor" is the time of the processor: of the slowest rank, or of all threads by their number.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path

from ri_runs import run

LIMITS = {"fock": 1.0, "mp2": 1.2}
NAMES = {"fock": "RI-HF", "mp2": "RI-MP2"}
LIMIT_SPEED_UP = 1.85
PLACES = [("atoll", 1), ("atoll", 2), ("pyscf", 1), ("pyscf", 2)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Time RI-HF and RI-MP2 beside PySCF's.")
    parser.add_argument("--waters", type=int, default=10, metavar="N", help="molecules (10)")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="runs of each (3)")
    parser.add_argument("--quick", action="store_true", help="4 molecules, once")
    parser.add_argument("--methods", nargs="+", default=list(LIMITS), choices=list(LIMITS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    options = parser.parse_args()
    if options.quick:
        options.waters, options.repeats = 4, 1
    figures = []
    for method in options.methods:
        rounds = [
            {
                f"{program} {count}": run(
                    method, program, options.waters,
                    ranks=count if program == "atoll" else 1,
                    threads=count if program == "pyscf" else 1,
                )
                for program, count in PLACES
            }
            for _ in range(options.repeats)
        ]  # fmt: skip
        figures += [
            {"name": f"{NAMES[method]} {name}", "unit": "x", "best": value, "median": value}
            | {"peers": []}
            for name, value in report(method, rounds).items()
        ]
    if options.json:
        data = {"setting": f"fitted methods, {options.waters} waters", "figures": figures}
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def report(method: str, rounds: list[dict[str, dict[str, float]]]) -> dict[str, float]:
    functions = rounds[0]["atoll 1"]["functions"]
    print(f"{NAMES[method]}, {functions} functions: seconds, best of {len(rounds)}")
    best, processor = {}, {}
    for program, count in PLACES:
        name = f"{program} {count}"
        divisor = count if program == "pyscf" else 1
        best[name] = min(each[name]["seconds"] for each in rounds)
        processor[name] = min(each[name]["processor"] for each in rounds) / divisor
        unit = "ranks" if program == "atoll" else "threads"
        print(f"  {program:6} {count} {unit:8}{best[name]:8.2f}, processor {processor[name]:.2f}")
    found = {
        "beside PySCF": statistics.median(
            each["pyscf 2"]["seconds"] / each["atoll 2"]["seconds"] for each in rounds
        ),
        "speed-up": statistics.median(
            each["atoll 1"]["seconds"] / each["atoll 2"]["seconds"] for each in rounds
        ),
        "beside PySCF, processor": processor["pyscf 2"] / processor["atoll 2"],
        "speed-up, processor": processor["atoll 1"] / processor["atoll 2"],
    }
    limits = (LIMITS[method], LIMIT_SPEED_UP)
    for (name, value), limit in zip(found.items(), limits * 2, strict=True):
        print(f"  {name}: {value:.2f} (limit {limit})")
    return found


if __name__ == "__main__":
    main()

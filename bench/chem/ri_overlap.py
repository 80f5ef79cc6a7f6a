"""RI-HF and RI-MP2 of a molecule whose tensor is three times the memory, beside memory enough.

    python bench/chem/ri_overlap.py [--waters N] [--ranks N ...] [--repeats N] [--methods M ...]

The tensor lies on a disk array in the folder of temporary files (TMPDIR). Printed is the speed
with a third of the memory in terms of that with enough, at least 0.8, and the share of the time
that a rank waited for the disk (paper 004, section 5.2). Runs take turns. A cgroup holds each rank
to its share of that and what any run has beside the tensor (needs root).
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path

from ri_runs import run

LIMIT = 0.8
NAMES = {"fock": "RI-HF", "mp2": "RI-MP2"}


def main() -> None:
    parser = argparse.ArgumentParser(description="Time fitted methods from disk.")
    parser.add_argument("--waters", type=int, default=10, metavar="N", help="molecules (10)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4], metavar="N")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="runs of each (3)")
    parser.add_argument("--methods", nargs="+", default=list(NAMES), choices=list(NAMES))
    parser.add_argument("--part", type=float, default=1 / 3, help="of the tensor (0.333)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    options = parser.parse_args()
    figures = []
    for method in options.methods:
        name = NAMES[method]
        for ranks in options.ranks:
            pairs = [
                [run(method, "atoll", options.waters, ranks, part) for part in (2.0, options.part)]
                for _ in range(options.repeats)
            ]
            enough, limited = pairs[0]
            if abs(enough["value"] - limited["value"]) > 1e-9 * abs(enough["value"]):
                raise SystemExit(f"{name}: {limited['value']} from disk, {enough['value']} without")
            if not limited["disk"] or enough["disk"]:
                raise SystemExit(f"{name}: the memory is not what it should be")
            speed = statistics.median(a["seconds"] / b["seconds"] for a, b in pairs)
            processor = statistics.median(a["processor"] / b["processor"] for a, b in pairs)
            waited = statistics.median(b["waited"] / b["seconds"] for _, b in pairs)
            print(
                f"{name}, {enough['functions']} functions, tensor {enough['tensor'] / 1e6:.0f} MB, "
                f"{ranks} ranks: {min(a['seconds'] for a, _ in pairs):.2f} s in memory, "
                f"{min(b['seconds'] for _, b in pairs):.2f} s from disk: speed {speed:.2f} "
                f"(limit {LIMIT}; by the processor's time {processor:.2f}), "
                f"waiting {100 * waited:.1f} % of the time",
                flush=True,
            )
            figures.append(
                {"method": name, "ranks": ranks, "speed": speed, "processor": processor}
                | {"waiting": waited, "functions": enough["functions"]}
            )
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()

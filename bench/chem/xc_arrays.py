"""Exchange-correlation matrices with distributed and with mirrored arrays, on several hosts.

    python bench/chem/xc_arrays.py [--quick] [--rate RATE]... [--hosts N]... [--json FILE]

Figures 9 and 10 of Palmer, Nieplocha and Aprà (2003): the sizes of the messages with distributed
arrays, and the time of a build (steps 1 to 6 of their section 4) of a fragment of silica, by
network and hosts, with one rank on each. Makes the hosts on this machine, and removes them at the
end: needs root and iproute2 (docs/cluster.md). Both kinds of arrays are built in turn, in one run,
on the same grid; each figure is the best of some builds. The limits: with mirrored arrays at least
72.6 % better at 100 Mbit/s, as the paper found, and no loss on a network that is not shaped.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from silica import fragment

RATES = ("100mbit", "1gbit", "none")
HOSTS = (2, 3, 4)
KINDS = ("mirrored", "distributed")
PAPER_IMPROVEMENT = 72.6  # percent, on 48 processors with Ethernet
BASIS, FUNCTIONAL = "def2-svp", "b3lyp"
LIMIT_SECONDS = 1200


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="XC builds on mirrored and distributed arrays.")
    parser.add_argument("--quick", action="store_true", help="a smaller molecule and grid")
    parser.add_argument("--rate", action="append", choices=RATES, help="these networks only")
    parser.add_argument("--hosts", action="append", type=int, choices=HOSTS, help="so many only")
    parser.add_argument("--builds", type=int, default=3, metavar="N", help="of each kind (3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    parser.add_argument("--inside", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    return parser.parse_args()


def measure(options: argparse.Namespace) -> None:
    """Build in turn with each kind of arrays; rank 0 writes what it took. Collective."""
    import atoll
    from atoll.chem.exchange_correlation import ExchangeCorrelation, Functional
    from atoll.chem.integrals import pyscf_wheel
    from atoll.chem.integrals.blocked_basis import BlockedBasis

    world = atoll.world()
    atoms = [(symbol, position.tolist()) for symbol, position in fragment(options.quick)]
    mole = pyscf_wheel.gto.M(atom=atoms, basis=BASIS, verbose=0)
    basis = BlockedBasis(mole, world)
    level = 1 if options.quick else 3
    xc = ExchangeCorrelation(basis, Functional.from_name(FUNCTIONAL), level)
    density, potential = basis.matrix("density"), basis.matrix("Kohn-Sham matrix")
    guess = pyscf_wheel.starting_density(mole)
    for key, part in density.blocks():
        part[...] = guess[key]
    world.sync()

    seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
    energies, results = {}, {}
    for build in range(1 + options.builds):
        for kind in KINDS:
            xc.arrays = kind
            world.barrier()
            started = time.perf_counter()
            results[kind] = xc.build([density], [potential])
            world.barrier()
            if build > 0:  # the first one computes the functions that later ones find
                seconds[kind].append(time.perf_counter() - started)
            energies[kind] = results[kind].energy
    assert abs(energies["mirrored"] - energies["distributed"]) < 1e-9, energies
    if world.rank == 0:
        found = {
            "functions": basis.functions,
            "points": results["mirrored"].points,
            "chunks": results["mirrored"].chunks,
            "bytes": results["distributed"].patch_bytes,
            "seconds": seconds,
            "details": {kind: results[kind].details for kind in KINDS},
        }
        options.inside.write_text(json.dumps(found), encoding="utf-8")


def run_inside(options: argparse.Namespace, hosts: int, folder: Path, profile: bool) -> Any:
    """Run `measure` on the first hosts; give what it found, or the profile of its run."""
    from atoll.cluster import run

    result, calls = folder / "result.json", folder / "profile.json"
    words = [sys.executable, __file__, "--inside", str(result), "--builds"]
    words += ["1" if profile else str(options.builds), *(["--quick"] if options.quick else [])]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ATOLL_")}
    environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    if profile:
        environment["ATOLL_PROFILE"] = str(calls)
    done = run(words, (1,) * hosts, None, environment, timeout=LIMIT_SECONDS)
    if done.returncode != 0:
        raise SystemExit(f"bench/chem/xc_arrays.py: a run on {hosts} hosts failed")
    return json.loads((calls if profile else result).read_text(encoding="utf-8"))


def histogram(profile: dict[str, Any]) -> dict[str, dict[int, int]]:
    """Count messages of the distributed arrays by operation and size (class k: below 2^k B)."""
    counts: dict[str, dict[int, int]] = {"get": {}, "accumulate": {}}
    for entry in profile["calls"]:
        operation = "get" if entry["operation"].startswith("get") else entry["operation"]
        operation = operation.removesuffix("_async")
        if entry["array"] not in ("density", "Kohn-Sham matrix") or operation not in counts:
            continue
        sizes = entry["sizes"]
        numbered = sizes.items() if isinstance(sizes, dict) else enumerate(sizes)
        for size, count in numbered:
            known = counts[operation]
            known[int(size)] = known.get(int(size), 0) + count
    return counts


def histogram_text(counts: dict[str, dict[int, int]], hosts: int) -> str:
    lines = [f"messages with distributed arrays, {hosts} hosts, two builds (figure 9)"]
    lines.append(f"{'below':>10} {'get':>8} {'accumulate':>11}")
    classes = sorted({size for found in counts.values() for size, n in found.items() if n > 0})
    for size in classes:
        below = 1 << size
        text = f"{below} B" if below < 1 << 10 else f"{below >> 10} KiB"
        numbers = [counts[operation].get(size, 0) for operation in ("get", "accumulate")]
        lines.append(f"{text:>10} {numbers[0]:8} {numbers[1]:11}")
    return "\n".join(lines)


def row_of(rate: str, hosts: int, found: dict[str, Any]) -> dict[str, Any]:
    """Give a row of the table."""
    best = {kind: min(found["seconds"][kind]) for kind in KINDS}
    faster = best["distributed"] / best["mirrored"]
    limit = {"100mbit": 1 + PAPER_IMPROVEMENT / 100, "none": 1.0}.get(rate)
    return {
        "rate": rate,
        "hosts": hosts,
        "seconds": best,
        "faster": faster,
        "saved": 100 * (1 - 1 / faster),
        "limit": limit,
        "met": None if limit is None else faster >= limit,
        **{key: found[key] for key in ("functions", "points", "chunks", "bytes", "details")},
    }


HEADING = f"{'network':>8} {'hosts':>5} {'distributed':>12} {'mirrored':>9} {'faster':>8}  limit"


def row_text(row: dict[str, Any]) -> str:
    limit = "" if row["limit"] is None else f">= {row['limit']:.3f}"
    verdict = {None: "", True: "met", False: "MISSED"}[row["met"]]
    seconds = row["seconds"]
    return (
        f"{row['rate']:>8} {row['hosts']:5} {seconds['distributed']:10.3f} s "
        f"{seconds['mirrored']:7.3f} s {row['faster']:7.2f}x  {limit} {verdict}"
        f" ({row['saved']:.1f} % of the time saved)"
    )


def setting_text(row: dict[str, Any], quick: bool) -> str:
    return (
        f"{'Si2O7H6' if quick else 'Si8O7H18'}, {FUNCTIONAL}, {BASIS}: "
        f"{row['functions']} functions, {row['points']} points in {row['chunks']} chunks, "
        f"{row['bytes'] / 1e6:.0f} MB in patches"
    )


def main() -> None:
    options = arguments()
    if options.inside is not None:
        measure(options)
        return
    from atoll.cluster import Cluster, ClusterError
    from atoll.cluster.hosts import missing

    if reason := missing():
        raise SystemExit(f"bench/chem/xc_arrays.py: {reason}")
    rates, hosts = tuple(options.rate or RATES), tuple(options.hosts or HOSTS)
    rows: list[dict[str, Any]] = []
    cluster = Cluster()
    try:
        cluster.up(max(hosts))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for rate in rates:
                cluster.shape(rate)
                for count in hosts:
                    row = row_of(rate, count, run_inside(options, count, folder, False))
                    if not rows:
                        print(setting_text(row, options.quick), HEADING, sep="\n")
                    print(row_text(row), flush=True)
                    rows.append(row)
            cluster.shape("none")
            messages = histogram(run_inside(options, max(hosts), folder, True))
    except ClusterError as error:
        raise SystemExit(f"bench/chem/xc_arrays.py: {error}") from None
    finally:
        cluster.down()
    print(histogram_text(messages, max(hosts)))
    if options.json is not None:
        data = {"rows": rows, "messages": messages}
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
